/* SPDX-License-Identifier: BSD-3-Clause */
/* print_compare.c - print two sets of runs side by side, for people and for programs */
#include "report/compare/print_compare.h"

#include <math.h>
#include <stdio.h>
#include "base/json.h"
#include "base/wrapped.h"

#define BAR 15		/* width of a bar in columns */
#define JOBS_SHOWN 5

struct page {
	struct buf *b;
	const struct side *side;
	const char *bold, *plain;
};

static void put_heading(const struct page *p, const char *text)
{
	buf_addf(p->b, "\n%s%s%s\n", p->bold, text, p->plain);
}

static void put_jobs(const struct page *p, char name, const struct side *s)
{
	struct buf line CLEANUP(buf_free) = { 0 };

	buf_addf(&line, "%c is ", name);
	if (s->runs > 1)
		buf_addf(&line, "%zu runs: ", s->runs);
	else
		buf_addf(&line, "job ");
	for (size_t i = 0; i < s->runs && i < JOBS_SHOWN; i++)
		buf_addf(&line, "%s%s", i ? ", " : "", text_name(str_of(s->job[i]), 40).s);
	if (s->runs > JOBS_SHOWN)
		buf_addf(&line, " and %zu more", s->runs - JOBS_SHOWN);
	wrapped_put(p->b, 0, buf_str(&line));
}

static void say_length(struct buf *b, const struct side side[2])
{
	const struct measure *m = &measures[MEASURE_LENGTH];
	double x = side_mean(&side[0], MEASURE_LENGTH), y = side_mean(&side[1], MEASURE_LENGTH);

	if (!sides_differ(side, MEASURE_LENGTH))
		buf_addf(b, "B took as long as A, within %d %% or the spread of runs: ",
			 SIDES_FLOOR);
	else if (y > x && x > 0)
		buf_addf(b, "B took %.3g times as long as A: ", y / x);
	else
		buf_addf(b, "B took %.3g of the time of A: ", x > 0 ? y / x : 0);
	buf_addf(b, "%s, and %s.", measure_text(m, y).s, measure_text(m, x).s);
}

static void say_files(struct buf *b, const struct side side[2])
{
	size_t x = side_files(&side[0]), y = side_files(&side[1]);

	buf_addf(b, "Its files were in another file system in B: %s on %s, and %s on %s in A.",
		 measure_text(&measures[y], side_mean(&side[1], y)).s, measures[y].files,
		 measure_text(&measures[x], side_mean(&side[0], x)).s, measures[x].files);
}

static void say_difference(struct buf *b, const struct side side[2], const struct difference *d)
{
	if (d->measure == MEASURES) {
		say_files(b, side);
		return;
	}
	const struct measure *m = &measures[d->measure];
	double x = side_mean(&side[0], d->measure), y = side_mean(&side[1], d->measure);
	buf_addf(b, "%s in B: %s, and %s in A.", y > x ? m->more : m->less, measure_text(m, y).s,
		 measure_text(m, x).s);
	if (m->advice)
		buf_addf(b, " %s", m->advice);
}

/* Return whether the finding of a rule occurs in all runs of side s and in no run of the other. */
static bool is_only_of(const struct side *s, const struct side *other, size_t rule)
{
	return s->found[rule] == s->runs && other->found[rule] == 0;
}

static void put_differences(const struct page *p)
{
	const struct side *s = p->side;
	struct differences d = sides_compare(s);
	struct buf line CLEANUP(buf_free) = { 0 };

	put_heading(p, "Differences");
	say_length(&line, s);
	wrapped_put(p->b, 2, buf_str(&line));
	for (size_t i = 0; i < d.n; i++) {
		line.n = 0;
		say_difference(&line, s, &d.of[i]);
		wrapped_put(p->b, 2, buf_str(&line));
	}
	if (d.n == 0)
		buf_addf(p->b, "  Nothing that is known differs beyond the spread.\n");
	for (size_t i = 0; i < 2; i++)
		for (size_t rule = 0; rule < n_finding_rules; rule++)
			if (is_only_of(&s[i], &s[!i], rule))
				buf_addf(p->b, "  Found only for %c: %s.\n", "AB"[i],
					 finding_rules[rule].title);
}

static void compare_put_bar(struct buf *b, const struct parts *p, enum part i)
{
	double percent = part_percent(p, i);
	buf_addf(b, " |%-*.*s|%8s", BAR, (int)(percent * BAR / 100 + .5), "###############",
		 p->of > 0 ? text_percent(percent).s : "-");
}

