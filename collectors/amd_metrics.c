/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_metrics.c - the binary table gpu_metrics of AMD's GPU driver */
#include "collectors/amd_gpu.h"

#include <string.h>

struct amd_layout {
	uint8_t format, content;	/* the version, in the table's header */
	uint16_t size;			/* of the structure; later kernels may append to it */
	uint16_t at[AMD_METRICS];	/* offsets; 0: there is none */
};

/*
 * drivers/gpu/drm/amd/include/kgd_pp_interface.h, struct gpu_metrics_v1_0 to v1_8, as a 64-bit C
 * compiler lays them out: they are not packed. 1.0 to 1.3 are of Vega, Navi, the MI100 and MI200,
 * 1.4 to 1.8 of the MI300 and later. 1.9 is a list of another kind, 2.x and 3.x are of APUs without
 * memory of their own and give units for some of their versions only: they are not read.
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

static bool fits(const struct amd_layout *layout, uint16_t size, struct str table)
{
	return size >= layout->size && size <= table.n;
}

/*
 * The table is as its kernel has it in memory. Its size shows where that was a machine of the other
 * byte order, on which a tree was captured.
 */
static bool is_swapped(const struct amd_layout *layout, struct str table)
{
	struct header header;
	memcpy(&header, table.p, sizeof(header));
	return !fits(layout, header.size, table);
}

const struct amd_layout *amd_layout_of(struct str table)
{
	struct header header;
	if (table.n < sizeof(header))
		return NULL;

	memcpy(&header, table.p, sizeof(header));
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].format == header.format && layouts[i].content == header.content)
			return fits(&layouts[i], header.size, table) ||
			       fits(&layouts[i], __builtin_bswap16(header.size), table) ?
			       &layouts[i] : NULL;
	return NULL;
}

/* The driver fills what the firmware does not give with ones. */
static bool take_u32(const char *p, bool swapped, uint64_t *ret)
{
	uint32_t v;
	memcpy(&v, p, sizeof(v));
	*ret = swapped ? __builtin_bswap32(v) : v;
	return v != UINT32_MAX;
}

static bool take_u64(const char *p, bool swapped, uint64_t *ret)
{
	uint64_t v;
	memcpy(&v, p, sizeof(v));
	*ret = swapped ? __builtin_bswap64(v) : v;
	return v != UINT64_MAX;
}

static bool add_links(const char *p, bool swapped, uint64_t *ret)
{
	uint64_t sum = 0, v;
	bool any = false;
	for (size_t i = 0; i < XGMI_LINKS; i++) {
		if (!take_u64(p + i * sizeof(v), swapped, &v))
			continue;
		sum += v;
		any = true;
	}
	*ret = sum;
	return any;
}

/* 2^-16 J are 15625/1024 uJ. */
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
		good = add_links(p, swapped, &v);
	else if (metric == AMD_INDEP_THROTTLE)
		good = take_u64(p, swapped, &v);
	else if (metric == AMD_ENERGY)
		good = (wide || layout->content >= 4) && take_u64(p, swapped, &v);
	else
		good = take_u32(p, swapped, &v);
	if (good)
		*ret = metric == AMD_ENERGY ? to_uj(v) : v;
	return good;
}
