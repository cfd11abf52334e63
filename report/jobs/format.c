/* SPDX-License-Identifier: BSD-3-Clause */
/* format.c - print a table of jobs with chosen columns, named as in sacct and reportseff */
#include "report/jobs/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/cli.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "figures/units.h"
#include "report/jobs/print_jobs.h"

#define SECOND 1000000
#define UNKNOWN "---"	/* printed for an unknown value, as in reportseff */
#define WASTE 25	/* an efficiency below this percentage is red */
#define GOOD  80	/* an efficiency of at least this percentage is green */

#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define CYAN   "\033[36m"
#define PLAIN  "\033[0m"

enum column {
	JOB_ID, STATE, EXIT_CODE, USER, ACCOUNT, PARTITION, JOB_NAME, N_NODES, START, END, ELAPSED,
	TIME_EFF, CPU_EFF, MEM_EFF, GPU_EFF, MAX_MEMORY, UNUSED, COLUMNS
};
static const struct column_form {
	const char *name;
	bool with_used;		/* the column is computed from records */
	bool right;		/* the column is right-aligned */
} columns[COLUMNS] = {
	[JOB_ID]    = { "JobID",     false, false },
	[STATE]     = { "State",     true,  false },
	[EXIT_CODE] = { "ExitCode",  false, true  },
	[USER]      = { "User",      false, false },
	[ACCOUNT]   = { "Account",   false, false },
	[PARTITION] = { "Partition", false, false },
	[JOB_NAME]  = { "JobName",   false, false },
	[N_NODES]   = { "NNodes",    false, true  },
	[START]     = { "Start",     false, false },
	[END]       = { "End",       false, false },
	[ELAPSED]   = { "Elapsed",   false, true  },
	[TIME_EFF]  = { "TimeEff",   true,  true  },
	[CPU_EFF]   = { "CPUEff",    true,  true  },
	[MEM_EFF]   = { "MemEff",    true,  true  },
	[GPU_EFF]   = { "GPUEff",    true,  true  },
	[MAX_MEMORY] = { "MaxMemory", true, true  },
	[UNUSED]    = { "Unused",    true,  true  },
};

/* Resources of the columns TIME_EFF to GPU_EFF. */
static const enum used_what efficiencies[] = { USED_TIME, USED_CPU, USED_MEMORY, USED_GPU };

static enum column format_find(struct str name)
{
	int i = 0;
	while (i < COLUMNS && (strlen(columns[i].name) != name.n ||
			       strncasecmp(columns[i].name, name.p, name.n) != 0))
		i++;
	return (enum column)i;
}

bool format_find_efficiency(const char *name, enum used_what *ret)
{
	enum column c = format_find(str_of(name));
	if (c < TIME_EFF || c > GPU_EFF)
		return false;
	*ret = efficiencies[c - TIME_EFF];
	return true;
}

static void format_put_names(struct buf *b)
{
	for (int i = 0; i < COLUMNS; i++)
		buf_addf(b, "%s%s", i ? "," : "", columns[i].name);
}

/* Explain an unknown name: suggest the nearest column, or else list all columns. */
static void format_explain(struct buf *why, struct str name)
{
	struct buf word CLEANUP(buf_free) = { 0 };
	struct nearest n = { NULL, 0 };

	buf_add(&word, name);
	buf_add_char(&word, '\0');
	for (int i = 0; i < COLUMNS; i++)
		nearest_try(&n, word.p, columns[i].name);
	buf_addf(why, "unknown column \"%s\"; ", word.p);
	if (n.best) {
		buf_addf(why, "did you mean %s?", n.best);
		return;
	}
	buf_add(why, STR("the columns are "));
	format_put_names(why);
}

static bool format_add(struct format *f, const char *names, struct buf *why)
{
	struct str rest = str_of(names), name;

	while (str_take_item(&rest, &name)) {
		enum column c = format_find(name);
		if (f->n == FORMAT_MAX) {
			buf_addf(why, "more than %d columns", FORMAT_MAX);
			return false;
		}
		if (c == COLUMNS) {
			format_explain(why, name);
			return false;
		}
		f->column[f->n++] = (unsigned char)c;
		f->with_used |= columns[c].with_used;
	}
	return true;
}

