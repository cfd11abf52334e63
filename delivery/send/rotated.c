/* SPDX-License-Identifier: BSD-3-Clause */
/* rotated.c - list a file that is rotated, and its rotated files, in the order of their lines */
#include "send/rotated.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "base/buf.h"
#include "base/clock.h"
#include "base/system/confine.h"
#include "base/vec.h"

#define SECOND_NS      INT64_C(1000000000)
#define NUMBER_DIGITS  6	/* most digits of a number in a name; more digits are a date */
/* limit of the attempts to list a folder that changes while it is listed */
#define LIST_TRIES     20
/* pause between two listings, in ns: longer than a tick of the clock of file times */
#define LIST_PAUSE_NS  10000000

/* Suffixes that compression programs add, and whether archive/input.h reads the format. */
static const struct {
	struct str text;
	bool readable;
} suffixes[] = {
	{ { ".gz",   3 }, true  },
	{ { ".zst",  4 }, true  },
	{ { ".xz",   3 }, false },
	{ { ".bz2",  4 }, false },
	{ { ".lz4",  4 }, false },
	{ { ".lzma", 5 }, false },
	{ { ".Z",    2 }, false },
	{ { ".zip",  4 }, false },
};

int64_t rotated_inode(const struct stat *st)
{
	return (int64_t)((uint64_t)st->st_ino & INT64_MAX);
}

int64_t rotated_mtime_ns(const struct stat *st)
{
	int64_t ns = st->st_mtim.tv_sec * SECOND_NS + st->st_mtim.tv_nsec;
	return ns > 0 ? ns : 0;
}

int64_t rotated_clock_ns(void)
{
	return clock_ns(CLOCK_REALTIME_COARSE);
}

bool rotated_is_since(const struct rotated_file *f, int64_t ns)
{
	bool cut = f->packed && f->mtime_ns % SECOND_NS == 0;
	return cut ? f->mtime_ns / SECOND_NS >= ns / SECOND_NS : f->mtime_ns >= ns;
}

/* Return the name without the suffix of a compression program. Sets .packed and .unreadable. */
static struct str rotated_unpacked_name(struct str name, struct rotated_file *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (!str_ends(name, suffixes[i].text))
			continue;
		f->packed = true;
		f->unreadable = !suffixes[i].readable;
		name.n -= suffixes[i].text.n;
		break;
	}
	return name;
}

/* Get the text that the rotation added to the name: at the name's end, or before its extension. */
static bool rotated_take_added(struct str base, struct str name, struct str *ret)
{
	const char *dot = memrchr(base.p, '.', base.n);
	struct str stem = { base.p, dot ? (size_t)(dot - base.p) : base.n };
	struct str extension = str_skip(base, stem.n);
	*ret = name;
	if (str_take_prefix(ret, base))
		return true;
	*ret = name;
	if (!extension.n || name.n < base.n || !str_ends(name, extension) ||
	    !str_take_prefix(ret, stem))
		return false;
	ret->n -= extension.n;
	return true;
}

/* Set .number, or .aside if the added text is neither a number nor a date. */
static void rotated_set_number(struct str added, struct rotated_file *f)
{
	static const char allowed[] = "0123456789.-_:T";
	uint64_t number;
	bool dot = str_peek(added) == '.', has_digit = false;
	f->number = -1;
	f->aside = added.n && !dot && added.p[0] != '-' && added.p[0] != '_';
	for (size_t i = 0; i < added.n; i++) {
		f->aside |= !memchr(allowed, added.p[i], sizeof(allowed) - 1);
		has_digit |= added.p[i] >= '0' && added.p[i] <= '9';
	}
	f->aside |= added.n && !has_digit;
	if (dot && added.n <= NUMBER_DIGITS + 1) {
		struct str digits = str_skip(added, 1);
		if (str_take_u64(&digits, &number) && !digits.n)
			f->number = (int64_t)number;
	}
}

/*
 * Set the members of f that depend on its name. Returns false if the name is not a rotated name of
 * FILE (`base`).
 */
static bool rotated_parse_name(struct str base, struct str name, struct rotated_file *f)
{
	struct str added;
	f->current = str_eq(name, base);
	f->number = -1;
	if (f->current)
		return true;
	if (!rotated_take_added(base, rotated_unpacked_name(name, f), &added))
		return false;
	rotated_set_number(added, f);
	return !f->aside || (!f->packed && str_starts(name, base));
}

/* Return true if a was written before b: by their times; if the times agree, by their numbers. */
static bool rotated_is_earlier(const struct rotated_file *a, const struct rotated_file *b)
{
	int64_t a_s = a->mtime_ns / SECOND_NS, b_s = b->mtime_ns / SECOND_NS;
	bool cut = (a->packed && a->mtime_ns % SECOND_NS == 0) ||
		   (b->packed && b->mtime_ns % SECOND_NS == 0);
	if (a->current || b->current)
		return b->current && !a->current;
	if (a_s != b_s)
		return a_s < b_s;
	if (!cut && a->mtime_ns != b->mtime_ns)
		return a->mtime_ns < b->mtime_ns;
	if (a->number >= 0 && b->number >= 0)
		return a->number > b->number;
	return strcmp(a->path, b->path) < 0;
}

/* Sort by insertion, because the order need not be transitive if times are cut to whole seconds. */
static void rotated_sort(struct rotated *r, bool by_number)
{
	for (size_t i = 1; i < r->n; i++) {
		struct rotated_file one = r->file[i];
		size_t at = i;
		for (; at > 0; at--) {
			const struct rotated_file *b = &r->file[at - 1];
			bool numbers = by_number && one.number >= 0 && b->number >= 0;
			if (!(numbers ? one.number > b->number : rotated_is_earlier(&one, b)))
				break;
			r->file[at] = *b;
		}
		r->file[at] = one;
	}
}

