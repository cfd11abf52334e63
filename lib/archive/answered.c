/* SPDX-License-Identifier: BSD-3-Clause */
/* answered.c - records that another process sends, as files in memory of this one, one a host */
#include "archive/answered.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "base/files.h"
#include "base/system/frame.h"
#include "base/vec.h"

#define HOSTS_MAX 65536

static struct str without_slashes(struct str dir)
{
	while (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	return dir;
}

static int take_archive(const struct answered *a, struct str dir)
{
	return str_eq(without_slashes(dir), without_slashes(str_of(a->of))) ? 0 : -ENOENT;
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
static int take_host(struct answered *a, struct str text)
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

static int take_data(struct answered *a, struct str bytes)
{
	a->bytes += bytes.n;
	if (a->data < 0 || a->bytes > ANSWER_BYTES_MAX)
		return -EBADMSG;
	return files_write(a->data, bytes);
}

/* 1: the answer is whole. */
static int take_end(struct answered *a, struct str text)
{
	struct str said;
	bool whole;
	if (answer_take_end(text, &whole, &said) < 0)
		return -EBADMSG;
	buf_add(whole ? &a->left_out : &a->why, said);
	return whole ? 1 : -EREMOTEIO;
}

static int take_frame(struct answered *a, char kind, struct str bytes)
{
	switch (kind) {
	case ANSWER_ARCHIVE: return take_archive(a, bytes);
	case ANSWER_HOST:    return take_host(a, bytes);
	case ANSWER_DATA:    return take_data(a, bytes);
	case ANSWER_END:     return take_end(a, bytes);
	default:             return -EBADMSG;
	}
}

/* The folder, or the URL, comes first. */
static int receive(struct answered *a, int fd, int64_t deadline_ns)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char kind = 0;
	int r = 0;
	for (bool first = true; r == 0; first = false) {
		r = frame_receive(fd, &kind, &b, FRAME_MAX, deadline_ns);
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

int answered_ask(struct answered *a, int fd, const struct answer_request *q, int64_t deadline_ns)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	answer_put_request(&text, q);
	int r = frame_send(fd, ANSWER_REQUEST, buf_str(&text), deadline_ns);
	allow_files();
	if (r == 0)
		r = receive(a, fd, deadline_ns);
	if (r < 0 && !a->why.n)
		buf_addf(&a->why, "%s", explain(r));
	if (r == 0 && a->n)
		qsort(a->file, a->n, sizeof(*a->file), by_host);
	return r;
}

void answered_free(struct answered *a)
{
	if (a->file)
		archive_list_free(a->file, a->n);
	buf_free(&a->left_out);
	buf_free(&a->why);
}
