/* SPDX-License-Identifier: BSD-3-Clause */
/* processor.c - identify the processor, and find its table */
#include "collectors/pmu/pmu.h"

#define TABLE(name) extern const struct pmu_processor pmu_##name;
#include "collectors/pmu/tables.inc"
#undef TABLE

const struct pmu_processor *const pmu_processors[] = {
#define TABLE(name) &pmu_##name,
#include "collectors/pmu/tables.inc"
#undef TABLE
};
const size_t n_pmu_processors = ARRAY_SIZE(pmu_processors);

bool pmu_processor_is(const struct pmu_processor *p, struct pmu_cpuid id)
{
	if (p->vendor == PMU_ANY)
		return true;
	if (p->vendor != id.vendor || p->family != id.family)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(p->models); i++) {
		if (i && !p->models[i].last)
			break;
		if (id.model >= p->models[i].first && id.model <= p->models[i].last)
			return true;
	}
	return false;
}

unsigned pmu_flop_cycle(struct pmu_cpuid id)
{
	for (size_t i = 0; i < n_pmu_processors; i++) {
		const struct pmu_processor *p = pmu_processors[i];
		for (size_t k = 0; p->vendor == id.vendor && p->family == id.family &&
				   k < ARRAY_SIZE(p->models); k++)
			if (p->models[k].flop_cycle && id.model >= p->models[k].first &&
			    id.model <= p->models[k].last)
				return p->models[k].flop_cycle;
	}
	return 0;
}

bool pmu_processor_has(const struct pmu_processor *p, const char *type)
{
	for (size_t i = 0; i < p->n_units; i++)
		if (strcmp(p->units[i].type, type) == 0)
			return true;
	return false;
}

/*
 * Parse a family or model, such as "6" or ARM's "0xd0c". Returns false if the text is no number, or
 * if the number is too large.
 */
static bool pmu_parse_number(struct str text, unsigned *ret)
{
	uint64_t u;
	if (str_take_prefix(&text, STR("0x")) ? !str_take_hex(&text, &u) || text.n :
						!str_take_u64(&text, &u))
		return false;
	if (u > UINT16_MAX)
		return false;
	*ret = (unsigned)u;
	return true;
}

/*
 * Lines of /proc/cpuinfo that identify a processor: the first three on x86, the next two on arm64,
 * the last on POWER.
 */
enum { VENDOR_ID, FAMILY, MODEL, IMPLEMENTER, PART, CPU, FIELDS };

static const struct str fields[FIELDS] = {
	[VENDOR_ID]   = { "vendor_id", 9 },
	[FAMILY]      = { "cpu family", 10 },
	[MODEL]       = { "model", 5 },
	[IMPLEMENTER] = { "CPU implementer", 15 },
	[PART]        = { "CPU part", 8 },
	[CPU]         = { "cpu", 3 },
};

static int field_of(struct str name)
{
	for (int i = 0; i < FIELDS; i++)
		if (str_eq(name, fields[i]))
			return i;
	return -1;
}

/*
 * Parse "POWER9, altivec supported" or "POWER10 (architected), altivec supported" (the kernel's
 * show_cpuinfo()).
 */
static bool pmu_parse_power(struct str cpu, struct pmu_cpuid *ret)
{
	uint64_t generation;
	if (!str_take_prefix(&cpu, STR("POWER")) || !str_take_u64(&cpu, &generation) ||
	    generation > UINT8_MAX)
		return false;
	*ret = (struct pmu_cpuid){ PMU_IBM, (unsigned)generation, 0 };
	return true;
}

bool pmu_take_cpuid(struct str cpuinfo, struct pmu_cpuid *ret)
{
	struct str line, name, value[FIELDS] = { { NULL, 0 } };
	struct pmu_cpuid id = { PMU_ANY, 0, 0 };

	while (str_take_line(&cpuinfo, &line)) {
		if (!str_take_until(&line, ':', &name))
			continue;
		int f = field_of(str_trim(name));
		if (f >= 0 && !value[f].n)
			value[f] = str_trim(line);
	}
	if (pmu_parse_power(value[CPU], ret))
		return true;
	if (str_eq(value[VENDOR_ID], STR("GenuineIntel")))
		id.vendor = PMU_INTEL;
	else if (str_eq(value[VENDOR_ID], STR("AuthenticAMD")))
		id.vendor = PMU_AMD;
	else if (value[IMPLEMENTER].n)
		id.vendor = PMU_ARM;
	bool arm = id.vendor == PMU_ARM;
	if (id.vendor == PMU_ANY ||
	    !pmu_parse_number(value[arm ? IMPLEMENTER : FAMILY], &id.family) ||
	    !pmu_parse_number(value[arm ? PART : MODEL], &id.model))
		return false;
	*ret = id;
	return true;
}
