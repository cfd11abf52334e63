/* SPDX-License-Identifier: BSD-3-Clause */
/* derived.c - figures computed from other figures, in the order of the report */
#include "figures/derived.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include "base/base.h"

#define HARDWARE "Processor"
#define FILES    "File systems"
#define NETWORK  "Network and fabric"
#define POWER    "Power"
#define XROOTD   "XRootD"
#define GPU      "GPU counters"

#define FLOP64 { Q_FP64_1, 1 }, { Q_FP64_2, 2 }, { Q_FP64_4, 4 }, { Q_FP64_8, 8 }
#define FLOP32 { Q_FP32_1, 1 }, { Q_FP32_4, 4 }, { Q_FP32_8, 8 }, { Q_FP32_16, 16 }
#define DRAM   { Q_DRAM_READ, 1 }, { Q_DRAM_WRITTEN, 1 }, { Q_DRAM_BOTH, 1 }
#define SHARE  "%", .scale = 100
#define OF_GPU(q) .over = { { q, 1 } }, .under = { { Q_GPM_TIME, 1 } }

const struct derived derived[] = {
	{ "cpi", HARDWARE, "cycles per instruction", "", "cycles / instructions",
	  .over = { { Q_CYCLES, 1 } }, .under = { { Q_INSTRUCTIONS, 1 } } },
	{ "clock", HARDWARE, "clock while busy", "GHz", "cycles / CPU time that is not idle",
	  .over = { { Q_CYCLES, 1e-9 } }, .under = { { Q_USER, 1 }, { Q_SYSTEM, 1 } } },
	{ "gflops64", HARDWARE, "GFLOP/s, 64 bit", "GF/s",
	  "sum of numbers in a vector x instructions of 64 bit / time",
	  .over = { FLOP64 }, .scale = 1e-9 },
	{ "gflops32", HARDWARE, "GFLOP/s, 32 bit", "GF/s", "likewise of 32 bit",
	  .over = { FLOP32 }, .scale = 1e-9 },
	{ "gflops", HARDWARE, "GFLOP/s, all", "GF/s",
	  "floating point operations / time, where one event counts all widths",
	  .over = { { Q_FLOP, 1 } }, .scale = 1e-9 },
	{ "vector64", HARDWARE, "vectorised, 64 bit", SHARE,
	  .formula = "operations of vector instructions / all, 64 bit",
	  .over = { { Q_FP64_2, 2 }, { Q_FP64_4, 4 }, { Q_FP64_8, 8 } }, .under = { FLOP64 } },
	{ "vector32", HARDWARE, "vectorised, 32 bit", SHARE,
	  .formula = "operations of vector instructions / all, 32 bit",
	  .over = { { Q_FP32_4, 4 }, { Q_FP32_8, 8 }, { Q_FP32_16, 16 } }, .under = { FLOP32 } },
	{ "width64", HARDWARE, "vector width, 64 bit", "numbers",
	  "operations / instructions, 64 bit",
	  .over = { FLOP64 },
	  .under = { { Q_FP64_1, 1 }, { Q_FP64_2, 1 }, { Q_FP64_4, 1 }, { Q_FP64_8, 1 } } },
	{ "width32", HARDWARE, "vector width, 32 bit", "numbers",
	  "operations / instructions, 32 bit",
	  .over = { FLOP32 },
	  .under = { { Q_FP32_1, 1 }, { Q_FP32_4, 1 }, { Q_FP32_8, 1 }, { Q_FP32_16, 1 } } },
	{ "vector_instructions", HARDWARE, "vector instructions", SHARE,
	  .formula = "vector instructions / floating point instructions of both precisions",
	  .over = { { Q_FP_VECTOR, 1 } }, .under = { { Q_FP_VECTOR, 1 }, { Q_FP_SCALAR, 1 } } },
	{ "memory_read", HARDWARE, "memory read", "GB/s", "bytes read from DRAM / time",
	  .over = { { Q_DRAM_READ, 1 } }, .scale = 1e-9 },
	{ "memory_written", HARDWARE, "memory written", "GB/s", "bytes written to DRAM / time",
	  .over = { { Q_DRAM_WRITTEN, 1 } }, .scale = 1e-9 },
	{ "memory", HARDWARE, "memory, both", "GB/s", "bytes read from and written to DRAM / time",
	  .over = { DRAM }, .scale = 1e-9 },
	{ "hbm", HARDWARE, "HBM, both", "GB/s", "bytes read from and written to HBM / time",
	  .over = { { Q_HBM_READ, 1 }, { Q_HBM_WRITTEN, 1 } }, .scale = 1e-9 },
	{ "intensity64", HARDWARE, "FLOP per byte, 64 bit", "", "64 bit operations / bytes of DRAM",
	  .over = { FLOP64 }, .under = { DRAM } },
	{ "l1_hits", HARDWARE, "loads from L1", SHARE, .formula = "L1 hits / loads",
	  .over = { { Q_L1_HITS, 1 } }, .under = { { Q_LOADS, 1 } } },
	{ "l2_hits", HARDWARE, "loads from L2", SHARE, .formula = "L2 hits / loads",
	  .over = { { Q_L2_HITS, 1 } }, .under = { { Q_LOADS, 1 } } },
	{ "l3_hits", HARDWARE, "loads from L3", SHARE, .formula = "L3 hits / loads",
	  .over = { { Q_L3_HITS, 1 } }, .under = { { Q_LOADS, 1 } } },
	{ "stalls", HARDWARE, "stalled for resources", SHARE, .formula = "stalled cycles / cycles",
	  .over = { { Q_STALLS, 1 } }, .under = { { Q_CYCLES, 1 } } },
	{ "remote_loads", HARDWARE, "memory loads, remote", SHARE,
	  .formula = "loads from another package's memory / loads from memory",
	  .over = { { Q_LOADS_REMOTE, 1 } },
	  .under = { { Q_LOADS_REMOTE, 1 }, { Q_LOADS_LOCAL, 1 } } },
	{ "remote_pages", HARDWARE, "pages, remote", SHARE,
	  .formula = "pages given on another NUMA node than the process's / all pages given",
	  .over = { { Q_PAGES_REMOTE, 1 } },
	  .under = { { Q_PAGES_REMOTE, 1 }, { Q_PAGES_LOCAL, 1 } } },

	{ "power_node", POWER, "whole node", "W", "energy of the whole node / time",
	  .over = { { Q_JOULES_NODE, 1 } } },
	{ "power_packages", POWER, "packages", "W", "energy of packages / time",
	  .over = { { Q_JOULES_PACKAGE, 1 } } },
	{ "power_memory", POWER, "memory", "W", "energy of memory / time",
	  .over = { { Q_JOULES_MEMORY, 1 } } },
	{ "power_gpus", POWER, "GPUs", "W", "energy of GPUs / time",
	  .over = { { Q_JOULES_GPU, 1 } } },
	{ "power", POWER, "all that is measured", "W", "energy of all these / time",
	  .over = { { Q_JOULES_PACKAGE, 1 }, { Q_JOULES_MEMORY, 1 }, { Q_JOULES_GPU, 1 } },
	  .floor = true },

	{ "gpu_sm", GPU, "multiprocessors busy", SHARE,
	  .formula = "multiprocessors with work / all, of all GPUs", OF_GPU(Q_GPM_SM) },
	{ "gpu_occupancy", GPU, "occupancy", SHARE,
	  .formula = "warps that were active / those that could be", OF_GPU(Q_GPM_OCCUPANCY) },
	{ "gpu_tensor", GPU, "tensor, any", SHARE,
	  .formula = "time of tensor pipes / time", OF_GPU(Q_GPM_TENSOR) },
	{ "gpu_tensor_dfma", GPU, "tensor, FP64", SHARE,
	  .formula = "time of the DFMA tensor pipe / time", OF_GPU(Q_GPM_DFMA) },
	{ "gpu_tensor_hmma", GPU, "tensor, FP16 and BF16", SHARE,
	  .formula = "time of the HMMA tensor pipe / time", OF_GPU(Q_GPM_HMMA) },
	{ "gpu_tensor_imma", GPU, "tensor, integer", SHARE,
	  .formula = "time of the IMMA tensor pipe / time", OF_GPU(Q_GPM_IMMA) },
	{ "gpu_fp64", GPU, "FP64", SHARE,
	  .formula = "time of the FP64 pipe / time", OF_GPU(Q_GPM_FP64) },
	{ "gpu_fp32", GPU, "FP32", SHARE,
	  .formula = "time of the FP32 pipe / time", OF_GPU(Q_GPM_FP32) },
	{ "gpu_fp16", GPU, "FP16", SHARE,
	  .formula = "time of the FP16 pipe / time", OF_GPU(Q_GPM_FP16) },
	{ "gpu_integer", GPU, "integer", SHARE,
	  .formula = "time of the integer pipe / time", OF_GPU(Q_GPM_INTEGER) },
	{ "gpu_dram", GPU, "memory, of its bandwidth", SHARE,
	  .formula = "traffic of GPU memory / the most there can be", OF_GPU(Q_GPM_DRAM) },
	{ "gpu_memory", GPU, "memory, both", "GB/s", "bytes of GPU memory / time",
	  .over = { { Q_GPM_DRAM_BYTES, 1e-9 } } },
	{ "gpu_pcie", GPU, "PCIe, both ways", "GB/s", "bytes / time",
	  .over = { { Q_GPM_PCIE_BYTES, 1e-9 } } },

	{ "files_bandwidth", FILES, "Lustre and NFS, both ways", "MB/s",
	  "bytes read and written / time", .over = { { Q_FS_BYTES, 1e-6 } } },
	{ "metadata", FILES, "Lustre metadata", "1/s",
	  "operations on files and directories, opens and closes too / time",
	  .over = { { Q_METADATA, 1 }, { Q_OPEN_CLOSE, 1 } } },
	{ "open_close", FILES, "Lustre opens and closes", "1/s", "opens and closes / time",
	  .over = { { Q_OPEN_CLOSE, 1 } } },
	{ "mdc_rate", FILES, "Lustre metadata requests", "1/s",
	  "requests to metadata servers / time",
	  .over = { { Q_MDC_REQUESTS, 1 } } },
	{ "mdc_wait", FILES, "wait for one of these", "ms", "time of requests / requests",
	  .over = { { Q_MDC_WAIT, 1e3 } }, .under = { { Q_MDC_REQUESTS, 1 } } },
	{ "osc_rate", FILES, "Lustre data requests", "1/s", "requests to object servers / time",
	  .over = { { Q_OSC_REQUESTS, 1 } } },
	{ "osc_wait", FILES, "wait for one of these", "ms", "time of requests / requests",
	  .over = { { Q_OSC_WAIT, 1e3 } }, .under = { { Q_OSC_REQUESTS, 1 } } },
	{ "disk_bandwidth", FILES, "disks, both ways", "MB/s", "bytes read and written / time",
	  .over = { { Q_DISK_BYTES, 1e-6 } } },
	{ "disk_rate", FILES, "disk requests", "1/s", "reads and writes / time",
	  .over = { { Q_DISK_REQUESTS, 1 } } },
	{ "disk_size", FILES, "disk request size", "kB", "bytes / reads and writes",
	  .over = { { Q_DISK_BYTES, 1e-3 } }, .under = { { Q_DISK_REQUESTS, 1 } } },

	{ "net_bandwidth", NETWORK, "network, both ways", "MB/s", "bytes without lo / time",
	  .over = { { Q_NET_BYTES, 1e-6 } } },
	{ "net_rate", NETWORK, "network packets", "1/s", "packets without lo / time",
	  .over = { { Q_NET_PACKETS, 1 } } },
	{ "ib_bandwidth", NETWORK, "IB, both ways", "MB/s", "bytes of ib_ext / time",
	  .over = { { Q_IB_BYTES, 1e-6 } } },
	{ "ib_rate", NETWORK, "IB packets", "1/s", "packets of ib_ext / time",
	  .over = { { Q_IB_PACKETS, 1 } } },
	{ "ib_size", NETWORK, "IB packet size", "B", "bytes / packets of ib_ext",
	  .over = { { Q_IB_BYTES, 1 } }, .under = { { Q_IB_PACKETS, 1 } } },
	{ "ib_sw_bandwidth", NETWORK, "IB switch, both ways", "MB/s", "bytes of ib_sw / time",
	  .over = { { Q_IB_SWITCH_BYTES, 1e-6 } } },
	{ "ib_sw_rate", NETWORK, "IB switch packets", "1/s", "packets of ib_sw / time",
	  .over = { { Q_IB_SWITCH_PACKETS, 1 } } },
	{ "ib_sw_size", NETWORK, "IB switch packet size", "B", "bytes / packets of ib_sw",
	  .over = { { Q_IB_SWITCH_BYTES, 1 } }, .under = { { Q_IB_SWITCH_PACKETS, 1 } } },
	{ "opa_bandwidth", NETWORK, "OPA, both ways", "MB/s", "bytes / time",
	  .over = { { Q_OPA_BYTES, 1e-6 } } },
	{ "opa_rate", NETWORK, "OPA packets", "1/s", "packets / time",
	  .over = { { Q_OPA_PACKETS, 1 } } },
	{ "opa_size", NETWORK, "OPA packet size", "B", "bytes / packets",
	  .over = { { Q_OPA_BYTES, 1 } }, .under = { { Q_OPA_PACKETS, 1 } } },
	{ "opa_congestion", NETWORK, "OPA congestion", "1/s",
	  "waits, congestion and ECN marks / time", .over = { { Q_OPA_CONGESTION, 1 } } },
	{ "cxi_bandwidth", NETWORK, "Slingshot, both ways", "MB/s", "bytes / time",
	  .over = { { Q_CXI_BYTES, 1e-6 } } },
	{ "lnet_bandwidth", NETWORK, "LNet, both ways", "MB/s", "bytes / time",
	  .over = { { Q_LNET_BYTES, 1e-6 } } },
	{ "lnet_rate", NETWORK, "LNet messages", "1/s", "messages / time",
	  .over = { { Q_LNET_MESSAGES, 1 } } },
	{ "lnet_size", NETWORK, "LNet message size", "kB", "bytes / messages",
	  .over = { { Q_LNET_BYTES, 1e-3 } }, .under = { { Q_LNET_MESSAGES, 1 } } },

	{ "xrootd_in_explained", XROOTD, "received, explained", SHARE,
	  .formula = "bytes written to files / bytes that servers received",
	  .over = { { Q_XRD_IN_EXPLAINED, 1 } }, .under = { { Q_XRD_IN, 1 } } },
	{ "xrootd_out_explained", XROOTD, "sent, explained", SHARE,
	  .formula = "bytes read from files / bytes that servers sent",
	  .over = { { Q_XRD_OUT_EXPLAINED, 1 } }, .under = { { Q_XRD_OUT, 1 } } },
};

