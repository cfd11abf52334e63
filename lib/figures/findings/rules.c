/* SPDX-License-Identifier: BSD-3-Clause */
/* rules.c - the table of rules about a job, with their evidence and advice */
#include "figures/findings/findings.h"

#include <string.h>
#include "base/base.h"
#include "figures/findings/cpu_rules.h"
#include "figures/findings/demand_rules.h"
#include "figures/findings/ended.h"
#include "figures/findings/evidence.h"
#include "figures/findings/fit.h"
#include "figures/findings/work_rules.h"
#include "figures/neighbours.h"
#include "figures/parts.h"
#include "figures/runs.h"
#include "figures/slow.h"
#include "figures/totals.h"
#include "figures/units.h"
#include "figures/used.h"

static bool killed_for_memory(const struct report *r, double threshold, struct buf *why)
{
	double n = total_count(r, "job.oom_kill");
	buf_addf(why, "the kernel killed %.0f of its processes for memory", n);
	return n >= threshold;
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
	const struct job_end end = ended_of(r);
	return end.exit[0] && strcmp(end.state, STATE_COMPLETED) == 0;
}

/*
 * Report a node where memory grew by at least 5 % of the job's limit, and would soon have reached
 * the limit: within `threshold` percent of the job's duration.
 */
static bool grows_on(const struct report *r, size_t node, double threshold, struct buf *why)
{
	const struct course *c = &r->node[node].course;
	double limit = used_of_node(r, node, USED_MEMORY).of;
	double seconds = (double)r->node[node].usec / 1e6;
	double left = limit > c->grown_to ? (limit - c->grown_to) / c->grows : 0;

	if (limit <= 0 || c->grows * seconds < .05 * limit || 100 * left >= threshold * seconds)
		return false;
	evidence_node(why, r, node);
	buf_addf(why, " used %s more each hour, +- %.2g %%: its limit of %s was %s away",
		 text_value(UNIT_BYTES, 3600 * c->grows).s, 100 * c->grows_error / c->grows,
		 text_value(UNIT_BYTES, limit).s, text_duration((int64_t)(left * 1e6)).s);
	return true;
}

/*
 * Find a node where the job's memory grows towards its limit. A job that succeeded is ignored,
 * because it had enough memory.
 */
static bool memory_grows(const struct report *r, double threshold, struct buf *why)
{
	if (has_succeeded(r))
		return false;
	for (size_t i = 0; i < r->n; i++)
		if (r->node[i].course.grows > 0 && grows_on(r, i, threshold, why))
			return true;
	return false;
}

static bool much_memory(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_MEMORY);

	if (!has_limit(r) || total_count(r, "job.oom_kill") > 0)
		return false;
	buf_addf(why, "%s used of %s: %.1f %%%s", text_value(UNIT_BYTES, u.n).s,
		 text_value(UNIT_BYTES, u.of).s, used_percent(&u),
		 u.at_least ? ", in samples" : "");
	return used_percent(&u) < threshold;
}

/* fraction of the memory limit: a larger use of memory counts as having reached the limit */
#define AT_LIMIT .98
/* fraction of the time: a job at its memory limit thrashes if tasks waited longer for memory */
#define STALLED .02

/* Whether the memory of the job's cgroup, including page cache, reached its limit. */
static bool is_at_limit(const struct node *n)
{
	const struct value *peak = &n->value[figure_find("job.mem_peak")];
	const struct value *mem = &n->value[figure_find("job.mem")];
	const struct value *limit = &n->value[figure_find("job.mem_limit")];
	const struct value *most = value_known(peak) ? peak : mem;
	return value_known(limit) && limit->n > 0 && limit->n < NO_LIMIT && value_known(most) &&
	       most->n >= AT_LIMIT * limit->n;
}

/*
 * like STALLED, but for a job with an unknown memory limit; larger, because nothing shows that the
 * job reached a limit
 */
#define STALLED_MUCH .1

/*
 * Whether the job thrashes on a node: at its memory limit, the kernel drops pages that the job
 * needs, and must read them again. Major faults alone do not prove this: a program that maps a file
 * and reads it once has them, too. But such a program does not wait for pages that it had before.
 */
