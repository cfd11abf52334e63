/* SPDX-License-Identifier: BSD-3-Clause */
/* list_files.c - list the files of an archive, DIR/HOST/EPOCH[.zst|.gz], or of a part of it */
#include "archive/input.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "archive/index.h"
#include "archive/remote.h"
#include "archive/torn.h"
#include "base/buf.h"
#include "base/vec.h"

#define CURRENT "current"
#define CHUNK   65536

static void list_free_input(struct input **in)
{
	input_free(*in);
}

/* Read n bytes, or fewer if the input ends. Returns the number of bytes. */
static size_t list_read_all(struct input *in, char *to, size_t n)
{
	const struct byte_source source = input_bytes(in);
	size_t have = 0;
	ssize_t got;

	while (have < n && (got = source.read(source.arg, to + have, n - have)) > 0)
		have += (size_t)got;
	return have;
}

/*
 * Returns the size of a file's uncompressed text, or -1 if the file cannot be opened. Stops reading
 * above `most` bytes: the result is then some value larger than `most`.
 */
static int64_t list_text_size(const char *path, int64_t most)
{
	struct input *in CLEANUP(list_free_input) = NULL;
	char chunk[CHUNK];
	int64_t n = 0;
	size_t got;

	if (input_open(path, &in) < 0)
		return -1;
	if (input_plain_size(in) >= 0)
		return input_plain_size(in);
	while (n <= most && (got = list_read_all(in, chunk, sizeof(chunk))) > 0)
		n += (int64_t)got;
	return n;
}

/* Returns true if the file `path` has more text than the file `than`. */
static bool list_copy_is_longer(const char *path, const char *than)
{
	int64_t n = list_text_size(than, INT64_MAX);
	return list_text_size(path, n) > n;
}

/* Return true if `path` begins with the text of `other` and is longer. */
static bool list_copy_continues(const char *path, const char *other)
{
	struct input *a CLEANUP(list_free_input) = NULL, *b CLEANUP(list_free_input) = NULL;
	char x[CHUNK], y[CHUNK];
	size_t n;

	if (!list_copy_is_longer(path, other) || input_open(path, &a) < 0 ||
	    input_open(other, &b) < 0)
		return false;
	while ((n = list_read_all(b, y, sizeof(y))) > 0)
		if (list_read_all(a, x, n) != n || memcmp(x, y, n) != 0)
			return false;
	return true;
}

struct file_list {
	struct archive_file *file;
	size_t n, cap;
};

static void list_close_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* Parse a name like "1307509201", "1307509201.zst" or "1307509201.gz". */
static bool list_parse_epoch(const char *name, int64_t *epoch)
{
	struct str rest = str_of(name);
	uint64_t v;
	if (*name < '0' || *name > '9' || !str_take_u64(&rest, &v) || v > INT64_MAX)
		return false;
	*epoch = (int64_t)v;
	return rest.n == 0 || str_eq(rest, STR(".zst")) || str_eq(rest, STR(".gz"));
}

bool archive_is_aside(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct str rest = str_of(slash ? slash + 1 : path);
	struct stat st;
	uint64_t epoch;
	if (str_eq(rest, STR("lock")) || str_eq(rest, STR("tidy")))
		return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
	if (str_eq(rest, STR(TORN_NAME)))
		return torn_is(path);
	return str_eq(rest, STR("current.new")) ||
	       (str_take_u64(&rest, &epoch) && str_eq(rest, STR(".zst.tmp")));
}

static void file_list_add(struct file_list *l, struct str path, struct str host, int64_t epoch)
{
	l->file = vec_reserve(l->file, &l->cap, l->n + 1, sizeof(*l->file));
	l->file[l->n++] = (struct archive_file){ xstrdup(path), xstrdup(host), epoch };
}

static bool list_entry_is_type(DIR *d, const struct dirent *e, mode_t what)
{
	struct stat st;
	if (e->d_type != DT_UNKNOWN && e->d_type != DT_LNK)
		return e->d_type == IFTODT(what);
	return fstatat(dirfd(d), e->d_name, &st, 0) == 0 && (st.st_mode & S_IFMT) == what;
}

