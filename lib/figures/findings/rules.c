/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.c - what a support person would say of a job: each rule, its evidence and advice */
#include "figures/findings.h"

#include <string.h>
#include "base/base.h"
#include "figures/fit.h"
#include "figures/parts.h"
#include "figures/runs.h"
#include "figures/slow.h"
#include "figures/totals.h"
#include "figures/units.h"
#include "figures/used.h"

static void name_node(struct buf *why, const struct report *r, size_t node)
{
	buf_addf(why, "%s", text_name(node_name(r, node), 24).s);
}

/* The number, or more: rules of "at least" need it. */
static bool derived_from(const struct report *r, const char *id, struct derived_total *t)
{
	return total_derived(r, derived_find(id), t) &&
	       (t->bound == BOUND_NONE || t->bound == BOUND_AT_LEAST);
}

/* The number, or less: rules of "below" need it. */
static bool derived_up_to(const struct report *r, const char *id, struct derived_total *t)
{
	return total_derived(r, derived_find(id), t) &&
	       (t->bound == BOUND_NONE || t->bound == BOUND_AT_MOST);
}

static bool killed_for_memory(const struct report *r, double threshold, struct buf *why)
{
	double n = total_count(r, "job.oom_kill");
	buf_addf(why, "the kernel killed %.0f of its processes for memory", n);
	return n >= threshold;
}

static double known_share(const struct node *n, const char *id)
{
	size_t f = figure_find(id);
	return value_known(&n->value[f]) ? node_value(n, f) : 0;
}

/*
 * Percent of the time of a node's CPUs, in user mode and in the kernel beyond what this needs
 * itself. Negative: not known.
 */
static double busy_share(const struct node *n)
{
	if (!value_known(&n->value[figure_find("cpu.user")]))
		return -1;
	return busy_time(known_share(n, "cpu.user") + known_share(n, "cpu.nice"),
			 known_share(n, "cpu.system"), 100);
}

/* A job that its user started by ssh has CPU time that is not in its control group. */
static bool did_nothing(const struct node *n, const struct used *u, double threshold)
{
	bool busy = !n->shared && busy_share(n) >= 100 * KERNEL_ITSELF;
	return 100 * u->n < threshold && !busy;
}

static bool no_cpu_time(const struct report *r, double threshold, struct buf *why)
{
	size_t known = 0, none = 0, first = 0;

	for (size_t i = r->n; i-- > 0; ) {
		struct used u = used_of_node(r, i, USED_CPU);
		if (u.of <= 0 || r->node[i].samples < 2)
			continue;
		known++;
		if (did_nothing(&r->node[i], &u, threshold)) {
			none++;
			first = i;
		}
	}
	buf_addf(why, "%zu of %zu nodes had no CPU time to speak of: ", none, known);
	report_put_nodes(why, r, none, first);
	return none > 0;
}

struct busy_nodes {
	size_t nodes, most_node, least_node;
	double most, least;
};

/* Of two nodes or more that were looked at all the time; a silent one is not idle. */
static bool compare_busy(const struct report *r, struct busy_nodes *b)
{
	*b = (struct busy_nodes){ 0 };
	for (size_t i = 0; i < r->n; i++) {
		double share = busy_share(&r->node[i]);
		if (share < 0 || r->node[i].samples < 2)
			continue;
		if (b->nodes == 0 || share > b->most) {
			b->most = share;
			b->most_node = i;
		}
		if (b->nodes == 0 || share < b->least) {
			b->least = share;
			b->least_node = i;
		}
		b->nodes++;
	}
	return !report_is_shared(r) && b->nodes >= 2 && b->most > 0;
}

static bool idle_nodes(const struct report *r, double threshold, struct buf *why)
{
	struct busy_nodes b;
	size_t idle = 0, first = 0;

	if (!compare_busy(r, &b))
		return false;
	for (size_t i = r->n; i-- > 0; ) {
		double share = busy_share(&r->node[i]);
		if (share < 0 || r->node[i].samples < 2 || 100 * share > (100 - threshold) * b.most)
			continue;
		idle++;
		first = i;
	}
	buf_addf(why, "%zu of %zu nodes did nothing: ", idle, b.nodes);
	report_put_nodes(why, r, idle, first);
	return idle > 0;
}