const size_t n_derived = ARRAY_SIZE(derived);
_Static_assert(ARRAY_SIZE(derived) <= DERIVED_MAX, "more of them");

size_t derived_find(const char *id)
{
	size_t i = 0;
	while (i < n_derived && strcmp(derived[i].id, id) != 0)
		i++;
	return i;
}

static double derived_weight_of(const struct derived_term *term, enum quantity q)
{
	for (size_t i = 0; i < DERIVED_TERMS && term[i].quantity; i++)
		if (term[i].quantity == q)
			return term[i].weight;
	return 0;
}

#define FIGURES_MAX 1024

/*
 * For each quantity q, the indexes in figures[] of its figures, in ascending order:
 * .figure[.first[q]] to .figure[.first[q + 1] - 1].
 */
static struct {
	uint16_t first[N_QUANTITIES + 1];
	uint16_t figure[FIGURES_MAX];
} by_quantity;

static void derived_sort_figures(void)
{
	size_t n = 0;

	assert(n_figures <= FIGURES_MAX);
	for (size_t q = 0; q < N_QUANTITIES; q++) {
		by_quantity.first[q] = (uint16_t)n;
		for (size_t i = 0; i < n_figures; i++)
			if (figures[i].quantity == q)
				by_quantity.figure[n++] = (uint16_t)i;
	}
	by_quantity.first[N_QUANTITIES] = (uint16_t)n;
}

