/* SPDX-License-Identifier: BSD-3-Clause */
/* work_rules.c - rules about the work that a job causes for the kernel, disks and servers */
#include "figures/findings/work_rules.h"

#include <math.h>
#include "base/base.h"
#include "figures/findings/evidence.h"
#include "figures/neighbours.h"
#include "figures/units.h"

/* CPUs that are busy in the kernel: fewer are never reported */
#define WORTH .05

/*
 * CPU time of the job itself or, if this is unknown on some node, CPU time of the nodes, if the job
 * had all of them alone.
 */
struct cpu_times {
	double user, kernel;	/* seconds */
	double over;		/* duration of the job in seconds, summed over all nodes */
	/*
	 * CPUs that are busy in the kernel: no more are reported, because the system itself needs
	 * some
	 */
	double floor;
};

/* WORTH for "nodometer run", which measures the CPU time of its command exactly */
#define WORTH_OF_RUN .05

static struct cpu_times work_cpu_times(const struct report *r)
{
	struct cpu_times t = { .over = evidence_seconds(r), .floor = WORTH };
	struct total total;

	if (total_of(r, figure_find("job.system"), &total) && total.nodes == r->n) {
		t.kernel = total.n;
		t.user = total_count(r, "job.user");
		t.floor = nodes_were_followed(r, 0) ? WORTH_OF_RUN : WORTH;
	} else if (nodes_are_exclusive(r)) {
		t.kernel = hidden_count(r, "cpu.system") + hidden_count(r, "cpu.irq") +
			   hidden_count(r, "cpu.softirq");
		t.user = hidden_count(r, "cpu.user") + hidden_count(r, "cpu.nice");
		t.floor = fmax(r->n ? KERNEL_ITSELF * r->node[0].course.cpus : 0, WORTH);
	}
	return t;
}

/*
 * Events that cause work for the kernel, and the seconds of kernel time that an event of each kind
 * costs on average: .least on a fast computer, .most in a virtual machine. Single events may cost
 * more: virtual machines took 4 to 22 us for a page fault, and up to 9 ms for a new process.
 */
enum event { PROCESSES, SWITCHES, FAULTS, READ_FAULTS, HUGE_PAGES, REQUESTS, EVENTS };
static const struct event_cost {
	const char *what;
	double least, most;
} event_costs[EVENTS] = {
	[PROCESSES] =   { "new processes",    50e-6,  5e-3 },
	[SWITCHES] =    { "context switches", 1e-6,   10e-6 },
	[FAULTS] =      { "page faults",      .25e-6, 20e-6 },	/* includes zeroing a page */
	[READ_FAULTS] = { "page faults that read from a disk", 5e-6, 100e-6 },
	/* includes zeroing 2 MiB at 28 or 2 GB/s */
	[HUGE_PAGES] =  { "huge pages",       75e-6,  1e-3 },
	[REQUESTS] =    { "disk requests",    5e-6,   100e-6 },
};

/* Numbers of events on all nodes. 0: unknown, or possibly caused by other programs. */
struct kernel_work {
	double n[EVENTS];
	bool all_known;
};

/*
 * Return counter `own` of the job itself, if all nodes have it; else counter `node`, if the job had
 * all nodes alone; else 0 and clear *known.
 */
static double work_count_job_or_node(const struct report *r, const char *own, const char *node,
				     bool *known)
{
	double n;

	if (own && evidence_sum(r, own, &n))
		return n;
	*known &= nodes_are_exclusive(r) && evidence_sum(r, node, &n);
	return nodes_are_exclusive(r) ? hidden_count(r, node) : 0;
}

/*
 * Whether the job can have caused these events: each would have caused at least one page fault of
 * the job. If not, other programs caused them.
 */
static bool work_has_faults(const struct report *r, double events)
{
	double faults;
	return !evidence_sum(r, "job.pgfault", &faults) || faults >= events;
}

static struct kernel_work work_count_events(const struct report *r)
{
	struct kernel_work w = { .all_known = true };
	bool optional = true;

