/* SPDX-License-Identifier: BSD-3-Clause */
/* demand_rules.c - rules about the CPUs that the job's own tasks wanted, and about how it ended */
#include "figures/findings/demand_rules.h"

#include <inttypes.h>
#include <string.h>
#include "base/base.h"
#include "figures/findings/ended.h"
#include "figures/findings/evidence.h"
#include "figures/neighbours.h"
#include "figures/runs.h"
#include "figures/units.h"
#include "figures/used.h"

#define KNOWN_PART .5	/* fraction of the job's time for which the demand must be known */

const struct node *demand_node(const struct report *r)
{
	const struct node *n = r->n == 1 ? &r->node[0] : NULL;
	return n && n->course.demand.seconds >= KNOWN_PART * (double)n->usec / 1e6 &&
	       n->course.demand.seconds > 0 && !n->course.gpus ? n : NULL;
}

static double demand_value(const struct node *n, const char *id)
{
	const struct value *v = &n->value[figure_find(id)];
	return value_known(v) ? v->n : 0;
}

/* fraction of the CPU time: if more was in the kernel, system calls make the job serial */
#define KERNEL_PART .5
/*
 * CPUs: demand of a single task that always wants a CPU. Tasks that take turns with a lock want
 * more.
 */
#define ALWAYS_LEAST .93
#define ALWAYS_MOST 1.1

static bool demand_is_in_kernel(const struct node *n)
{
	return demand_value(n, "job.system") >= KERNEL_PART * demand_value(n, "job.cpu");
}

bool demand_is_serial(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = demand_node(r);
	struct used u = used_of(r, USED_CPU);

	if (!n || u.full <= 1 || demand_is_in_kernel(n))
		return false;
	double cpus = n->course.demand.cpus;
	buf_addf(why, "its tasks wanted %.2f CPUs of %.0f at a time, whatever other programs did",
		 cpus, u.of);
	return 100 * n->course.demand.one >= threshold && cpus >= ALWAYS_LEAST &&
	       cpus <= ALWAYS_MOST;
}

bool demand_has_serial_part(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = demand_node(r);
	struct used u = used_of(r, USED_CPU);

	if (!n || u.full <= 1 || n->course.demand.most < PARALLEL_CPUS || demand_is_in_kernel(n))
		return false;
	const struct demand *d = &n->course.demand;
	buf_addf(why, "for %.1f %% of the time its tasks wanted one CPU, the longest from %s to %s,"
		 " and up to %.2g CPUs at other times", 100 * d->one, text_clock(d->one_from).s,
		 text_clock(d->one_to).s, d->most);
	return 100 * d->one >= threshold;
}

/*
 * Return the percentage of the time in which no task wanted a CPU: as observed, or 1 less the mean
 * demand, if this is more.
 */
static double demand_sleep_percent(const struct demand *d)
{
	double most = d->cpus < 1 ? 1 - d->cpus : 0;
	return 100 * (d->none > most ? d->none : most);
}

bool demand_is_asleep(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = demand_node(r);

	if (!n)
		return false;
	double percent = demand_sleep_percent(&n->course.demand);
	buf_addf(why, "for %.1f %% of the time none of its tasks ran or waited for a CPU", percent);
	return percent >= threshold;
}

/* fraction of the job's time: a longer sleep is reported with start and end */
#define LONG_SLEEP .1

void demand_put_longest_sleep(const struct report *r, struct buf *why)
{
	const struct node *n = demand_node(r);

	if (!n)
		return;
	const struct demand *d = &n->course.demand;
	if ((double)(d->none_to - d->none_from) >= LONG_SLEEP * (double)n->usec)
		buf_addf(why, ", the longest from %s to %s", text_clock(d->none_from).s,
			 text_clock(d->none_to).s);
}

bool pauses(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = demand_node(r);

	if (!n)
		return false;
	const struct demand *d = &n->course.demand;
	buf_addf(why, "for %.1f %% of the time, the longest from %s to %s", 100 * d->none,
		 text_clock(d->none_from).s, text_clock(d->none_to).s);
	return 100 * d->none >= threshold;
}

static void demand_put_moved(struct buf *why, const struct node *n)
{
	evidence_put_moved(why, demand_value(n, "job.rd_bytes"), demand_value(n, "job.wr_bytes"));
}

