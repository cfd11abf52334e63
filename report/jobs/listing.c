/* SPDX-License-Identifier: BSD-3-Clause */
/* listing.c - list the jobs of an archive, with stored or newly computed rows (run_row.h) */
#include "report/jobs/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/explain.h"
#include "archive/renamed.h"
#include "base/files.h"
#include "base/log.h"
#include "report/index_text.h"
#include "report/jobs/stored_run.h"
#include "report/jobs/print_jobs.h"
#include "report/spread.h"

#define LOCK_MS 10000

/*
 * Return whether a file can be skipped: it is of a host that was not requested, or more than a week
 * outside the requested time. With this margin of a week, a job that overlaps the requested time is
 * listed with its true start and end, unless it extends more than a week beyond that time.
 */
static bool listing_is_passed_over(const struct listing *a, size_t i)
{
	return (a->host && fnmatch(a->host, a->file[i].host, 0) != 0) ||
	       !archive_may_hold_near(a->file, a->n, i, a->since, a->until, WEEK_US);
}

static void listing_read_file(void *arg, size_t i, struct buf *out)
{
	const struct listing *a = arg;
	if (!listing_is_passed_over(a, i))
		index_text_put(a->file[i].path, out);
}

/*
 * Return the time of the last record in the index, in microseconds, or the start of the file if it
 * has no records.
 */
static int64_t end_of_records(struct str index, const struct archive_file *f)
{
	struct str line;
	uint64_t n, first, last;
	if (str_take_line(&index, &line) && str_take_prefix(&line, STR("records ")) &&
	    str_take_u64(&line, &n) && n > 0 && str_take_u64(&line, &first) &&
	    str_take_u64(&line, &last) && last <= INT64_MAX)
		return (int64_t)last;
	return f->epoch > INT64_MIN / 1000000 ? f->epoch * 1000000 : INT64_MIN;
}

/*
 * Register the time in which a damaged file may lack jobs: the time of the unreadable lines or, if
 * it is unknown, the time from the last readable record to the host's next file.
 */
static void take_wrong(struct listing *a, size_t i, struct str why, struct str index)
{
	const struct archive_file *f = &a->file[i];
	bool last = i + 1 == a->n || strcmp(f[1].host, f->host) != 0;
	int64_t next = last ? INT64_MAX : f[1].epoch * 1000000;
	struct unread_file unread = { .host = a->hosts };

	if (!index_unread(index, &unread.from, &unread.to)) {
		unread.from = end_of_records(index, f);
		unread.to = next;
	}
	if (unread.from == 0)
		unread.from = f->epoch > INT64_MIN / 1000000 ? f->epoch * 1000000 : INT64_MIN;
	unread.to = unread.to < next ? unread.to : next;

	log_warning("%s: " STR_FMT, f->path, STR_ARG(why));
	a->failed = true;
	job_list_add_unread(&a->list, &unread);
}

/*
 * Recognize entries that are no jobs: "0", by which tacc_stats marks idle nodes, and the
 * placeholder of nodometer-answer for other users' jobs.
 */
static bool is_no_job(const struct listing *a, const struct index_job *j)
{
	return !j->begun && !j->ended &&
	       (str_eq(j->id, STR("0")) ||
		(a->answer.used && str_eq(j->id, STR(ANSWER_OTHERS))));
}

/*
 * Note the sizes of all files before any file is read. The index contains these sizes, so that its
 * readers can see if a file has grown since, and the file's entry is out of date.
 */
static void note_sizes(struct listing *a)
{
	struct stat st;
	a->size = xrealloc(NULL, a->n * sizeof(*a->size));
	for (size_t i = 0; i < a->n; i++)
		a->size[i] = stat(a->file[i].path, &st) < 0 ? -1 : st.st_size;
}

/*
 * Append a file's jobs to the index. Files only grow, so the entry is valid as long as the file has
 * the same size.
 */
