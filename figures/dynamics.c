/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamics.c - how a job goes on a node: peaks, when it faded, which CPUs and GPUs worked */
#include "figures/dynamics.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/vec.h"
#include "figures/counted.h"
#include "figures/devices.h"

#define SHORTEST 1000000	/* microseconds; of less, counters of 10 ms are noise */
#define POINTS_MAX (1u << 20)	/* of one run: after so many, it is not known when it faded */
#define EDGE 2			/* points left out on each side of a cut */
#define ACTIVE .5		/* CPUs busy: a node that did less has nothing that can fade */

/* CPU time, in user mode and in the kernel beyond what this needs itself, until a sample. */
struct point {
	int64_t usec;
	double busy;
};

struct dynamics {
	struct steps steps;
	struct counted counted[N_QUANTITIES];
	struct peak peak[DERIVED_MAX];
	struct point *point;
	size_t n, cap;
	bool broken;		/* some step of it is not known */
};

struct dynamics *dynamics_new(void)
{
	struct dynamics *d = xrealloc(NULL, sizeof(*d));
	*d = (struct dynamics){ .n = 0 };
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
	d->broken = false;
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

static double busy_of(double user, double system, double idle)
{
	double itself = KERNEL_ITSELF * (user + system + idle);
	return user + (system > itself ? system - itself : 0);
}

static void take_point(struct dynamics *d, int64_t usec)
{
	const struct counted *user = &d->counted[Q_USER], *system = &d->counted[Q_SYSTEM];
	double before = d->n ? d->point[d->n - 1].busy : 0;
	double busy = busy_of(user->n, system->n, d->counted[Q_IDLE].n);
	bool known = user->any && !user->broken && !system->broken;

	d->broken |= (d->n && !known) || d->n == POINTS_MAX;
	if (d->broken)
		return;
	d->point = vec_reserve(d->point, &d->cap, d->n + 1, sizeof(*d->point));
	d->point[d->n++] = (struct point){ usec, d->n ? before + busy : 0 };
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

static double rate_between(const struct point *a, const struct point *b)
{
	return b->usec > a->usec ? (b->busy - a->busy) / ((double)(b->usec - a->usec) / 1e6) : 0;
}

/* Where the job did least of what it had done before. */
static void find_fade(const struct dynamics *d, struct course *ret)
{
	if (d->broken || d->n < 2 * EDGE + 1)
		return;
	const struct point *first = &d->point[0], *last = &d->point[d->n - 1];
	for (size_t i = EDGE; i + EDGE < d->n; i++) {
		double before = rate_between(first, &d->point[i]);
		double ratio = before > 0 ? rate_between(&d->point[i], last) / before : 1;
		if (before >= ACTIVE && (!ret->fade_at || ratio < ret->fade)) {
			ret->fade = ratio;
			ret->fade_at = d->point[i].usec;
		}
	}
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

void dynamics_end(struct dynamics *d, struct tally *t, struct course *ret)
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
	find_fade(d, ret);
	dynamics_clear(d);
}