	w.n[PROCESSES] = work_count_job_or_node(r, NULL, "ps.processes", &w.all_known);
	w.n[SWITCHES] = work_count_job_or_node(r, NULL, "ps.ctxt", &w.all_known);
	w.n[FAULTS] = work_count_job_or_node(r, "job.pgfault", "vm.pgfault", &w.all_known);
	w.n[READ_FAULTS] = work_count_job_or_node(r, "job.pgmajfault", "vm.pgmajfault", &optional);
	w.n[REQUESTS] = work_count_job_or_node(r, "job.rd_ios", "block.rd_ios", &w.all_known) +
			work_count_job_or_node(r, "job.wr_ios", "block.wr_ios", &w.all_known);
	w.n[HUGE_PAGES] = work_count_job_or_node(r, NULL, "vm.thp_fault_alloc", &optional);
	if (!work_has_faults(r, w.n[HUGE_PAGES]))
		w.n[HUGE_PAGES] = 0;
	return w;
}

/* Append the events per second on a node, by kind. */
static void work_print_events(const struct report *r, const struct kernel_work *w, double seconds,
			      struct buf *why)
{
	struct derived_total size;
	size_t said = 0;

	for (size_t i = 0; i < EVENTS; i++)
		if (w->n[i] >= seconds)
			buf_addf(why, "%s%.0f %s", said++ ? ", " : ", with ", w->n[i] / seconds,
				 event_costs[i].what);
	if (w->n[REQUESTS] >= seconds && nodes_are_exclusive(r) &&
	    total_derived(r, derived_find("disk_size"), &size) && size.bound == BOUND_NONE)
		buf_addf(why, " of %s", text_value(UNIT_BYTES, 1e3 * size.n).s);
	buf_add(why, str_of(said ? " a second on a node" : ""));
}

/*
 * a measured cost of a page fault may be wrong by this factor: caches were cold, or another program
 * ran
 */
#define MEASURED_WITHIN 2

/*
 * Set the CPU seconds that a page fault costs, at least and at most, from the measurement in each
 * node's header. A node without a measurement may be fast or slow.
 */
static void work_fault_cost(const struct report *r, double *least, double *most)
{
	const struct event_cost *known = &event_costs[FAULTS];

	*least = known->most;
	*most = known->least;
	for (size_t i = 0; i < r->n; i++) {
		double measured = r->node[i].course.fault_ns * 1e-9;
		*least = fmin(*least, measured / MEASURED_WITHIN);
		*most = fmax(*most, measured > 0 ? measured * MEASURED_WITHIN : known->most);
	}
	*least = fmax(*least, known->least);
	*most = fmin(*most, known->most);
}

/*
 * fraction of the kernel time: if all events together cost less, small system calls took the time
 */
#define EXPLAINED .1
/* fraction of the kernel time: page faults and huge pages are named if they may have cost more */
#define MAY_EXPLAIN .5

/* Append what caused `kernel` seconds of kernel time, if the numbers of events show the cause. */
static void work_print_cause(const struct report *r, const struct kernel_work *w, double kernel,
			     struct buf *why)
{
	double least, most, others = 0;

	if (!w->all_known)
		return;
	work_fault_cost(r, &least, &most);
	double memory = most * w->n[FAULTS] + event_costs[HUGE_PAGES].most * w->n[HUGE_PAGES];
	for (size_t i = 0; i < EVENTS; i++)
		if (i != FAULTS && i != HUGE_PAGES)
			others += event_costs[i].most * w->n[i];
	if (others + memory < EXPLAINED * kernel)
		buf_addf(why, ", which is little: system calls took the time, such as those that "
			 "create, remove or look up files, or that read and write what the kernel "
			 "has in memory, a few bytes at a time or again and again");
	else if (others < EXPLAINED * kernel && memory >= MAY_EXPLAIN * kernel)
		buf_addf(why, ": the page faults took the time, as in a program that allocates "
			 "and frees memory again and again, or else system calls did");
}

/*
 * Append how many bytes the job itself read from and wrote to disks, if they are many in `seconds`.
 */