static bool thrashes_on(const struct report *r, size_t i, double threshold, struct buf *why)
{
	const struct node *n = &r->node[i];
	const struct value *limit = &n->value[figure_find("job.mem_limit")];
	const struct value *own = &n->value[figure_find("job.pgmajfault")];
	const struct value *all = &n->value[figure_find("vm.pgmajfault")];
	const struct value *faults = value_known(own) || !node_is_exclusive(r, i) ? own : all;
	const struct value *stalls = &n->value[figure_find("psi.memory-some")];
	double seconds = (double)n->usec / 1e6;
	double stalled = value_known(stalls) ? stalls->n / seconds : -1;

	if (!value_known(faults) || seconds <= 0 || faults->n < threshold * seconds)
		return false;
	if (is_at_limit(n) && (stalled < 0 || stalled >= STALLED)) {
		evidence_node(why, r, i);
		buf_addf(why, " reached its memory limit of %s, and %.0f page faults a second had "
			 "to read from disk", text_value(UNIT_BYTES, limit->n).s,
			 faults->n / seconds);
		return true;
	}
	if (value_known(limit) || !node_is_exclusive(r, i) || stalled < STALLED_MUCH)
		return false;
	buf_addf(why, "for %.1f %% of the time, tasks on ", 100 * stalled);
	evidence_node(why, r, i);
	buf_addf(why, " waited for memory or for pages that the kernel had dropped, and %.0f page "
		 "faults a second had to read from disk", faults->n / seconds);
	return true;
}

static bool thrashes(const struct report *r, double threshold, struct buf *why)
{
	size_t i = 0;
	while (i < r->n && !thrashes_on(r, i, threshold, why))
		i++;
	return i < r->n;
}

