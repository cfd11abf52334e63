/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu_skeleton.c - print table rows for a new processor from libpfm4's names of its events */
#include <stdio.h>
#include <string.h>
#include "collectors/pmu/libpfm_nearest.h"

/*
 * Bits USR, OS and EN of an x86 core's event-select register. In the table, the value of the
 * register (key CTLn) has these bits in addition to the event's encoding.
 */
#define CTL_BITS 0x430000ull

static int print_row(const char *pmu, const char *event)
{
	char name[2 * LIBPFM_TEXT_MAX];
	struct libpfm_answer a;
	snprintf(name, sizeof(name), "%s::%s", pmu, event);
	libpfm_encode(name, NULL, 0, &a);
	if (a.result != LIBPFM_FOUND) {
		fprintf(stderr, "%s: %s\n", name, a.why);
		return 1;
	}
	printf("\t\t\t{ \"%s\", 0x%llx, 0x%llx", event, (unsigned long long)(a.config | CTL_BITS),
	       (unsigned long long)a.config);
	if (a.config1)
		printf(", 0x%llx", (unsigned long long)a.config1);
	puts(" },");
	fprintf(stderr, "%s 0x%llx 0x%llx\n", name, (unsigned long long)a.config,
		(unsigned long long)a.config1);
	return 0;
}

int main(int argc, char **argv)
{
	const char *why;
	int failed = 0;
	if (argc < 3) {
		fputs("usage: pmu_skeleton PMU EVENT[:UMASK]...\n", stderr);
		return 2;
	}
	if (libpfm_load(&why) < 0) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	printf("static const struct pmu_unit units[] = {\n\t{\n"
	       "\t\t.type = \"TYPE\", .pmu = \"cpu\", "
	       ".libpfm = \"%s\",\n\t\t.scope = PMU_PER_CPU,\n\t\t.event = {\n", argv[1]);
	for (int i = 2; i < argc; i++)
		failed |= print_row(argv[1], argv[i]);
	printf("\t\t},\n\t},\n};\n\nconst struct pmu_processor pmu_FILE = {\n"
	       "\t.name = \"NAME\", .vendor = VENDOR, .family = FAMILY,\n"
	       "\t.models = { { FIRST, LAST } },\n"
	       "\tPMU_UNITS(units),\n};\n");
	return failed;
}
