/* SPDX-License-Identifier: BSD-3-Clause */
/* gpm.c - integrate the averages of NVML's GPM into counters of a GPU or GPU instance */
#include "collectors/gpm.h"

#include "base/clock.h"

#define PERCENT_MAX 101	/* percentages above this are invalid; 101 allows for rounding */
#define MIB_MAX     1e9		/* MiB per second; a larger value is invalid */

/*
 * The metrics that are read, with NVML's id (nvmlGpmMetricId_t) and unit: MiB per second if .amount
 * is set, otherwise percent of the time.
 */
static const struct meaning {
	unsigned char key, id;
	bool amount;
} meanings[] = {
	{ GPM_GRAPHICS,  1        }, { GPM_SM,        2        }, { GPM_OCCUPANCY, 3        },
	{ GPM_INTEGER,   4        }, { GPM_TENSOR,    5        }, { GPM_DFMA,      6        },
	{ GPM_HMMA,      7        }, { GPM_IMMA,      9        }, { GPM_DRAM,      10       },
	{ GPM_FP64,      11       }, { GPM_FP32,      12       }, { GPM_FP16,      13       },
	{ GPM_PCIE_TX,   20, true }, { GPM_PCIE_RX,   21, true },
	{ GPM_NVLINK_RX, 60, true }, { GPM_NVLINK_TX, 61, true },
};

bool gpm_is_loaded(const struct nvml *fn)
{
	return fn->gpm_support && fn->gpm_alloc && fn->gpm_free && fn->gpm_sample &&
	       fn->gpm_metrics;
}

bool gpm_is_supported(const struct nvml *fn, struct nvml_device *d)
{
	struct nvml_gpm_support support = { .version = NVML_GPM_VERSION };
	return fn->gpm_support(d, &support) == NVML_SUCCESS && support.is_supported;
}

/*
 * Get the peak memory bandwidth in bytes per second. HBM and GDDR transfer data twice per clock
 * cycle.
 */
static double dram_peak(const struct nvml *fn, struct nvml_device *d)
{
	unsigned mhz = 0, bits = 0;
	if (!fn->max_clock || fn->max_clock(d, NVML_CLOCK_MEM, &mhz) != NVML_SUCCESS ||
	    !fn->bus_width || fn->bus_width(d, &bits) != NVML_SUCCESS)
		return 0;
	return 2e6 * mhz * bits / 8;
}

int gpm_open(const struct nvml *fn, struct gpm *g)
{
	int r = fn->gpm_alloc(&g->before);
	if (r != NVML_SUCCESS)
		return r;
	r = fn->gpm_alloc(&g->now);
	if (r != NVML_SUCCESS)
		fn->gpm_free(g->before);
	else if (!g->is_instance)
		g->dram_peak = dram_peak(fn, g->device);
	return r;
}

void gpm_close(const struct nvml *fn, struct gpm *g)
{
	fn->gpm_free(g->before);
	fn->gpm_free(g->now);
}

static int gpm_fail(struct gpm *g, int result)
{
	g->refused = result == NVML_ERROR_IN_USE;
	g->before_ns = 0;
	return result;
}

/* Take a sample into g->now, and set *ns to the time of the sample. */
static int gpm_take_sample(const struct nvml *fn, struct gpm *g, uint64_t *ns)
{
	int r = g->is_instance ? fn->gpm_mig_sample(g->device, g->instance, g->now) :
				 fn->gpm_sample(g->device, g->now);
	*ns = (uint64_t)monotonic_ns();
	return r == NVML_SUCCESS ? r : gpm_fail(g, r);
}

static void gpm_keep_sample(struct gpm *g, uint64_t ns)
{
	struct nvml_gpm_sample *older = g->before;
	g->before = g->now;
	g->now = older;
	g->before_ns = ns;
}

int gpm_begin(const struct nvml *fn, struct gpm *g)
{
	uint64_t ns;
	int r = gpm_take_sample(fn, g, &ns);
	if (r == NVML_SUCCESS)
		gpm_keep_sample(g, ns);
	return r;
}

static bool gpm_is_valid(const struct meaning *k, const struct nvml_gpm_metric *m)
{
	return m->result == NVML_SUCCESS && m->value >= 0 &&
	       m->value <= (k->amount ? MIB_MAX : PERCENT_MAX);
}

/*
 * Get a mask of the entries of meanings[] that the GPU supports, or 0 if a supported metric has an
 * invalid value. A metric that fails in the first interval counts as unsupported, whatever error
 * the driver returns.
 */
static uint32_t gpm_check_metrics(struct gpm *g, const struct nvml_gpm_metrics *m)
{
	uint32_t good = 0;
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		if (g->unsupported >> i & 1)
			continue;
		if (m->metric[i].result == NVML_ERROR_NOT_SUPPORTED ||
		    (m->metric[i].result != NVML_SUCCESS && !g->has_interval))
			g->unsupported |= 1u << i;
		else if (gpm_is_valid(&meanings[i], &m->metric[i]))
			good |= 1u << i;
		else
			return 0;
	}
	return good;
}

static void gpm_add_interval(struct gpm *g, const struct nvml_gpm_metrics *m, uint32_t good,
			     double ns)
{
	g->total[GPM_ELAPSED] += ns;
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		double v = m->metric[i].value;
		if (!(good >> i & 1))
			continue;
		if (meanings[i].amount)
			g->total[meanings[i].key] += v * 1048576 * ns / 1e9;
		else
			g->total[meanings[i].key] += (v < 100 ? v : 100) / 100 * ns;
	}
	g->total[GPM_DRAM_BYTES] = g->total[GPM_DRAM] / 1e9 * g->dram_peak;
}

int gpm_count(const struct nvml *fn, struct gpm *g, struct nvml_gpm_metrics *scratch)
{
	struct nvml_gpm_metrics *m = scratch;
	uint64_t ns, before = g->before_ns;
	int r = gpm_take_sample(fn, g, &ns);
	if (r != NVML_SUCCESS)
		return r;

	m->version = NVML_GPM_VERSION;
	m->n = ARRAY_SIZE(meanings);
	m->first = g->before;
	m->second = g->now;
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		m->metric[i] = (struct nvml_gpm_metric){ .id = meanings[i].id, .value = -1 };
	r = fn->gpm_metrics(m);
	if (r != NVML_SUCCESS)
		return gpm_fail(g, r);
	gpm_keep_sample(g, ns);
	uint32_t good = gpm_check_metrics(g, m);
	if (!good)
		return NVML_NO_ANSWER;
	gpm_add_interval(g, m, good, (double)(ns - before));
	g->has_interval = true;
	return NVML_SUCCESS;
}

bool gpm_has(const struct gpm *g, size_t key)
{
	if (key == GPM_DRAM_BYTES)
		return g->dram_peak > 0 && gpm_has(g, GPM_DRAM);
	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (meanings[i].key == key)
			return !(g->unsupported >> i & 1);
	return true;
}
