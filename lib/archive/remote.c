/* SPDX-License-Identifier: BSD-3-Clause */
/* remote.c - read an archive over HTTPS or from an object store, through nodometer-remote */
#include "archive/remote.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/map.h"
#include "base/system/frame.h"
#include "base/system/program.h"
#include "base/vec.h"

#define SILENT_NS ((REMOTE_SILENT_S + 15) * INT64_C(1000000000))

struct remote_file {
	char *url;
	uint64_t size;
	struct str index;	/* text of the file's index; NULL if there is none */
};

/*
 * State of this process. A forked child uses the same list of files, but its own nodometer-remote.
 */
static struct {
	pid_t owner;		/* process that opened .fd */
	pid_t pid;		/* process id of nodometer-remote */
	int fd;
	struct buf why;
	struct remote_file *file;
	size_t n, cap;
	struct map by_url;
} remote = { .fd = -1 };

bool remote_is(const char *path)
{
	struct str s = str_of(path);
	return str_starts(s, STR("https://")) || str_starts(s, STR("s3://")) ||
	       str_starts(s, STR("http://"));
}

const char *remote_why(void)
{
	return remote.why.n ? remote.why.p : "nodometer-remote does not answer";
}

static int remote_fail(struct str why)
{
	remote.why.n = 0;
	buf_addf(&remote.why, STR_FMT "%c", STR_ARG(why), '\0');
	return -EREMOTEIO;
}

static void remote_exec_reader(int fd, const char *path)
{
	char *argv[] = { (char *)"nodometer-remote", NULL };
	if (dup2(fd, STDIN_FILENO) < 0)
		_exit(1);
	execv(path, argv);
	_exit(1);
}

static int remote_start(void)
{
	char path[PROGRAM_PATH_MAX];
	int pair[2];

	if (remote.fd >= 0 && remote.owner == getpid())
		return 0;
	close_fd(&remote.fd);
	if (program_left_out("remote"))
		return remote_fail(STR("the program that reads URLs is not built: configured with "
				       "--disable-delivery"));
	if (program_find("remote", path) < 0)
		return remote_fail(STR("the program that reads URLs is not installed: it is in "
				       "package nodometer-send"));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return remote_fail(str_of(strerror(errno)));
	pid_t pid = fork();
	if (pid == 0)
		remote_exec_reader(pair[1], path);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return remote_fail(str_of(strerror(EAGAIN)));
	}
	remote.fd = pair[0];
	remote.owner = getpid();
	remote.pid = pid;
	return 0;
}

void remote_begin(void)
{
	(void)!remote_start();
}

/*
 * Disconnect from nodometer-remote after error e, and store the reason. The next request starts
 * another nodometer-remote. With -EPIPE the old process has ended already; otherwise it ends by
 * itself when the stream is closed.
 */
static int remote_close_broken(int e)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	int status, how = e == -EPIPE || e == -ECONNRESET ? 0 : WNOHANG;

	buf_addf(&why, "nodometer-remote ");
	close_fd(&remote.fd);
	if (waitpid(remote.pid, &status, how) == remote.pid) {
		buf_addf(&why, "ended before its answer was complete: ");
		program_put_end(&why, status);
	} else if (e == -ETIMEDOUT) {
		buf_addf(&why, "sent nothing for %lld s", SILENT_NS / 1000000000LL);
	} else {
		buf_addf(&why, "did not answer: %s", strerror(-e));
	}
	return remote_fail(buf_str(&why));
}

static int remote_send(char kind, struct str text)
{
	int r = text.n > REMOTE_REQUEST_MAX ? remote_fail(STR("the URL is too long"))
					    : remote_start();

	if (r < 0)
		return r;
	r = frame_send(remote.fd, kind, text, monotonic_ns() + SILENT_NS);
	return r < 0 ? remote_close_broken(r) : 0;
}

struct remote_answer {
	/* handle one frame; return 0, or the result of remote_fail() */
	int (*take)(void *arg, char kind, struct str bytes);
	void *arg;
};

/*
 * Receive an answer to its end, even if .take() fails, because the next answer follows in the same
 * stream.
 */
static int remote_receive(const struct remote_answer *a)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	int r = 0;

	for (char kind = 0; kind != REMOTE_END; ) {
		int64_t deadline = monotonic_ns() + SILENT_NS;
		int e = frame_receive(remote.fd, &kind, &b, FRAME_MAX, deadline);
		if (e < 0)
			return remote_close_broken(e);
		if (kind == REMOTE_ERROR)
			return r < 0 ? r : remote_fail(buf_str(&b));
		if (kind != REMOTE_END && r == 0)
			r = a->take(a->arg, kind, buf_str(&b));
	}
	return r;
}

struct remote_list_request {
	struct str dir;
	void (*found)(void *arg, struct str name);
	void *arg;
	size_t n;
};