static void add_to_index(struct listing *a, size_t i, struct str text)
{
	struct str dir = str_of(a->file[i].path);
	const char *name = memrchr(dir.p, '/', dir.n);

	if (!name || a->size[i] < 0)
		return;
	dir.n = (size_t)(name - dir.p);
	dir = str_without_end(dir, '/');
	const char *slash = dir.n ? memrchr(dir.p, '/', dir.n) : NULL;
	struct str folder = slash ? str_skip(dir, (size_t)(slash + 1 - dir.p)) : dir;
	buf_addf(&a->index, "file " STR_FMT "%s %lld\n" STR_FMT, STR_ARG(folder), name,
		 (long long)a->size[i], STR_ARG(text));
}

static void listing_take_file(void *arg, size_t i, struct str text)
{
	struct listing *a = arg;
	struct index_job j;
	struct str line, rest = text;
	bool whole = true;

	if (i == 0 || strcmp(a->file[i].host, a->file[i - 1].host) != 0)
		a->hosts++;
	if (str_take_line(&rest, &line) && str_take_prefix(&line, STR("wrong "))) {
		take_wrong(a, i, line, rest);
		whole = false;
	}
	if (whole && a->keep)
		add_to_index(a, i, text);
	while (index_next_job(&text, &j))
		if (!is_no_job(a, &j))
			job_list_add(&a->list, a->hosts, i, whole, &j);
}

static bool listing_is_listed(const void *listing, struct str raw, struct str shown)
{
	const struct listing *a = listing;
	(void)shown;
	return job_list_has(&a->list, raw) || words_find(&a->stored_ids, raw) != WORDS_NONE;
}

static bool read_accounting(struct listing *a)
{
	a->sacct = (struct sacct){ .wants = listing_is_listed, .arg = a };
	bool read = !a->accounting || sacct_read(&a->sacct, a->accounting) == 0;
	job_list_close(&a->list);
	return read;
}

/* For jobs without a user mark, get the user from accounting. */
static void name_users(struct listing *a)
{
	for (size_t i = 0; i < a->list.n; i++) {
		struct listed_job *j = &a->list.job[i];
		const struct sacct_job *s = sacct_find(&a->sacct, j->id);
		if (s && s->user[0] && !j->user)
			j->user = job_list_text(&a->list, str_of(s->user));
	}
}

static bool listing_is_wanted(const struct listing *a, const struct listed_job *j)
{
	return j->last >= a->since && j->first <= a->until &&
	       (!a->user || (j->user && strcmp(j->user, a->user) == 0));
}

/* Drop jobs outside the requested time or of other users. */
static void keep_wanted(struct listing *a)
{
	size_t kept = 0;
	for (size_t i = 0; i < a->list.n; i++)
		if (listing_is_wanted(a, &a->list.job[i]))
			a->list.job[kept++] = a->list.job[i];
	a->list.n = kept;
}

/*
 * Compute a hash of the job's accounting record, because the job's row depends on the record.
 * Returns 0 if there is no record.
 */
static uint64_t listing_accounting_hash(const struct listing *a, const struct listed_job *j)
{
	const struct sacct_job *s = sacct_find(&a->sacct, j->id);
	struct buf b CLEANUP(buf_free) = { 0 };

	if (!s)
		return 0;
	const struct allocation *of = &s->allocation;
	buf_addf(&b, "%s %s %s\n%s %s %llu %llu %llu %llu %llu", of->name, of->account,
		 of->partition, of->exit, of->state, (unsigned long long)of->cpus,
		 (unsigned long long)of->mem, (unsigned long long)of->limit,
		 (unsigned long long)of->gpus, (unsigned long long)s->nodes);
	return str_hash(buf_str(&b)) | 1;
}

/* Read the row of a job. Returns false if the job has no row or the row is damaged. */
static bool listing_read_row(struct listing *a, size_t row)
{
	struct str bytes;
	return row != ROW_NONE && run_store_bytes(&a->store, row, &bytes) &&
	       run_row_take(bytes, &a->row);
}