/* Iterator over the figures of all quantities of a sum, in the order of figures[]. */
struct term_figures {
	const struct derived_term *term;
	size_t n;			/* number of terms */
	/* for each term: index in by_quantity.figure of the next figure */
	size_t next[DERIVED_TERMS];
};

static struct term_figures derived_figures_of(const struct derived_term *term)
{
	struct term_figures f = { .term = term };

	if (!by_quantity.first[N_QUANTITIES])
		derived_sort_figures();
	for (; f.n < DERIVED_TERMS && term[f.n].quantity; f.n++)
		f.next[f.n] = by_quantity.first[term[f.n].quantity];
	return f;
}

/* Get the next figure, and the weight of its term. Returns false after the last figure. */
static bool derived_next_figure(struct term_figures *f, size_t *figure, double *weight)
{
	size_t best = f->n;

	for (size_t i = 0; i < f->n; i++) {
		size_t end = by_quantity.first[f->term[i].quantity + 1];
		if (f->next[i] < end && (best == f->n || by_quantity.figure[f->next[i]] <
						 by_quantity.figure[f->next[best]]))
			best = i;
	}
	if (best == f->n)
		return false;
	*figure = by_quantity.figure[f->next[best]++];
	*weight = f->term[best].weight;
	return true;
}

static bool derived_is_hardware(enum quantity q)
{
	return q >= Q_INSTRUCTIONS && q <= Q_LOADS_REMOTE;
}

