/* SPDX-License-Identifier: BSD-3-Clause */
/* answered.c - receive records from another process into files in memory, one per host */
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

static struct str answered_trim_slashes(struct str dir)
{
	while (dir.n > 1 && dir.p[dir.n - 1] == '/')
		dir.n--;
	return dir;
}

static int answered_check_archive(const struct answered *a, struct str dir)
{
	return str_eq(answered_trim_slashes(dir),
		      answered_trim_slashes(str_of(a->of))) ? 0 : -ENOENT;
}

/* Raise the limit of open files to its maximum: each host needs a file in memory. */
static void answered_raise_file_limit(void)
{
	struct rlimit l;
	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/*
 * Create a file in memory for the next host. Its path is in /proc/self/fd, so that this process and
 * its children can open it.
 */
static int answered_take_host(struct answered *a, struct str text)
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

static int answered_take_data(struct answered *a, struct str bytes)
{
	a->bytes += bytes.n;
	if (a->data < 0 || a->bytes > ANSWER_BYTES_MAX)
		return -EBADMSG;
	return files_write(a->data, bytes);
}

/* Handle the last frame of the answer. Returns 1 if the answer is complete, or -errno. */
static int answered_take_end(struct answered *a, struct str text)
{
	struct str said;
	bool whole;
	if (answer_take_end(text, &whole, &said) < 0)
		return -EBADMSG;
	buf_add(whole ? &a->left_out : &a->why, said);
	return whole ? 1 : -EREMOTEIO;
}

static int answered_take_frame(struct answered *a, char kind, struct str bytes)
{
	switch (kind) {
	case ANSWER_ARCHIVE: return answered_check_archive(a, bytes);
	case ANSWER_HOST:    return answered_take_host(a, bytes);
	case ANSWER_DATA:    return answered_take_data(a, bytes);
	case ANSWER_END:     return answered_take_end(a, bytes);
	default:             return -EBADMSG;
	}
}

/* Receive all frames of the answer. The first frame must have the requested folder or URL. */
static int answered_receive(struct answered *a, int fd, int64_t deadline_ns)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char kind = 0;
	int r = 0;
	for (bool first = true; r == 0; first = false) {
		r = frame_receive(fd, &kind, &b, FRAME_MAX, deadline_ns);
		if (r == 0 && first != (kind == ANSWER_ARCHIVE))
			r = -EBADMSG;
		if (r == 0)
			r = answered_take_frame(a, kind, buf_str(&b));
	}
	return r < 0 ? r : 0;
}

static int answered_compare_hosts(const void *a, const void *b)
{
	const struct archive_file *x = a, *y = b;
	return strcmp(x->host, y->host);
}

static const char *answered_explain(const struct answered *a, int e)
{
	switch (e) {
	case -EPIPE:
	case -ECONNRESET:
		return a->n ? "its answer was incomplete and is not used: try again" :
			      "it ended without an answer";
	case -ETIMEDOUT:
		return "its answer was not complete in time and is not used: try again, or select "
		       "a shorter time with --since and --until";
	case -EBADMSG:
	case -EMSGSIZE:
		return "it sent an invalid answer";
	default:
		return strerror(-e);
	}
}

int answered_ask(struct answered *a, int fd, const struct answer_request *q, int64_t deadline_ns)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	answer_put_request(&text, q);
	int r = frame_send(fd, ANSWER_REQUEST, buf_str(&text), deadline_ns);
	answered_raise_file_limit();
	if (r == 0)
		r = answered_receive(a, fd, deadline_ns);
	if (r < 0 && !a->why.n)
		buf_addf(&a->why, "%s", answered_explain(a, r));
	if (r == 0 && a->n)
		qsort(a->file, a->n, sizeof(*a->file), answered_compare_hosts);
	return r;
}

void answered_free(struct answered *a)
{
	if (a->file)
		archive_list_free(a->file, a->n);
	buf_free(&a->left_out);
	buf_free(&a->why);
}
