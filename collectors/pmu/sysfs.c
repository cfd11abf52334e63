/* SPDX-License-Identifier: BSD-3-Clause */
/* sysfs.c - read the properties of PMUs and CPUs */
#include "collectors/pmu/sysfs.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define CPUS "sys/devices/system/cpu"

static int read_and_close(struct source *s, const char *path, struct str *ret)
{
	int r = source_read(s, path, ret);
	files_forget(&s->files, path);	/* close the file; the next rescan opens it again */
	return r;
}

static int read_pmu(struct source *s, const char *pmu, const char *leaf, struct str *ret)
{
	char path[128];
	snprintf(path, sizeof(path), PMU_SOURCES "/%s/%s", pmu, leaf);
	return read_and_close(s, path, ret);
}

int pmu_read_type(struct source *s, const char *pmu, uint32_t *ret)
{
	struct str text;
	uint64_t v;
	int r = read_pmu(s, pmu, "type", &text);
	if (r < 0 || !str_take_u64(&text, &v) || v > UINT32_MAX)
		return pmu_no_source(s, pmu);
	*ret = (uint32_t)v;
	return 0;
}

int pmu_read_core_type(struct source *s, const char *pmu, uint32_t *ret)
{
	int r = 0;
	if (pmu)
		r = pmu_read_type(s, pmu, ret);
	else
		*ret = PERF_TYPE_HARDWARE;
	if (r < 0 && s->files.in_root && strcmp(pmu, "cpu") == 0 &&
	    source_devices(s, PMU_SOURCES, "") < 0) {
		*ret = PERF_TYPE_RAW;
		return 0;
	}
	return r;
}

bool pmu_first(struct source *s, const char *prefix, char *to, size_t size)
{
	return source_devices(s, PMU_SOURCES, prefix) > 0 &&
	       str_copy(to, size, str_of(source_device_name(s, 0)));
}

int pmu_no_source(struct source *s, const char *pmu)
{
	return source_absent(s, "no perf PMU %s (a virtual machine, or no driver for it)", pmu);
}

bool pmu_read_cpumask(struct source *s, const char *pmu, char *to, size_t size)
{
	struct str text;
	return read_pmu(s, pmu, "cpumask", &text) == 0 && str_copy(to, size, text);
}

bool pmu_can_count(struct source *s, const struct pmu_event *e)
{
	char leaf[64];
	struct str text;
	if (!e->name)
		return false;
	if (!e->alias)
		return true;
	snprintf(leaf, sizeof(leaf), "events/%s", e->alias);
	return read_pmu(s, e->pmu, leaf, &text) == 0;
}

/* Get the largest value of a key in /proc/cpuinfo, or 0 if there is none. */
static uint64_t largest(struct str cpuinfo, struct str key)
{
	struct str line, name;
	uint64_t v, max = 0;
	while (str_take_line(&cpuinfo, &line))
		if (str_take_until(&line, ':', &name) && str_eq(str_trim(name), key) &&
		    str_take_u64(&line, &v) && v > max)
			max = v;
	return max;
}

int pmu_read_online(struct source *s, char fallback[PMU_RANGE_MAX], struct str *ret)
{
	struct str text;
	int r = read_and_close(s, CPUS "/online", ret);
	if (r == 0 || !s->files.in_root)
		return r;
	r = source_read_shared(s, "proc/cpuinfo", &text);
	if (r == 0) {
		snprintf(fallback, PMU_RANGE_MAX, "0-%u",
			 (unsigned)largest(text, STR("processor")));
		*ret = str_of(fallback);
	}
	return r;
}

/*
 * Compare the lines "siblings" and "cpu cores": the numbers of threads that are online and of
 * cores, for one package (show_cpuinfo_core()).
 */
bool pmu_has_threads(struct source *s, struct str cpuinfo)
{
	struct str text;
	if (largest(cpuinfo, STR("siblings")) > largest(cpuinfo, STR("cpu cores")))
		return true;
	return read_and_close(s, CPUS "/smt/control", &text) == 0 &&
	       (str_starts(text, STR("off")) || str_starts(text, STR("forceoff")));
}