/*
 * Return the factor for counters that were multiplexed: the time for which they were enabled,
 * divided by the time for which they counted. Returns 1 for types without these times.
 */
static double derived_turns_factor(const struct figure *f, const struct value *value)
{
	double enabled = 0, running = 0;
	size_t first, end;

	if (!derived_is_hardware(f->quantity))
		return 1;
	figures_of_type((struct figures){ figures, n_figures }, str_of(f->type), &first, &end);
	for (size_t i = first; i < end; i++) {
		if (figures[i].quantity == Q_ENABLED && value_known(&value[i]))
			enabled = value[i].n;
		if (figures[i].quantity == Q_RUNNING && value_known(&value[i]))
			running = value[i].n;
	}
	return running > 0 ? enabled / running : enabled > 0 ? 0 : 1;
}

static void derived_add_steps(uint64_t *to, const uint32_t *steps)
{
	for (int h = 0; h < DELTA_HOWS; h++)
		to[h] += steps[h];
}

/*
 * Add the weighted figures of the terms to *ret. Returns false if the node has none of these
 * figures, or if the value of one is unknown.
 */
static bool derived_sum_terms(const struct derived_term *term, const struct value *value,
			      struct derived_value *v, double *ret, uint32_t *left_out)
{
	struct term_figures of = derived_figures_of(term);
	bool any = false, unknown = false;
	int side = ret == &v->under;
	double w;

