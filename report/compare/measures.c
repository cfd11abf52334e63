/* SPDX-License-Identifier: BSD-3-Clause */
/* measures.c - values by which runs of jobs are compared, and what a difference means */
#include "report/compare/measures.h"

#include <math.h>
#include <stdio.h>
#include "base/base.h"
#include "figures/neighbours.h"
#include "figures/runs.h"
#include "figures/totals.h"
#include "figures/used.h"

static double read_length(const struct report *r, const struct measure *m, size_t node)
{
	(void)m;
	return (double)(node < r->n ? r->node[node].usec : report_duration(r)) / 1e6;
}

static double measures_read_nodes(const struct report *r, const struct measure *m, size_t node)
{
	(void)m;
	return node < r->n ? NAN : (double)r->n;
}

static double read_given(const struct report *r, const struct measure *m, size_t node)
{
	uint64_t cpus = cpus_given(&r->node[node]);
	(void)m;
	return cpus ? (double)cpus : NAN;
}

static double read_cpus_used(const struct report *r, const struct measure *m, size_t node)
{
	(void)m;
	return r->node[node].course.cpus ? r->node[node].course.cpus_used : NAN;
}

static double read_others(const struct report *r, const struct measure *m, size_t node)
{
	const struct node *n = &r->node[node];
	(void)m;
	return n->samples ? 100 * (double)n->shared / (double)n->samples : NAN;
}

static double read_figures(const struct report *r, const struct measure *m, size_t node)
{
	const struct node *n = &r->node[node];
	double sum = 0;
	bool known = false;

	for (size_t i = 0; i < ARRAY_SIZE(m->of) && m->of[i]; i++) {
		size_t f = figure_find(m->of[i]);
		if (f == n_figures || !value_known(&n->value[f]))
			continue;
		known = true;
		sum += value_of(&figures[f], &n->value[f]);
	}
	return known ? sum : NAN;
}

static double read_rate(const struct report *r, const struct measure *m, size_t node)
{
	double seconds = (double)r->node[node].usec / 1e6;
	return seconds > 0 ? read_figures(r, m, node) / seconds : NAN;
}

/* Return CPU seconds in percent of the node's CPU time, which is elapsed time times CPUs. */
static double read_of_cpus(const struct report *r, const struct measure *m, size_t node)
{
	double whole = r->node[node].course.cpus * (double)r->node[node].usec / 1e6;
	return whole > 0 ? 100 * read_figures(r, m, node) / whole : NAN;
}

static double read_derived(const struct report *r, const struct measure *m, size_t node)
{
	struct derived_total t;
	size_t i = derived_find(m->of[0]);

	if (node == r->n)
		return total_derived(r, i, &t) && t.bound == BOUND_NONE ? t.n : NAN;
	const struct node *n = &r->node[node];
	struct derived_value v = derived_of(&derived[i], n->value, (double)n->usec / 1e6);
	return v.known && derived_bound(&v) == BOUND_NONE ? derived_number(&derived[i], &v) : NAN;
}

/*
 * the parts of the CPU time count as unknown if the known parts add up to less than this fraction
 * of the allocated CPU time
 */
#define KNOWN .95

static struct parts read_parts(const struct report *r, size_t node)
{
	struct parts p = node < r->n ? parts_of_node(r, node) : parts_of(r);
	return p.part[PART_UNKNOWN] > (1 - KNOWN) * p.of ? (struct parts){ 0 } : p;
}

static double read_part(const struct report *r, const struct measure *m, size_t node)
{
	struct parts p = read_parts(r, node);
	return p.of > 0 ? part_percent(&p, m->part) : NAN;
}

static double read_worked(const struct report *r, const struct measure *m, size_t node)
{
	struct parts p = read_parts(r, node);
	(void)m;
	return p.of > 0 ? p.part[PART_USER] + p.part[PART_KERNEL] : NAN;
}

#define CAUSE   MEASURE_CAUSE
#define WAIT    MEASURE_WAIT
#define SIGN    MEASURE_SIGN
#define TIME    MEASURE_TIME
#define COUNT   MEASURE_COUNT
#define PERCENT MEASURE_PERCENT
#define BYTES   MEASURE_BYTES
#define DERIVED MEASURE_DERIVED
#define MUCH    1e8	/* bytes; a smaller amount does not delay a job noticeably */
#define OF      .of =
#define ALONE   .alone = true
#define SUM     .over = MEASURE_SUM
#define MEAN    .over = MEASURE_MEAN
#define MOVED(where) "The job moved more bytes to and from " where, \
		     "The job moved fewer bytes to and from " where
