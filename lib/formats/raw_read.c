/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_read.c - read raw files of hpcperfstats, tacc_stats and nodometer */
#include "formats/raw_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/vec.h"
#include "formats/raw_row.h"
#include "formats/raw_schema.h"

#define CHUNK_BYTES      (256u << 10)	/* bytes per read(); a chunk fits into the L2 cache */
#define HEADER_BYTES_MAX (1u << 20) /* limit of the size of the "$" lines of one header, in bytes */
#define MARKS_MAX        65536		/* limit of marks in a record */
#define JOBS_MAX         65536		/* limit of jobs in a record */
/* passed in place of the next line's first character at the end of the file */
#define AT_END           '\0'

enum where {
	BETWEEN,	/* outside any record */
	IN_GROUP,
	IN_LOST_GROUP,	/* in a record with an invalid first line */
};

struct raw_reader {
	struct byte_source src;
	struct record_listener listener;

	/* text that is still needed, followed by RAW_PADDING zero bytes */
	char *text;
	size_t n, cap;
	size_t from;		/* offset of the current record in .text */
	size_t at;		/* offset of the next line */
	size_t whole;		/* offset after the last complete line */
	uint64_t line;		/* number of the last line read */
	bool eof;
	int error;

	struct raw_schema schema;
	struct buf header;	/* lines of the newest header, without "$" */
	struct below below;	/* "$below" lines of the newest header */
	bool headed;		/* the file's first line was checked */
	/*
	 * a header had "$agent nodometer": the last row of each record holds the record's number of
	 * rows
	 */
	bool ours;

	enum where where;
	bool blank;		/* the last line was blank */
	bool restart;		/* a header was read since the last record */
	struct record group;
	struct raw_rows rows;
	struct str jobs;	/* second word of the record: "-", or job ids separated by commas */
	struct str *job;
	size_t n_jobs, cap_jobs;
	struct mark *mark; /* marks of the record; only .text is set until the record is complete */
	size_t n_marks, cap_marks;
};

static void raw_reader_end(void *arg)
{
	struct raw_reader *r = arg;
	raw_schema_free(&r->schema);
	raw_rows_free(&r->rows);
	buf_free(&r->header);
	below_free(&r->below);
	free(r->job);
	free(r->mark);
	free(r->text);
	free(r);
}

static void raw_report(struct raw_reader *r, enum record_defect kind, uint64_t line,
		       const char *what)
{
	if (r->listener.defect)
		r->listener.defect(r->listener.arg, kind, line, what);
}

static void raw_report_bad_line(struct raw_reader *r, const char *what)
{
	raw_report(r, RECORD_BAD_LINE, r->line, what);
}

static int raw_report_unreadable(struct raw_reader *r, int error, const char *what)
{
	raw_report(r, RECORD_UNREADABLE, r->line + 1, what);
	r->error = error;
	return error;
}

/* Move the text that is still needed to `to`, and adjust all pointers into this text. */
static void move_text(struct raw_reader *r, char *to)
{
	const char *from = r->text + r->from;
	if (r->where == IN_GROUP) {
		raw_rows_move(&r->rows, from, to);
		for (size_t i = 0; i < r->n_marks; i++)
			r->mark[i].text.p = to + (r->mark[i].text.p - from);
		r->jobs.p = to + (r->jobs.p - from);
		r->group.host.p = to + (r->group.host.p - from);
	}
	r->n -= r->from;
	r->at -= r->from;
	r->whole -= r->from;
	memmove(to, from, r->n);
	r->from = 0;
}

/*
 * Make room for the next read(), by dropping text that is no longer needed or growing the buffer.
 * Returns 0, or -EFBIG if the record is too large.
 */
static int raw_make_room(struct raw_reader *r)
{
	if (r->n - r->from >= RAW_GROUP_BYTES_MAX)
		return raw_report_unreadable(r, -EFBIG,
					     "a record group, or a line, is larger than 64 MB");
	if (r->cap - r->n >= CHUNK_BYTES / 4)
		return 0;
	if (r->n - r->from <= r->cap / 2) {
		move_text(r, r->text);
		return 0;
	}

	size_t cap = 2 * r->cap;
	char *bigger = xrealloc(NULL, cap + RAW_PADDING);
	move_text(r, bigger);
	free(r->text);
	r->text = bigger;
	r->cap = cap;
	return 0;
}