	for (size_t i; derived_next_figure(&of, &i, &w); ) {
		unknown |= value_unknown(&value[i]);
		*left_out = value[i].other_events > *left_out ? value[i].other_events : *left_out;
		if (!value_known(&value[i]))
			continue;
		any = true;
		double turns = derived_turns_factor(&figures[i], value);
		*ret += w * value_of(&figures[i], &value[i]) * turns;
		v->inferred[side] += fabs(w) * value[i].inferred * turns;
		derived_add_steps(v->steps, value[i].steps);
		v->resets[side] += value[i].resets;
		v->devices = value[i].devices > v->devices ? value[i].devices : v->devices;
	}
	return any && !unknown;
}

static void derived_add_missing(struct derived_value *v, double over, double under)
{
	double ratio = under > 0 ? over / under : INFINITY;

	v->least = !v->part || ratio < v->least ? ratio : v->least;
	v->most = !v->part || ratio > v->most ? ratio : v->most;
	v->part = true;
}

/*
 * Mark the value as a bound: the node may have more of quantity q than was counted. If `rather` is
 * not 0, the missing amount of q was counted as quantity `rather`.
 */
static void derived_add_missing_quantity(struct derived_value *v, const struct derived *d,
					 enum quantity q,
					 enum quantity rather)
{
	double over = derived_weight_of(d->over,
					q) - (rather ? derived_weight_of(d->over, rather) : 0);
	double under = derived_weight_of(d->under,
					 q) - (rather ? derived_weight_of(d->under, rather) : 0);