static void compare_put_parts(const struct page *p)
{
	const struct parts *x = &p->side[0].parts, *y = &p->side[1].parts;

	if (x->of <= 0 && y->of <= 0)
		return;
	put_heading(p, "CPU time");
	buf_addf(p->b, "  %-21s  A: %-22s  B: %s\n", "allocated",
		 x->of > 0 ? text_value(UNIT_SECONDS, x->of).s : "-",
		 y->of > 0 ? text_value(UNIT_SECONDS, y->of).s : "-");
	for (int i = 0; i < PARTS; i++) {
		if (x->part[i] <= 0 && y->part[i] <= 0)
			continue;
		buf_addf(p->b, "  %c %-19s", part_names[i].letter, part_names[i].label);
		compare_put_bar(p->b, x, (enum part)i);
		compare_put_bar(p->b, y, (enum part)i);
		buf_add_char(p->b, '\n');
	}
}

static struct text cell_of(const struct side *s, size_t measure)
{
	struct text t = measure_text(&measures[measure], side_mean(s, measure));
	double spread = side_spread(s, measure);
	struct text both = t;

	if (!isnan(spread))
		snprintf(both.s, sizeof(both.s), "%.20s +- %.20s", t.s,
			 measure_text(&measures[measure], spread).s);
	return both;
}

static void compare_put_measures(const struct page *p)
{
	const struct side *s = p->side;

	put_heading(p, "Values");
	buf_addf(p->b, "  %-26s %24s %24s\n", "", "A", "B");
	for (size_t i = 0; i < MEASURES; i++)
		if (s[0].of[i].n || s[1].of[i].n)
			buf_addf(p->b, "  %-26s %24s %24s%s\n", measures[i].label,
				 cell_of(&s[0], i).s, cell_of(&s[1], i).s,
				 sides_differ(s, i) ? " *" : "");
	buf_addf(p->b, "  * differs: by more than %d %%, and than chance by the spread of %s\n",
		 SIDES_FLOOR, s[0].runs > 1 || s[1].runs > 1 ? "runs" : "nodes");
}

void compare_put_text(struct buf *b, const struct side side[2], bool colour)
{
	const struct page p = { b, side, colour ? "\033[1m" : "", colour ? "\033[0m" : "" };

	put_jobs(&p, 'A', &side[0]);
	put_jobs(&p, 'B', &side[1]);
	put_differences(&p);
	compare_put_parts(&p);
	compare_put_measures(&p);
}

static void put_side_json(struct buf *b, const char *name, const struct side side[2], size_t at)
{
	const struct side *s = &side[at];

	json_open(b, name, '{');
	json_open(b, "jobs", '[');
	for (size_t i = 0; i < s->runs; i++)
		json_str(b, NULL, str_of(s->job[i]));
	json_close(b, ']');
	parts_put_json(b, &s->parts);
	json_open(b, "only_findings", '[');
	for (size_t rule = 0; rule < n_finding_rules; rule++)
		if (is_only_of(s, &side[!at], rule))
			json_str(b, NULL, str_of(finding_rules[rule].name));
	json_close(b, ']');
	json_close(b, '}');
}

static void put_known(struct buf *b, const char *name, double n)
{
	if (!isnan(n))
		json_double(b, name, n);
}

static void put_measure_json(struct buf *b, const struct side side[2], size_t i)
{
	json_open(b, NULL, '{');
	json_str(b, "measure", str_of(measures[i].name));
	put_known(b, "a", side_mean(&side[0], i));
	put_known(b, "b", side_mean(&side[1], i));
	put_known(b, "a_spread", side_spread(&side[0], i));
	put_known(b, "b_spread", side_spread(&side[1], i));
	json_bool(b, "differs", sides_differ(side, i));
	json_close(b, '}');
}

static void put_difference_json(struct buf *b, const struct side side[2],
				const struct difference *d)
{
	struct buf says CLEANUP(buf_free) = { 0 };

	say_difference(&says, side, d);
	json_open(b, NULL, '{');
	json_str(b, "measure",
		 str_of(d->measure < MEASURES ? measures[d->measure].name : MEASURE_FILES));
	json_bool(b, "explains", d->fits);
	json_str(b, "says", buf_str(&says));
	json_close(b, '}');
}

void compare_put_json(struct buf *b, const struct side side[2])
{
	struct differences d = sides_compare(side);

	json_open(b, NULL, '{');
	put_side_json(b, "a", side, 0);
	put_side_json(b, "b", side, 1);
	json_open(b, "measures", '[');
	for (size_t i = 0; i < MEASURES; i++)
		if (side[0].of[i].n || side[1].of[i].n)
			put_measure_json(b, side, i);
	json_close(b, ']');
	json_open(b, "differences", '[');
	for (size_t i = 0; i < d.n; i++)
		put_difference_json(b, side, &d.of[i]);
	json_close(b, ']');
	json_u64(b, "schema", 1);
	json_close(b, '}');
	buf_add_char(b, '\n');
}
