/* SPDX-License-Identifier: BSD-3-Clause */
/* dynamics.c - a job over time on a node: peaks, fading, memory growth, busy CPUs and GPUs */
#include "figures/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/counted.h"
#include "figures/devices.h"

/* microseconds: shorter intervals are joined, because counters have ticks of 10 ms */
#define SHORTEST_US 1000000
/*
 * limit of samples kept for one run; in a longer run, CPU use and memory over time are not
 * evaluated
 */
#define POINTS_MAX (1u << 20)
/* fading: number of samples to skip at both ends of the run */
#define EDGE 2
#define EDGE_US 60000000	/* fading: microseconds to skip at least at both ends */
/* fading: skip at least 1/EDGE_PART of the run at both ends */
#define EDGE_PART 50
/* growth of memory is steady if the fitted line explains this fraction of the variance */
#define STEADY .9
#define FIT_MIN 6		/* least number of points to fit a line */
#define USED .05	/* fraction of the time: a CPU that was busy for less counts as not used */
/* CPUs: a CPU use in this range counts as about one busy CPU */
#define ONE_LEAST .7
#define ONE_MOST 1.15
#define ACTIVE .5		/* CPUs: fading from a lower CPU use is ignored */

struct dynamics_point {
	int64_t usec;
	/*
	 * CPU seconds since the first sample: busy time of the node, without that of an idle kernel
	 */
	double busy;
	double job_cpu;	/* CPU seconds since the first sample: used by the job itself */
	double memory;	/* memory of programs in bytes; negative: unknown */
};

/* Busy and idle time of one CPU since the first sample, in seconds. */
struct cpu_time {
	double busy, idle;
};

/* How the work between two samples was spread over the CPUs of the node. */
struct dynamics_spread {
	struct cpu_time *cpu;	/* times of each CPU as of .usec */
	size_t n, cap;
	int64_t usec;	/* time of the last sample that was used, microseconds; 0: none yet */
	/*
	 * .seconds: sum of all intervals; .top, .rest: sums of .top and .rest of struct course,
	 * times seconds
	 */
	double seconds, top, rest;
};

struct dynamics {
	struct steps steps;
	struct counted counted[N_QUANTITIES];
	struct peak peak[DERIVED_MAX];
	struct dynamics_point *point;
	size_t n, cap;
	bool broken;		/* the CPU time of the node is unknown in some interval */
	/*
	 * .has_job_cpu: records have the CPU time of the job itself; .job_cpu_broken: this time is
	 * unknown in some interval
	 */
	bool has_job_cpu, job_cpu_broken;
	/* indexes in figures[]: CPU time and memory of the job itself, and memory of the node */
	size_t cpu, anon, shmem, whole;
	size_t first;		/* index of the first figure of type cpu */
	struct dynamics_spread spread;
	struct demand_watch demand;
	struct bound bound;
};

struct dynamics *dynamics_new(void)
{
	struct dynamics *d = xrealloc(NULL, sizeof(*d));
	*d = (struct dynamics){
		.cpu = figure_find("job.cpu"), .anon = figure_find("job.anon"),
		.shmem = figure_find("job.shmem"), .whole = figure_find("mem.hwm"),
		.first = figure_find("cpu.user"),
	};
	steps_init(&d->steps, (struct figures){ figures, n_figures });
	demand_init(&d->demand);
	return d;
}

void dynamics_free(struct dynamics *d)
{
	if (!d)
		return;
	steps_free(&d->steps);
	free(d->spread.cpu);
	free(d->point);
	free(d);
}

void dynamics_clear(struct dynamics *d)
{
	steps_break(&d->steps);
	memset(d->peak, 0, sizeof(d->peak));
	d->n = 0;
	d->broken = d->has_job_cpu = d->job_cpu_broken = false;
	d->spread.n = 0;
	d->spread.usec = 0;
	d->spread.seconds = d->spread.top = d->spread.rest = 0;
	demand_clear(&d->demand);
	d->bound = (struct bound){ 0 };
}