/* CPU time of the job itself where all of its nodes know it, else of nodes that it had alone. */
struct cpu_times {
	double user, kernel;	/* seconds, */
	double over;		/* in so many seconds of the nodes */
	double floor;		/* CPUs in the kernel that the system itself may well keep busy */
};

static struct cpu_times cpu_times(const struct report *r)
{
	struct cpu_times t = { .floor = .02 };
	struct total total;

	for (size_t i = 0; i < r->n; i++)
		t.over += (double)r->node[i].usec / 1e6;
	if (total_of(r, figure_find("job.system"), &total) && total.nodes == r->n) {
		t.kernel = total.n;
		t.user = total_count(r, "job.user");
	} else if (!report_is_shared(r)) {
		t.kernel = hidden_count(r, "cpu.system") + hidden_count(r, "cpu.irq") +
			   hidden_count(r, "cpu.softirq");
		t.user = hidden_count(r, "cpu.user") + hidden_count(r, "cpu.nice");
		t.floor = r->n ? KERNEL_ITSELF * r->node[0].course.cpus : 0;
	}
	return t;
}

/* Calls, faults and processes make work for the kernel: those of a second on a node of the job. */
static void say_kernel_work(const struct report *r, double seconds, struct buf *why)
{
	static const struct {
		const char *id[2], *what, *size;
	} work[] = {
		{ { "ps.processes", NULL },           "new processes",    NULL        },
		{ { "ps.ctxt", NULL },                "context switches", NULL        },
		{ { "vm.pgfault", NULL },             "page faults",      NULL        },
		{ { "block.rd_ios", "block.wr_ios" }, "disk requests",    "disk_size" },
	};
	struct derived_total size;
	size_t said = 0;

	for (size_t i = 0; i < ARRAY_SIZE(work) && !report_is_shared(r); i++) {
		double n = total_count(r, work[i].id[0]);
		n += work[i].id[1] ? total_count(r, work[i].id[1]) : 0;
		if (n < seconds)
			continue;
		buf_addf(why, "%s%.0f %s", said++ ? ", " : ", with ", n / seconds, work[i].what);
		if (work[i].size && total_derived(r, derived_find(work[i].size), &size) &&
		    size.bound == BOUND_NONE)
			buf_addf(why, " of %s", text_value(UNIT_BYTES, 1e3 * size.n).s);
	}
	buf_add(why, str_of(said ? " a second on a node" : ""));
}

static bool kernel_time(const struct report *r, double threshold, struct buf *why)
{
	struct cpu_times t = cpu_times(r);

	if (t.over <= 0 || t.kernel <= 0 || t.kernel < t.floor * t.over)
		return false;
	double share = 100 * t.kernel / (t.kernel + t.user);
	buf_addf(why, "%.1f %% of %s of CPU time was in the kernel", share,
		 text_value(UNIT_SECONDS, t.kernel + t.user).s);
	say_kernel_work(r, t.over, why);
	return share >= threshold;
}

/* Percent of the CPUs that it had processes for. */
static bool is_part(const struct report *r, enum part part, double threshold, struct buf *why)
{
	struct parts p = parts_of(r);
	double of = p.of - p.part[PART_UNUSED];
	double percent = of > 0 ? 100 * p.part[part] / of : 0;
	buf_addf(why, "for %.1f %% of the time of the CPUs that it worked on", percent);
	return of > 0 && percent >= threshold;
}

static bool waits_for_cpu(const struct report *r, double threshold, struct buf *why)
{
	double held = hidden_count(r, "job.throttled");
	bool is = is_part(r, PART_CPU, threshold, why);
	if (held > 0)
		buf_addf(why, ", a quota held it for %s", text_value(UNIT_SECONDS, held).s);
	return is;
}

