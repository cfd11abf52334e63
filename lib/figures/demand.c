/* SPDX-License-Identifier: BSD-3-Clause */
/* demand.c - how many CPUs the job's own tasks wanted over time */
#include "figures/demand.h"

#include "figures/figures.h"

/* microseconds: shorter intervals are joined, because CPU time has ticks of 10 ms */
#define SHORTEST_US 1000000
/*
 * An interval counts if nearly all CPU time of the job was used by tasks whose waits were read: at
 * least the fraction READ_PART, less TICKS seconds.
 */
#define READ_PART .9
#define TICKS .03
/* CPUs: a demand in this range counts as a demand for one CPU */
#define ONE_LEAST .85
#define ONE_MOST 1.15
#define NONE_MOST .1	/* CPUs: a demand of at most this counts as no demand */
/* bytes per second: an interval in which the job read and wrote less does not count as I/O */
#define MOVES_RATE 1e7

void demand_init(struct demand_watch *w)
{
	*w = (struct demand_watch){
		.cpu = figure_find("job.cpu"), .wait = figure_find("job.cpu_wait"),
		.of = figure_find("job.cpu_wait_of"), .idle = figure_find("cpu.idle"),
		.read = figure_find("job.rd_bytes"), .written = figure_find("job.wr_bytes"),
	};
}

void demand_clear(struct demand_watch *w)
{
	w->now = (struct demand_interval){ 0 };
	w->sum = (struct demand){ 0 };
	w->one_since = w->none_since = 0;
}

/*
 * Update the longest time in which a state lasted. goes_on: the state held from `from` to `to`.
 * *since: start of the current time in the state; 0: not in the state. *longest_from, *longest_to:
 * start and end of the longest time.
 */
static void demand_note_time(bool goes_on, int64_t from, int64_t to, int64_t *since,
			     int64_t *longest_from, int64_t *longest_to)
{
	*since = !goes_on ? 0 : *since ? *since : from;
	if (goes_on && to - *since > *longest_to - *longest_from) {
		*longest_from = *since;
		*longest_to = to;
	}
}

/*
 * Add an interval to the sums, in seconds and CPU seconds. demand_end() divides the sums by the
 * time.
 */
static void demand_add_interval(struct demand_watch *w, const struct demand_interval *i, int64_t to)
{
	struct demand *d = &w->sum;
	double seconds = (double)(to - i->from) / 1e6, cpus = (i->of + i->wait) / seconds;
	bool one = cpus >= ONE_LEAST && cpus <= ONE_MOST, none = cpus <= NONE_MOST;
	bool moves = i->bytes >= MOVES_RATE * seconds;

	d->seconds += seconds;
	d->cpus += cpus * seconds;
	d->waiting += i->wait;
	d->beside_idle += i->wait < i->idle ? i->wait : i->idle;
	d->most = cpus > d->most ? cpus : d->most;
	d->one += one ? seconds : 0;
	d->none += none ? seconds : 0;
	if (cpus < 1 && i->bytes >= DEMAND_IO_RATE * seconds)
		d->io_asleep += (1 - cpus) * seconds;
	d->moving += moves ? seconds : 0;
	*(moves ? &d->moving_cpus : &d->other_cpus) += cpus * seconds;
	demand_note_time(one, i->from, to, &w->one_since, &d->one_from, &d->one_to);
	demand_note_time(none, i->from, to, &w->none_since, &d->none_from, &d->none_to);
}

/* Return the change of a counter since the last sample; 0 if unknown. */
static double demand_step(const struct step *step, size_t figure)
{
	return step[figure].is == STEP_KNOWN ? step[figure].n : 0;
}

void demand_take(struct demand_watch *w, const struct step *step, int64_t usec)
{
	struct demand_interval *i = &w->now;

	if (i->from) {
		i->unknown |= step[w->cpu].is != STEP_KNOWN || step[w->wait].is != STEP_KNOWN ||
			      step[w->of].is != STEP_KNOWN;
		i->cpu += demand_step(step, w->cpu);
		i->wait += demand_step(step, w->wait);
		i->of += demand_step(step, w->of);
		i->idle += demand_step(step, w->idle);
		i->bytes += demand_step(step, w->read) + demand_step(step, w->written);
		if (usec - i->from < SHORTEST_US)
			return;
		if (!i->unknown && i->of >= READ_PART * i->cpu - TICKS)
			demand_add_interval(w, i, usec);
		else
			w->one_since = w->none_since = 0;
	}
	*i = (struct demand_interval){ .from = usec };
}

struct demand demand_end(struct demand_watch *w)
{
	struct demand d = w->sum;
	double other = d.seconds - d.moving;

	if (d.seconds > 0) {
		d.cpus /= d.seconds;
		d.waiting /= d.seconds;
		d.beside_idle /= d.seconds;
		d.moving_cpus = d.moving > 0 ? d.moving_cpus / d.moving : 0;
		d.other_cpus = other > 0 ? d.other_cpus / other : 0;
		d.moving /= d.seconds;
		d.io_asleep /= d.seconds;
		d.one /= d.seconds;
		d.none /= d.seconds;
	}
	demand_clear(w);
	return d;
}

/* Set *to, a mean over `seconds`, to the mean with `more`, a mean over `more_seconds`. */
static void demand_add_mean(double *to, double seconds, double more, double more_seconds)
{
	double all = seconds + more_seconds;
	*to = all > 0 ? (*to * seconds + more * more_seconds) / all : 0;
}

static void demand_keep_longest(int64_t *from, int64_t *to, int64_t other_from, int64_t other_to)
{
	if (other_to - other_from <= *to - *from)
		return;
	*from = other_from;
	*to = other_to;
}

void demand_add(struct demand *to, const struct demand *more)
{
	double a = to->seconds, b = more->seconds, with = a * to->moving, also = b * more->moving;

	demand_add_mean(&to->moving_cpus, with, more->moving_cpus, also);
	demand_add_mean(&to->other_cpus, a - with, more->other_cpus, b - also);
	demand_add_mean(&to->cpus, a, more->cpus, b);
	demand_add_mean(&to->waiting, a, more->waiting, b);
	demand_add_mean(&to->beside_idle, a, more->beside_idle, b);
	demand_add_mean(&to->moving, a, more->moving, b);
	demand_add_mean(&to->io_asleep, a, more->io_asleep, b);
	demand_add_mean(&to->one, a, more->one, b);
	demand_add_mean(&to->none, a, more->none, b);
	to->most = more->most > to->most ? more->most : to->most;
	demand_keep_longest(&to->one_from, &to->one_to, more->one_from, more->one_to);
	demand_keep_longest(&to->none_from, &to->none_to, more->none_from, more->none_to);
	to->seconds = a + b;
}
