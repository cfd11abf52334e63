/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamics.c - how a job goes on a node: peaks, fading, growth, which CPUs and GPUs worked */
#include "figures/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/counted.h"
#include "figures/devices.h"

#define SHORTEST 1000000	/* microseconds; of less, counters of 10 ms are noise */
#define POINTS_MAX (1u << 20)	/* of one run: after so many, it is not known when it faded */
#define EDGE 2			/* points left out on each side of a cut, */
#define EDGE_US 60000000	/* or so long a time if that is more, */
#define EDGE_PART 50		/* or a fiftieth of the run */
#define STEADY .9		/* part of the variance that a line explains */
#define FIT_MIN 6		/* points that a line needs */
#define ACTIVE .5		/* CPUs busy: a node that did less has nothing that can fade */

struct point {
	int64_t usec;
	double busy;	/* CPU time until then, without what the kernel needs itself */
	double own;	/* CPU time of the job itself until then */
	double memory;	/* bytes in programs; negative: not known */
};

struct dynamics {
	struct steps steps;
	struct counted counted[N_QUANTITIES];
	struct peak peak[DERIVED_MAX];
	struct point *point;
	size_t n, cap;
	bool broken;		/* some step of it is not known */
	bool own, own_broken;	/* the job itself has CPU time; some step of that is not known */
	size_t cpu, anon, shmem, whole;	/* figures: of the job itself, and memory of the node */
};

struct dynamics *dynamics_new(void)
{
	struct dynamics *d = xrealloc(NULL, sizeof(*d));
	*d = (struct dynamics){
		.cpu = figure_find("job.cpu"), .anon = figure_find("job.anon"),
		.shmem = figure_find("job.shmem"), .whole = figure_find("mem.hwm"),
	};
	steps_init(&d->steps, (struct figures){ figures, n_figures });
	return d;
}

void dynamics_free(struct dynamics *d)
{
	if (!d)
		return;
	steps_free(&d->steps);
	free(d->point);
	free(d);
}

void dynamics_clear(struct dynamics *d)
{
	steps_break(&d->steps);
	memset(d->peak, 0, sizeof(d->peak));
	d->n = 0;
	d->broken = d->own = d->own_broken = false;
}

static void take_peak(struct dynamics *d, size_t i)
{
	double rate;
	int64_t from, to;

	if (!counted_derived(d->counted, &derived[i], &rate, &from, &to) || to - from < SHORTEST)
		return;
	if (!d->peak[i].at || rate > d->peak[i].rate)
		d->peak[i] = (struct peak){ rate, to };
}

static double memory_of(const struct step *step, const struct dynamics *d)
{
	const struct step *shmem = &step[d->shmem];

	if (step[d->anon].is == STEP_KNOWN)
		return step[d->anon].n + (shmem->is == STEP_KNOWN ? shmem->n : 0);
	return step[d->whole].is == STEP_KNOWN ? step[d->whole].n : -1;
}

/* CPU time of the job itself. Its control group may be younger than its begin mark. */
static double own_of(struct dynamics *d)
{
	const struct step *step = &d->steps.step[d->cpu];
	double before = d->n ? d->point[d->n - 1].own : 0;

	d->own_broken |= d->own && step->is != STEP_KNOWN;
	d->own |= d->n > 0 && step->is == STEP_KNOWN;
	return before + (d->own && step->is == STEP_KNOWN ? step->n : 0);
}

static void take_point(struct dynamics *d, int64_t usec)
{
	const struct counted *user = &d->counted[Q_USER], *system = &d->counted[Q_SYSTEM];
	double before = d->n ? d->point[d->n - 1].busy : 0;
	double busy = busy_time(user->n, system->n,
				user->n + system->n + d->counted[Q_IDLE].n);
	bool known = user->any && !user->broken && !system->broken;

	d->broken |= (d->n && !known) || d->n == POINTS_MAX;
	if (d->broken)
		return;
	struct point point = { usec, d->n ? before + busy : 0, own_of(d),
			       memory_of(d->steps.step, d) };
	d->point = vec_reserve(d->point, &d->cap, d->n + 1, sizeof(*d->point));
	d->point[d->n++] = point;
}

void dynamics_take(struct dynamics *d, const struct job_sample *t)
{
	steps_take(&d->steps, t);
	counted_take(d->counted, &d->steps);
	for (size_t i = 0; i < n_derived; i++)
		if (!derived[i].under[0].quantity)
			take_peak(d, i);
	take_point(d, t->record->usec);
}

const struct steps *dynamics_steps(const struct dynamics *d)
{
	return &d->steps;
}

static double rate_between(const struct point *a, const struct point *b, bool own)
{
	double n = own ? b->own - a->own : b->busy - a->busy;
	return b->usec > a->usec ? n / ((double)(b->usec - a->usec) / 1e6) : 0;
}

/* Of a node that it had alone, CPU time may be the job's and yet in no control group of it. */
static bool own_counts(const struct dynamics *d, bool alone)
{
	const struct point *last = &d->point[d->n - 1];
	return d->own && !d->own_broken && !(alone && last->own < .5 * last->busy);
}