static bool waits_for_io(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total size, rate;
	bool is = is_part(r, PART_IO, threshold, why);

	if (derived_from(r, "disk_rate", &rate) && rate.n >= 1 &&
	    total_derived(r, derived_find("disk_size"), &size) && size.bound == BOUND_NONE)
		buf_addf(why, ", with %.0f disk requests a second of %s each", rate.n,
			 text_value(UNIT_BYTES, 1e3 * size.n).s);
	return is;
}

static bool waits_for_memory(const struct report *r, double threshold, struct buf *why)
{
	return is_part(r, PART_MEMORY, threshold, why);
}

static bool process_storm(const struct report *r, double threshold, struct buf *why)
{
	struct total t;
	if (report_is_shared(r) || !total_of(r, figure_find("ps.processes"), &t) || t.nodes == 0)
		return false;
	double rate = t.max / ((double)(r->node[t.max_node].usec + 1) / 1e6);
	name_node(why, r, t.max_node);
	buf_addf(why, " had %.0f new processes or threads a second", rate);
	return rate >= threshold;
}

static bool serial(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_CPU);
	buf_addf(why, "%.2f CPUs busy of %.0f", u.n, u.of);
	return r->n == 1 && u.full > 1 && u.n >= threshold / 100 && u.n <= 1.01 &&
	       !r->node[0].course.gpus;
}

/* GPUs of the job work. */
static bool has_gpus(const struct report *r)
{
	size_t i = 0;
	for (; i < r->n && !r->node[i].course.gpus; i++)
		;
	return i < r->n;
}

/* The kernels count for how long tasks wait: what is left is sleep. */
static bool has_pressure(const struct report *r)
{
	size_t i = 0;
	while (i < r->n && value_known(&r->node[i].value[figure_find("psi.cpu-some")]))
		i++;
	return i == r->n;
}

/* A second thread of a core that sleeps is no loss. */
static bool asleep(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_CPU);
	struct parts p = parts_of(r);

	if (u.of <= 0 || p.of <= 0 || !has_pressure(r) || has_gpus(r) ||
	    p.part[PART_ASLEEP] < p.part[PART_UNUSED])
		return false;
	double second = p.of * (1 - u.full / u.of);
	double percent = 100 * (p.part[PART_ASLEEP] - second) / (p.of - second);
	buf_addf(why, "%.2f CPUs busy of %.0f, and no CPU, disk or memory that they waited for",
		 u.n, u.of);
	return percent >= threshold;
}

static bool low_cpu(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_CPU);

	if (has_gpus(r))
		return false;
	buf_addf(why, "%.2f CPUs busy of %.0f", u.n, u.of);
	if (u.full < u.of)
		buf_addf(why, " hardware threads on %.0f cores", u.full);
	buf_addf(why, ": %.1f %%", used_full_percent(&u));
	return u.of > 0 && used_full_percent(&u) < threshold;
}

static bool has_limit(const struct report *r)
{
	struct used u = used_of(r, USED_MEMORY);
	size_t f = figure_find("job.mem_limit");
	bool any = false;

	for (size_t i = 0; i < r->n; i++)
		any |= r->node[i].allocation.mem || (value_known(&r->node[i].value[f]) &&
						r->node[i].value[f].n < NO_LIMIT);
	return any && u.of > 0;
}

static bool has_succeeded(const struct report *r)
{
	return r->n > 0 && (strcmp(r->node[0].allocation.exit, "0") == 0 ||
			    strcmp(r->node[0].allocation.exit, "0:0") == 0);
}

/* Of a node whose memory grew by a part of its limit that is worth a word. */
static bool grows_on(const struct report *r, size_t node, double threshold, struct buf *why)
{
	const struct course *c = &r->node[node].course;
	double limit = used_of_node(r, node, USED_MEMORY).of;
	double seconds = (double)r->node[node].usec / 1e6;
	double left = limit > c->grown_to ? (limit - c->grown_to) / c->grows : 0;

	if (limit <= 0 || c->grows * seconds < .05 * limit || 100 * left >= threshold * seconds)
		return false;
	name_node(why, r, node);
	buf_addf(why, " used %s more each hour, +- %.2g %%: its limit of %s was %s away",
		 text_value(UNIT_BYTES, 3600 * c->grows).s, 100 * c->grows_error / c->grows,
		 text_value(UNIT_BYTES, limit).s, text_duration((int64_t)(left * 1e6)).s);
	return true;
}