static void dynamics_take_peak(struct dynamics *d, size_t i)
{
	double rate;
	int64_t from, to;

	if (!counted_derived(d->counted, &derived[i], &rate, &from, &to) || to - from < SHORTEST_US)
		return;
	if (!d->peak[i].at || rate > d->peak[i].rate)
		d->peak[i] = (struct peak){ rate, to };
}

static double dynamics_memory_of(const struct step *step, const struct dynamics *d)
{
	const struct step *shmem = &step[d->shmem];

	if (step[d->anon].is == STEP_KNOWN)
		return step[d->anon].n + (shmem->is == STEP_KNOWN ? shmem->n : 0);
	return step[d->whole].is == STEP_KNOWN ? step[d->whole].n : -1;
}

/*
 * Return the CPU seconds of the job itself since the first sample that has the job's cgroup, which
 * may be created after the begin mark.
 */
static double dynamics_job_seconds(struct dynamics *d)
{
	const struct step *step = &d->steps.step[d->cpu];
	double before = d->n ? d->point[d->n - 1].job_cpu : 0;

	d->job_cpu_broken |= d->has_job_cpu && step->is != STEP_KNOWN;
	d->has_job_cpu |= d->n > 0 && step->is == STEP_KNOWN;
	return before + (d->has_job_cpu && step->is == STEP_KNOWN ? step->n : 0);
}

static void dynamics_take_point(struct dynamics *d, int64_t usec)
{
	const struct counted *user = &d->counted[Q_USER], *system = &d->counted[Q_SYSTEM];
	double before = d->n ? d->point[d->n - 1].busy : 0;
	double busy = busy_time(user->n, system->n,
				user->n + system->n + d->counted[Q_IDLE].n);
	bool known = user->any && !user->broken && !system->broken;

	d->broken |= (d->n && !known) || d->n == POINTS_MAX;
	if (d->broken)
		return;
	struct dynamics_point point = { usec, d->n ? before + busy : 0, dynamics_job_seconds(d),
					dynamics_memory_of(d->steps.step, d) };
	d->point = vec_reserve(d->point, &d->cap, d->n + 1, sizeof(*d->point));
	d->point[d->n++] = point;
}

/* Return the busy and idle time of a CPU since the first sample. */
static struct cpu_time dynamics_cpu_time(const struct device *d)
{
	struct cpu_time t = { 0 };

	for (size_t k = 0; k < d->n; k++) {
		enum quantity q = figures[d->first + k].quantity;
		double n = (double)d->reading[k].counter.total * d->reading[k].scale;
		t.busy += q == Q_USER || q == Q_SYSTEM ? n : 0;
		t.idle += q == Q_IDLE ? n : 0;
	}
	return t;
}

/*
 * Return the fraction of the current interval for which a CPU was busy, and keep its times as the
 * start of the next interval.
 */
static double dynamics_cpu_share(struct dynamics_spread *s, size_t number,
				 const struct cpu_time *now)
{
	s->cpu = vec_reserve(s->cpu, &s->cap, number + 1, sizeof(*s->cpu));
	bool known = number < s->n && s->usec;
	double busy = known ? now->busy - s->cpu[number].busy : 0;
	double all = known ? busy + now->idle - s->cpu[number].idle : 0;
	s->cpu[number] = *now;
	s->n = number < s->n ? s->n : number + 1;
	return all > 0 ? busy / all : 0;
}

static void dynamics_take_spread(struct dynamics *d, struct tally *tally, int64_t usec)
{
	const struct devices *devices = tally_devices(tally);
	struct dynamics_spread *s = &d->spread;
	double top = 0, sum = 0, seconds = (double)(usec - s->usec) / 1e6;
	size_t number = 0, used = 0;

	if (s->usec && usec - s->usec < SHORTEST_US)
		return;
	for (size_t i = 0; i < devices->n; i++) {
		if (devices->device[i].first != d->first)
			continue;
		const struct cpu_time now = dynamics_cpu_time(&devices->device[i]);
		double share = dynamics_cpu_share(s, number++, &now);
		top = share > top ? share : top;
		sum += share > USED ? share : 0;
		used += share > USED;
	}
	if (s->usec) {
		s->seconds += seconds;
		s->top += seconds * top;
		s->rest += used > 1 ? seconds * (sum - top) / (double)(used - 1) : 0;
	}
	s->usec = usec;
}