static bool listing_rank(void *listing, struct str bytes, double *ret)
{
	const struct listing *a = listing;
	struct run_row row;

	if (!run_row_take(bytes, &row))
		return false;
	*ret = a->rank ? a->rank(a->arg, &row) : 0;
	return true;
}

/* Find the stored row of each job. A row is only found if the job's files are unchanged. */
static void find_rows(struct listing *a)
{
	for (size_t i = 0; i < a->list.n; i++) {
		struct listed_job *j = &a->list.job[i];
		uint64_t hash = j->unread ? 0 : run_store_hash(&a->store, a->file, j);
		a->hash[i] = hash;
		if (!hash)
			continue;
		size_t row = run_store_find(&a->store, hash, listing_accounting_hash(a, j));
		if (row == ROW_NONE || (a->pages && a->pages->wants(a->pages->arg, j, hash)))
			continue;
		j->row = row;
		j->order = a->store.row[row].rank;
	}
}

/* Store a row that was just computed. */
static void listing_keep_row(void *listing, struct listed_job *j, struct str bytes)
{
	struct listing *a = listing;
	const struct run_store_new new = { a->hash[j - a->list.job],
					    listing_accounting_hash(a, j), j->first,
				      j->last, bytes };
	int e = run_store_add(&a->store, &new, &j->row);

	if (e < 0) {
		log_error("job %s: cannot store its row in a temporary file: %s (set TMPDIR to use "
			  "another folder)", j->id, strerror(-e));
		a->failed = true;
		return;
	}
	j->fresh = true;
	j->order = a->store.row[j->row].rank;
}

const struct listed_job *listing_job(struct listing *a, size_t i)
{
	a->one = a->list.job[i];
	if (!a->used)
		return &a->one;
	if (!listing_read_row(a, a->one.row)) {
		log_error("job %s: cannot read its row from a temporary file", a->one.id);
		a->failed = true;
		a->row = (struct run_row){ .used = { .unused = -1, .energy.from = ENERGY_NONE },
					   .program = "" };
	}
	a->one.is = &a->row;
	return &a->one;
}

/*
 * Call run_store_find() for the jobs that keep_wanted() is about to drop, so that run_store_write()
 * keeps their rows.
 */
static void want_rows(struct listing *a)
{
	for (size_t i = 0; i < a->list.n; i++) {
		const struct listed_job *j = &a->list.job[i];
		if (!listing_is_wanted(a, j))
			run_store_find(&a->store, run_store_hash(&a->store, a->file, j),
				       listing_accounting_hash(a, j));
	}
}

/* Append whole lines and sync them to disk. On failure, truncate the file to its old size. */
static int append_lines(const char *path, struct str lines)
{
	int fd CLEANUP(close_fd) = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
	if (fd < 0)
		return -errno;
	int r = files_lock(fd, LOCK_MS);
	off_t size = r == 0 ? lseek(fd, 0, SEEK_END) : -1;
	if (r == 0)
		r = files_write(fd, lines);
	if (r == 0 && fsync(fd) < 0 && errno != EINVAL)	/* fsync(2) of a pipe: EINVAL */
		r = -errno;
	if (r < 0 && size >= 0 && ftruncate(fd, size) < 0)
		log_debug("%s: %s", path, strerror(errno));
	return r;
}

/* Append the new rows as JSON lines. On failure, returns false; the next run appends the rows. */
static bool append_new(struct listing *a)
{
	const struct jobs_table table = { .factors = &a->advice->factors };
	struct buf lines CLEANUP(buf_free) = { 0 };

	for (size_t i = 0; i < a->list.n; i++) {
		if (!a->list.job[i].fresh)
			continue;
		const struct listed_job *j = listing_job(a, i);
		struct jobs_stored_run stored = { .formula = a->store.formula };
		if (j->is->used.known && run_store_bytes(&a->store, j->row, &stored.row))
			jobs_put_line(&lines, &table, j, sacct_find(&a->sacct, j->id), &stored);
	}
	int e = lines.n ? append_lines(a->append, buf_str(&lines)) : 0;
	if (e < 0)
		log_error("%s: %s", a->append, strerror(-e));
	a->failed |= e < 0;
	return e == 0;
}

