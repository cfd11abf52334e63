/* SPDX-License-Identifier: BSD-3-Clause */
/* index.c - read the index at the end of a compressed file */
#include "archive/index.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/remote.h"
#include "base/files.h"
#include "base/wire.h"

#define MAGIC     STR("nodoidx2")
#define SKIPPABLE STR("\x5e\x2a\x4d\x18")
#define HEAD      8	/* bytes before the text: SKIPPABLE and the size of the rest */
/* bytes after the text: 8 for the offset of the index frame, 8 for the checksum, 8 for MAGIC */
#define TRAILER   24
#define FIRST_READ_BYTES 4096
/* bytes of the first read from a remote file: many, because each request is costly */
#define FIRST_READ_REMOTE_BYTES (64u << 10)
#define CHUNK     (256u << 10)

static uint64_t index_checksum(struct str text, uint64_t before, struct str tail)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	wire_put(&b, str_hash(text), 8);
	wire_put(&b, before, 8);
	buf_add(&b, tail);
	return str_hash(buf_str(&b));
}

void index_put_frame(struct buf *b, struct str text, uint64_t before, const char tail[INDEX_TAIL])
{
	uint32_t size = (uint32_t)(text.n + TRAILER);
	buf_add(b, SKIPPABLE);
	for (int i = 0; i < 4; i++)
		buf_add_char(b, (char)(size >> 8 * i));
	buf_add(b, text);
	wire_put(b, before, 8);
	wire_put(b, index_checksum(text, before, (struct str){ tail, INDEX_TAIL }), 8);
	buf_add(b, MAGIC);
}

/* Read the numbers at the end of the file and compute the size of the text. */
static bool index_take_trailer(struct str last, uint64_t size, uint64_t *before, uint64_t *sum,
			       uint64_t *text_bytes)
{
	if (last.n < TRAILER || !str_ends(last, MAGIC))
		return false;
	struct wire w = wire_of(str_skip(last, last.n - TRAILER));
	*before = wire_u64(&w);
	*sum = wire_u64(&w);
	if (*before > size || size - *before < HEAD + TRAILER)
		return false;
	*text_bytes = size - *before - HEAD - TRAILER;
	return *before >= INDEX_TAIL && *text_bytes <= INDEX_MAX;
}

bool index_take_frame(struct str last, uint64_t size, struct str *text)
{
	uint64_t before, sum, n;
	if (!index_take_trailer(last, size, &before, &sum, &n) ||
	    last.n < INDEX_TAIL + HEAD + n + TRAILER)
		return false;
	struct str rest = str_skip(last, last.n - (INDEX_TAIL + HEAD + n + TRAILER));
	struct str tail = { rest.p, INDEX_TAIL };
	rest = str_skip(rest, INDEX_TAIL);
	if (!str_take_prefix(&rest, SKIPPABLE))
		return false;
	uint64_t stored = 0;
	for (int i = 4; i-- > 0; )
		stored = stored << 8 | (unsigned char)rest.p[i];
	struct str found = { rest.p + 4, n };
	if (stored != n + TRAILER || index_checksum(found, before, tail) != sum)
		return false;
	*text = found;
	return true;
}

/* A file whose end is read: a local file or a URL. */
struct file_end {
	int fd;
	const char *url;	/* NULL: the file is .fd */
	uint64_t size;
};

static int index_read_last(struct file_end *f, uint64_t want, struct buf *b)
{
	if (f->url)
		return remote_last(f->url, want, b, &f->size);
	size_t n = (size_t)(want < f->size ? want : f->size);
	b->n = 0;
	buf_reserve(b, n + 1);
	ssize_t got = pread(f->fd, b->p, n, (off_t)(f->size - n));
	if (got < 0)
		return -errno;
	b->n = (size_t)got;
	return (size_t)got == n ? 0 : -ENOENT;
}

/* Read the frame of the index. */
static int index_read_frame(struct file_end *f, struct buf *b, struct str *text)
{
	uint64_t before, sum, n;
	int r = index_read_last(f, f->url ? FIRST_READ_REMOTE_BYTES : FIRST_READ_BYTES, b);
	if (r == 0 && index_take_trailer(buf_str(b), f->size, &before, &sum, &n) &&
	    INDEX_TAIL + HEAD + n + TRAILER > b->n)
		r = index_read_last(f, INDEX_TAIL + HEAD + n + TRAILER, b);
	if (r < 0)
		return r;
	return index_take_frame(buf_str(b), f->size, text) ? 0 : -ENOENT;
}

static int index_read_frame_here(int fd, struct buf *b, struct str *text)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOENT;
	struct file_end f = { .fd = fd, .size = (uint64_t)st.st_size };
	return index_read_frame(&f, b, text);
}