/* Between samples that are not too close for counters of 10 ms. */
static void find_widest(const struct dynamics *d, bool alone, struct course *ret)
{
	const struct point *from = d->point;
	bool own = d->n > 1 && own_counts(d, alone);

	for (size_t i = 1; i < d->n && !d->broken; i++) {
		if (d->point[i].usec - from->usec < SHORTEST)
			continue;
		double rate = rate_between(from, &d->point[i], own);
		ret->widest = rate > ret->widest ? rate : ret->widest;
		from = &d->point[i];
	}
}

/* A begin and an end that are shorter say nothing of the job, however often samples are taken. */
static int64_t edge_of(const struct dynamics *d)
{
	int64_t part = (d->point[d->n - 1].usec - d->point[0].usec) / EDGE_PART;
	return part > EDGE_US ? part : EDGE_US;
}

/* Where the job did least of what it had done before. */
static void find_fade(const struct dynamics *d, bool alone, struct course *ret)
{
	if (d->broken || d->n < 2 * EDGE + 1)
		return;
	const struct point *first = &d->point[0], *last = &d->point[d->n - 1];
	bool own = ret->fade_own = own_counts(d, alone);
	const int64_t edge = edge_of(d);
	for (size_t i = EDGE; i + EDGE < d->n; i++) {
		int64_t usec = d->point[i].usec;
		if (usec - first->usec < edge || last->usec - usec < edge)
			continue;
		double before = rate_between(first, &d->point[i], own);
		double ratio = before > 0 ? rate_between(&d->point[i], last, own) / before : 1;
		if (before >= ACTIVE && (!ret->fade_at || ratio < ret->fade)) {
			ret->fade = ratio;
			ret->fade_at = usec;
		}
	}
}

/* Deviations from the means of time, in seconds, and memory, in bytes, over some points. */
struct fit {
	double n, x, y, xx, xy, yy;
};

static struct fit fit_points(const struct point *p, size_t n)
{
	struct fit f = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (p[i].memory < 0)
			continue;
		f.n++;
		double x = (double)(p[i].usec - p[0].usec) / 1e6 - f.x, y = p[i].memory - f.y;
		f.x += x / f.n;
		f.y += y / f.n;
		f.xx += x * x * (f.n - 1) / f.n;
		f.xy += x * y * (f.n - 1) / f.n;
		f.yy += y * y * (f.n - 1) / f.n;
	}
	return f;
}

/* Points of so many without those at the end of the run when most of the memory was gone. */
static size_t while_there(const struct dynamics *d, const struct point *p, size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		most = p[i].memory > most ? p[i].memory : most;
	while (n && p[n - 1].memory < .5 * most &&
	       d->point[d->n - 1].usec - p[n - 1].usec < edge_of(d))
		n--;
	return n;
}

/* In the second half: at its begin a job reads what it works on. At its end it may be gone. */
static void find_growth(const struct dynamics *d, struct course *ret)
{
	size_t from = d->n / 2, n = d->n > from + EDGE ? d->n - from - EDGE : 0;
	if (d->broken || n == 0)
		return;
	struct fit f = fit_points(d->point + from, while_there(d, d->point + from, n));
	if (f.n < FIT_MIN || f.xy <= 0 || f.xy * f.xy < STEADY * f.xx * f.yy)
		return;
	double end = (double)(d->point[d->n - 1].usec - d->point[from].usec) / 1e6;
	double rest = f.yy - f.xy * f.xy / f.xx;
	ret->grows = f.xy / f.xx;
	ret->grows_error = sqrt((rest > 0 ? rest : 0) / (f.n - 2) / f.xx);
	ret->grown_to = f.y + ret->grows * (end - f.x);
}

/* Seconds of a quantity that one CPU had. */
static double cpu_time(const struct device *d, enum quantity q)
{
	double n = 0;
	for (size_t k = 0; k < d->n; k++)
		if (figures[d->first + k].quantity == q)
			n += (double)d->reading[k].counter.total * d->reading[k].scale;
	return n;
}

static void count_cpu(const struct device *d, struct course *ret)
{
	double busy = cpu_time(d, Q_USER) + cpu_time(d, Q_SYSTEM);
	double all = busy + cpu_time(d, Q_IDLE);

	ret->cpus++;
	if (all <= 0)
		return;
	ret->cpus_busy += busy / all > .5;
	ret->cpus_used += busy / all > .05;
	if (busy / all > ret->busiest)
		ret->busiest = busy / all;
}

static void count_gpu(const struct device *d, struct course *ret)
{
	bool known = false, idle = true;
	for (size_t k = 0; k < d->n; k++) {
		known |= figures[d->first + k].each && d->reading[k].gauge_at;
		idle &= !(figures[d->first + k].each && d->reading[k].gauge > 0);
	}
	ret->gpus += known;
	ret->gpus_idle += known && idle;
}

static bool has_each(const struct device *d)
{
	bool each = false;
	for (size_t k = 0; k < d->n; k++)
		each |= figures[d->first + k].each;
	return each;
}

void dynamics_end(struct dynamics *d, struct tally *t, bool alone, struct course *ret)
{
	const struct devices *devices = tally_devices(t);

	for (size_t i = 0; i < devices->n; i++) {
		const struct device *one = &devices->device[i];
		if (strcmp(figures[one->first].type, "cpu") == 0)
			count_cpu(one, ret);
		else if (has_each(one))
			count_gpu(one, ret);
	}
	memcpy(ret->peak, d->peak, sizeof(d->peak));
	find_widest(d, alone, ret);
	find_fade(d, alone, ret);
	find_growth(d, ret);
	dynamics_clear(d);
}