/* Append for how much of the time all tasks slept while the job did I/O. Returns it in percent. */
static double demand_put_io_sleep(struct buf *why, const struct node *n)
{
	double percent = 100 * n->course.demand.io_asleep;
	buf_addf(why, "for %.1f %% of the time none of its tasks ran or waited for a CPU while it "
		 "did I/O", percent);
	return percent;
}

bool waits_for_others_io(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = demand_node(r);

	if (!n || disks_are_exclusive(r, 0))
		return false;
	double disks = demand_value(n, "block.rd_sectors") + demand_value(n, "block.wr_sectors");
	double percent = demand_put_io_sleep(why, n);
	buf_add(why, STR("; "));
	demand_put_moved(why, n);
	buf_addf(why, ", of %s that the node's disks moved", text_value(UNIT_BYTES, disks).s);
	return percent >= threshold;
}

bool sleeps_in_io(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = demand_node(r);

	/* if the job had the node alone, rules about the node's waits for I/O report more */
	if (!n || node_is_exclusive(r, 0))
		return false;
	double percent = demand_put_io_sleep(why, n);
	buf_add(why, STR(", and "));
	demand_put_moved(why, n);
	return percent >= threshold;
}

/* CPUs wanted during I/O, divided by CPUs wanted without I/O: if less, I/O stops the work */
#define STOPS_PART .85
/* CPUs wanted without I/O: if fewer, there is no work that I/O could stop */
#define WORKS_CPUS .5
/* fraction of the lost CPU time: if tasks waited for I/O for less, they had other work */
#define WAITED_PART .5

/*
 * Whether waits for I/O explain why the job wanted fewer CPUs while it did I/O. Also returns true
 * if the waits are unknown, as on a kernel without PSI.
 */
static bool demand_io_was_waited_for(const struct node *n)
{
	const struct demand *d = &n->course.demand;
	const struct value *waited = &n->value[figure_find("psi.io-some")];
	double lost = d->seconds * d->moving * (1 - d->moving_cpus / d->other_cpus);
	return !value_known(waited) || waited->n >= WAITED_PART * lost;
}

bool io_stops_work(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = demand_node(r);

	if (!n)
		return false;
	const struct demand *d = &n->course.demand;
	buf_addf(why, "for %.1f %% of the time it read or wrote much, and its tasks wanted %.2f "
		 "CPUs then, %.2f otherwise: ", 100 * d->moving, d->moving_cpus, d->other_cpus);
	demand_put_moved(why, n);
	return 100 * d->moving >= threshold && d->other_cpus >= WORKS_CPUS &&
	       d->moving_cpus <= STOPS_PART * d->other_cpus && demand_io_was_waited_for(n);
}

/*
 * used CPUs, divided by the number of CPUs to which threads are bound: if more, some threads are
 * bound to other CPUs
 */
#define BOUND_USE 1.05

bool bound_to_few(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = demand_node(r);
	struct used u = used_of(r, USED_CPU);

	if (!n || !n->course.bound.processes || (double)n->course.bound.cpus >= u.of)
		return false;
	const struct bound *b = &n->course.bound;
	bool processes = b->processes > b->cpus;
	buf_addf(why, "%" PRIu64 " %s were bound to %" PRIu64 " of %.0f CPUs, and its tasks "
		 "wanted %.2f CPUs", processes ? b->processes : b->threads,
		 processes ? "processes" : "threads", b->cpus, u.of, n->course.demand.cpus);
	return 100 * n->course.demand.cpus >= threshold * (double)b->cpus &&
	       (processes || u.n <= BOUND_USE * (double)b->cpus);
}

bool oversubscribed(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = demand_node(r);
	struct used u = used_of(r, USED_CPU);

	if (!n || u.of <= 0)
		return false;
	buf_addf(why, "%.1f of its tasks wanted a CPU at a time, and there were %.0f CPUs",
		 n->course.demand.cpus, u.of);
	return 100 * n->course.demand.cpus >= threshold * u.of;
}

/* microseconds: in a longer interval between samples, short processes are normal */
#define SHORT_US 2000000
#define CHURNS_CPUS .1	/* CPUs: if the job uses fewer, short processes are no burden */
/*
 * fraction of the CPU time that is in the kernel: if less, starting processes is no burden, as in a
 * build with short compiler runs
 */
#define CHURNS_KERNEL .25