static bool near_limit(const struct report *r, double threshold, struct buf *why)
{
	for (size_t i = 0; i < r->n && has_limit(r); i++) {
		struct used u = used_of_node(r, i, USED_MEMORY);
		if (u.has_cache || used_percent(&u) < threshold)
			continue;
		evidence_node(why, r, i);
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

static bool scalar(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total share, rate;
	if (!nodes_are_exclusive(r) || !evidence_at_most(r, "vector64", &share) ||
	    !evidence_at_least(r, "gflops64", &rate) || rate.n < 1)
		return false;
	buf_addf(why, "%.2g %% of its 64 bit operations are of vector instructions", share.n);
	return share.n < threshold;
}

static bool remote_memory(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total t;
	if (!nodes_are_exclusive(r) || !evidence_at_least(r, "remote_pages", &t))
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
 * The rules, the worst problems first. nodometer-findings(7) gives the source of each threshold.
 * Thresholds of CPU time must be above the use of the scheduler's own processes, nearly 1 % of a
 * CPU.
 */
const struct finding_rule finding_rules[] = {
	{ "killed-for-memory", 1, "kills", 0, killed_for_memory, "The memory was not enough",
	  "kills for memory, at least",
	  "Ask for more memory, or use less of it in each process." },
	{ "ended-by-signal", 1, "signals", 0, ended_by_signal, "A signal ended the job",
	  "signals that stand for an error, at least",
	  "See its last output; a core file or a debugger shows where the program was.",
	  .unless = "killed-for-memory" },
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
	{ "unseen-gpus", 1, "nodes", 300, unseen_gpus, "Nobody counted the GPUs",
	  "nodes that report no GPU though the job had one, at least",
	  "Ask the site whether the GPUs of these nodes work, and have them counted." },
	{ "stopped", STOPPED, "%", 600, stopped, "The job stopped working",
	  "CPU use after a time, of that before, below",
	  "Did it hang, wait for a lock or a file, or lose a process?" },
	{ "memory-grows", 100, "%", 600, memory_grows, "Memory grew towards the limit",
	  "time left until the limit, of the time that it ran, below",
	  "Does it free what it no longer needs? It may need more memory than it has." },
	{ "memory-grew", 1, "times", 10, memory_grew, "Memory grew until the job failed",
	  "failed jobs whose memory grew, at least",
	  "Does it free what it no longer needs? See the limits of memory (ulimit -a).",
	  .unless = "killed-for-memory ended-by-signal memory-grows" },
	{ "memory-thrash", 10, "1/s", 600, thrashes, "The memory limit was too small",
	  "page faults that had to read from disk, of a job at its memory limit, at least",
	  "Ask for more memory: pages that it needs are dropped and read again." },
	{ "process-storm", 100, "1/s", 600, process_storm, "Processes were begun all the time",
	  "new processes on a node, at least",
	  "Do more in each process: call a program once for many pieces, not once for each.",
	  PART_KERNEL },
	{ "short-processes", 40, "%", 600, short_processes, "Processes came and went all the time",
	  "CPU time in processes that lived for less than an interval of up to 2 s, at least",
	  "Do more in each process: call a program once for many pieces, not once for each.",
	  PART_KERNEL, .unless = "process-storm" },
	{ "metadata", 10000, "1/s", 0, metadata, "Files were opened and closed all the time",
	  "opens and closes on a node, at least",
	  "Keep files open, use fewer of them, or put small ones on local disks.",
	  /* PART_ASLEEP, since processes sleep until file servers reply */
	  PART_KERNEL, PART_ASLEEP },
	{ "swap-storm", 100, "1/s", 600, swap_storm,
	  "Memory went to swap space and back all the time",
	  "pages each way on a node, at least",
	  "The job needs more memory than there is: use more nodes, or less memory.",
	  PART_KERNEL, PART_MEMORY },
	{ "switches", 5000, "1/s", 600, switches, "Threads woke one another all the time",
	  "context switches for each second of CPU time, at least",
	  "They contend for a lock, or pass on little work: use fewer threads or larger pieces.",
	  PART_KERNEL },
	{ "compaction", 10, "1/s", 600, compaction, "Memory was moved to make huge pages",
	  "allocations that had to move other pages first, on a node, at least",
	  "Use huge pages for large arrays only (madvise), or reserve them before it starts.",
	  PART_KERNEL, PART_MEMORY },
	{ "memory-churn", 10, "%", 600, memory_churn,
	  "Memory was taken from the kernel and given back all the time",
	  "CPU time that zeroing these pages takes, at least",
	  "Keep buffers for the next use; see mallopt(3): M_MMAP_THRESHOLD, M_TRIM_THRESHOLD.",
	  PART_KERNEL, .unless = "process-storm short-processes" },
	{ "other-io", 15, "%", 600, waits_for_others_io, "Other programs used the disks",
	  "time in which no task wanted a CPU, of a job with a fifth of the I/O or less, at least",
	  "Use another file system, or ask the site which programs these are.",
	  PART_KERNEL, PART_IO },
	{ "io-sleep", 15, "%", 600, sleeps_in_io, "Tasks slept while it read or wrote",
	  "time in which no task wanted a CPU, of a job that moved 100 kB a second, at least",
	  "Read and write larger pieces, sync less often, or work on a faster file system.",
	  PART_KERNEL, PART_IO, .unless = "other-io" },
	{ "small-io", 16, "kB", 600, small_io, "The disks worked in small pieces",
	  "size of 100 disk requests a second, below",
	  "Read and write larger pieces.", PART_KERNEL },
	{ "kernel-time", 50, "%", 600, kernel_time, "Most of the CPU time went into the kernel",
	  "CPU time that is in the kernel, at least",
	  "See what it asks of the kernel (strace -c): small writes, syncs, faults, sleeps.",
	  PART_KERNEL, .unless = "io-sleep other-io" },
	{ "bound", 130, "%", 600, bound_to_few, "Processes were bound to too few CPUs",
	  "CPUs that its tasks wanted, of those that processes were bound to, at least",
	  "Bind each to a CPU of its own, or to all (taskset, numactl, --cpu-bind, OMP_PLACES).",
	  PART_CPU },
	{ "wait-beside-idle", 25, "%", 600, waits_beside_idle,
	  "Tasks waited for a CPU although CPUs were idle",
	  "CPU time used, of the time in which a task waited and a CPU was idle, at least",
	  "Are threads bound to one CPU (taskset, OMP_PLACES)? Or do they wait for the same lock "
	  "or barrier? Share less, or bind each to a CPU of its own.", PART_CPU,
	  .unless = "bound switches" },
	{ "oversubscribed", 150, "%", 600, oversubscribed,
	  "More tasks had work than there are CPUs",
	  "tasks that wanted a CPU, of the CPUs given, at least",
	  "Start as many threads and processes as there are CPUs.", PART_CPU,
	  .unless = "bound process-storm" },
	{ "cpu-wait", 25, "%", 600, waits_for_cpu, "Processes waited for a CPU",
	  "time of the CPUs that it worked on, at least",
	  "Are they bound to too few CPUs, or are there more of them than CPUs?", PART_CPU,
	  .unless = "bound oversubscribed switches wait-beside-idle" },
	{ "io-wait", 25, "%", 600, waits_for_io, "Processes waited for I/O",
	  "time of the CPUs that it worked on, at least",
	  "Read and write larger pieces, sync less often, or work on a faster file system.",
	  PART_IO, .unless = "other-io" },
	{ "memory-wait", 10, "%", 600, waits_for_memory, "Processes waited for memory",
	  "time of the CPUs that it worked on, at least",
	  "The node had too little of it: use more nodes, or less memory.", PART_MEMORY,
	  .unless = "memory-thrash compaction" },
	{ "other-programs", 10, "%", 1, other_programs,
	  "Other programs used the node's CPUs",
	  "CPU time given that other programs used, at least",
	  "Ask for the whole node (--exclusive), or ask the site which programs these are.",
	  PART_OTHERS },
	{ "faded", 25, "%", 600, faded, "The CPUs had less to do after a time",
	  "CPU use after a time, of that before, below",
	  "Processes of the job end at different times: spread the work." },
	{ "uneven", 50, "%", 600, uneven, "Some nodes had more to do than others",
	  "least busy node below the busiest by at least",
	  "Spread the work evenly over the nodes.", .unless = "no-cpu-time idle-nodes" },
	{ "serial", 85, "%", 600, serial, "Only one CPU had work",
	  "CPUs busy of several: up to 1.01, and at least",
	  "Is it a serial program? Are its processes bound to one CPU?",
	  .unless = "unseen-gpus bound wait-beside-idle" },
	{ "io-stops", 10, "%", 600, io_stops_work, "Work stopped while it read or wrote",
	  "time in which it read or wrote 10 MB or more a second and wanted fewer CPUs, at least",
	  "Let one thread write while the others go on, write less, or write less often.",
	  .unless = "io-wait io-sleep other-io" },
	{ "serial-part", 25, "%", 600, serial_part, "Only one CPU worked for a part of the time",
	  "time in which one CPU worked, of a job that used several at other times, at least",
	  "That part sets how long it takes: run it in parallel, or share the work out evenly.",
	  .unless = "stopped faded serial bound" },
	{ "uneven-cpus", 40, "%", 600, uneven_cpus, "One CPU had more to do than the others",
	  "other CPUs that it used below the busiest one by at least",
	  "Share the work out evenly: the other threads wait for the slowest.",
	  .unless = "serial serial-part" },
	{ "asleep", 50, "%", 600, asleep, "Processes slept",
	  "CPU time given in which they slept, at least",
	  "What do they wait for: each other, a network, a timer? Overlap it with work.",
	  PART_ASLEEP,
	  .unless = "no-cpu-time idle-nodes unseen-gpus serial serial-part io-sleep other-io" },
	{ "pauses", 25, "%", 600, pauses, "For a part of the time the job had nothing to do",
	  "time in which none of its tasks ran or waited for a CPU, at least",
	  "What did it wait for: a licence, a file, another job? Start it when that is there.",
	  .unless = "asleep io-sleep other-io io-wait no-cpu-time stopped" },
	{ "low-cpu", 65, "%", 600, low_cpu, "Many of the CPUs did nothing",
	  "busy CPUs of those given, below",
	  "Ask for fewer CPUs, or see what the processes wait for.",
	  .unless = "no-cpu-time idle-nodes unseen-gpus serial serial-part uneven-cpus asleep "
		    "bound io-stops io-sleep other-io pauses wait-beside-idle" },
	{ "scattered-gpus", 1, "nodes", 600, scattered_gpus,
	  "GPUs were on more nodes than needed", "nodes too many, at least",
	  "Ask for all GPUs of a node, and for fewer nodes: data between nodes takes longer." },
	{ "many-nodes", 1, "nodes", 600, many_nodes, "CPUs were on more nodes than needed",
	  "nodes too many for its CPUs and its memory, at least",
	  "Ask for fewer nodes, and more CPUs on each: data between nodes takes longer.",
	  .unless = "no-cpu-time idle-nodes" },
	{ "low-gpu", 15, "%", 600, low_gpu, "The GPUs had little to do",
	  "time that GPUs were busy, below",
	  "See what feeds the GPUs: I/O, CPUs, batches that are too small." },
	{ "memory-limit-near", 95, "%", 0, near_limit, "The memory was nearly used up",
	  "memory of its limit on a node, at least",
	  "The job nearly ran out of it: ask for some more next time.",
	  .unless = "memory-thrash" },
	{ "memory-limit-far", 70, "%", 600, much_memory,
	  "The job asked for far more memory than it used", "memory of its limit, below",
	  "Ask for less: 1.2 times what it used leaves room.",
	  .unless = "memory-grows memory-thrash" },
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
