/* SPDX-License-Identifier: BSD-3-Clause */
/* sides.c - find the measures in which two sets of runs differ by more than chance explains */
#include "report/compare/sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

static void sides_add_value(struct sample *s, double n)
{
	if (isnan(n))
		return;
	double from = n - s->mean;
	s->n++;
	s->mean += from / (double)s->n;
	s->squares += from * (n - s->mean);
}

static void add_parts(struct side *s, const struct report *r)
{
	struct parts p = parts_of(r);

	if (p.of <= 0)
		return;
	double weight = 1 / (double)++s->parted;
	s->parts.of += weight * (p.of - s->parts.of);
	for (int i = 0; i < PARTS; i++)
		s->parts.part[i] += weight * (p.part[i] - s->parts.part[i]);
}

static void add_findings(struct side *s, const struct report *r, const struct finding_site *site)
{
	struct findings f = findings_of(r, site);

	if (!s->found)
		s->found = memset(xrealloc(NULL, n_finding_rules * sizeof(*s->found)), 0,
				  n_finding_rules * sizeof(*s->found));
	for (size_t i = 0; i < f.n; i++)
		s->found[f.finding[i].rule - finding_rules]++;
	findings_free(&f);
}

void side_add(struct side *s, const struct report *r, const struct finding_site *site)
{
	for (size_t m = 0; m < MEASURES; m++) {
		sides_add_value(&s->of[m], measure_read(&measures[m], r, r->n));
		for (size_t node = 0; s->runs == 0 && node < r->n; node++)
			sides_add_value(&s->nodes[m], measure_read(&measures[m], r, node));
	}
	add_parts(s, r);
	add_findings(s, r, site);
	s->job = vec_reserve(s->job, &s->cap, s->runs + 1, sizeof(*s->job));
	s->job[s->runs++] = xstrdup(str_of(r->called ? r->called : r->job));
}

void side_free(struct side *s)
{
	for (size_t i = 0; i < s->runs; i++)
		free(s->job[i]);
	free(s->job);
	free(s->found);
}

double side_mean(const struct side *s, size_t measure)
{
	return s->of[measure].n ? s->of[measure].mean : NAN;
}

double side_spread(const struct side *s, size_t measure)
{
	const struct sample *of = &s->of[measure];
	return of->n > 1 ? sqrt(of->squares / (double)(of->n - 1)) : NAN;
}

/*
 * Return Student's t for a two-sided probability of 1 %. From 11 degrees of freedom on, this is an
 * approximation with an error below 1 %.
 */
static double student(size_t freedom)
{
	static const double t[] = {
		0, 63.66, 9.92, 5.84, 4.60, 4.03, 3.71, 3.50, 3.36, 3.25, 3.17,
	};
	return freedom < ARRAY_SIZE(t) ? t[freedom] : 2.576 + 5.6 / (double)freedom;
}

/* Return the largest difference between the means of two samples that chance may explain. */
static double sides_chance_of(const struct sample *a, const struct sample *b)
{
	size_t freedom = a->n + b->n > 2 ? a->n + b->n - 2 : 0;

	if (freedom == 0 || a->n == 0 || b->n == 0)
		return 0;
	double variance = (a->squares + b->squares) / (double)freedom;
	return student(freedom) * sqrt(variance * (1 / (double)a->n + 1 / (double)b->n));
}

/*
 * Return the largest difference between two single runs that chance may explain, estimated from the
 * spread over their nodes. If a run's value is the sum over its nodes, multiply the estimate by the
 * number of nodes with a value.
 */
static double chance_of_nodes(const struct side side[2], size_t measure)
{
	const struct sample *a = &side[0].nodes[measure], *b = &side[1].nodes[measure];
	double of_a = a->mean > 0 ? side_mean(&side[0], measure) / a->mean : 1;
	double of_b = b->mean > 0 ? side_mean(&side[1], measure) / b->mean : 1;
	return sides_chance_of(a, b) * fmax(of_a, of_b);
}