	if (over > 0 || under > 0)
		derived_add_missing(v, over, under);
}

/* Whether the figures of a node count all of a quantity. */
struct derived_coverage {
	bool counted;	/* at least one figure of the quantity is known */
	/* the quantity is the sum of several figures, and the value of one is unknown */
	bool part;
	bool expected;	/* the node has rows of a type with a figure of the quantity */
	uint32_t less;	/* number of devices that lack a counter of the quantity */
};

/*
 * Return true if the quantity is the sum of its figures. If not, its figures are several names of
 * one event, and one figure is enough.
 */
static bool derived_is_added_up(enum quantity q)
{
	return q <= Q_IDLE || q >= Q_DISK_BYTES;
}

static bool derived_is_same_type(size_t a, size_t b)
{
	return figures[a].type == figures[b].type ||
	       strcmp(figures[a].type, figures[b].type) == 0;
}

static uint32_t derived_count_devices_with(const struct value *value, size_t first, size_t end,
					   enum quantity q)
{
	uint32_t n = 0;
	for (size_t i = first; i < end; i++)
		if (figures[i].quantity == q && value_known(&value[i]))
			n += value[i].devices;
	return n;
}

/*
 * For each quantity, count the devices that lack a counter of it. If the figures of a quantity are
 * several names of one event, a device needs only one of these figures, so devices with any of them
 * are counted together.
 */
static void derived_find_lacking_devices(struct derived_coverage terms[N_QUANTITIES],
					 const struct value *value, size_t first,
					 size_t end)
{
	uint32_t most = 0;

	for (size_t i = first; i < end; i++)
		most = value[i].devices > most ? value[i].devices : most;
	for (size_t i = first; i < end; i++) {
		enum quantity q = figures[i].quantity;
		uint32_t n = derived_is_added_up(q) || !value_known(&value[i]) ? most :
			     derived_count_devices_with(value, first, end, q);
		if (n < most && most - n > terms[q].less)
			terms[q].less = most - n;
	}
}

static void derived_cover_type(struct derived_coverage terms[N_QUANTITIES],
			       const struct value *value,
			       size_t first,
			       size_t end)
{
	bool here = false;

	for (size_t i = first; i < end; i++)
		here |= value[i].seen;
	for (size_t i = first; here && i < end; i++) {
		struct derived_coverage *t = &terms[figures[i].quantity];
		bool known = value_known(&value[i]);
		t->expected = true;
		t->counted |= known;
		t->part |= !known && derived_is_added_up(figures[i].quantity);
		if (known && figures[i].rather)
			terms[figures[i].rather].counted = true;
	}
}

static void derived_cover_all(struct derived_coverage terms[N_QUANTITIES],
			      const struct value *value)
{
	for (size_t first = 0, end; first < n_figures; first = end) {
		for (end = first + 1; end < n_figures && derived_is_same_type(first, end); end++)
			;
		derived_cover_type(terms, value, first, end);
		derived_find_lacking_devices(terms, value, first, end);
	}
}

/*
 * Whether a quantity is missing on a node. Q_DRAM_READ and Q_DRAM_WRITTEN are expected on every
 * node, unless the node counts Q_DRAM_BOTH, the sum of both.
 */
static bool derived_is_missing(const struct derived_coverage terms[N_QUANTITIES], enum quantity q)
{
	if (q == Q_DRAM_BOTH)
		return false;
	if (q == Q_DRAM_READ || q == Q_DRAM_WRITTEN)
		return !terms[q].counted && !terms[Q_DRAM_BOTH].counted;
	return terms[q].part || (terms[q].expected && !terms[q].counted);
}

/*
 * Mark the ratio as a bound if dividend and divisor are sums over different numbers of devices: the
 * sum over fewer devices is incomplete. over, under: numbers of devices that were left out.
 */
static void derived_compare_devices(struct derived_value *v, const struct derived *d,
				    const struct derived_coverage terms[N_QUANTITIES],
				    uint32_t over, uint32_t under)
{
	for (int q = 1; q < N_QUANTITIES; q++) {
		if (derived_weight_of(d->over, (enum quantity)q) > 0 && terms[q].less > over)
			over = terms[q].less;
		if (derived_weight_of(d->under, (enum quantity)q) > 0 && terms[q].less > under)
			under = terms[q].less;
	}
	if (over > under)
		derived_add_missing(v, 1, 0);
	else if (under > over)
		derived_add_missing(v, 0, 1);
}