#define FILES(where) SUM, ALONE, .files = where
#define BIND_MEMORY "Look at the binding: --cpu-bind, --mem-bind, numactl."

const struct measure measures[MEASURES] = {
	[MEASURE_LENGTH] = { "length", "length", read_length, TIME, 1, SIGN },
	{ "nodes", "nodes", measures_read_nodes, COUNT, .5, CAUSE, -1,
	  "The job had more nodes", "The job had fewer nodes" },
	{ "cpus_given", "CPUs given", read_given, COUNT, .5, CAUSE, -1,
	  "The job was given more CPUs", "The job was given fewer CPUs", SUM },
	{ "cpus_used", "CPUs that worked on a node", read_cpus_used, COUNT, .5, CAUSE, -1,
	  "Processes worked on more CPUs of a node",
	  "Processes worked on fewer CPUs of a node",
	  "Look at the binding: --cpus-per-task, --cpu-bind, taskset, OMP_PROC_BIND.", MEAN,
	  ALONE },
	{ "clock", "clock while busy", read_derived, DERIVED, .02, CAUSE, -1,
	  "The clock of the CPUs was higher", "The clock of the CPUs was lower",
	  "A governor, a power cap, heat and wide vector instructions set the clock.",
	  OF { "clock" }, ALONE },
	{ "remote_pages", "memory pages, remote", read_derived, PERCENT, 5, CAUSE, 1,
	  "More memory was on another NUMA node than its processes",
	  "Less memory was on another NUMA node than its processes",
	  BIND_MEMORY, OF { "remote_pages" }, ALONE },
	{ "remote_loads", "memory loads, remote", read_derived, PERCENT, 5, CAUSE, 1,
	  "More loads were from the memory of another package",
	  "Fewer loads were from the memory of another package",
	  BIND_MEMORY, OF { "remote_loads" }, ALONE },
	{ "others", "time with other jobs", read_others, PERCENT, 5, CAUSE, 1,
	  "Other jobs were on the nodes for longer",
	  "Other jobs were on the nodes for less time", MEAN },
	{ "stolen", "taken by other guests", read_of_cpus, PERCENT, 2, CAUSE, 1,
	  "Other guests of the host took more CPU time",
	  "Other guests of the host took less CPU time", OF { "cpu_virt.steal" }, MEAN,
	  ALONE },
	{ "other_programs", "other programs", read_part, PERCENT, 5, CAUSE, 1,
	  "Other programs used more of the CPU time", "Other programs used less of the CPU time",
	  .part = PART_OTHERS },
	{ "kernel", "system", read_part, PERCENT, 5, WAIT, 1,
	  "More of the CPU time was in the kernel", "Less of the CPU time was in the kernel",
	  .part = PART_KERNEL },
	{ "cpu_wait", "waiting for CPU", read_part, PERCENT, 5, WAIT, 1,
	  "Processes waited longer for a CPU", "Processes waited less for a CPU",
	  .part = PART_CPU },
	{ "io_wait", "waiting for I/O", read_part, PERCENT, 5, WAIT, 1,
	  "Processes waited longer for I/O", "Processes waited less for I/O",
	  .part = PART_IO },
	{ "memory_wait", "waiting for memory", read_part, PERCENT, 5, WAIT, 1,
	  "Processes waited longer for memory", "Processes waited less for memory",
	  .part = PART_MEMORY },
	{ "asleep", "asleep", read_part, PERCENT, 5, WAIT, 1,
	  "Processes slept more", "Processes slept less", .part = PART_ASLEEP },
	{ "unused", "CPUs never used", read_part, PERCENT, 5, SIGN, 1,
	  "More of the CPU time was unused", "Less of the CPU time was unused",
	  .part = PART_UNUSED },
	{ "cpu_time", "CPU time used", read_worked, TIME, 1, SIGN, 1,
	  "The job needed more CPU time", "The job needed less CPU time" },
	{ "cpi", "cycles per instruction", read_derived, DERIVED, .02, SIGN, 1,
	  "An instruction took more cycles", "An instruction took fewer cycles",
	  OF { "cpi" }, ALONE },
	{ "gflops64", "64 bit operations", read_derived, DERIVED, .1, SIGN, -1,
	  "The job did more 64 bit operations a second",
	  "The job did fewer 64 bit operations a second",
	  OF { "gflops64" }, ALONE },
	{ "vector64", "vectorised, 64 bit", read_derived, PERCENT, 5, CAUSE, -1,
	  "More of the 64 bit operations were of vector instructions",
	  "Fewer of the 64 bit operations were of vector instructions",
	  "Compare how the two programs were compiled.", OF { "vector64" }, ALONE },
	{ "memory", "memory bandwidth", read_derived, DERIVED, .1, SIGN, -1,
	  "The job moved more memory a second", "The job moved less memory a second",
	  OF { "memory" }, ALONE },
	{ "gpus_busy", "GPUs busy, of a node", read_figures, COUNT, .05, SIGN, -1,
	  "GPUs had more to do", "GPUs had less to do",
	  OF { "nvidia_gpu.utilization", "amd_gpu.gpu_util" }, MEAN, ALONE },
	{ "switches", "context switches a second", read_rate, COUNT, 100, SIGN, 1,
	  "CPUs changed from one process to another more often",
	  "CPUs changed from one process to another less often", OF { "ps.ctxt" }, MEAN,
	  ALONE },
	{ "osc_wait", "wait for Lustre's data", read_derived, DERIVED, 1, CAUSE, 1,
	  "Lustre's object servers took longer for a request",
	  "Lustre's object servers took less time for a request", OF { "osc_wait" }, ALONE },
	{ "mdc_wait", "wait for Lustre's metadata", read_derived, DERIVED, 1, CAUSE, 1,
	  "Lustre's metadata servers took longer for a request",
	  "Lustre's metadata servers took less time for a request", OF { "mdc_wait" }, ALONE },
	{ "network", "network bytes", read_figures, BYTES, MUCH, SIGN, 0,
	  "The job moved more bytes over the network", "The job moved fewer bytes over the network",
	  OF { "net.rx_bytes", "net.tx_bytes" }, SUM, ALONE },
	{ "lustre", "Lustre bytes", read_figures, BYTES, MUCH, SIGN, 0, MOVED("Lustre"),
	  OF { "llite.read_bytes", "llite.write_bytes" }, FILES("Lustre") },
	{ "nfs", "NFS bytes", read_figures, BYTES, MUCH, SIGN, 0, MOVED("NFS"),
	  OF { "nfs.server_read", "nfs.server_write" }, FILES("NFS") },
	{ "disks", "disk bytes", read_figures, BYTES, MUCH, SIGN, 0, MOVED("disks"),
	  OF { "block.rd_sectors", "block.wr_sectors" }, FILES("disks") },
	{ "tmpfs", "tmpfs bytes, peak", read_figures, BYTES, MUCH, SIGN, 0,
	  "It had more bytes in tmpfs", "It had fewer bytes in tmpfs",
	  OF { "tmpfs.bytes_used" }, FILES("tmpfs, which is memory") },
};