bool format_take(struct format *f, const char *names, struct buf *why)
{
	bool more = names && names[0] == '+';

	*f = (struct format){ .n = 0 };
	if ((!names || more) && !format_add(f, FORMAT_DEFAULT, why))
		return false;
	if (names && !format_add(f, names + more, why))
		return false;
	if (f->n == 0)
		buf_add(why, STR("no column"));
	return f->n > 0;
}

/* A row of the table: a job and its accounting record. */
struct format_row {
	const struct listed_job *job;
	const struct sacct_job *sacct;	/* NULL if the accounting does not have the job */
};

/* Format a time as Slurm does: [DAYS-]HH:MM:SS. */
static void format_put_elapsed(struct buf *b, int64_t usec)
{
	long long s = usec / SECOND;
	if (s >= 86400)
		buf_addf(b, "%lld-", s / 86400);
	buf_addf(b, "%02lld:%02lld:%02lld", s / 3600 % 24, s / 60 % 60, s % 60);
}

static const char *format_exit(const struct format_row *r)
{
	const struct job_used *u = r->job->is ? &r->job->is->used : NULL;
	if (r->sacct && r->sacct->allocation.exit[0])
		return r->sacct->allocation.exit;
	return u && u->known && u->exit[0] ? u->exit : r->job->end.exit;
}

static void format_put_name(struct buf *b, const struct format_row *r, enum column c)
{
	const struct allocation none = { 0 };
	const struct allocation *a = r->sacct ? &r->sacct->allocation : &none;

	switch (c) {
	case JOB_ID:    buf_addf(b, "%s", r->sacct ? r->sacct->shown : r->job->id); break;
	case STATE:     jobs_put_state(b, r->job, r->sacct, false); break;
	case EXIT_CODE: buf_addf(b, "%s", format_exit(r)); break;
	case USER:      buf_addf(b, "%s", r->job->user ? r->job->user : ""); break;
	case ACCOUNT:   buf_addf(b, "%s", jobs_known(r->job->account, a->account)); break;
	case PARTITION: buf_addf(b, "%s", jobs_known(r->job->partition, a->partition)); break;
	case JOB_NAME:  buf_addf(b, "%s", jobs_known(r->job->name, a->name)); break;
	default: break;
	}
}

static void format_put_number(struct buf *b, const struct format_row *r, enum column c)
{
	const struct job_used *u = r->job->is ? &r->job->is->used : NULL;

	switch (c) {
	case N_NODES: buf_addf(b, "%u", r->job->nodes); break;
	case START:   buf_addf(b, "%s", cli_moment(r->job->first).s); break;
	case END:     buf_addf(b, "%s", cli_moment(r->job->last).s); break;
	case ELAPSED: format_put_elapsed(b, r->job->last - r->job->first); break;
	case MAX_MEMORY:
		if (u && u->memory_peak > 0)
			buf_addf(b, "%s", text_value(UNIT_BYTES, u->memory_peak).s);
		break;
	case UNUSED:
		if (u && u->known && u->unused >= 0)
			buf_addf(b, "%.1f", u->unused);
		break;
	default: break;
	}
}

static const struct used *format_used(const struct format_row *r, enum column c)
{
	const struct job_used *u = r->job->is ? &r->job->is->used : NULL;
	bool is = c >= TIME_EFF && c <= GPU_EFF && u && u->known;
	return is && u->used[efficiencies[c - TIME_EFF]].of > 0 ?
	       &u->used[efficiencies[c - TIME_EFF]] : NULL;
}

static void format_put_cell(struct buf *b, const struct format_row *r, enum column c)
{
	const struct used *u = format_used(r, c);
	size_t at = b->n;

	if (u)
		buf_addf(b, "%.1f%%", used_percent(u));
	else if (c < N_NODES)
		format_put_name(b, r, c);
	else
		format_put_number(b, r, c);
	utf8_make_printable(b->p + at, b->n - at);
	if (b->n == at)
		buf_add(b, STR(UNKNOWN));
}

