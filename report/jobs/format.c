/* SPDX-License-Identifier: BSD-3-Clause */
/* format.c - print a table of jobs with chosen columns, named as in sacct and reportseff */
#include "report/jobs/format.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/cli.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "figures/units.h"
#include "report/jobs/print_jobs.h"

#define SECOND 1000000
#define UNKNOWN "---"	/* as in reportseff */
#define WASTE 25	/* percent: less is red */
#define GOOD  80	/* percent: as much is green */

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
	bool with_used;		/* computed from records */
	bool right;		/* aligned to the right */
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

/* Explain an unknown name by the nearest column, or else by all. */
static void format_explain(struct buf *why, struct str name)
{
	struct buf word CLEANUP(buf_free) = { 0 };
	struct nearest n = { NULL, 0 };

	buf_add(&word, name);
	buf_add_char(&word, '\0');
	for (int i = 0; i < COLUMNS; i++)
		nearest_try(&n, word.p, columns[i].name);
	buf_addf(why, "\"%s\" is no column; ", word.p);
	if (n.best) {
		buf_addf(why, "did you mean %s?", n.best);
		return;
	}
	buf_add(why, STR("want some of "));
	format_put_names(why);
}

static bool format_add(struct format *f, const char *names, struct buf *why)
{
	struct str rest = str_of(names), name;

	while (str_take_item(&rest, &name)) {
		enum column c = format_find(name);
		if (c == COLUMNS || f->n == FORMAT_MAX) {
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
		buf_add(why, STR("no column is named"));
	return f->n > 0;
}

/* A row, and what is known of its job. */
struct format_row {
	const struct listed_job *job;
	const struct sacct_job *sacct;	/* NULL: the accounting has no such job */
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

/* Append a cell; width 0 is that of the text. The last column is not filled with blanks. */
static void format_put_aligned(struct buf *b, struct str text, enum column c, size_t width,
			       const char *colour)
{
	size_t n = utf8_columns(text), blanks = width > n ? width - n : 0;

	buf_addf(b, "%*s%s" STR_FMT "%s%*s", columns[c].right ? (int)blanks : 0, "", colour,
		 STR_ARG(text), *colour ? PLAIN : "", columns[c].right ? 0 : (int)blanks, "");
}

static void format_put_row(struct buf *b, const struct format *f, const size_t *width,
			   const struct format_row *r, bool colour)
{
	struct buf text CLEANUP(buf_free) = { 0 };

	for (size_t i = 0; i < f->n; i++) {
		enum column c = (enum column)f->column[i];
		bool last = i + 1 == f->n && !columns[c].right;
		text.n = 0;
		if (r)
			format_put_cell(&text, r, c);
		else
			buf_addf(&text, "%s", columns[c].name);
		if (i)
			buf_add(b, STR("  "));
		format_put_aligned(b, buf_str(&text), c, last ? 0 : width[i],
				   r && colour ? format_colour(r, c, buf_str(&text)) : "");
	}
	buf_add_char(b, '\n');
}

/* Get row i, which is valid until the next one is asked for. */
static struct format_row format_row_of(struct listing *of, size_t i)
{
	const struct listed_job *job = listing_job(of, i);
	return (struct format_row){ job, sacct_find(&of->sacct, job->id) };
}

void format_put(struct buf *b, const struct format *f, struct listing *of, size_t most,
		bool colour)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	size_t width[FORMAT_MAX], n = of->list.n < most ? of->list.n : most;

	for (size_t k = 0; k < f->n; k++)
		width[k] = strlen(columns[f->column[k]].name);
	for (size_t i = 0; i < n; i++) {
		const struct format_row r = format_row_of(of, i);
		for (size_t k = 0; k < f->n; k++) {
			text.n = 0;
			format_put_cell(&text, &r, (enum column)f->column[k]);
			size_t is = utf8_columns(buf_str(&text));
			width[k] = is > width[k] ? is : width[k];
		}
	}
	format_put_row(b, f, width, NULL, false);
	for (size_t i = 0; i < n; i++) {
		const struct format_row r = format_row_of(of, i);
		format_put_row(b, f, width, &r, colour);
	}
}