static void work_print_bytes(const struct report *r, double seconds, struct buf *why)
{
	double read, written;

	if (!evidence_sum(r, "job.rd_bytes", &read) || !evidence_sum(r, "job.wr_bytes", &written) ||
	    read + written < DEMAND_IO_RATE * seconds)
		return;
	buf_add(why, STR("; "));
	evidence_put_moved(why, read, written);
}

bool kernel_time(const struct report *r, double threshold, struct buf *why)
{
	struct cpu_times t = work_cpu_times(r);

	if (t.over <= 0 || t.kernel <= 0 || t.kernel < t.floor * t.over)
		return false;
	struct kernel_work w = work_count_events(r);
	double share = 100 * t.kernel / (t.kernel + t.user);
	buf_addf(why, "%.1f %% of %s of CPU time was in the kernel", share,
		 text_value(UNIT_SECONDS, t.kernel + t.user).s);
	work_print_events(r, &w, t.over, why);
	work_print_bytes(r, t.over, why);
	work_print_cause(r, &w, t.kernel, why);
	return share >= threshold;
}

/* fraction of the CPU time of the node: if more was idle, there were enough CPUs */
#define IDLE_PART .25

/*
 * Return the seconds for which tasks waited for a CPU although CPUs were idle, as threads that wake
 * one another do; 0 if unknown.
 */
static double work_wakeup_seconds(const struct report *r)
{
	struct neighbours n = r->n == 1 ? neighbours_of(r, 0) : (struct neighbours){ 0 };
	double wait;

	if (!n.known || n.idle < IDLE_PART * n.capacity || !evidence_sum(r, "job.cpu_wait", &wait))
		return 0;
	return wait;
}

/* CPUs used by the job: if fewer, daemons cause many of the context switches */
#define BUSY .25
/*
 * fraction of the CPU time that is in the kernel: if less, context switches and processes are no
 * burden
 */
#define IN_KERNEL .25
#define SWITCHES_OF_REQUEST 8	/* context switches that one disk request may cause */

bool switches(const struct report *r, double threshold, struct buf *why)
{
	struct cpu_times t = work_cpu_times(r);
	struct kernel_work w = work_count_events(r);
	double cpu = t.user + t.kernel, wakeup = work_wakeup_seconds(r);

	if (t.over <= 0 || cpu < BUSY * t.over || t.kernel + wakeup < IN_KERNEL * cpu ||
	    w.n[SWITCHES] < SWITCHES_OF_REQUEST * w.n[REQUESTS])
		return false;
	buf_addf(why, "%.0f context switches for each second of CPU time, of which %.1f %% was in "
		 "the kernel", w.n[SWITCHES] / cpu, 100 * t.kernel / cpu);
	if (wakeup > 0)
		buf_addf(why, ", and its tasks waited for %s although CPUs were idle",
			 text_value(UNIT_SECONDS, wakeup).s);
	return w.n[SWITCHES] / cpu >= threshold;
}

/* CPUs: if the job uses fewer, its page faults come from the start of programs */
#define CHURN_CPUS .1

bool memory_churn(const struct report *r, double threshold, struct buf *why)
{
	struct cpu_times t = work_cpu_times(r);
	struct kernel_work w = work_count_events(r);
	double cpu = t.user + t.kernel, least, most;

	if (t.over <= 0 || cpu < CHURN_CPUS * t.over || t.kernel < t.floor * t.over ||
	    t.kernel < IN_KERNEL * cpu)
		return false;
	work_fault_cost(r, &least, &most);
	buf_addf(why, "%.0f page faults", w.n[FAULTS] / t.over);
	if (w.n[HUGE_PAGES] >= t.over)
		buf_addf(why, " and %.0f huge pages", w.n[HUGE_PAGES] / t.over);
	buf_addf(why, " a second on a node; %.1f %% of the CPU time was in the kernel",
		 100 * t.kernel / cpu);
	double seconds = least * w.n[FAULTS] + event_costs[HUGE_PAGES].least * w.n[HUGE_PAGES];
	return 100 * seconds / cpu >= threshold;
}

bool compaction(const struct report *r, double threshold, struct buf *why)
{
	struct cpu_times t = work_cpu_times(r);
	double stalls = nodes_are_exclusive(r) ? hidden_count(r, "vm.compact_stall") : 0;

	if (t.over <= 0 || !work_has_faults(r, stalls))
		return false;
	buf_addf(why, "%.0f allocations a second on a node had to move other pages first",
		 stalls / t.over);
	return stalls / t.over >= threshold;
}