/*
 * Return the sum or the mean of a measure over the nodes on which it is known, or NAN if it is
 * unknown on all nodes.
 */
static double over_nodes(const struct measure *m, const struct report *r)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < r->n; i++) {
		double n = m->read(r, m, i);
		sum += isnan(n) ? 0 : n;
		known += !isnan(n);
	}
	return known ? sum / (m->over == MEASURE_MEAN ? (double)known : 1) : NAN;
}

double measure_read(const struct measure *m, const struct report *r, size_t node)
{
	bool own = node < r->n ? node_is_exclusive(r, node) : nodes_are_exclusive(r);
	if (m->alone && !own)
		return NAN;
	return node == r->n && m->over ? over_nodes(m, r) : m->read(r, m, node);
}

struct text measure_text(const struct measure *m, double n)
{
	struct text t = { "-" };

	if (isnan(n))
		return t;
	if (m->unit == MEASURE_TIME)
		return text_duration((int64_t)(n * 1e6));
	if (m->unit == MEASURE_PERCENT)
		return text_percent(n);
	if (m->unit == MEASURE_BYTES)
		return text_value(UNIT_BYTES, n);
	struct axis a = m->unit == MEASURE_DERIVED ?
			axis_of_derived(&derived[derived_find(m->of[0])]) : (struct axis){ 1, "" };
	snprintf(t.s, sizeof(t.s), "%.4g%s%.20s", a.by * n, a.unit[0] ? " " : "", a.unit);
	return t;
}