void dynamics_take(struct dynamics *d, const struct job_sample *t)
{
	steps_take(&d->steps, t);
	counted_take(d->counted, &d->steps);
	for (size_t i = 0; i < n_derived; i++)
		if (!derived[i].under[0].quantity)
			dynamics_take_peak(d, i);
	dynamics_take_point(d, t->record->usec);
	dynamics_take_spread(d, t->tally, t->record->usec);
	demand_take(&d->demand, d->steps.step, t->record->usec);
	bound_take(&d->bound, t->record);
}

const struct steps *dynamics_steps(const struct dynamics *d)
{
	return &d->steps;
}

static double dynamics_rate_between(const struct dynamics_point *a, const struct dynamics_point *b,
				    bool of_job)
{
	double n = of_job ? b->job_cpu - a->job_cpu : b->busy - a->busy;
	return b->usec > a->usec ? n / ((double)(b->usec - a->usec) / 1e6) : 0;
}

/*
 * Whether the CPU time of the job itself is usable. If this time is small on a node that the job
 * had alone, the job may work outside its cgroup.
 */
static bool dynamics_job_cpu_is_usable(const struct dynamics *d, bool alone)
{
	const struct dynamics_point *last = &d->point[d->n - 1];
	double seconds = (double)(last->usec - d->point[0].usec) / 1e6;
	return d->has_job_cpu && !d->job_cpu_broken &&
	       !(alone && last->job_cpu < OWN_LEAST * seconds);
}

/*
 * Add an interval in which `rate` CPUs were busy on average. *since: start of the current time with
 * about one busy CPU, or 0.
 */
static void dynamics_note_rate(struct course *ret, double rate, int64_t from, int64_t to,
			       int64_t *since)
{
	ret->widest = rate > ret->widest ? rate : ret->widest;
	if (rate < ONE_LEAST || rate > ONE_MOST) {
		*since = 0;
		return;
	}
	*since = *since ? *since : from;
	ret->one_cpu += (double)(to - from);
	if (to - *since > ret->one_to - ret->one_from) {
		ret->one_from = *since;
		ret->one_to = to;
	}
}

/*
 * Find the largest CPU use, and when about one CPU was busy. Short intervals are joined, because
 * counters have ticks of 10 ms.
 */
static void dynamics_find_widest(const struct dynamics *d, bool alone, struct course *ret)
{
	const struct dynamics_point *from = d->point;
	bool of_job = d->n > 1 && dynamics_job_cpu_is_usable(d, alone);
	int64_t since = 0;

	for (size_t i = 1; i < d->n && !d->broken; i++) {
		if (d->point[i].usec - from->usec < SHORTEST_US)
			continue;
		double rate = dynamics_rate_between(from, &d->point[i], of_job);
		dynamics_note_rate(ret, rate, from->usec, d->point[i].usec, &since);
		from = &d->point[i];
	}
	if (d->n > 1 && from->usec > d->point[0].usec)
		ret->one_cpu /= (double)(from->usec - d->point[0].usec);
}

/*
 * Return for how many microseconds at both ends of a run a fall of CPU use is ignored: the CPU use
 * over a shorter time says nothing about the job, however often samples are taken.
 */
static int64_t dynamics_edge_us(const struct dynamics *d)
{
	int64_t part = (d->point[d->n - 1].usec - d->point[0].usec) / EDGE_PART;
	return part > EDGE_US ? part : EDGE_US;
}