static void keep_rows(struct listing *a)
{
	bool any = false;

	for (size_t i = 0; i < a->list.n; i++)
		any |= a->list.job[i].fresh && a->hash[i];
	int e = any ? run_store_write(&a->store, a->dir, a->since, a->until) : 0;
	/* users without write access need no warning if they only list jobs */
	bool wanted = a->keep || a->append;
	if (e < 0 && (wanted || (e != -EACCES && e != -EROFS && e != -ENOTDIR))) {
		struct buf why CLEANUP(buf_free) = { 0 };
		explain_path(&why, a->dir, e, true);
		log_warning("%s/" RUN_STORE_NAME ": not written, so the next call reads the files "
			    "again: " STR_FMT,
			    a->dir, STR_ARG(buf_str(&why)));
	}
	a->failed |= e < 0 && wanted;
}

/* Return whether rows may be stored: not if the archive is remote or only some hosts are listed. */
static bool is_kept(const struct listing *a)
{
	return !a->host && !a->from.url;
}

/* Store the index, unless files are missing from it, because only a limited time was listed. */
static void keep_index(struct listing *a)
{
	if (a->since != INT64_MIN || a->until != INT64_MAX)
		return;
	int e = run_store_write_index(a->dir, buf_str(&a->index));
	if (e < 0)
		log_warning("%s/" INDEX_OF_FILES ": not written: %s", a->dir, strerror(-e));
	a->failed |= e < 0;
}

static void use_rows(struct listing *a)
{
	const struct list_used used = { a->file, a->n, a->host, &a->sacct, a->advice->site,
					a->pages, listing_keep_row, a };
	size_t size = a->list.n * sizeof(*a->hash);

	a->hash = memset(xrealloc(NULL, size), 0, size);

	if (is_kept(a))
		find_rows(a);
	list_used(&a->list, &used);
	if (is_kept(a) && (!a->append || append_new(a)))
		keep_rows(a);
	if (a->keep)
		keep_index(a);
}

static int listing_list_files(struct listing *a, struct buf *why)
{
	struct answer_request ask = { a->used, a->since, a->until, STR("") };
	if (!a->from.url)
		return answer_files_list(a->dir, &ask, &a->file, &a->n, &a->answer, why);
	ask.since = ask.since < INT64_MIN + WEEK_US ? ask.since : ask.since - WEEK_US;
	ask.until = ask.until > INT64_MAX - WEEK_US ? ask.until : ask.until + WEEK_US;
	char formula[STORED_FORMULA_MAX];
	if (a->used && !a->host) {
		const struct answer_request stored =
			stored_run_request(run_row_formula(a->advice->site), formula);
		ask.what = stored.what;
		ask.job = stored.job;
	}
	return archive_from(&a->from, NULL, &ask, a->host, &a->file, &a->n, &a->answer.left_out,
			    why);
}

/*
 * Return whether a run from the records is also one of the database's stored runs (stored_run.h),
 * which are in a->list from index `first` on.
 */
static bool is_stored_run(const struct listing *a, size_t first, const struct listed_job *j)
{
	if (words_find(&a->stored_ids, str_of(j->id)) == WORDS_NONE)
		return false;
	for (size_t i = first; i < a->list.n; i++) {
		const struct listed_job *k = &a->list.job[i];
		if (strcmp(k->id, j->id) == 0 && k->first <= j->last && j->first <= k->last)
			return true;
	}
	return false;
}

/*
 * For a run in both forms, keep the stored run and drop the run found in the records, because the
 * database sent only a part of its records.
 */