/*
 * Return true if all rotated files have numbers and the file with the highest number is the oldest,
 * as with logrotate. Other programs give the newest file the highest number.
 */
static bool rotated_numbers_fall(const struct rotated *r)
{
	const struct rotated_file *low = NULL, *high = NULL;
	for (size_t i = 0; i < r->n; i++) {
		const struct rotated_file *f = &r->file[i];
		if (f->current || f->aside)
			continue;
		if (f->number < 0)
			return false;
		low = low && low->number <= f->number ? low : f;
		high = high && high->number >= f->number ? high : f;
	}
	return low && rotated_is_since(low, high->mtime_ns);
}

static void rotated_remove(struct rotated *r, size_t i)
{
	free(r->file[i].path);
	memmove(&r->file[i], &r->file[i + 1], (--r->n - i) * sizeof(r->file[0]));
}

/* Leave out half of the files: first files last written before since_ns, then the newest files. */
static void rotated_make_room(struct rotated *r, int64_t since_ns)
{
	rotated_sort(r, false);
	for (size_t i = r->n; i-- > 0 && r->n > ROTATED_MAX / 2;)
		if (!rotated_is_since(&r->file[i], since_ns) && !r->file[i].current)
			rotated_remove(r, i);
	for (size_t i = r->n; i-- > 0 && r->n > ROTATED_MAX / 2;)
		if (!r->file[i].current) {
			r->partial = true;
			r->most_ns = r->file[i].mtime_ns;
			rotated_remove(r, i);
		}
	/* leave out all files with the time .most_ns, because their order is unknown */
	for (size_t i = r->n; i-- > 0 && r->partial;)
		if (!r->file[i].current && r->file[i].mtime_ns >= r->most_ns)
			rotated_remove(r, i);
}

static void rotated_add(struct rotated *r, int dirfd, const char *dir, const char *name,
			struct rotated_file *f)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	struct stat st;
	if (fstatat(dirfd, name, &st, f->current ? 0 : AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(st.st_mode))
		return;
	f->inode = rotated_inode(&st);
	f->mtime_ns = rotated_mtime_ns(&st);
	f->size = (uint64_t)st.st_size;
	if (r->partial && !f->current && f->mtime_ns >= r->most_ns)
		return;
	for (size_t i = 0; i < r->n; i++)
		/* the file was renamed while the folder was listed */
		if (r->file[i].inode == f->inode) {
			if (!f->current)
				return;
			rotated_remove(r, i);
		}
	buf_addf(&path, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, name);
	f->path = xstrdup(buf_str(&path));
	r->file = vec_reserve(r->file, &r->cap, r->n + 1, sizeof(*r->file));
	r->file[r->n++] = *f;
}

/* Leave out compressed files that are still being written: the uncompressed file still exists. */
static void rotated_drop_unfinished(struct rotated *r)
{
	for (size_t i = r->n; i-- > 0;) {
		struct rotated_file f = { .aside = false };
		struct str plain = rotated_unpacked_name(str_of(r->file[i].path), &f);
		bool unfinished = false;
		for (size_t k = 0; f.packed && k < r->n; k++)
			unfinished |= str_eq(plain, str_of(r->file[k].path));
		if (unfinished)
			rotated_remove(r, i);
	}
}

static void rotated_read_folder(DIR *d, const char *dir, struct str base, int64_t since_ns,
				struct rotated *r)
{
	struct dirent *e;
	while ((e = readdir(d))) {
		struct rotated_file f = { .number = -1 };
		if (!rotated_parse_name(base, str_of(e->d_name), &f))
			continue;
		rotated_add(r, dirfd(d), dir, e->d_name, &f);
		if (r->n >= ROTATED_MAX)
			rotated_make_room(r, since_ns);
	}
}

/*
 * Return true if no file of the folder was renamed since the folder's status `before` was read.
 * Return false also if the folder changed in the clock tick of started_ns, since a rename in the
 * same tick leaves the folder's time unchanged.
 */
static bool rotated_is_settled(int dirfd, const struct stat *before, int64_t started_ns)
{
	struct stat now;
	return fstat(dirfd, &now) == 0 && rotated_mtime_ns(&now) == rotated_mtime_ns(before) &&
	       rotated_mtime_ns(&now) < started_ns;
}

int rotated_list(const char *path, int64_t since_ns, struct rotated *ret)
{
	char dir[4096];
	struct str base = str_of(strrchr(path, '/') + 1);
	struct rotated r = { 0 };
	struct stat before;
	confine_parent(path, dir, sizeof(dir));
	/*
	 * readdir(3) may miss a file that is renamed during the listing: list again after a rename
	 */
	for (unsigned tries = 0; tries < LIST_TRIES; tries++) {
		DIR *d = opendir(dir);
		if (!d || fstat(dirfd(d), &before) < 0) {
			int e = -errno;
			if (d)
				closedir(d);
			rotated_free(&r);
			return e;
		}
		int64_t started_ns = rotated_clock_ns();
		rotated_free(&r);
		rotated_read_folder(d, dir, base, since_ns, &r);
		bool settled = rotated_is_settled(dirfd(d), &before, started_ns);
		closedir(d);
		if (settled)
			break;
		nanosleep(&(struct timespec){ .tv_nsec = LIST_PAUSE_NS }, NULL);
	}
	rotated_drop_unfinished(&r);
	rotated_sort(&r, rotated_numbers_fall(&r));
	*ret = r;
	return 0;
}

void rotated_free(struct rotated *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->file[i].path);
	free(r->file);
	*r = (struct rotated){ 0 };
}