/* A job that ended well needed no more than it had. */
static bool memory_grows(const struct report *r, double threshold, struct buf *why)
{
	for (size_t i = 0; i < r->n && !has_succeeded(r); i++)
		if (r->node[i].course.grows > 0 && grows_on(r, i, threshold, why))
			return true;
	return false;
}

static bool much_memory(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_MEMORY);

	if (!has_limit(r) || total_count(r, "job.oom_kill") > 0)
		return false;
	buf_addf(why, "%s used of %s: %.1f %%, in samples", text_value(UNIT_BYTES, u.n).s,
		 text_value(UNIT_BYTES, u.of).s, used_percent(&u));
	return used_percent(&u) < threshold;
}

static bool near_limit(const struct report *r, double threshold, struct buf *why)
{
	for (size_t i = 0; i < r->n && has_limit(r); i++) {
		struct used u = used_of_node(r, i, USED_MEMORY);
		if (used_percent(&u) < threshold)
			continue;
		name_node(why, r, i);
		buf_addf(why, " used %.1f %% of its memory limit", used_percent(&u));
		return true;
	}
	return false;
}

static bool long_limit(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_TIME);
	buf_addf(why, "%s of %s were needed: %.1f %%", text_duration((int64_t)(u.n * 1e6)).s,
		 text_duration((int64_t)(u.of * 1e6)).s, used_percent(&u));
	return u.of > 0 && has_succeeded(r) && used_percent(&u) < threshold;
}

static bool out_of_time(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_TIME);
	buf_addf(why, "it had its limit of %s", text_duration((int64_t)(u.of * 1e6)).s);
	return u.of > 0 && used_percent(&u) >= threshold;
}

static bool find_fade(const struct report *r, double least, double threshold, struct buf *why)
{
	const struct course *worst = NULL;
	size_t at = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct course *c = &r->node[i].course;
		bool ours = c->fade_own || !report_is_shared(r);
		if (c->fade_at && ours && (!worst || c->fade < worst->fade)) {
			worst = c;
			at = i;
		}
	}
	if (!worst || 100 * worst->fade < least)
		return false;
	buf_addf(why, "from %s on, ", text_clock(worst->fade_at).s);
	name_node(why, r, at);
	buf_addf(why, " had %.2g %% of the CPU use before", 100 * worst->fade);
	return 100 * worst->fade < threshold;
}

static bool stopped(const struct report *r, double threshold, struct buf *why)
{
	return find_fade(r, 0, threshold, why);
}

#define STOPPED .1	/* percent: what is below has stopped, and not only faded */

static bool faded(const struct report *r, double threshold, struct buf *why)
{
	return find_fade(r, STOPPED, threshold, why);
}

static bool uneven(const struct report *r, double threshold, struct buf *why)
{
	struct busy_nodes b;

	if (!compare_busy(r, &b))
		return false;
	buf_addf(why, "CPUs were busy for %.1f %% of the time on ", b.most);
	name_node(why, r, b.most_node);
	buf_addf(why, ", %.1f %% on ", b.least);
	name_node(why, r, b.least_node);
	return b.most > 10 && 100 * (b.most - b.least) / b.most >= threshold;
}

static bool metadata(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total t;
	if (report_is_shared(r) || !derived_from(r, "open_close", &t) || !t.peak.at)
		return false;
	name_node(why, r, t.peak_node);
	buf_addf(why, " had %.0f opens and closes a second, until %s", t.peak.rate,
		 text_clock(t.peak.at).s);
	return t.peak.rate >= threshold;
}

static bool one_writer(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total t;
	if (report_is_shared(r) || !derived_from(r, "files_bandwidth", &t) ||
	    t.bound != BOUND_NONE || t.nodes < 2)
		return false;
	double megabytes = t.all.over, node = t.max * (double)r->node[t.max_node].usec / 1e6;
	name_node(why, r, t.max_node);
	buf_addf(why, " did %.1f %% of the I/O to Lustre and NFS", 100 * node / megabytes);
	return megabytes >= 10000 && 100 * node / megabytes >= threshold;
}

