/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_metrics.c - decode the binary table gpu_metrics of AMD's GPU driver */
#include "collectors/amd_gpu.h"

#include <string.h>
#include "schema/types/amd_xcp.h"

struct amd_layout {
	uint8_t format, content;	/* version in the table's header */
	uint16_t size;	/* size of the structure in bytes; later kernels may append members to it */
	uint16_t at[AMD_METRICS];	/* offset of each value; 0: this version lacks the value */
};

/*
 * The layouts of struct gpu_metrics_v1_0 to v1_8 (drivers/gpu/drm/amd/include/kgd_pp_interface.h)
 * as a 64-bit C compiler lays them out: the structures are not packed. Vega, Navi, the MI100 and
 * MI200 have versions 1.0 to 1.3; the MI300 and later have 1.4 to 1.8. Not supported: 1.9, which
 * has another format, and 2.x and 3.x, which are of APUs without memory of their own, and whose
 * units are documented for some versions only.
 */
static const struct amd_layout layouts[] = {
	{ 1, 0, 80,   { [AMD_THROTTLE] = 68 } },
	{ 1, 1, 96,   { [AMD_ENERGY] = 24, [AMD_THROTTLE] = 68, [AMD_GFX_ACTIVITY] = 80,
			[AMD_MEM_ACTIVITY] = 84 } },
	{ 1, 2, 104,  { [AMD_ENERGY] = 24, [AMD_THROTTLE] = 68, [AMD_GFX_ACTIVITY] = 80,
			[AMD_MEM_ACTIVITY] = 84 } },
	{ 1, 3, 120,  { [AMD_ENERGY] = 24, [AMD_THROTTLE] = 68, [AMD_GFX_ACTIVITY] = 80,
			[AMD_MEM_ACTIVITY] = 84, [AMD_INDEP_THROTTLE] = 112 } },
	{ 1, 4, 288,  { [AMD_ENERGY] = 24, [AMD_THROTTLE] = 40, [AMD_GFX_ACTIVITY] = 56,
			[AMD_MEM_ACTIVITY] = 60, [AMD_XGMI_READ] = 104, [AMD_XGMI_WRITE] = 168 } },
	{ 1, 5, 360,  { [AMD_ENERGY] = 88, [AMD_THROTTLE] = 104, [AMD_GFX_ACTIVITY] = 120,
			[AMD_MEM_ACTIVITY] = 124, [AMD_XGMI_READ] = 176, [AMD_XGMI_WRITE] = 240 } },
	{ 1, 6, 1664, { [AMD_ENERGY] = 16, [AMD_CYCLES] = 32, [AMD_PROCHOT] = 36, [AMD_PPT] = 40,
			[AMD_SOCKET_THERMAL] = 44, [AMD_VR_THERMAL] = 48, [AMD_HBM_THERMAL] = 52,
			[AMD_GFX_ACTIVITY] = 68, [AMD_MEM_ACTIVITY] = 72, [AMD_XGMI_READ] = 128,
			[AMD_XGMI_WRITE] = 192 } },
	{ 1, 7, 2208, { [AMD_ENERGY] = 24, [AMD_CYCLES] = 40, [AMD_PROCHOT] = 44, [AMD_PPT] = 48,
			[AMD_SOCKET_THERMAL] = 52, [AMD_VR_THERMAL] = 56, [AMD_HBM_THERMAL] = 60,
			[AMD_GFX_ACTIVITY] = 76, [AMD_MEM_ACTIVITY] = 80, [AMD_XGMI_READ] = 136,
			[AMD_XGMI_WRITE] = 200 } },
	{ 1, 8, 3360, { [AMD_ENERGY] = 24, [AMD_CYCLES] = 40, [AMD_PROCHOT] = 44, [AMD_PPT] = 48,
			[AMD_SOCKET_THERMAL] = 52, [AMD_VR_THERMAL] = 56, [AMD_HBM_THERMAL] = 60,
			[AMD_GFX_ACTIVITY] = 76, [AMD_MEM_ACTIVITY] = 80, [AMD_XGMI_READ] = 136,
			[AMD_XGMI_WRITE] = 200 } },
};

