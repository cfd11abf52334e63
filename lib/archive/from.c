/* SPDX-License-Identifier: BSD-3-Clause */
/* from.c - read records from a database through the program nodometer-fetch */
#include "archive/from.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "archive/answered.h"
#include "archive/remote.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/system/program.h"

/* ns; longer than the timeout of nodometer-fetch itself, 10 min */
#define FETCH_NS 660000000000LL

/* Start nodometer-fetch with the socket `theirs` as its standard input. */
static pid_t from_start_fetch(const struct from *f, const char *host, int theirs)
{
	char *argv[8] = { "nodometer-fetch" };
	size_t n = 1;
	pid_t pid = fork();
	if (pid)
		return pid;
	if (f->login) {
		argv[n++] = "--login";
		argv[n++] = (char *)f->login;
	}
	if (host) {
		argv[n++] = "--host";
		argv[n++] = (char *)host;
	}
	argv[n++] = "--";
	argv[n++] = (char *)f->url;
	if (dup2(theirs, STDIN_FILENO) >= 0)
		program_run("fetch", argv);
	_exit(127);
}

static int from_fetch(struct answered *a, const struct from *f, const struct answer_request *q,
		      const char *host)
{
	char path[PROGRAM_PATH_MAX];
	int ends[2], status;
	const char *left_out = program_left_out("fetch");
	if (left_out) {
		buf_addf(&a->why, "nodometer-fetch is not built: configured with %s", left_out);
		return -ENOENT;
	}
	if (program_find("fetch", path) < 0) {
		buf_addf(&a->why, "nodometer-fetch is not installed: it is in the package "
			 "nodometer-send");
		return -ENOENT;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid_t pid = from_start_fetch(f, host, ends[1]);
	int r = pid < 0 ? -errno : 0;
	close_fd(&ends[1]);
	if (r == 0)
		r = answered_ask(a, ends[0], q, monotonic_ns() + FETCH_NS);
	close_fd(&ends[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && r == -EPIPE) {
		a->why.n = 0;
		buf_addf(&a->why, "nodometer-fetch ended before its answer was complete: ");
		program_put_end(&a->why, status);
	}
	return r;
}

bool archive_is_here(const struct from *f, const char *dir)
{
	return !f->url && !remote_is(dir);
}

int archive_from(const struct from *f, const char *dir, const struct answer_request *q,
		 const char *host, struct archive_file **ret, size_t *n, struct buf *left_out,
		 struct buf *why)
{
	struct answered a CLEANUP(answered_free) = { .of = f->url, .data = -1 };
	if (!f->url)
		return archive_list(dir, ret, n, why);
	int r = from_fetch(&a, f, q, host);
	if (r < 0) {
		buf_addf(why, "%s: " STR_FMT, f->url, STR_ARG(buf_str(&a.why)));
		return r;
	}
	buf_add(left_out, buf_str(&a.left_out));
	*ret = a.file;
	*n = a.n;
	a.file = NULL;
	return 0;
}