/* Get the time and the host of the first record of a file. Returns false if there is no record. */
static bool list_first_group(const char *path, int64_t *usec, struct buf *host)
{
	const struct record *g;
	struct input *in;
	if (input_open(path, &in) < 0)
		return false;
	const struct byte_source bytes = input_bytes(in);
	struct record_source source = records_open(&bytes, NULL);
	bool any = record_next(&source, &g) > 0;
	if (any) {
		*usec = g->usec;
		buf_add(host, record_host(&source, g));
	}
	record_source_end(&source);
	input_free(in);
	return any;
}

/*
 * Returns true if "current" is not a hard link to a file EPOCH: then it is a copy, made by a tool
 * that collects archives.
 */
static bool list_is_copy(DIR *d, const struct dirent *e, const char *dir, int64_t *epoch)
{
	struct buf path CLEANUP(buf_free) = { 0 }, host CLEANUP(buf_free) = { 0 };
	struct stat st;
	int64_t usec;

	if (strcmp(e->d_name, CURRENT) != 0 || fstatat(dirfd(d), e->d_name, &st, 0) < 0 ||
	    st.st_nlink > 1)
		return false;
	buf_addf(&path, "%s/%s%c", dir, e->d_name, '\0');
	if (!S_ISREG(st.st_mode) || !list_first_group(path.p, &usec, &host))
		return false;
	*epoch = usec / 1000000;
	return true;
}

/* Add the files of records in a folder. `folders` gets the names of its subfolders, if not NULL. */
static int list_dir(const char *dir, struct str host, struct file_list *l, struct buf *folders)
{
	DIR *d CLEANUP(list_close_dir) = opendir(dir);
	if (!d)
		return -errno;

	struct buf path CLEANUP(buf_free) = { 0 };
	int64_t epoch;
	for (struct dirent *e; errno = 0, (e = readdir(d)); ) {
		if ((list_parse_epoch(e->d_name, &epoch) && list_entry_is_type(d, e, S_IFREG)) ||
		    list_is_copy(d, e, dir, &epoch)) {
			path.n = 0;
			buf_addf(&path, "%s/%s", dir, e->d_name);
			file_list_add(l, buf_str(&path), host, epoch);
		} else if (folders && e->d_name[0] != '.' && list_entry_is_type(d, e, S_IFDIR)) {
			buf_add(folders, (struct str){ e->d_name, strlen(e->d_name) + 1 });
		}
	}
	return -errno;
}

static struct str list_last_part(const char *dir)
{
	struct str s = str_of(dir);
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	const char *slash = s.n ? memrchr(s.p, '/', s.n - 1) : NULL;
	return slash ? str_skip(s, (size_t)(slash + 1 - s.p)) : s;
}

static int list_compare_files(const void *a, const void *b)
{
	const struct archive_file *x = a, *y = b;
	int r = strcmp(x->host, y->host);
	if (r == 0)
		r = (x->epoch > y->epoch) - (x->epoch < y->epoch);
	return r ? r : strcmp(x->path, y->path);
}

/*
 * Returns true if f and `kept` are copies of the same file and f has more text. The epoch of a
 * "current" comes from its first record, but its file may be called EPOCH + 1 if EPOCH was taken,
 * so for a "current" the texts are compared as well.
 */
static bool list_copy_is_better(const struct archive_file *f, const struct archive_file *kept)
{
	return str_ends(str_of(f->path), STR("/" CURRENT)) ? list_copy_continues(f->path,
										 kept->path) :
							    list_copy_is_longer(f->path,
										kept->path);
}

static void list_drop_copies(struct file_list *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		struct archive_file *kept = n ? &l->file[n - 1] : NULL, f = l->file[i];
		if (!kept || kept->epoch != f.epoch || strcmp(kept->host, f.host) != 0) {
			l->file[n++] = f;
			continue;
		}
		if (list_copy_is_better(&f, kept)) {
			const struct archive_file worse = *kept;
			*kept = f;
			f = worse;
		}
		free(f.path);
		free(f.host);
	}
	l->n = n;
}

/* Add a single file. Its host is the first host in its records, and its epoch is unknown. */
static int list_file(const char *path, struct file_list *l)
{
	struct buf host CLEANUP(buf_free) = { 0 };
	struct input *in;
	int64_t usec;
	int r = input_open(path, &in);
	if (r < 0)
		return r;
	input_free(in);
	list_first_group(path, &usec, &host);
	file_list_add(l, str_of(path), host.n ? buf_str(&host) : list_last_part(path), INT64_MIN);
	return 0;
}

