/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_sacct.c - read the output of Slurm's sacct */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "report/sacct.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sacct s = { 0 };
	int r = sacct_take(&s, "file", (struct str){ (const char *)data, size }, NULL);
	must(r == 0 || s.n == 0);
	for (size_t i = 0; i < s.n; i++) {
		const struct sacct_job *j = sacct_find(&s, s.job[i].raw);
		must(j && j >= &s.job[i] && strcmp(j->raw, s.job[i].raw) == 0);
		must(sacct_means(str_of(j->shown), j->shown) && !strchr(j->shown, '.'));
	}
	sacct_free(&s);
	return 0;
}