static void drop_stored_runs(struct listing *a, size_t first)
{
	size_t n = 0;
	for (size_t i = 0; i < a->list.n; i++)
		if (i >= first || !is_stored_run(a, first, &a->list.job[i]))
			a->list.job[n++] = a->list.job[i];
	a->list.n = n;
}

static int add_stored_run(struct listing *a, const struct stored_run *line)
{
	struct job_list *l = &a->list;
	const struct listed_job *j = &line->job;
	const struct run_store_new new = { .first = j->first, .last = j->last, .bytes = line->row };
	struct run_row row;

	if (!run_row_take(line->row, &row))
		return -EBADMSG;
	l->job = vec_reserve(l->job, &l->cap, l->n + 1, sizeof(*l->job));
	struct listed_job *to = &l->job[l->n++];
	*to = *j;
	to->id = job_list_text(l, str_of(j->id));
	const char **const text[] = { &to->user, &to->account, &to->partition, &to->name };
	for (size_t i = 0; i < ARRAY_SIZE(text); i++)
		*text[i] = *text[i] ? job_list_text(l, str_of(*text[i])) : NULL;
	words_add(&a->stored_ids, str_of(to->id));
	int r = run_store_add(&a->store, &new, &to->row);
	if (r == 0)
		to->order = a->store.row[to->row].rank;
	return r;
}

/* Add the stored runs of a database to the list. Returns false, after logging why, on failure. */
static bool add_stored_runs(struct listing *a, struct str text)
{
	size_t first = a->list.n;
	struct stored_run line;
	int r;

	while ((r = stored_run_take(&text, &line)) > 0 && (r = add_stored_run(a, &line)) == 0)
		;
	if (r < 0)
		log_error("%s: stored runs: %s", a->from.url, stored_run_why(r));
	drop_stored_runs(a, first);
	return r >= 0;
}

/*
 * Get the files, and the stored runs of a database. Returns false, after logging why, on failure.
 */
static bool listing_get_files(struct listing *a, struct buf *stored)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	int e = listing_list_files(a, &why);

	if (e == 0 && a->from.url && (e = stored_run_read(a->file, &a->n, stored)) < 0)
		buf_addf(&why, "%s: stored runs: %s", a->from.url, strerror(-e));
	if (e < 0) {
		log_error(STR_FMT, STR_ARG(buf_str(&why)));
		return false;
	}
	if (a->answer.used)
		log_info("these are the jobs that you may see: your own, or those of all users if "
			 "your group may read them");
	if (why.n)
		log_warning("left out: " STR_FMT, STR_ARG(buf_str(&why)));
	archive_join_renamed(a->file, a->n, &a->host);
	return !a->host || archive_find_host(a->file, a->n, &a->host, &log_listener) >= 0;
}

bool listing_read(struct listing *a)
{
	const struct spread spread = { listing_read_file, listing_take_file, a };
	struct buf stored CLEANUP(buf_free) = { 0 };

	if (!listing_get_files(a, &stored))
		return false;
	if (a->keep)
		note_sizes(a);
	if (a->n)
		spread_run(&spread, 0, a->n, spread_cpus());
	job_list_end(&a->list, a->file, a->n);
	a->store.rank = listing_rank;
	a->store.arg = a;
	if (!add_stored_runs(a, buf_str(&stored)) || !read_accounting(a))
		return false;
	name_users(a);
	if (a->used && is_kept(a)) {
		run_store_read(&a->store, a->dir, run_row_formula(a->advice->site), a->n);
		if (a->user)
			want_rows(a);
	}
	keep_wanted(a);
	if (a->used)
		use_rows(a);
	return true;
}

void listing_free(struct listing *a)
{
	job_list_free(&a->list);
	run_store_free(&a->store);
	sacct_free(&a->sacct);
	words_free(&a->stored_ids);
	answer_use_free(&a->answer);
	archive_list_free(a->file, a->n);
	free(a->hash);
	free(a->size);
	buf_free(&a->index);
}
