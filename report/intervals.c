/* SPDX-License-Identifier: BSD-3-Clause */
/* intervals.c - print what a host did in each interval, as sar(1) does */
#include "report/intervals.h"

#include <stdlib.h>
#include <string.h>
#include "base/cli.h"
#include "base/log.h"
#include "base/vec.h"
#include "base/when.h"
#include "figures/figure_steps.h"
#include "figures/units.h"

#define SECOND 1000000

enum column { USER, SYSTEM, IOWAIT, MEMORY, READ, WRITTEN, RECEIVED, SENT, COLUMNS };

/* the figures whose values are added up for each column of the output */
static const struct {
	enum column column;
	const char *figure;
} summands[] = {
	{ USER, "cpu.user" }, { USER, "cpu.nice" },
	{ SYSTEM, "cpu.system" }, { SYSTEM, "cpu.irq" }, { SYSTEM, "cpu.softirq" },
	{ IOWAIT, "cpu.iowait" },
	{ MEMORY, "mem.MemUsed" },
	{ READ, "block.rd_sectors" }, { WRITTEN, "block.wr_sectors" },
	{ RECEIVED, "net.rx_bytes" }, { SENT, "net.tx_bytes" },
};

/* The time between two samples, or several joined intervals. */
struct interval {
	int64_t to;		/* time of the last sample of the interval, in microseconds */
	bool booted;		/* the node booted during the interval */
	/*
	 * The value of the column is .n / .of. If .of is 0, the value is unknown. For columns of
	 * CPU time, .n is CPU seconds, and .of is the CPU seconds of all CPUs. For other columns,
	 * .n is bytes (for MEMORY, bytes times seconds), and .of is seconds.
	 */
	struct amount {
		double n, of;
	} amount[COLUMNS];
};

struct intervals {
	struct interval *interval;
	size_t n, cap;
	int64_t first;		/* time of the first sample; 0 if there is none */
	struct figure *row;	/* table of all figures of the types that are read */
	size_t n_rows;
	size_t figure[ARRAY_SIZE(summands)];	/* index in .row of the figure of each summands[] */
	struct steps steps;
};

/* Make a table of the figures of the four types that are read, and initialize .steps for it. */
static void intervals_begin(struct intervals *all)
{
	static const char *const types[] = { "cpu", "mem", "block", "net" };
	const struct figures usual = { figures, n_figures };
	size_t first, end;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!figures_of_type(usual, str_of(types[i]), &first, &end))
			continue;
		all->row = xrealloc(all->row, (all->n_rows + end - first) * sizeof(*all->row));
		memcpy(all->row + all->n_rows, figures + first, (end - first) * sizeof(*all->row));
		all->n_rows += end - first;
	}
	const struct figures table = { all->row, all->n_rows };
	steps_init(&all->steps, table);
	for (size_t i = 0; i < ARRAY_SIZE(summands); i++)
		all->figure[i] = figures_find(table, summands[i].figure);
}

/*
 * Sum the CPU seconds of all states (user, idle, ...) of all CPUs in the last step. Returns 0 if a
 * state is unknown.
 */
static double intervals_cpu_seconds(const struct steps *s)
{
	double sum = 0;
	for (size_t i = 0; i < s->table.n; i++) {
		if (s->table.row[i].how != FIGURE_SHARE)
			continue;
		if (s->step[i].is == STEP_BROKEN)
			return 0;
		sum += s->step[i].is == STEP_KNOWN ? s->step[i].n : 0;
	}
	return sum;
}

static void intervals_add_step(struct interval *t, enum column c, const struct step *s,
			       double cpu_seconds)
{
	double seconds = (double)(s->to - s->from) / SECOND;
	double of = c <= IOWAIT ? cpu_seconds : seconds;
	struct amount *a = &t->amount[c];

	if (of <= 0)
		return;		/* an unknown value must not count in joined intervals */
	a->n += c == MEMORY ? s->n * seconds : s->n;
	a->of = of;
}

static void intervals_take(void *arg, const struct job_sample *t)
{
	struct intervals *all = arg;
	int64_t usec = t->record->usec;

	if (t->what & JOB_OPEN)
		steps_break(&all->steps);
	steps_take(&all->steps, t);
	if (!all->first) {
		all->first = usec;
		return;
	}
	struct interval one = { .to = usec, .booted = t->booted };
	double cpu_seconds = intervals_cpu_seconds(&all->steps);
	for (size_t i = 0; i < ARRAY_SIZE(summands); i++) {
		const struct step *s = &all->steps.step[all->figure[i]];
		if (s->is == STEP_KNOWN)
			intervals_add_step(&one, summands[i].column, s, cpu_seconds);
	}
	all->interval = vec_reserve(all->interval, &all->cap, all->n + 1, sizeof(one));
	all->interval[all->n++] = one;
}

static void intervals_join(struct interval *to, const struct interval *more)
{
	to->to = more->to;
	to->booted |= more->booted;
	for (int c = 0; c < COLUMNS; c++) {
		if (more->amount[c].of <= 0)
			continue;
		to->amount[c].n += more->amount[c].n;
		to->amount[c].of += more->amount[c].of;
	}
}

