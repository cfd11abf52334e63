/* SPDX-License-Identifier: BSD-3-Clause */
/* cursor.c - store how far a sink has read the archive, in a file that outlives the sender */
#include "archive/cursor.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/files.h"

#define FIRST_LINE "nodometer cursor 1"
#define LAST_LINE  "end"
/* number of entries at the end of numbers[] that are written only if they are not 0 */
#define OPTIONAL   6
/* bytes; one sector, so that a power failure leaves either the old or the new content */
#define FILE_BYTES 512

static const struct {
	const char *key;
	size_t offset;		/* offset of a 64-bit member of struct cursor */
} numbers[] = {
	{ "file",       offsetof(struct cursor, epoch)      },
	{ "offset",     offsetof(struct cursor, offset)     },
	{ "time_us",    offsetof(struct cursor, usec)       },
	{ "groups",     offsetof(struct cursor, groups)     },
	{ "bytes",      offsetof(struct cursor, bytes)      },
	{ "refused",    offsetof(struct cursor, refused)    },
	{ "errors",     offsetof(struct cursor, errors)     },
	{ "lost_files", offsetof(struct cursor, lost_files) },
	{ "refused_share", offsetof(struct cursor, refused_share) },
	{ "success_us", offsetof(struct cursor, success_us) },
	{ "head",       offsetof(struct cursor, head)       },
	{ "after",      offsetof(struct cursor, after)      },
	{ "too_old",    offsetof(struct cursor, too_old)    },
	{ "tail",       offsetof(struct cursor, tail)       },
	{ "waiting",    offsetof(struct cursor, waiting)    },
	{ "receiver",   offsetof(struct cursor, receiver)   },
	{ "failovers",  offsetof(struct cursor, failovers)  },
};

int cursor_path(struct buf *b, const char *dir, const char *host, const char *name)
{
	buf_addf(b, "%s/%s", dir, host);
	buf_add_char(b, '\0');
	int r = archive_make_dirs(b->p);
	b->n--;
	buf_addf(b, "/%s", name);
	buf_add_char(b, '\0');
	return r;
}

static bool cursor_set_number(struct cursor *c, struct str key, struct str value)
{
	uint64_t v;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!str_eq(key, str_of(numbers[i].key)))
			continue;
		if (!str_take_u64(&value, &v) || value.n || v > INT64_MAX)
			return false;
		memcpy((char *)c + numbers[i].offset, &v, sizeof(v));
		return true;
	}
	return str_eq(key, STR("why")) && str_copy(c->why, sizeof(c->why), str_trim(value));
}

/* Parse a cursor file. Parsing continues after a damaged line, to find the counters. */
static int cursor_parse(struct cursor *c, struct str text)
{
	struct str line, key;
	int r = str_take_line(&text, &line) && str_eq(line, STR(FIRST_LINE)) ? 0 : -EBADMSG;
	while (str_take_line(&text, &line)) {
		if (str_eq(line, STR(LAST_LINE)))
			return str_trim(text).n ? -EBADMSG : r;
		if (!str_take_word(&line, &key) || !cursor_set_number(c, key, line))
			r = -EBADMSG;
	}
	return -EBADMSG;
}

int cursor_load(struct cursor *c, const char *path)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct cursor read = { .epoch = 0 };
	struct str text;
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	int r = files_read_fd(fd, FILE_TO_END, &b, &text);
	if (r == 0)
		r = cursor_parse(&read, text);
	if (r == -EBADMSG) {
		read.epoch = c->epoch;
		read.offset = c->offset;
		read.usec = c->usec;
		read.head = c->head;
		read.after = c->after;
		read.tail = c->tail;
	}
	if (r == 0 || r == -EBADMSG)
		*c = read;
	return r;
}

/* Overwrite a file with text of the same size. Unlike a new file, this needs no free space. */
static bool cursor_overwrite(const char *path, struct str text)
{
	struct stat st;
	int fd CLEANUP(close_fd) = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd >= 0 && text.n == FILE_BYTES && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       st.st_size == FILE_BYTES &&
	       pwrite(fd, text.p, text.n, 0) == (ssize_t)text.n;
}

int cursor_save(const struct cursor *c, const char *path)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	uint64_t v;
	buf_addf(&b, FIRST_LINE "\n");
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		memcpy(&v, (const char *)c + numbers[i].offset, sizeof(v));
		if (v || i < ARRAY_SIZE(numbers) - OPTIONAL)
			buf_addf(&b, "%s %llu\n", numbers[i].key, (unsigned long long)v);
	}
	if (c->why[0])
		buf_addf(&b, "why %s\n", c->why);
	buf_addf(&b, LAST_LINE "\n");
	while (b.n < FILE_BYTES)
		buf_add_char(&b, '\n');
	return cursor_overwrite(path, buf_str(&b)) ? 0 : files_replace(path, buf_str(&b));
}

static int cursor_open_lock(const char *dir, const char *host, int flags)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	buf_addf(&path, "%s/%s/.lock%c", dir, host, '\0');
	int fd = open(path.p, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
	return fd < 0 ? -errno : fd;
}

/* Use an open file description lock (fcntl_locking(2)), which child processes keep. */
int cursor_lock(const char *dir, const char *host)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = cursor_open_lock(dir, host, O_RDWR | O_CREAT);
	if (fd < 0)
		return fd;
	int r = fchmod(fd, 0644) < 0 || fcntl(fd, F_OFD_SETLK, &all) < 0 ? -errno : 0;
	if (r < 0)
		close_fd(&fd);
	return r == -EACCES ? -EAGAIN : r < 0 ? r : fd;
}

bool cursor_is_locked(const char *dir, const char *host)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd CLEANUP(close_fd) = cursor_open_lock(dir, host, O_RDONLY);
	return fd >= 0 && fcntl(fd, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK;
}