bool short_processes(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = r->n == 1 ? &r->node[0] : NULL;
	double seconds = n ? (double)n->usec / 1e6 : 0;

	if (!n || !value_known(&n->value[figure_find("job.cpu_wait_of")]))
		return false;
	double cpu = demand_value(n, "job.cpu"), read = demand_value(n, "job.cpu_wait_of");
	double percent = cpu > 0 ? 100 * (1 - read / cpu) : 0;
	bool light = value_known(&n->value[figure_find("job.system")]) &&
		     demand_value(n, "job.system") < CHURNS_KERNEL * cpu;
	buf_addf(why, "%.1f %% of %s of CPU time was in processes that began and ended between "
		 "two samples, %s apart", percent, text_value(UNIT_SECONDS, cpu).s,
		 text_duration(n->interval).s);
	return n->interval > 0 && n->interval <= SHORT_US && cpu >= CHURNS_CPUS * seconds &&
	       percent >= threshold && !light;
}

/* Signals that a program gets because of its errors, and their meaning (signal(7)). */
static const struct signal_meaning {
	uint64_t number;
	const char *name, *means;
} signal_meanings[] = {
	{ 4,  "SIGILL",  "an instruction that this processor does not know" },
	{ 6,  "SIGABRT", "the program itself gave up" },
	{ 7,  "SIGBUS",  "an access to memory or a mapped file that is not there" },
	{ 8,  "SIGFPE",  "an arithmetic error" },
	{ 9,  "SIGKILL", "killed by the kernel for memory, by the scheduler, or by a user" },
	{ 11, "SIGSEGV", "an access to memory that is not the program's" },
	{ 24, "SIGXCPU", "its limit of CPU time" },
	{ 25, "SIGXFSZ", "its limit of the size of a file" },
	{ 31, "SIGSYS",  "a system call that is not allowed" },
};

/* a shell exits with status 128 + N if signal N ended its program */
#define SHELL_OF_SIGNAL 128

/*
 * Find the signal that ended the job, from an exit code such as "0:11", or "139:0" if a shell
 * reported the signal. Returns NULL if there is none.
 */
static const struct signal_meaning *demand_find_signal(const char *exit, bool *by_shell)
{
	struct str text = str_of(exit);
	uint64_t status = 0, number = 0;

	if (!str_take_u64(&text, &status))
		return NULL;
	if (str_take_prefix(&text, STR(":")) && !str_take_u64(&text, &number))
		return NULL;
	*by_shell = number == 0 && status > SHELL_OF_SIGNAL;
	number = *by_shell ? status - SHELL_OF_SIGNAL : number;
	for (size_t i = 0; i < ARRAY_SIZE(signal_meanings); i++)
		if (signal_meanings[i].number == number)
			return &signal_meanings[i];
	return NULL;
}

#define GREW_PART .25	/* least growth of memory, as a fraction of the memory at the end */
#define GREW_LEAST 1e8	/* bytes: a smaller growth does not explain a failure */

/*
 * Append `before`, and how memory grew until the job's end. Returns false if memory did not grow
 * much on any node.
 */
static bool demand_put_growth(const struct report *r, struct buf *why, const char *before)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct course *c = &r->node[i].course;
		double grew = c->grows * (double)r->node[i].usec / 1e6;
		if (c->grows <= 0 || c->grown_to < GREW_LEAST || grew < GREW_PART * c->grown_to)
			continue;
		buf_addf(why, "%smemory grew by %s a second until then, to %s on ", before,
			 text_value(UNIT_BYTES, c->grows).s, text_value(UNIT_BYTES, c->grown_to).s);
		evidence_node(why, r, i);
		return true;
	}
	return false;
}

bool ended_by_signal(const struct report *r, double threshold, struct buf *why)
{
	struct job_end end = ended_of(r);
	bool by_shell = false;
	const struct signal_meaning *s = demand_find_signal(end.exit, &by_shell);

	if (!s || strcmp(end.state, STATE_FAILED) != 0)
		return false;
	if (by_shell)
		buf_addf(why, "exit status %" PRIu64 " is how a shell reports ",
			 s->number + SHELL_OF_SIGNAL);
	buf_addf(why, "signal %" PRIu64 ", %s (%s), after %s", s->number, s->name, s->means,
		 text_duration(report_duration(r)).s);
	demand_put_growth(r, why, "; ");
	return threshold <= 1;
}

bool memory_grew(const struct report *r, double threshold, struct buf *why)
{
	struct job_end end = ended_of(r);
	return strcmp(end.state, STATE_FAILED) == 0 && threshold <= 1 &&
	       demand_put_growth(r, why, "");
}