/* smallest number of page faults that a process causes from its start to its end */
#define FAULTS_OF_PROCESS 20
#define THREAD_COST 10e-6	/* seconds of kernel time to start and end a thread */

/*
 * Whether the job can have started these processes, according to its own page faults and kernel
 * time. If not, other users started them.
 */
static bool work_started_processes(const struct report *r, double processes)
{
	struct cpu_times t = work_cpu_times(r);
	double faults;

	if (!evidence_sum(r, "job.pgfault", &faults))
		return true;
	return faults >= FAULTS_OF_PROCESS * processes ||
	       (t.kernel >= THREAD_COST * processes && t.kernel >= IN_KERNEL * (t.kernel + t.user));
}

bool process_storm(const struct report *r, double threshold, struct buf *why)
{
	struct total t;
	if (!nodes_are_exclusive(r) || !total_of(r, figure_find("ps.processes"), &t) ||
	    t.nodes == 0)
		return false;
	double rate = t.max / ((double)(r->node[t.max_node].usec + 1) / 1e6);
	evidence_node(why, r, t.max_node);
	buf_addf(why, " had %.0f new processes or threads a second", rate);
	return rate >= threshold && work_started_processes(r, t.n);
}

/* seconds of kernel time to open or close a cached local file; Lustre needs more */
#define OPEN_COST .5e-6

/* Whether the job can have opened and closed this many files, according to its own kernel time. */
static bool work_opened_files(const struct report *r, double opens)
{
	double system;
	return !evidence_sum(r, "job.system", &system) || system >= OPEN_COST * opens;
}

bool metadata(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total t;
	if (!nodes_are_exclusive(r) || !evidence_at_least(r, "open_close", &t) || !t.peak.at)
		return false;
	evidence_node(why, r, t.peak_node);
	buf_addf(why, " had %.0f opens and closes a second, until %s", t.peak.rate,
		 text_clock(t.peak.at).s);
	return t.peak.rate >= threshold && work_opened_files(r, t.all.over);
}

bool one_writer(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total t;
	if (!nodes_are_exclusive(r) || !evidence_at_least(r, "files_bandwidth", &t) ||
	    t.bound != BOUND_NONE || t.nodes < 2)
		return false;
	double megabytes = t.all.over, node = t.max * (double)r->node[t.max_node].usec / 1e6;
	evidence_node(why, r, t.max_node);
	buf_addf(why, " did %.1f %% of the I/O to Lustre and NFS", 100 * node / megabytes);
	return megabytes >= 10000 && 100 * node / megabytes >= threshold;
}

#define MANY_REQUESTS 100	/* number of disk requests per second on a node */

/*
 * Get the job's own disk requests per second and their mean size, if all nodes count them for each
 * job. This works on shared nodes, too.
 */
static bool work_own_requests(const struct report *r, double *rate, double *kilobytes)
{
	double reads, writes, read, written, seconds = evidence_seconds(r);

	if (!evidence_sum(r, "job.rd_ios", &reads) || !evidence_sum(r, "job.wr_ios", &writes) ||
	    !evidence_sum(r, "job.rd_bytes", &read) ||
	    !evidence_sum(r, "job.wr_bytes", &written) || reads + writes <= 0 || seconds <= 0)
		return false;
	*rate = (reads + writes) / seconds;
	*kilobytes = (read + written) / 1e3 / (reads + writes);
	return true;
}

static bool work_node_requests(const struct report *r, double *rate, double *kilobytes)
{
	struct derived_total size, requests;

	for (size_t i = 0; i < r->n; i++)
		if (!disks_are_exclusive(r, i))
			return false;
	if (!nodes_are_exclusive(r) || !evidence_at_most(r, "disk_size", &size) ||
	    !evidence_at_least(r, "disk_rate", &requests))
		return false;
	*rate = requests.n;
	*kilobytes = size.n;
	return true;
}

