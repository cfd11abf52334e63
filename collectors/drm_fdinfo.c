/* SPDX-License-Identifier: BSD-3-Clause */
/* drm_fdinfo.c - parse the kernel's statistics of a DRM client, /proc/PID/fdinfo/FD */
#include "collectors/drm_fdinfo.h"

/*
 * Returns true if the region is the GPU's own memory: "vram", "vram0" or i915's "local0". The use
 * of a region is in the line drm-resident-REGION since Linux 6.5, and in drm-memory-REGION before.
 */
static bool is_own_memory(struct str region)
{
	return str_take_prefix(&region, STR("vram")) || str_take_prefix(&region, STR("local"));
}

static uint64_t drm_fdinfo_parse_bytes(struct str value)
{
	uint64_t n;
	if (!str_take_u64(&value, &n))
		return 0;
	value = str_trim(value);
	unsigned shift = str_eq(value, STR("KiB")) ? 10 : str_eq(value, STR("MiB")) ? 20 : 0;
	return n <= UINT64_MAX >> shift ? n << shift : UINT64_MAX >> shift << shift;
}

struct sums {
	uint64_t resident, memory;
	bool any_resident, any_memory, id;
};

static void drm_fdinfo_add(uint64_t n, uint64_t *sum, bool *any)
{
	*sum = n <= UINT64_MAX - *sum ? *sum + n : UINT64_MAX;
	*any = true;
}

static void drm_fdinfo_parse_engine(struct str name, struct str value, struct drm_client *c)
{
	uint64_t ns;
	if (str_take_prefix(&name, STR("capacity-")) || !str_take_u64(&value, &ns))
		return;
	drm_fdinfo_add(ns, &c->busy, &c->busy_known);
}

static void drm_fdinfo_parse_line(struct str name, struct str value, struct drm_client *c,
				  struct sums *m)
{
	if (str_eq(name, STR("driver")))
		c->driver = value;
	else if (str_eq(name, STR("pdev")))
		c->address = value;
	else if (str_eq(name, STR("client-id")))
		m->id = str_take_u64(&value, &c->id);
	else if (str_take_prefix(&name, STR("engine-")))
		drm_fdinfo_parse_engine(name, value, c);
	else if (str_take_prefix(&name, STR("resident-")) && is_own_memory(name))
		drm_fdinfo_add(drm_fdinfo_parse_bytes(value), &m->resident, &m->any_resident);
	else if (str_take_prefix(&name, STR("memory-")) && is_own_memory(name))
		drm_fdinfo_add(drm_fdinfo_parse_bytes(value), &m->memory, &m->any_memory);
}

bool drm_fdinfo_take(struct str text, struct drm_client *ret)
{
	struct drm_client c = { 0 };
	struct sums m = { 0 };
	struct str line, name;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, STR("drm-")) && str_take_until(&line, ':', &name))
			drm_fdinfo_parse_line(name, str_trim(line), &c, &m);
	if (!c.driver.n || !m.id)
		return false;
	c.memory_known = m.any_resident || m.any_memory;
	c.memory = m.any_resident ? m.resident : m.memory;
	*ret = c;
	return true;
}