bool sides_differ(const struct side side[2], size_t measure)
{
	double a = side_mean(&side[0], measure), b = side_mean(&side[1], measure);
	bool single = side[0].runs == 1 && side[1].runs == 1;
	double chance = single && measure != MEASURE_LENGTH ?
			chance_of_nodes(side, measure) :
			sides_chance_of(&side[0].of[measure], &side[1].of[measure]);
	double larger = fmax(fabs(a), fabs(b));

	return fabs(b - a) > fmax(measures[measure].least, SIDES_FLOOR / 100. * larger) &&
	       fabs(b - a) > chance;
}

size_t side_files(const struct side *s)
{
	size_t most = MEASURES;

	for (size_t i = 0; i < MEASURES; i++)
		if (measures[i].files && side_mean(s, i) >= measures[i].least &&
		    (most == MEASURES || side_mean(s, i) > side_mean(s, most)))
			most = i;
	return most;
}

/* Return log(B/A) of the sides' elapsed times, or 0 if sides_differ() finds no difference. */
static double longer_by(const struct side side[2])
{
	double a = side_mean(&side[0], MEASURE_LENGTH), b = side_mean(&side[1], MEASURE_LENGTH);
	return sides_differ(side, MEASURE_LENGTH) && a > 0 && b > 0 ? log(b / a) : 0;
}

/*
 * Estimate how much a measure contributes to the difference in elapsed time. For a wait, return the
 * change of the waiting time divided by the longer elapsed time; for other percentages, the
 * difference of the two shares; for other measures, the logarithm of the ratio of the two values,
 * with the ratio limited to 1,000.
 */
static double explains(const struct side side[2], size_t measure)
{
	const struct measure *m = &measures[measure];
	double a = side_mean(&side[0], measure), b = side_mean(&side[1], measure);
	double x = side_mean(&side[0], MEASURE_LENGTH), y = side_mean(&side[1], MEASURE_LENGTH);

	if (m->role == MEASURE_WAIT)
		return fmax(x, y) > 0 ? fabs(b * y - a * x) / (100 * fmax(x, y)) : 0;
	if (m->unit == MEASURE_PERCENT)
		return fabs(b - a) / 100;
	double most = fmax(a, b);
	return most > 0 ? fabs(log(fmax(b, most / 1000) / fmax(a, most / 1000))) : 0;
}

static void add_difference(struct differences *d, const struct side side[2], size_t measure)
{
	double slower = measures[measure].slower * longer_by(side);
	double more = side_mean(&side[1], measure) - side_mean(&side[0], measure);

	d->of[d->n++] = (struct difference){ measure, explains(side, measure), slower * more > 0 };
}

/*
 * Add a difference if the two sides used different file systems. Set its .explains to the sum over
 * all waits, including kernel time, because another file system may cause them.
 */
static void compare_files(struct differences *d, const struct side side[2])
{
	size_t a = side_files(&side[0]), b = side_files(&side[1]);
	struct difference files = { MEASURES, 0, false };

	if (a == MEASURES || b == MEASURES || a == b)
		return;
	for (size_t i = 0; i < d->n; i++)
		if (d->of[i].fits && measures[d->of[i].measure].role == MEASURE_WAIT)
			files.explains += d->of[i].explains;
	files.fits = files.explains > 0;
	d->of[d->n++] = files;
}

static int rank_of(const struct difference *d)
{
	bool sign = d->measure < MEASURES && measures[d->measure].role == MEASURE_SIGN;
	return (d->fits ? 0 : 2) + sign;
}

/*
 * Sort differences that explain the elapsed time (.fits) first, then causes and waits before
 * symptoms (MEASURE_SIGN), then larger contributions (.explains) before smaller. Among equal
 * contributions, the change of the file system comes first.
 */
static int by_explained(const void *a, const void *b)
{
	const struct difference *x = a, *y = b;

	if (rank_of(x) != rank_of(y))
		return rank_of(x) - rank_of(y);
	if (x->explains < y->explains || x->explains > y->explains)
		return x->explains < y->explains ? 1 : -1;
	return (x->measure < y->measure) - (x->measure > y->measure);
}

struct differences sides_compare(const struct side side[2])
{
	struct differences d = { .n = 0 };

	for (size_t i = MEASURE_LENGTH + 1; i < MEASURES; i++)
		if (sides_differ(side, i))
			add_difference(&d, side, i);
	compare_files(&d, side);
	qsort(d.of, d.n, sizeof(*d.of), by_explained);
	return d;
}