static bool small_io(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total size, rate;
	if (report_is_shared(r) || !derived_up_to(r, "disk_size", &size) ||
	    !derived_from(r, "disk_rate", &rate))
		return false;
	buf_addf(why, "%.0f disk requests a second of %s each", rate.n,
		 text_value(UNIT_BYTES, 1e3 * size.n).s);
	return rate.n >= 100 && size.n < threshold;
}

/* Pages that go out and come back again and again; the kernel works for them, or waits. */
static bool swap_storm(const struct report *r, double threshold, struct buf *why)
{
	double seconds = 0;
	for (size_t i = 0; i < r->n; i++)
		seconds += (double)r->node[i].usec / 1e6;
	if (report_is_shared(r) || seconds <= 0)
		return false;
	double out = total_count(r, "vm.pswpout") / seconds;
	double in = total_count(r, "vm.pswpin") / seconds;
	buf_addf(why, "%.0f pages a second went to swap space on a node, and %.0f came back", out,
		 in);
	return (out < in ? out : in) >= threshold;
}

/* Pages that only come back in went out before the job: they are of no job, or of another. */
static bool swapping(const struct report *r, double threshold, struct buf *why)
{
	double out = total_count(r, "vm.pswpout");
	if (report_is_shared(r))
		return false;
	buf_addf(why, "%.0f pages went to swap space, %.0f came from it", out,
		 total_count(r, "vm.pswpin"));
	return out >= threshold;
}

static bool scalar(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total share, rate;
	if (report_is_shared(r) || !derived_up_to(r, "vector64", &share) ||
	    !derived_from(r, "gflops64", &rate) || rate.n < 1)
		return false;
	buf_addf(why, "%.2g %% of its 64 bit operations are of vector instructions", share.n);
	return share.n < threshold;
}

static bool remote_memory(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total t;
	if (report_is_shared(r) || !derived_from(r, "remote_pages", &t))
		return false;
	buf_addf(why, "%.1f %% of its pages are on another NUMA node", t.n);
	return t.n >= threshold;
}

static bool hot_gpus(const struct report *r, double threshold, struct buf *why)
{
	double seconds = (double)report_duration(r) / 1e6;
	double held = total_count(r, "nvidia_gpu.thermal_violation");
	if (report_is_shared(r) || seconds <= 0)
		return false;
	buf_addf(why, "GPUs were held by heat for %s", text_value(UNIT_SECONDS, held).s);
	return 100 * held / seconds >= threshold;
}

static bool hot_cpus(const struct report *r, double threshold, struct buf *why)
{
	double n = hidden_count(r, "thermal_throttle.core") +
		   hidden_count(r, "thermal_throttle.package");
	buf_addf(why, "heat slowed CPUs down %.0f times", n);
	return n >= threshold;
}

static bool bad_memory(const struct report *r, double threshold, struct buf *why)
{
	double n = hidden_count(r, "edac.ue_count") + total_count(r, "nvidia_gpu.ecc_uncorrected") +
		   total_count(r, "amd_gpu.umc_ue");
	buf_addf(why, "%.0f errors of memory that could not be corrected", n);
	return n >= threshold;
}

static bool bad_links(const struct report *r, double threshold, struct buf *why)
{
	static const char *const id[] = {
		"ib.symbol_error", "ib.port_rcv_errors", "ib.link_downed", "opa.link_downed",
		"opa.port_xmit_discards", "cxi.hni_pcs_uncorrected_cw",
		"hw_counters.local_ack_timeout_err", "net.rx_errors", "net.tx_errors",
	};
	double n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(id); i++) {
		double one = hidden_count(r, id[i]);
		if (one > 0)
			buf_addf(why, "%s%.0f of %s", n > 0 ? ", " : "", one, id[i]);
		n += one;
	}
	return n >= threshold;
}

#define LOOK "See its script and its output: did all of it start? Can it use them all?"
#define SITE "Let the site look at the node: it is at fault, not the job."

/*
 * The worst first. Where each threshold is from: nodometer-report(1), FINDINGS. The scheduler's own
 * processes use nearly 1 % of a CPU.
 */