static int remote_take_name(void *arg, char kind, struct str text)
{
	struct buf url CLEANUP(buf_free) = { 0 };
	struct remote_list_request *l = arg;
	uint64_t size;

	if (kind == REMOTE_MORE)
		return 0;
	if (kind != REMOTE_FILE || !str_take_u64(&text, &size) ||
	    !str_take_prefix(&text, STR(" ")) || !text.n || memchr(text.p, '\0', text.n))
		return remote_fail(STR("nodometer-remote sent an unexpected answer"));
	if (l->n++ == REMOTE_FILES_MOST)
		return remote_fail(STR("too many files for an archive"));
	buf_addf(&url, STR_FMT "/" STR_FMT, STR_ARG(l->dir), STR_ARG(text));
	remote.file = vec_reserve(remote.file, &remote.cap, remote.n + 1, sizeof(*remote.file));
	map_add(&remote.by_url, map_hash(buf_str(&url)), (union map_value){ .n = remote.n });
	remote.file[remote.n++] = (struct remote_file){ xstrdup(buf_str(&url)), size, { 0 } };
	l->found(l->arg, text);
	return 0;
}

int remote_list(const char *url, void (*found)(void *arg, struct str name), void *arg)
{
	struct remote_list_request l = { str_without_end(str_of(url), '/'), found, arg, 0 };
	const struct remote_answer answer = { remote_take_name, &l };
	int r = remote_send(REMOTE_LIST, str_of(url));

	return r < 0 ? r : remote_receive(&answer);
}

static struct remote_file *remote_find_file(struct str url)
{
	for (struct map_slot *at = NULL; (at = map_next(&remote.by_url, map_hash(url), at)); )
		if (str_eq(str_of(remote.file[at->value.n].url), url))
			return &remote.file[at->value.n];
	return NULL;
}

uint64_t remote_size(const char *url)
{
	const struct remote_file *f = remote_find_file(str_of(url));
	return f ? f->size : 0;
}

bool remote_index(const char *url, struct str *text)
{
	const struct remote_file *f = remote_find_file(str_of(url));
	if (!f || !f->index.p)
		return false;
	*text = f->index;
	return true;
}

/*
 * Find the file that a line "file HOST/NAME BYTES" describes. Returns NULL if the archive has no
 * such file of this size.
 */
static struct remote_file *remote_take_file_line(struct str dir, struct str line)
{
	struct buf url CLEANUP(buf_free) = { 0 };
	struct str name;
	uint64_t size;

	if (!str_take_prefix(&line, STR("file ")) || !str_take_word(&line, &name) ||
	    !str_take_u64(&line, &size) || line.n)
		return NULL;
	buf_addf(&url, STR_FMT "/" STR_FMT, STR_ARG(dir), STR_ARG(name));
	struct remote_file *f = remote_find_file(buf_str(&url));
	return f && f->size == size ? f : NULL;
}

void remote_take_index(const char *url, struct str text)
{
	struct str dir = str_without_end(str_of(url), '/'), line;
	struct remote_file *f = NULL;

	while (str_take_line(&text, &line)) {
		if (str_starts(line, STR("file "))) {
			f = remote_take_file_line(dir, line);
			if (f)
				f->index = (struct str){ text.p, 0 };
		} else if (f) {
			f->index.n = (size_t)(line.p + line.n - f->index.p);
		}
	}
}

struct remote_bytes {
	int fd;			/* descriptor to write the bytes to; -1: add them to .b */
	struct buf *b;
	uint64_t first, n;
};

static int remote_take_bytes(void *arg, char kind, struct str text)
{
	struct remote_bytes *to = arg;
	int r = 0;

	if (kind == REMOTE_FIRST && str_take_u64(&text, &to->first))
		return 0;
	if (kind != REMOTE_DATA)
		return remote_fail(STR("nodometer-remote sent an unexpected answer"));
	to->n += text.n;
	if (to->n > REMOTE_FILE_MOST)
		return remote_fail(STR("the file is larger than 1 GiB"));
	if (to->fd < 0)
		buf_add(to->b, text);
	else
		r = files_write(to->fd, text);
	return r < 0 ? remote_fail(str_of(strerror(-r))) : 0;
}

static int remote_read_from(const char *url, uint64_t first, struct remote_bytes *to)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	const struct remote_answer answer = { remote_take_bytes, to };

	buf_addf(&text, "%llu %s", (unsigned long long)first, url);
	int r = remote_send(REMOTE_READ, buf_str(&text));
	return r < 0 ? r : remote_receive(&answer);
}

/*
 * Fetch the whole file, which may have grown since it was listed. It is an error if the file has
 * become shorter.
 */
int remote_open(const char *url)
{
	int fd = memfd_create("nodometer-remote", MFD_CLOEXEC);
	struct remote_bytes to = { .fd = fd };

	if (fd < 0)
		return -errno;
	int r = remote_read_from(url, 0, &to);
	if (r == 0 && to.n < remote_size(url))
		r = remote_fail(STR("it is shorter than in the list of files"));
	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

int remote_last(const char *url, uint64_t want, struct buf *b, uint64_t *size)
{
	uint64_t listed = remote_size(url);
	struct remote_bytes to = { .fd = -1, .b = b };

	b->n = 0;
	int r = remote_read_from(url, listed > want ? listed - want : 0, &to);
	if (r == 0)
		*size = to.first + to.n;
	return r;
}