static const char *format_colour_of_state(struct str text)
{
	static const struct {
		const char *state, *colour;
	} colours[] = {
		{ "COMPLETED", GREEN }, { "RUNNING", CYAN }, { "CANCELLED", YELLOW },
		{ "FAILED", RED }, { "OUT_OF_MEMORY", RED }, { "TIMEOUT", RED },
		{ "NODE_FAIL", RED }, { "BOOT_FAIL", RED }, { "DEADLINE", RED },
	};
	for (size_t i = 0; i < ARRAY_SIZE(colours); i++)
		if (str_starts(text, str_of(colours[i].state)))
			return colours[i].colour;
	return "";
}

static const char *format_colour(const struct format_row *r, enum column c, struct str text)
{
	const struct used *u = format_used(r, c);

	if (c == STATE)
		return format_colour_of_state(text);
	if (!u)
		return "";
	return used_percent(u) < WASTE ? RED : used_percent(u) >= GOOD ? GREEN : "";
}

/* The cells of a table, row by row; the first row has the titles. */
struct format_cells {
	struct buf text;
	struct format_cell {
		size_t end;		/* offset in .text at which the cell ends */
		const char *colour;
	} *cell;
	size_t n, cap;
	size_t width[FORMAT_MAX];	/* width of each column, in characters */
};

/* Make a cell of the text that was appended to all->text since the previous cell. */
static void format_add_cell(struct format_cells *all, const struct format *f, const char *colour)
{
	size_t column = all->n % f->n, from = all->n ? all->cell[all->n - 1].end : 0;
	size_t width = utf8_columns(str_skip(buf_str(&all->text), from));

	all->cell = vec_reserve(all->cell, &all->cap, all->n + 1, sizeof(*all->cell));
	all->cell[all->n++] = (struct format_cell){ all->text.n, colour };
	if (width > all->width[column])
		all->width[column] = width;
}

static void format_add_titles(struct format_cells *all, const struct format *f)
{
	for (size_t i = 0; i < f->n; i++) {
		buf_addf(&all->text, "%s", columns[f->column[i]].name);
		format_add_cell(all, f, "");
	}
}

static void format_add_row(struct format_cells *all, const struct format *f,
			   const struct format_row *r, bool colour)
{
	for (size_t i = 0; i < f->n; i++) {
		enum column c = (enum column)f->column[i];
		size_t from = all->text.n;
		format_put_cell(&all->text, r, c);
		struct str text = str_skip(buf_str(&all->text), from);
		format_add_cell(all, f, colour ? format_colour(r, c, text) : "");
	}
}

/* Print a cell. A left-aligned cell at the end of a line is not filled with blanks. */
static void format_print_cell(struct buf *b, const struct format *f,
			      const struct format_cells *all, size_t i)
{
	size_t k = i % f->n, from = i ? all->cell[i - 1].end : 0;
	bool right = columns[f->column[k]].right, is_last = k + 1 == f->n;
	struct str text = { all->text.p + from, all->cell[i].end - from };
	int blanks = (int)(all->width[k] - utf8_columns(text));

	buf_addf(b, "%s%*s%s" STR_FMT "%s%*s%s", k ? "  " : "", right ? blanks : 0, "",
		 all->cell[i].colour, STR_ARG(text), *all->cell[i].colour ? PLAIN : "",
		 right || is_last ? 0 : blanks, "", is_last ? "\n" : "");
}

void format_put(struct buf *b, const struct format *f, struct listing *of, size_t most,
		bool colour)
{
	struct format_cells all = { .n = 0 };

	format_add_titles(&all, f);
	for (size_t i = 0; i < of->list.n && i < most; i++) {
		const struct listed_job *job = listing_job(of, i);
		const struct format_row r = { job, sacct_find(&of->sacct, job->id) };
		format_add_row(&all, f, &r, colour);
	}
	for (size_t i = 0; i < all.n; i++)
		format_print_cell(b, f, &all, i);
	free(all.cell);
	buf_free(&all.text);
}