const struct finding_rule finding_rules[] = {
	{ "killed-for-memory", 1, "kills", 0, killed_for_memory, "The memory was not enough",
	  "kills for memory, at least",
	  "Ask for more memory, or use less of it in each process." },
	{ "no-cpu-time", 1, "% of a CPU", 600, no_cpu_time,
	  "The job did nothing on some node", "CPU time on a node, below", LOOK },
	{ "idle-nodes", 99, "%", 600, idle_nodes, "Nodes stood idle",
	  "below the busiest node by at least", LOOK, .unless = "no-cpu-time" },
	{ "idle-gpus", 1, "GPUs", 300, idle_gpus, "GPUs stood idle",
	  "GPUs that were never busy, at least",
	  "Is the program built for GPUs, and does it find all of them?" },
	{ "held-gpus", 30, "min", 0, held_gpus, "GPUs were held and not used",
	  "time without a process of the job on a GPU that it had, at least",
	  "Ask for fewer GPUs, or end the job when they have no more to do." },
	{ "unseen-gpus", 1, "nodes", 300, unseen_gpus, "Nobody counted its GPUs",
	  "nodes that report no GPU though the job had one, at least",
	  "Ask the site whether the GPUs of these nodes work, and have them counted." },
	{ "stopped", STOPPED, "%", 600, stopped, "The job stopped working",
	  "CPU use after a time, of that before, below",
	  "Did it hang, wait for a lock or a file, or lose a process?" },
	{ "memory-grows", 100, "%", 600, memory_grows, "Memory grew towards the limit",
	  "time left until the limit, of the time that it ran, below",
	  "Does it free what it no longer needs? It may need more memory than it has." },
	{ "process-storm", 100, "1/s", 600, process_storm, "Processes were begun all the time",
	  "new processes on a node, at least",
	  "Do more in each process: call a program once for many pieces, not once for each.",
	  PART_KERNEL },
	{ "metadata", 10000, "1/s", 0, metadata, "Files were opened and closed all the time",
	  "opens and closes on a node, at least",
	  "Keep files open, use fewer of them, or put small ones on local disks.",
	  PART_KERNEL, PART_ASLEEP },	/* while servers answer */
	{ "swap-storm", 100, "1/s", 600, swap_storm,
	  "Memory went to swap space and back all the time",
	  "pages each way on a node, at least",
	  "The job needs more memory than there is: use more nodes, or less memory.",
	  PART_KERNEL, PART_MEMORY },
	{ "kernel-time", 50, "%", 600, kernel_time, "Most of the CPU time went into the kernel",
	  "CPU time that is in the kernel, at least",
	  "See what it asks of the kernel (strace -c): small writes, syncs, faults, sleeps.",
	  PART_KERNEL },
	{ "cpu-wait", 25, "%", 600, waits_for_cpu, "Its processes waited for a CPU",
	  "time of the CPUs that it worked on, at least",
	  "Are they bound to too few CPUs, or are there more of them than CPUs?", PART_CPU },
	{ "io-wait", 25, "%", 600, waits_for_io, "Its processes waited for I/O",
	  "time of the CPUs that it worked on, at least",
	  "Read and write larger pieces, sync less often, or work on a faster file system.",
	  PART_IO },
	{ "memory-wait", 10, "%", 600, waits_for_memory, "Its processes waited for memory",
	  "time of the CPUs that it worked on, at least",
	  "The node had too little of it: use more nodes, or less memory.", PART_MEMORY },
	{ "faded", 25, "%", 600, faded, "The CPUs had less to do after a time",
	  "CPU use after a time, of that before, below",
	  "Processes of the job end at different times: spread the work." },
	{ "uneven", 50, "%", 600, uneven, "Some nodes had more to do than others",
	  "least busy node below the busiest by at least",
	  "Spread the work evenly over the nodes.", .unless = "no-cpu-time idle-nodes" },
	{ "serial", 85, "%", 600, serial, "Only one CPU had work",
	  "CPUs busy of several: up to 1.01, and at least",
	  "Is it a serial program? Are its processes bound to one CPU?",
	  .unless = "unseen-gpus" },
	{ "asleep", 50, "%", 600, asleep, "Its processes slept",
	  "CPU time given in which they slept, at least",
	  "What do they wait for: each other, a network, a timer? Overlap it with work.",
	  PART_ASLEEP, .unless = "no-cpu-time idle-nodes unseen-gpus serial" },
	{ "low-cpu", 65, "%", 600, low_cpu, "Many of the CPUs did nothing",
	  "busy CPUs of those given, below",
	  "Ask for fewer CPUs, or see what the processes wait for.",
	  .unless = "no-cpu-time idle-nodes unseen-gpus serial asleep" },
	{ "scattered-gpus", 1, "nodes", 600, scattered_gpus,
	  "Its GPUs were on more nodes than they need", "nodes too many, at least",
	  "Ask for all GPUs of a node, and for fewer nodes: data between nodes takes longer." },
	{ "many-nodes", 1, "nodes", 600, many_nodes, "Its CPUs were on more nodes than they need",
	  "nodes too many for its CPUs and its memory, at least",
	  "Ask for fewer nodes, and more CPUs on each: data between nodes takes longer.",
	  .unless = "no-cpu-time idle-nodes" },
	{ "low-gpu", 15, "%", 600, low_gpu, "The GPUs had little to do",
	  "time that GPUs were busy, below",
	  "See what feeds the GPUs: I/O, CPUs, batches that are too small." },
	{ "memory-limit-near", 95, "%", 0, near_limit, "The memory was nearly used up",
	  "memory of its limit on a node, at least",
	  "The job nearly ran out of it: ask for some more next time." },
	{ "memory-limit-far", 70, "%", 600, much_memory,
	  "The job asked for far more memory than it used", "memory of its limit, below",
	  "Ask for less: 1.2 times what it used leaves room.", .unless = "memory-grows" },
	{ "time-limit-hit", 100, "%", 0, out_of_time, "The job ran out of time",
	  "time of the limit, at least",
	  "Ask for more time, or let it save its state and go on." },
	{ "time-limit-far", 60, "%", 900, long_limit,
	  "The job asked for far more time than it used", "time of the limit, after success, below",
	  "Ask for less time: short jobs wait less." },
	{ "swapping", 1000, "pages", 0, swapping, "Memory went out to swap space",
	  "pages out to swap space, at least",
	  "The job needs more memory than there is: use more nodes, or less memory.",
	  .unless = "swap-storm" },
	{ "one-node-io", 90, "%", 600, one_writer, "One node did nearly all of the I/O",
	  "I/O of one node, of 10 GB or more, at least",
	  "Let several nodes read and write: MPI-IO, or a file for each." },
	{ "small-io", 16, "kB", 600, small_io, "The disks worked in small pieces",
	  "size of 100 disk requests a second, below",
	  "Read and write larger pieces." },
	{ "no-vectors", 5, "%", 600, scalar, "Vector instructions were hardly used",
	  "64 bit operations of vectors, below",
	  "Compile for this processor (-O3 -march=native), see the compiler's report." },
	{ "remote-memory", 25, "%", 600, remote_memory, "Memory was far from its CPUs",
	  "pages on other NUMA nodes, at least",
	  "Bind processes to CPUs and let each thread touch its memory first." },
	{ "slow-node", 3, "%", 600, slow_holds, "A node was slower than the others",
	  "slower than the nodes like it, beyond chance and by at least", SITE },
	{ "hot-gpus", 1, "%", 0, hot_gpus, "Heat held the GPUs back",
	  "time that heat held GPUs, at least", SITE },
	{ "hot-cpus", 1, "times", 0, hot_cpus, "Heat slowed the CPUs down",
	  "times that heat slowed CPUs, at least", SITE },
	{ "memory-errors", 1, "errors", 0, bad_memory, "The memory had errors",
	  "uncorrected errors, at least", SITE },
	{ "link-errors", 1, "errors", 0, bad_links, "Links had errors",
	  "errors of links, at least", SITE },
};

const size_t n_finding_rules = ARRAY_SIZE(finding_rules);
