/* SPDX-License-Identifier: BSD-3-Clause */
/* answer_files.c - list an archive's files; ask nodometer-answer if the user may not read them */
#include "report/answer_files.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "archive/answered.h"
#include "base/clock.h"
#include "base/files.h"

/* timeout for the whole reply, 90 s; nodometer-answer itself gives up after 60 s */
#define ANSWER_NS 90000000000LL
#define CONNECT_S 10

static int connect_to(int *fd)
{
	const struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = ANSWER_SOCKET };
	const struct timeval wait = { .tv_sec = CONNECT_S };
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd < 0)
		return -errno;
	/* the send timeout limits connect(2), too */
	setsockopt(*fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	return connect(*fd, (const struct sockaddr *)&to, sizeof(to)) < 0 ? -errno : 0;
}

/*
 * Query nodometer-answer. Returns -ENOENT if nodometer-answer does not run or serves another
 * archive.
 */
static int answer_query(struct answered *a, const struct answer_request *q)
{
	int64_t deadline_ns = monotonic_ns() + ANSWER_NS;
	int fd CLEANUP(close_fd) = -1;
	if (connect_to(&fd) < 0)
		return -ENOENT;
	return answered_ask(a, fd, q, deadline_ns);
}

int answer_files_list(const char *dir, const struct answer_request *q, struct archive_file **ret,
		      size_t *n, struct answer_use *use, struct buf *why)
{
	int r = archive_list(dir, ret, n, why);
	if (r != -EACCES)
		return r;
	struct answered a CLEANUP(answered_free) = { .of = dir, .data = -1 };
	int e = answer_query(&a, q);
	if (e == -ENOENT) {
		buf_add(why, STR("; as root \"systemctl enable --now nodometer-answer.socket\" "
				 "lets users see their own jobs"));
		return r;
	}
	why->n = 0;	/* drop the error of archive_list(), since nodometer-answer replied */
	if (e < 0) {
		buf_addf(why, "nodometer-answer: " STR_FMT, STR_ARG(buf_str(&a.why)));
		return r;
	}
	buf_add(&use->left_out, buf_str(&a.left_out));
	use->used = true;
	*ret = a.file;
	*n = a.n;
	a.file = NULL;
	return 0;
}

void answer_use_free(struct answer_use *a)
{
	buf_free(&a->left_out);
}