/* Find the sample with the largest fall of CPU use from the time before to the time after it. */
static void dynamics_find_fade(const struct dynamics *d, bool alone, struct course *ret)
{
	if (d->broken || d->n < 2 * EDGE + 1)
		return;
	const struct dynamics_point *first = &d->point[0], *last = &d->point[d->n - 1];
	bool of_job = ret->fade_of_job = dynamics_job_cpu_is_usable(d, alone);
	const int64_t edge = dynamics_edge_us(d);
	for (size_t i = EDGE; i + EDGE < d->n; i++) {
		int64_t usec = d->point[i].usec;
		if (usec - first->usec < edge || last->usec - usec < edge)
			continue;
		double before = dynamics_rate_between(first, &d->point[i], of_job);
		double ratio = before > 0 ? dynamics_rate_between(&d->point[i], last,
								  of_job) / before : 1;
		if (before >= ACTIVE && (!ret->fade_at || ratio < ret->fade)) {
			ret->fade = ratio;
			ret->fade_at = usec;
		}
	}
}

/*
 * A fit of memory over time: number of samples, means of their time (.x, seconds) and memory (.y,
 * bytes), and sums of the squares (.xx, .yy) and products (.xy) of the deviations from these means.
 */
struct fit {
	double n, x, y, xx, xy, yy;
};

static struct fit dynamics_fit_points(const struct dynamics_point *p, size_t n)
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

/*
 * Return the number of the n samples in `p` to use: leave out samples at the end of the run after
 * most memory was released.
 */
static size_t dynamics_count_points_in_use(const struct dynamics *d, const struct dynamics_point *p,
					   size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		most = p[i].memory > most ? p[i].memory : most;
	while (n && p[n - 1].memory < .5 * most &&
	       d->point[d->n - 1].usec - p[n - 1].usec < dynamics_edge_us(d))
		n--;
	return n;
}

/*
 * Fit a line to the memory use in the second half of the run, because a job reads its data in the
 * first half. Samples at the end after the memory was released are left out.
 */
static void dynamics_find_growth(const struct dynamics *d, struct course *ret)
{
	size_t from = d->n / 2, n = d->n > from + EDGE ? d->n - from - EDGE : 0;
	if (d->broken || n == 0)
		return;
	struct fit f = dynamics_fit_points(d->point + from,
					   dynamics_count_points_in_use(d, d->point + from, n));
	if (f.n < FIT_MIN || f.xy <= 0 || f.xy * f.xy < STEADY * f.xx * f.yy)
		return;
	double end = (double)(d->point[d->n - 1].usec - d->point[from].usec) / 1e6;
	double rest = f.yy - f.xy * f.xy / f.xx;
	ret->grows = f.xy / f.xx;
	ret->grows_error = sqrt((rest > 0 ? rest : 0) / (f.n - 2) / f.xx);
	ret->grown_to = f.y + ret->grows * (end - f.x);
}

static void dynamics_count_cpu(const struct device *d, struct course *ret)
{
	struct cpu_time t = dynamics_cpu_time(d);
	double busy = t.busy, all = t.busy + t.idle;

	ret->cpus++;
	if (all <= 0)
		return;
	ret->cpus_busy += busy / all > .5;
	ret->cpus_used += busy / all > USED;
	if (busy / all > ret->busiest)
		ret->busiest = busy / all;
}

static void dynamics_count_gpu(const struct device *d, struct course *ret)
{
	bool known = false, idle = true;
	for (size_t k = 0; k < d->n; k++) {
		known |= figures[d->first + k].each && d->reading[k].gauge_at;
		idle &= !(figures[d->first + k].each && d->reading[k].gauge > 0);
	}
	ret->gpus += known;
	ret->gpus_idle += known && idle;
}

static bool dynamics_has_gpu_figure(const struct device *d)
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
			dynamics_count_cpu(one, ret);
		else if (dynamics_has_gpu_figure(one))
			dynamics_count_gpu(one, ret);
	}
	memcpy(ret->peak, d->peak, sizeof(d->peak));
	if (d->spread.seconds > 0) {
		ret->top_share = d->spread.top / d->spread.seconds;
		ret->others_share = d->spread.rest / d->spread.seconds;
	}
	dynamics_find_widest(d, alone, ret);
	dynamics_find_fade(d, alone, ret);
	dynamics_find_growth(d, ret);
	ret->demand = demand_end(&d->demand);
	ret->bound = d->bound;
	dynamics_clear(d);
}