/* Choose the time that a line of output covers, in microseconds; 0: one line per interval. */
static int64_t intervals_step(const struct intervals *all)
{
	static const int64_t steps[] = { 60, 600, 3600, 86400 };
	int64_t length = (all->interval[all->n - 1].to - all->first) / SECOND;
	size_t i = 0;

	if (all->n <= INTERVALS_MAX)
		return 0;
	while (i + 1 < ARRAY_SIZE(steps) && length / steps[i] > INTERVALS_MAX)
		i++;
	return steps[i] * SECOND;
}

/*
 * Return the number of the output line that covers a time. Lines end at multiples of step in local
 * time, so that a line covers a whole hour or day there.
 */
static int64_t intervals_line(int64_t usec, int64_t step)
{
	return (usec + when_utc_offset(usec) * INT64_C(1000000) - 1) / step;
}

static void join_lines(struct intervals *all)
{
	int64_t step = intervals_step(all);
	size_t n = 1;

	for (size_t i = 1; step && i < all->n; i++)
		if (intervals_line(all->interval[i].to, step) ==
		    intervals_line(all->interval[n - 1].to, step))
			intervals_join(&all->interval[n - 1], &all->interval[i]);
		else
			all->interval[n++] = all->interval[i];
	if (step)
		all->n = n;
}

static struct text intervals_text(const struct interval *t, enum column c)
{
	const struct amount *a = &t->amount[c];
	struct text none = { "-" }, percent;

	if (a->of <= 0)
		return none;
	if (c > IOWAIT)
		return text_value(UNIT_BYTES, a->n / a->of);
	snprintf(percent.s, sizeof(percent.s), "%.1f", 100 * a->n / a->of);
	return percent;
}

static void intervals_print_line(FILE *out, const char *label, const struct interval *t)
{
	static const int width[COLUMNS] = {
		[USER] = 6, [SYSTEM] = 7, [IOWAIT] = 7, [MEMORY] = 10, [READ] = 10,
		[WRITTEN] = 10, [RECEIVED] = 10, [SENT] = 10,
	};
	fprintf(out, "%-8s", label);
	for (int c = 0; c < COLUMNS; c++)
		fprintf(out, "%*s", width[c], intervals_text(t, (enum column)c).s);
	fputc('\n', out);
}

/* Print the date, "YYYY-MM-DD", if line i begins a new day. */
static void print_day(FILE *out, const struct intervals *all, size_t i)
{
	struct cli_moment at = cli_moment(all->interval[i].to);
	struct cli_moment before = cli_moment(i ? all->interval[i - 1].to : all->first);

	if (strncmp(at.s, before.s, 10) != 0)
		fprintf(out, "%.10s\n", at.s);
}

static void intervals_print_all(FILE *out, const struct intervals *all, const struct report *r)
{
	struct interval mean = { .to = 0 };

	fprintf(out, "Host %s from %s on", text_name(node_name(r, 0), 40).s,
		cli_moment(all->first).s);
	if (r->node[0].course.cpus)
		fprintf(out, ", %u CPU%s", (unsigned)r->node[0].course.cpus,
			r->node[0].course.cpus == 1 ? "" : "s");
	fprintf(out, "\n\n%8s%20s%10s%20s%20s\n%-8s%6s%7s%7s%10s%10s%10s%10s%10s\n", "",
		"CPU in %", "memory", "disks, per s", "network, per s", "until", "user", "system",
		"iowait", "used", "read", "written", "received", "sent");
	for (size_t i = 0; i < all->n; i++) {
		const struct interval *t = &all->interval[i];
		print_day(out, all, i);
		if (t->booted)
			fprintf(out, "%s the node has booted\n", cli_moment(t->to).s + 11);
		intervals_print_line(out, cli_moment(t->to).s + 11, t);
		intervals_join(&mean, t);
	}
	intervals_print_line(out, "mean", &mean);
	fputs("\n\"nodometer report --host\" reports all figures of this node, \"nodometer jobs\"\n"
	      "lists jobs, \"nodometer report JOB\" reports one, \"nodometer run COMMAND\" a\n"
	      "command.\n", out);
}

static bool intervals_are_there(const struct intervals *all)
{
	if (all->n == 0)
		log_error("only the sample of %s was found, but an interval needs two; select more "
			  "with --since yesterday", cli_moment(all->first).s);
	return all->n > 0;
}

bool intervals_print(FILE *out, struct search *q)
{
	struct intervals all = { .n = 0 };
	struct report r = { 0 };

	bool found = search_all(q, &r);
	if (!found && q->n > 0)
		log_error("--since and --until select another period, --host HOST another host");
	if (found) {
		intervals_begin(&all);
		search_node(q, &r.node[0], all.steps.table, intervals_take, &all);
		found = intervals_are_there(&all);
	}
	if (found) {
		join_lines(&all);
		intervals_print_all(out, &all, &r);
	}
	report_free(&r);
	search_free(q);
	if (all.row)
		steps_free(&all.steps);
	free(all.row);
	free(all.interval);
	return found;
}