static bool list_is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void list_explain(struct buf *why, const char *path, int error)
{
	if (error == 0 || !why)
		return;
	buf_addf(why, "%s: ", path);
	input_explain(why, path, error);
}

void archive_explain(struct buf *why, const char *dir, int error)
{
	list_explain(why, dir, error);
	if (error == -ENOENT)
		buf_add(why, STR("; the agent creates an archive, and --dir selects another one"));
}

/*
 * Add the files of one host. A folder without permission is only counted in *closed; lost+found is
 * skipped.
 */
static int list_host(const char *dir, const char *host, struct file_list *l, size_t *closed,
		     struct buf *why)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	buf_addf(&path, "%s/%s%c", dir, host, '\0');
	int r = list_dir(path.p, str_of(host), l, NULL);
	if (r == -EACCES && (strcmp(host, "lost+found") == 0 || (*closed)++))
		return 0;
	list_explain(why, path.p, r);
	return r == -EACCES ? 0 : r;
}

/* Names of the files of a remote archive. */
struct remote_names {
	const char *dir;
	/* .top: files directly in dir; .deep: files in its subfolders */
	struct file_list top, deep;
};

static void list_take_remote(void *arg, struct str name)
{
	struct remote_names *names = arg;
	struct buf path CLEANUP(buf_free) = { 0 }, leaf CLEANUP(buf_free) = { 0 };
	struct str host, dir = str_without_end(str_of(names->dir), '/');
	bool deep = str_take_until(&name, '/', &host);
	int64_t epoch = INT64_MIN;

	buf_addf(&leaf, STR_FMT "%c", STR_ARG(name), '\0');
	if (!list_parse_epoch(leaf.p, &epoch) && !str_eq(name, STR(CURRENT)))
		return;
	buf_addf(&path, STR_FMT "/", STR_ARG(dir));
	if (deep)
		buf_addf(&path, STR_FMT "/", STR_ARG(host));
	else
		host = list_last_part(names->dir);
	buf_add(&path, name);
	file_list_add(deep ? &names->deep : &names->top, buf_str(&path), host, epoch);
}

/*
 * Returns true if "current" is another name of a listed file. In an object store, this is a file of
 * the same size.
 */
static bool list_is_linked(const struct file_list *l, size_t current)
{
	const struct archive_file *f = &l->file[current];
	for (size_t i = current + 1; i < l->n && strcmp(l->file[i].host, f->host) == 0; i++)
		if (remote_size(l->file[i].path) == remote_size(f->path))
			return true;
	return false;
}

/*
 * Remove a "current" that is another name of a listed file. As its epoch is unknown, it is sorted
 * as the first file of its host.
 */
static void list_drop_links(struct file_list *l)
{
	struct buf host CLEANUP(buf_free) = { 0 };
	size_t n = 0;
	int64_t usec;

	for (size_t i = 0; i < l->n; i++) {
		struct archive_file f = l->file[i];
		if (f.epoch == INT64_MIN && !list_is_linked(l, i) &&
		    list_first_group(f.path, &usec, &host))
			f.epoch = usec / 1000000;
		if (f.epoch != INT64_MIN) {
			l->file[n++] = f;
			continue;
		}
		free(f.path);
		free(f.host);
	}
	l->n = n;
}

/*
 * Read the archive's jobs.index, if it exists. Errors are ignored, because each compressed file has
 * its own index.
 */
static void list_read_index(const char *url)
{
	struct buf path CLEANUP(buf_free) = { 0 }, text = { 0 };
	struct input *in;
	size_t n = CHUNK;

	buf_addf(&path, "%s%s" INDEX_OF_FILES "%c", url, str_ends(str_of(url), STR("/")) ? "" : "/",
		 '\0');
	if (remote_size(path.p) == 0 || input_open(path.p, &in) < 0)
		return;
	while (n == CHUNK && text.n < REMOTE_FILE_MOST) {
		buf_reserve(&text, CHUNK);
		n = list_read_all(in, text.p + text.n, CHUNK);
		text.n += n;
	}
	if (input_error(in) == 0)
		remote_take_index(url, buf_str(&text));
	else
		buf_free(&text);
	input_free(in);
}

