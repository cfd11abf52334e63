/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pmu_libpfm.c - compare the encodings in the tables with those of libpfm4 itself */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "collectors/pmu/pmu.h"

#ifdef HAVE_LIBPFM
#include <perfmon/pfmlib.h>

/*
 * Return the mode bits that libpfm4 adds to the code of a core's event: USR, OS, INT and EN (Intel
 * SDM 3B, 19.2.1), or NSH on ARM.
 */
static uint64_t mode_bits(const char *pmu)
{
	return strncmp(pmu, "power", 5) == 0 ? 0 : strncmp(pmu, "arm", 3) == 0 ? 0x8000000
									      : 0x530000;
}

/*
 * Compare an event's encoding with that of libpfm4. Returns 1 if they are equal, -1 if they differ,
 * or 0 if this libpfm4 does not know the event (it is older, or of another architecture).
 */
static int check(const struct pmu_unit *u, const struct pmu_event *e)
{
	char name[512];
	uint64_t code[4] = { 0 };
	uint64_t *codes = code;
	pfm_pmu_encode_arg_t arg = { .codes = codes, .count = 4, .size = sizeof(arg) };
	snprintf(name, sizeof(name), "%s::%s", u->libpfm, e->name);
	if (pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg) != PFM_SUCCESS)
		return 0;
	uint64_t config1 = arg.count > 1 ? code[1] : 0;
	if ((code[0] & ~mode_bits(u->libpfm)) == e->config && config1 == e->config1)
		return 1;
	printf("%s: the table has 0x%llx 0x%llx, libpfm4 0x%llx 0x%llx\n", name,
	       (unsigned long long)e->config, (unsigned long long)e->config1,
	       (unsigned long long)code[0], (unsigned long long)config1);
	return -1;
}

int main(void)
{
	unsigned n[3] = { 0 };	/* numbers of events that are unequal, unknown and equal */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS)
		return 77;
	for (size_t p = 0; p < n_pmu_processors; p++)
		for (size_t i = 0; i < pmu_processors[p]->n_units; i++) {
			const struct pmu_unit *u = &pmu_processors[p]->units[i];
			for (size_t k = 0; k < PMU_EVENTS; k++)
				if (u->event[k].name && *u->event[k].name)
					n[check(u, &u->event[k]) + 1]++;
			for (size_t k = 0; k < PMU_FIXED; k++)
				if (u->fixed[k].name && *u->fixed[k].name)
					n[check(u, &u->fixed[k]) + 1]++;
		}
	printf("%u equal, %u unknown to this libpfm4, %u unlike\n", n[2], n[1], n[0]);
	return n[0] || !n[2];
}
#else
int main(void)
{
	puts("skipped: built without libpfm4");
	return 77;
}
#endif