#define XGMI_LINKS 8

struct header {
	uint16_t size;
	uint8_t format, content;
};

static bool amd_metrics_fits(const struct amd_layout *layout, uint16_t size, struct str table)
{
	return size >= layout->size && size <= table.n;
}

/*
 * Returns true if the table was captured on a machine with the other byte order. The size in its
 * header is then impossible.
 */
static bool is_swapped(const struct amd_layout *layout, struct str table)
{
	struct header header;
	memcpy(&header, table.p, sizeof(header));
	return !amd_metrics_fits(layout, header.size, table);
}

const struct amd_layout *amd_layout_of(struct str table)
{
	struct header header;
	if (table.n < sizeof(header))
		return NULL;

	memcpy(&header, table.p, sizeof(header));
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].format == header.format && layouts[i].content == header.content)
			return amd_metrics_fits(&layouts[i], header.size, table) ||
			       amd_metrics_fits(&layouts[i], __builtin_bswap16(header.size),
						table) ?
			       &layouts[i] : NULL;
	return NULL;
}

/* The driver sets all bits of a value that the firmware does not provide. */
static bool amd_metrics_read_u32(const char *p, bool swapped, uint64_t *ret)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	*ret = swapped ? __builtin_bswap32(v) : v;
	return v != UINT32_MAX;
}

static bool amd_metrics_read_u64(const char *p, bool swapped, uint64_t *ret)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	*ret = swapped ? __builtin_bswap64(v) : v;
	return v != UINT64_MAX;
}

static bool amd_metrics_sum_links(const char *p, bool swapped, uint64_t *ret)
{
	uint64_t sum = 0, v;
	bool any = false;
	for (size_t i = 0; i < XGMI_LINKS; i++) {
		if (!amd_metrics_read_u64(p + i * sizeof(v), swapped, &v))
			continue;
		sum += v;
		any = true;
	}
	*ret = sum;
	return any;
}

/* Convert a value in units of 2^-16 J, which is 15625/1024 uJ, to microjoules. */
static uint64_t to_uj(uint64_t v)
{
	return (v >> 10) * 15625 + ((v & 1023) * 15625 >> 10);
}

bool amd_metrics_get(const struct amd_layout *layout, struct str table, enum amd_metric metric,
		     bool wide, uint64_t *ret)
{
	const char *p = table.p + layout->at[metric];
	uint64_t v;
	bool good;
	if (layout->at[metric] == 0)
		return false;

	bool swapped = is_swapped(layout, table);
	if (metric == AMD_XGMI_READ || metric == AMD_XGMI_WRITE)
		good = amd_metrics_sum_links(p, swapped, &v);
	else if (metric == AMD_INDEP_THROTTLE)
		good = amd_metrics_read_u64(p, swapped, &v);
	else if (metric == AMD_ENERGY)
		good = (wide || layout->content >= 4) && amd_metrics_read_u64(p, swapped, &v);
	else
		good = amd_metrics_read_u32(p, swapped, &v);
	if (good)
		*ret = metric == AMD_ENERGY ? to_uj(v) : v;
	return good;
}

/*
 * The layouts of the array xcp_stats[8] in gpu_metrics_v1_6 to v1_8: struct amdgpu_xcp_metrics,
 * amdgpu_xcp_metrics_v1_1 and _v1_2. In version 1.8 of some kernels, the last array of _v1_2 is
 * missing; the size of the table shows whether it is there.
 */