#define SECTOR 512	/* bytes: size of the smallest disk request */

/*
 * Estimate the job's own disk requests on shared nodes: at least *rate per second, of at most
 * *kilobytes each. The bytes of the disks that the job's tasks did not move belong to other
 * programs, whose requests each had at least one sector; all other requests are the job's. Reads or
 * writes are left out if the tasks moved more bytes than the disks, as with a network file system
 * or data that is not written yet.
 */
static bool work_least_requests(const struct report *r, double *rate, double *kilobytes)
{
	static const struct {
		const char *own, *disks, *requests;
	} way[] = {
		{ "job.rd_bytes", "block.rd_sectors", "block.rd_ios" },
		{ "job.wr_bytes", "block.wr_sectors", "block.wr_ios" },
	};
	double own, disks, requests, moved = 0, least = 0, seconds = evidence_seconds(r);

	for (size_t i = 0; i < ARRAY_SIZE(way); i++) {
		if (!evidence_sum(r, way[i].own, &own) || !evidence_sum(r, way[i].disks, &disks) ||
		    !evidence_sum(r, way[i].requests, &requests) || own > disks ||
		    requests <= (disks - own) / SECTOR)
			continue;
		least += requests - (disks - own) / SECTOR;
		moved += own;
	}
	if (least <= 0 || seconds <= 0)
		return false;
	*rate = least / seconds;
	*kilobytes = moved / 1e3 / least;
	return true;
}

/* fraction of the time: if tasks waited for I/O for less, the size of requests did not matter */
#define IO_WAITED .02

/* Whether tasks waited for I/O on some node (PSI), or the waits are unknown there. */
static bool work_waited_for_io(const struct report *r)
{
	bool waited = false;

	for (size_t i = 0; i < r->n && !waited; i++) {
		const struct value *v = &r->node[i].value[figure_find("psi.io-some")];
		waited = !value_known(v) || v->n >= IO_WAITED * (double)r->node[i].usec / 1e6;
	}
	return waited;
}

bool small_io(const struct report *r, double threshold, struct buf *why)
{
	double rate, kilobytes;

	if (!work_waited_for_io(r))
		return false;
	bool exact = work_own_requests(r, &rate, &kilobytes) ||
		     work_node_requests(r, &rate, &kilobytes);
	if (!exact && !work_least_requests(r, &rate, &kilobytes))
		return false;
	buf_addf(why, "%s%.0f disk requests a second of %s%s each", exact ? "" : "at least ", rate,
		 exact ? "" : "at most ", text_value(UNIT_BYTES, 1e3 * kilobytes).s);
	return rate >= MANY_REQUESTS && kilobytes < threshold;
}

/*
 * Whether pages that nodes swapped out may be the job's: no programs outside the job are known to
 * have run, and the job's cgroup had pages in swap space on all nodes, or this is unknown.
 */
static bool work_may_have_swapped(const struct report *r)
{
	bool may = nodes_are_exclusive(r);
	for (size_t i = 0; i < r->n && may; i++) {
		const struct value *v = &r->node[i].value[figure_find("job.swap")];
		may = !value_known(v) || v->n > 0;
	}
	return may;
}

/* Find jobs whose pages are swapped out and in again all the time. */
bool swap_storm(const struct report *r, double threshold, struct buf *why)
{
	double seconds = evidence_seconds(r);
	if (!work_may_have_swapped(r) || seconds <= 0)
		return false;
	double out = total_count(r, "vm.pswpout") / seconds;
	double in = total_count(r, "vm.pswpin") / seconds;
	buf_addf(why, "%.0f pages a second went to swap space on a node, and %.0f came back", out,
		 in);
	return (out < in ? out : in) >= threshold;
}

/*
 * Find jobs with pages swapped out. Pages swapped in do not count, since they may have been swapped
 * out before the job.
 */
bool swapping(const struct report *r, double threshold, struct buf *why)
{
	double out = total_count(r, "vm.pswpout");
	if (!work_may_have_swapped(r))
		return false;
	buf_addf(why, "%.0f pages went to swap space, %.0f came from it", out,
		 total_count(r, "vm.pswpin"));
	return out >= threshold;
}