void archive_sort(struct archive_file *file, size_t n)
{
	size_t sorted = 1;
	while (sorted < n && list_compare_files(&file[sorted - 1], &file[sorted]) <= 0)
		sorted++;
	if (sorted < n)
		qsort(file, n, sizeof(*file), list_compare_files);
}

static int list_remote(const char *url, struct file_list *l, struct buf *why)
{
	struct remote_names names = { .dir = url };
	int r = remote_list(url, list_take_remote, &names);
	bool one_host = names.top.n > 0;

	*l = one_host ? names.top : names.deep;
	archive_list_free(one_host ? names.deep.file : names.top.file,
			  one_host ? names.deep.n : names.top.n);
	list_explain(why, url, r);
	if (r == 0) {
		archive_sort(l->file, l->n);
		list_drop_links(l);
		list_read_index(url);
	}
	return r;
}

static int list_here(const char *dir, struct file_list *l, struct buf *why)
{
	struct buf folders CLEANUP(buf_free) = { 0 };
	int r = list_is_file(dir) ? list_file(dir, l) : list_dir(dir, list_last_part(dir), l,
								 &folders);

	if (r < 0 && why)
		archive_explain(why, dir, r);
	bool one_host = l->n > 0;
	size_t closed = 0;
	for (size_t at = 0; r == 0 && !one_host && at < folders.n; ) {
		const char *host = folders.p + at;
		r = list_host(dir, host, l, &closed, why);
		at += strlen(host) + 1;
	}
	if (closed > 1 && why)
		buf_addf(why, "; and %zu more", closed - 1);
	return r == 0 && closed && l->n == 0 ? -EACCES : r;
}

int archive_list(const char *dir, struct archive_file **ret, size_t *n, struct buf *why)
{
	struct file_list l = { 0 };
	int r = remote_is(dir) ? list_remote(dir, &l, why) : list_here(dir, &l, why);

	if (r < 0) {
		archive_list_free(l.file, l.n);
		return r;
	}
	archive_sort(l.file, l.n);
	list_drop_copies(&l);
	*ret = l.file;
	*n = l.n;
	return 0;
}

bool archive_may_hold(const struct archive_file *file, size_t n, size_t i, int64_t since,
		      int64_t until)
{
	const struct archive_file *f = &file[i];
	bool last = i + 1 == n || strcmp(f[1].host, f->host) != 0;
	return f->epoch <= until / 1000000 && (last || f[1].epoch >= since / 1000000);
}

bool archive_may_hold_near(const struct archive_file *file, size_t n, size_t i, int64_t since,
			   int64_t until, int64_t more_us)
{
	since = since < INT64_MIN + more_us ? INT64_MIN : since - more_us;
	until = until > INT64_MAX - more_us ? INT64_MAX : until + more_us;
	return archive_may_hold(file, n, i, since, until);
}

int64_t archive_next_start(const struct archive_file *file, size_t n, size_t i)
{
	const struct archive_file *f = &file[i];
	if (i + 1 == n || strcmp(f[1].host, f->host) != 0 || f[1].epoch <= 0 ||
	    f[1].epoch > INT64_MAX / 1000000)
		return 0;
	return f[1].epoch * 1000000;
}

bool archive_is_same_host(struct str a, struct str b)
{
	struct str longer = a.n > b.n ? a : b, shorter = a.n > b.n ? b : a;
	return str_starts(longer, shorter) &&
	       (longer.n == shorter.n || longer.p[shorter.n] == '.');
}

int archive_find_host(const struct archive_file *file, size_t n, const char **host,
		      const struct listener *listener)
{
	const char *found = NULL;

	if (strpbrk(*host, "*?["))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (strcmp(file[i].host, *host) == 0)
			return 0;
	for (size_t i = 0; i < n; i++) {
		if (!archive_is_same_host(str_of(file[i].host), str_of(*host)))
			continue;
		if (found && strcmp(found, file[i].host) != 0) {
			say_error(listener, "host %s may be %s or %s: use the full name", *host,
				  found, file[i].host);
			return -ENOTUNIQ;
		}
		found = file[i].host;
	}
	*host = found ? found : *host;
	return 0;
}

void archive_list_free(struct archive_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(files[i].path);
		free(files[i].host);
	}
	free(files);
}