#define PARTITIONS 8
static const struct xcp_layout {
	uint8_t content;
	uint16_t size, partitions, first, step;
	struct array { uint16_t at; uint8_t bytes, n; } array[XCP_KEYS];
} xcp_layouts[] = {
	{ 6, 1664, 306, 312, 168, { [XCP_BUSY] = { 0, 4, 8 }, [XCP_JPEG] = { 32, 2, 32 },
				    [XCP_VCN] = { 96, 2, 4 }, [XCP_BUSY_ACC] = { 104, 8, 8 } } },
	{ 7, 2208, 338, 344, 232, { [XCP_BUSY] = { 0, 4, 8 }, [XCP_JPEG] = { 32, 2, 32 },
				    [XCP_VCN] = { 96, 2, 4 }, [XCP_BUSY_ACC] = { 104, 8, 8 },
				    [XCP_LIMITED] = { 168, 8, 8 } } },
	{ 8, 3360, 338, 344, 376, { [XCP_BUSY] = { 0, 4, 8 }, [XCP_JPEG] = { 32, 2, 40 },
				    [XCP_VCN] = { 112, 2, 4 }, [XCP_BUSY_ACC] = { 120, 8, 8 } } },
	{ 8, 3872, 338, 344, 440, { [XCP_BUSY] = { 0, 4, 8 }, [XCP_JPEG] = { 32, 2, 40 },
				    [XCP_VCN] = { 112, 2, 4 }, [XCP_BUSY_ACC] = { 120, 8, 8 },
				    [XCP_LIMITED] = { 376, 8, 8 } } },
};

static const struct xcp_layout *xcp_layout_of(struct str table)
{
	struct header h;
	const struct amd_layout *layout = amd_layout_of(table);
	if (!layout || layout->format != 1)
		return NULL;
	memcpy(&h, table.p, sizeof(h));
	if (is_swapped(layout, table))
		h.size = __builtin_bswap16(h.size);
	for (size_t i = 0; i < ARRAY_SIZE(xcp_layouts); i++)
		if (xcp_layouts[i].content == h.content && xcp_layouts[i].size == h.size)
			return &xcp_layouts[i];
	return NULL;
}

/*
 * Read a value of 2, 4 or 8 bytes. Returns false if all bits are set, which means that there is no
 * value.
 */
static bool amd_metrics_read_value(const char *p, size_t bytes, bool swapped, uint64_t *ret)
{
	uint16_t v;
	if (bytes == 8)
		return amd_metrics_read_u64(p, swapped, ret);
	if (bytes == 4)
		return amd_metrics_read_u32(p, swapped, ret);
	memcpy(&v, p, sizeof(v));
	*ret = swapped ? __builtin_bswap16(v) : v;
	return v != UINT16_MAX;
}

size_t amd_partitions(struct str table)
{
	const struct xcp_layout *x = xcp_layout_of(table);
	uint64_t n;
	return x && amd_metrics_read_value(table.p + x->partitions, 2,
					   is_swapped(amd_layout_of(table), table), &n) &&
	       n <= PARTITIONS ? (size_t)n : 0;
}

/* Sum up the valid values of an array. Returns the number of valid values. */
static uint64_t amd_metrics_sum_array(const char *p, const struct array *a, bool swapped,
				      uint64_t *sum)
{
	uint64_t v, n = 0;
	*sum = 0;
	for (size_t i = 0; i < a->n; i++) {
		if (!amd_metrics_read_value(p + a->at + i * a->bytes, a->bytes, swapped, &v))
			continue;
		*sum += v;
		n++;
	}
	return n;
}

uint32_t amd_partition_get(struct str table, size_t partition, uint64_t *values)
{
	const struct xcp_layout *x = xcp_layout_of(table);
	const struct amd_layout *layout = amd_layout_of(table);
	const char *p = table.p + x->first + partition * x->step;
	bool swapped = is_swapped(layout, table);
	uint32_t have = 0;
	for (size_t k = 0; k < XCP_KEYS; k++) {
		uint64_t n = amd_metrics_sum_array(p, &x->array[k], swapped, &values[k]);
		have |= (uint32_t)(n > 0) << k;
		if (k == XCP_BUSY && n > 0) {
			values[XCP_DIES] = n;
			have |= 1u << XCP_DIES;
		}
	}
	if (have && amd_metrics_get(layout, table, AMD_CYCLES, false, &values[XCP_CYCLES]))
		have |= 1u << XCP_CYCLES;
	return have;
}
