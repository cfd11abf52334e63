/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.c - the files of an archive; of one that the user cannot read, what nodometer-answer has */
#include "report/asked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/system/frame.h"
#include "base/vec.h"

#define ANSWER_NS 90000000000LL	/* nodometer-answer ends after a minute */
#define CONNECT_S 10
#define HOSTS_MAX 65536

struct asking {
	int fd;
	int64_t deadline_ns;
	const char *dir;
	struct archive_file *file;
	size_t n, cap;
	int data;		/* of the newest file, or -1 */
	uint64_t bytes;
	struct asked *asked;
	struct buf *why;
};

static int ask(const struct answer_request *q, int64_t deadline_ns)
{
	const struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = ANSWER_SOCKET };
	struct buf text CLEANUP(buf_free) = { 0 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	const struct timeval wait = { .tv_sec = CONNECT_S };
	answer_put_request(&text, q);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));	/* also of connect(2) */
	int r = connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0 ? -errno : 0;
	if (r == 0)
		r = frame_send(fd, ANSWER_REQUEST, buf_str(&text), deadline_ns);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

static struct str without_slashes(struct str dir)
{
	while (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	return dir;
}

static int take_archive(struct asking *a, struct str dir)
{
	return str_eq(without_slashes(dir), without_slashes(str_of(a->dir))) ? 0 : -ENOENT;
}

/* There may be more hosts than descriptors by default. */
static void allow_files(void)
{
	struct rlimit l;
	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/* A file that has no name but this one, and that processes of this program can open again. */
static int take_host(struct asking *a, struct str text)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	struct str host;
	int64_t epoch;
	if (a->n == HOSTS_MAX || answer_take_host(text, &epoch, &host) < 0)
		return -EBADMSG;
	a->data = memfd_create("nodometer-answer", MFD_CLOEXEC);
	if (a->data < 0)
		return -errno;
	buf_addf(&path, "/proc/self/fd/%d", a->data);
	a->file = vec_reserve(a->file, &a->cap, a->n + 1, sizeof(*a->file));
	a->file[a->n++] = (struct archive_file){ xstrdup(buf_str(&path)), xstrdup(host), epoch };
	return 0;
}

static int take_data(struct asking *a, struct str bytes)
{
	a->bytes += bytes.n;
	if (a->data < 0 || a->bytes > ANSWER_BYTES_MAX)
		return -EBADMSG;
	return files_write(a->data, bytes);
}

/* 1: the answer is whole. */
static int take_end(struct asking *a, struct str text)
{
	struct str said;
	bool whole;
	if (answer_take_end(text, &whole, &said) < 0)
		return -EBADMSG;
	buf_add(whole ? &a->asked->left_out : a->why, said);
	return whole ? 1 : -EREMOTEIO;
}

static int take_frame(struct asking *a, char kind, struct str bytes)
{
	switch (kind) {
	case ANSWER_ARCHIVE: return take_archive(a, bytes);
	case ANSWER_HOST:    return take_host(a, bytes);
	case ANSWER_DATA:    return take_data(a, bytes);
	case ANSWER_END:     return take_end(a, bytes);
	default:             return -EBADMSG;
	}
}

/* The folder of the archive comes first. */
static int receive(struct asking *a)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char kind = 0;
	int r = 0;
	for (bool first = true; r == 0; first = false) {
		r = frame_receive(a->fd, &kind, &b, FRAME_MAX, a->deadline_ns);
		if (r == 0 && first != (kind == ANSWER_ARCHIVE))
			r = -EBADMSG;
		if (r == 0)
			r = take_frame(a, kind, buf_str(&b));
	}
	return r < 0 ? r : 0;
}

static int by_host(const void *a, const void *b)
{
	const struct archive_file *x = a, *y = b;
	return strcmp(x->host, y->host);
}

static const char *explain(int e)
{
	return e == -EPIPE ? "it ended without an answer" :
	       e == -EBADMSG || e == -EMSGSIZE ? "what it sends is no answer" : strerror(-e);
}

static int receive_answer(struct asking *a, const struct answer_request *q)
{
	a->fd = ask(q, a->deadline_ns);
	if (a->fd < 0)
		return -ENOENT;
	allow_files();
	int r = receive(a);
	close(a->fd);
	if (r == -ENOENT || r == 0)
		return r;
	struct buf said CLEANUP(buf_free) = { 0 };
	buf_addf(&said, "nodometer-answer: " STR_FMT,
		 STR_ARG(a->why->n ? buf_str(a->why) : str_of(explain(r))));
	a->why->n = 0;
	buf_add(a->why, buf_str(&said));
	return r;
}

int asked_list(const char *dir, const struct answer_request *q, struct archive_file **ret,
	       size_t *n, struct asked *asked, struct buf *why)
{
	struct buf said CLEANUP(buf_free) = { 0 };
	int r = archive_list(dir, ret, n, why);
	if (r != -EACCES)
		return r;
	struct asking a = { .dir = dir, .data = -1, .asked = asked, .why = &said,
			    .deadline_ns = monotonic_ns() + ANSWER_NS };
	int e = receive_answer(&a, q);
	if (e < 0) {
		archive_list_free(a.file, a.n);
		if (e != -ENOENT) {
			why->n = 0;
			buf_add(why, buf_str(&said));
		}
		return r;
	}
	if (a.n)
		qsort(a.file, a.n, sizeof(*a.file), by_host);
	why->n = 0;	/* of the archive */
	asked->used = true;
	*ret = a.file;
	*n = a.n;
	return 0;
}

void asked_free(struct asked *a)
{
	buf_free(&a->left_out);
}