/*
 * Read the index of a remote file. Try only names that end in .zst, since each request costs time.
 */
static int index_read_frame_remote(const char *url, struct buf *b, struct str *text)
{
	struct file_end f = { .url = url };
	if (remote_index(url, text))
		return 0;
	return str_ends(str_of(url), STR(".zst")) ? index_read_frame(&f, b, text) : -ENOENT;
}

int index_read(const char *path, struct buf *b, struct str *text)
{
	if (remote_is(path))
		return index_read_frame_remote(path, b, text);
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : index_read_frame_here(fd, b, text);
}

static void index_take_attributes(struct str words, struct index_job *j)
{
	struct str word;
	uint64_t left;
	while (str_take_word(&words, &word)) {
		if (str_take_prefix(&word, STR("account=")))
			j->account = word;
		else if (str_take_prefix(&word, STR("partition=")))
			j->partition = word;
		else if (str_take_prefix(&word, STR("name=")))
			j->name = word;
		else if (str_take_prefix(&word, STR("exit=")))
			j->exit = word;
		else if (str_take_prefix(&word, STR("state=")))
			j->state = word;
		else if (str_take_prefix(&word, STR("nodes=")) &&
			 !str_take_u64(&word, &j->nodes))
			j->nodes = 0;
		else if (str_take_prefix(&word, STR("left=")) &&
			 str_take_u64(&word, &left) && left <= INT64_MAX)
			j->left = (int64_t)left;
	}
}

static bool index_take_job(struct str line, struct index_job *ret)
{
	struct str marks;
	struct index_job j = { .samples = 0 };
	uint64_t first, last;
	if (!str_take_prefix(&line, STR("job ")) || !str_take_word(&line, &j.id) ||
	    !str_take_u64(&line, &first) || !str_take_u64(&line, &last) ||
	    !str_take_u64(&line, &j.samples) || !str_take_word(&line, &marks) ||
	    !str_take_word(&line, &j.user) || first > INT64_MAX || last > INT64_MAX)
		return false;
	j.first = (int64_t)first;
	j.last = (int64_t)last;
	j.begun = str_has(marks, 'b');
	j.ended = str_has(marks, 'e');
	if (str_eq(j.user, STR("-")))
		j.user.n = 0;
	index_take_attributes(line, &j);
	*ret = j;
	return true;
}

bool index_next_job(struct str *text, struct index_job *ret)
{
	struct str line;
	while (str_take_line(text, &line))
		if (index_take_job(line, ret))
			return true;
	return false;
}

bool index_has_job(struct str text, struct str job)
{
	struct buf line CLEANUP(buf_free) = { 0 };
	buf_addf(&line, "\njob " STR_FMT " ", STR_ARG(job));
	return memmem(text.p, text.n, line.p, line.n) != NULL;
}

bool index_last_frame(struct str text, uint64_t *place)
{
	struct str line;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, STR("last ")))
			return str_take_u64(&line, place);
	return false;
}

bool index_unread(struct str text, int64_t *from, int64_t *to)
{
	struct str line;
	uint64_t first, last = INT64_MAX;
	while (str_take_line(&text, &line)) {
		if (!str_take_prefix(&line, STR("unread ")) || !str_take_u64(&line, &first))
			continue;
		str_take_u64(&line, &last);
		*from = first < INT64_MAX ? (int64_t)first : INT64_MAX;
		*to = last < INT64_MAX ? (int64_t)last : INT64_MAX;
		return true;
	}
	return false;
}

/*
 * Returns true if the job id may be in the text. Also returns true after a read error: the caller
 * then reads the records and reports the error.
 */
static bool index_text_may_have(int fd, struct buf *b, struct str job)
{
	size_t kept = 0;
	b->n = 0;
	buf_reserve(b, CHUNK + job.n);
	for (;;) {
		ssize_t got = read(fd, b->p + kept, CHUNK);
		if (got <= 0)
			return got < 0;
		size_t n = kept + (size_t)got;
		if (memmem(b->p, n, job.p, job.n))
			return true;
		kept = n < job.n ? n : job.n - 1;
		memmove(b->p, b->p + n - kept, kept);
	}
}

bool index_excludes(const char *path, struct str job)
{
	static const char raw[] = "$hpcperfstats ";
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	char first[sizeof(raw) - 1];

	if (remote_is(path))
		return index_read(path, &b, &text) == 0 && !index_has_job(text, job);
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (index_read_frame_here(fd, &b, &text) == 0)
		return !index_has_job(text, job);
	bool plain = pread(fd, first, sizeof(first), 0) == (ssize_t)sizeof(first) &&
		     memcmp(first, raw, sizeof(first)) == 0;
	return plain && !index_text_may_have(fd, &b, job);
}