/*
 * Mark the ratio as a bound if the counters of dividend and divisor had different numbers of
 * resets, because counts before a reset are lost. A reset of a whole device affects both alike.
 */
static void derived_compare_resets(struct derived_value *v)
{
	if (v->resets[0] > v->resets[1])
		derived_add_missing(v, 1, 0);
	else if (v->resets[1] > v->resets[0])
		derived_add_missing(v, 0, 1);
}

static void derived_find_missing(struct derived_value *v, const struct derived *d,
				 const struct value *value,
				 const struct derived_coverage terms[N_QUANTITIES])
{
	for (int q = 1; q < N_QUANTITIES; q++)
		if (derived_is_missing(terms, (enum quantity)q))
			derived_add_missing_quantity(v, d, (enum quantity)q, Q_NONE);
	for (size_t i = 0; i < n_figures; i++)
		if (figures[i].floor && value_known(&value[i]) && figures[i].rather)
			derived_add_missing_quantity(v, d, figures[i].rather, figures[i].quantity);
		else if (figures[i].floor && value_known(&value[i]))
			derived_add_missing_quantity(v, d, figures[i].quantity, Q_NONE);
	if (d->floor)
		derived_add_missing(v, 1, 0);
}

struct derived_value derived_of(const struct derived *d, const struct value *value,
				double seconds)
{
	struct derived_value v = { .known = false };
	struct derived_coverage terms[N_QUANTITIES] = { 0 };
	uint32_t over = 0, under = 0;

	v.known = derived_sum_terms(d->over, value, &v, &v.over, &over);
	if (!d->under[0].quantity)
		v.under = seconds;
	else
		v.known &= derived_sum_terms(d->under, value, &v, &v.under, &under);
	v.known &= v.under > 0;
	v.left_out = over > under ? over : under;
	if (!v.known)
		return v;
	derived_cover_all(terms, value);
	derived_find_missing(&v, d, value, terms);
	derived_compare_devices(&v, d, terms, over, under);
	derived_compare_resets(&v);
	return v;
}

void derived_add(struct derived_value *to, const struct derived_value *more)
{
	if (more->part) {
		derived_add_missing(to, more->least, 1);
		derived_add_missing(to, more->most, 1);
	}
	to->known = true;
	to->over += more->over;
	to->under += more->under;
	to->devices += more->devices;
	to->left_out += more->left_out;
	to->resets[0] += more->resets[0];
	to->resets[1] += more->resets[1];
	to->inferred[0] += more->inferred[0];
	to->inferred[1] += more->inferred[1];
	for (int h = 0; h < DELTA_HOWS; h++)
		to->steps[h] += more->steps[h];
}

bool derived_is_of_hidden(const struct derived *d)
{
	for (size_t i = 0; i < n_figures; i++) {
		enum quantity q = figures[i].quantity;
		if (q && !figure_is_shown(&figures[i]) &&
		    (derived_weight_of(d->over, q) || derived_weight_of(d->under, q)))
			return true;
	}
	return false;
}

double derived_inferred(const struct derived_value *v)
{
	double over = v->over > 0 ? v->inferred[0] / v->over : 0;
	double under = v->under > 0 ? v->inferred[1] / v->under : 0;

	return 100 * fmin(fmax(over, under), 1);
}

/*
 * Return whether the true value is smaller or larger than the computed value. The true value lies
 * between the ratio of the counted amounts and the ratio of the missing amounts.
 */
enum derived_bound derived_bound(const struct derived_value *v)
{
	const double near = 1e-9, ratio = v->over / v->under;
	bool least = v->part && v->most > ratio * (1 + near);
	bool most = v->part && v->least < ratio * (1 - near);

	return least && most ? BOUND_UNKNOWN : least ? BOUND_AT_LEAST : most ? BOUND_AT_MOST :
	       BOUND_NONE;
}

double derived_number(const struct derived *d, const struct derived_value *v)
{
	return (d->scale > 0 ? d->scale : 1) * v->over / v->under;
}