/*
 * Read until another line is complete. Returns 1; 0 at the end of the source; -EAGAIN if there is
 * no data yet; or another -errno.
 */
static int raw_refill(struct raw_reader *r)
{
	while (!r->eof) {
		int e = raw_make_room(r);
		if (e < 0)
			return e;

		size_t room = r->cap - r->n;
		ssize_t got = r->src.read(r->src.arg, r->text + r->n,
					  room < CHUNK_BYTES ? room : CHUNK_BYTES);
		if (got == -EAGAIN)
			return -EAGAIN;
		if (got < 0) {
			char what[120];
			snprintf(what, sizeof(what), "reading failed: %s", strerror((int)-got));
			return raw_report_unreadable(r, (int)got, what);
		}
		r->eof = got == 0;
		size_t before = r->n;
		r->n += (size_t)got;
		memset(r->text + r->n, 0, RAW_PADDING);
		const char *nl = memrchr(r->text + before, '\n', (size_t)got);
		if (nl) {
			r->whole = (size_t)(nl - r->text) + 1;
			return 1;
		}
	}
	return 0;
}

static struct str take_text_line(struct raw_reader *r)
{
	char *p = r->text + r->at;
	const char *nl = memchr(p, '\n', r->whole - r->at);
	r->at = (size_t)(nl - r->text) + 1;
	return str_trim((struct str){ p, (size_t)(nl - p) });
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_program_line(struct str line)
{
	return str_starts(line, STR("$hpcperfstats ")) || str_starts(line, STR("$tacc_stats "));
}

static void take_property(struct raw_reader *r)
{
	struct str line = take_text_line(r), lowers = line;
	if (is_program_line(line)) {
		r->header.n = 0;
		below_clear(&r->below);
	}
	if (line.n > HEADER_BYTES_MAX - r->header.n) {
		raw_report_bad_line(r, "the header is larger than 1 MB");
		return;
	}
	buf_add(&r->header, str_skip(line, 1));
	buf_add_char(&r->header, '\n');
	if (str_eq(line, STR("$agent nodometer")) || str_starts(line, STR("$agent nodometer ")))
		r->ours = true;
	if (str_take_prefix(&lowers, STR("$below ")))
		below_add(&r->below, lowers);
	r->restart = true;
	r->where = BETWEEN;
}

static void take_schema(struct raw_reader *r)
{
	const char *why = raw_schema_add(&r->schema, str_skip(take_text_line(r), 1), !r->ours);
	r->rows.last = NULL;
	if (why)
		raw_report_bad_line(r, why);
}

/* Begin a record with its first line, "TIME JOB[,JOB] [HOST]". Words after HOST are ignored. */
static void raw_take_group(struct raw_reader *r)
{
	struct record *g = &r->group;
	*g = (struct record){ .line = r->line, .restart = r->restart, .below = &r->below };
	r->from = r->at;
	struct str line = take_text_line(r);
	g->host = (struct str){ line.p, 0 };
	bool good = str_take_time(&line, &g->usec) && g->usec <= RECORD_USEC_MAX &&
		    (str_peek(line) == ' ' || str_peek(line) == '\t') &&
		    str_take_word(&line, &r->jobs);
	str_take_word(&line, &g->host);
	raw_rows_clear(&r->rows);
	r->n_marks = 0;
	r->where = good ? IN_GROUP : IN_LOST_GROUP;
	if (!good)
		raw_report_bad_line(r, "not \"TIME JOB\": the rows below it are left out");
}

static void raw_take_mark(struct raw_reader *r)
{
	struct str line = take_text_line(r);
	if (r->where == IN_LOST_GROUP)
		return;
	r->rows.last_is_whole = false;
	if (r->where == BETWEEN || r->n_marks == MARKS_MAX) {
		raw_report_bad_line(r, r->where == BETWEEN ? "a mark before any record group"
						: "too many marks in one record group");
		return;
	}
	r->mark = vec_reserve(r->mark, &r->cap_marks, r->n_marks + 1, sizeof(*r->mark));
	r->mark[r->n_marks++].text = str_skip(line, 1);
}

static void raw_take_row(struct raw_reader *r)
{
	const char *next;
	if (r->where != IN_GROUP) {
		take_text_line(r);
		if (r->where == BETWEEN)
			raw_report_bad_line(r, "a row before any record group");
		return;
	}
	if (!raw_rows_add(&r->rows, &r->schema, r->text + r->at, r->text + r->whole, &next))
		raw_report_bad_line(r, r->rows.why);
	r->at = (size_t)(next - r->text);
}

/* Return true if a line with this first character ends the current record. */
static bool raw_line_ends_group(const struct raw_reader *r, char first)
{
	if (r->where != IN_GROUP)
		return false;
	return is_digit(first) || first == '$' || (first == '!' && r->blank);
}

static void raw_take_line(struct raw_reader *r, char first)
{
	r->blank = false;
	switch (first) {
	case '$':
		take_property(r);
		break;
	case '!':
		take_schema(r);
		break;
	case '%':
		raw_take_mark(r);
		break;
	case '@':
	case '#':
		take_text_line(r);
		break;
	case '\n':
		r->at++;
		r->blank = true;
		break;
	default:
		if (is_digit(first))
			raw_take_group(r);
		else
			raw_take_row(r);
	}
}

/* Skip blanks at the start of a line, and return the next character. */
static char raw_skip_blanks(struct raw_reader *r)
{
	const char *p = r->text + r->at;
	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	r->at = (size_t)(p - r->text);
	return *p;
}

/* Return why a record of nodometerd is incomplete, or NULL. */
static const char *raw_missing_rows_reason(const struct raw_reader *r)
{
	const struct raw_rows *all = &r->rows;
	const struct record_type *last = all->n ? all->type[all->n_types - 1].type : NULL;
	if (!last || !all->last_is_whole || strcmp(last->name, "nodometer") != 0 ||
	    !str_eq(all->row[all->n - 1].device, STR("-")))
		return "this record group is not whole: its last row is missing";
	int key = record_key_find(last, "rows");
	uint64_t rows = key < 0 ? 0 : all->value[all->n_values - last->n_keys + (size_t)key];
	if (rows != all->n)
		return "this record group is not whole: rows are missing";
	return NULL;
}

/*
 * Return why the current record is incomplete, or NULL. In a file of nodometerd, the last row holds
 * the number of rows. If another record follows without a blank line, the last row may be cut off:
 * a writer stopped in this row, and the next writer began with a newline.
 */
static const char *raw_torn_reason(const struct raw_reader *r, char next)
{
	if (r->ours && is_digit(next) && !r->blank)
		return "this record group is not whole: its last line was cut";
	if (r->ours)
		return raw_missing_rows_reason(r);
	if (next == AT_END && !r->blank && !r->rows.last_is_whole)
		return "this record group is not whole: the file ends in it";
	return NULL;
}

/* Split "7,8" into jobs. "-" means no job, as does "0" in files of tacc_stats. */
static void raw_take_jobs(struct raw_reader *r)
{
	struct str rest = r->jobs, job;
	r->n_jobs = 0;
	while (record_take_job(&rest, &job)) {
		if (!r->ours && str_eq(job, STR("0")))
			continue;
		if (r->n_jobs == JOBS_MAX) {
			raw_report(r, RECORD_BAD_LINE, r->group.line,
				   "too many jobs in one record group");
			break;
		}
		r->job = vec_reserve(r->job, &r->cap_jobs, r->n_jobs + 1, sizeof(*r->job));
		r->job[r->n_jobs++] = job;
	}
}

static void raw_lend_group(struct raw_reader *r)
{
	raw_rows_finish(&r->rows);
	raw_take_jobs(r);
	for (size_t i = 0; i < r->n_marks; i++)
		r->mark[i] = mark_parse(r->mark[i].text);
	r->group.job = r->job;
	r->group.n_jobs = r->n_jobs;
	r->group.mark = r->mark;
	r->group.n_marks = r->n_marks;
	r->group.rows = r->rows.type;
	r->group.n_types = r->rows.n_types;
	r->group.n_rows = r->rows.n;
	r->restart = false;
}

/*
 * End the current record. next: first character of the following line. Returns 1 and the record, or
 * 0 if the record is incomplete.
 */
static int raw_close_group(struct raw_reader *r, char next, const struct record **ret)
{
	const char *why = raw_torn_reason(r, next);
	r->where = BETWEEN;
	if (why) {
		raw_report(r, RECORD_TORN, r->group.line, why);
		return 0;
	}
	raw_lend_group(r);
	*ret = &r->group;
	return 1;
}

/* Parse the complete lines in the buffer. Returns 1 and a record, or 0 if more text is needed. */
static int raw_read_lines(struct raw_reader *r, const struct record **ret)
{
	while (r->at < r->whole) {
		char first = raw_skip_blanks(r);
		if (raw_line_ends_group(r, first) && raw_close_group(r, first, ret))
			return 1;
		r->line++;
		raw_take_line(r, first);
		if (r->where != IN_GROUP)
			r->from = r->at;
	}
	return 0;
}

/* Parse the text at the end of the file. Returns 1 and the last record, or 0. */
static int raw_read_end(struct raw_reader *r, const struct record **ret)
{
	char first = r->at < r->n ? r->text[r->at] : AT_END;
	if (r->where == IN_GROUP && r->at < r->n && !raw_line_ends_group(r, first)) {
		raw_report(r, RECORD_TORN, r->group.line,
			   "this record group is not whole: the last line has no newline");
		r->where = BETWEEN;
	} else if (r->where == IN_GROUP && raw_close_group(r, first, ret)) {
		return 1;
	} else if (r->at < r->n) {
		raw_report(r, is_digit(first) ? RECORD_TORN : RECORD_BAD_LINE,
			   r->line + 1, "the last line has no newline");
	}
	r->at = r->whole = r->n;
	return 0;
}

/* Check that the first line that is not blank identifies a raw file. */
static int check_first_line(struct raw_reader *r)
{
	while (r->at < r->whole && raw_skip_blanks(r) == '\n') {
		r->at++;
		r->line++;
	}
	if (r->at == r->whole)
		return 0;
	if (!is_program_line((struct str){ r->text + r->at, r->whole - r->at }))
		return raw_report_unreadable(r, -EBADMSG,
					     "not a raw file: the first line is neither "
					     "$hpcperfstats nor $tacc_stats and a version");
	r->headed = true;
	return 0;
}

static int raw_next_record(void *arg, const struct record **ret)
{
	struct raw_reader *r = arg;
	if (r->where == BETWEEN)
		r->from = r->at;	/* the text of the last record is no longer needed */
	while (!r->error) {
		if (!r->headed)
			check_first_line(r);
		if (!r->error && r->headed && raw_read_lines(r, ret))
			return 1;
		if (r->error)
			break;
		int more = raw_refill(r);
		if (more < 0)
			return more;
		if (more > 0)
			continue;
		if (r->headed)
			return raw_read_end(r, ret);
		return raw_report_unreadable(r, -EBADMSG, "not a raw file: it has no whole line");
	}
	return r->error;
}

static struct str raw_property(const void *arg, const char *name)
{
	const struct raw_reader *r = arg;
	struct str text = buf_str(&r->header), line, found = { "", 0 };
	if (!*name && str_take_line(&text, &line))
		return line;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, str_of(name)) &&
		    (!line.n || str_take_prefix(&line, STR(" "))))
			found = line;
	return found;
}

static const struct record_type *raw_type_at(const void *arg, size_t i)
{
	const struct raw_reader *r = arg;
	return i < r->schema.n ? &r->schema.in_force[i]->type : NULL;
}

struct record_source raw_records(const struct byte_source *from,
				 const struct record_listener *listener)
{
	struct raw_reader *r = xrealloc(NULL, sizeof(*r));
	*r = (struct raw_reader){ .src = *from, .cap = CHUNK_BYTES };
	if (listener)
		r->listener = *listener;
	r->text = xrealloc(NULL, r->cap + RAW_PADDING);
	memset(r->text, 0, RAW_PADDING);
	return (struct record_source){ raw_next_record, raw_property, raw_type_at, raw_reader_end,
				      r };
}

const struct record_format raw_read_format = {
	.name = "raw",
	.open = raw_records,
};
