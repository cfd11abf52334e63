/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_advice.c - a site's thresholds and links of findings */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "report/advice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *arg, enum log_level level, const char *line)
{
	(void)level;
	size_t *n = arg;
	*n += strncmp(line, "file:", 5) == 0;
}

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct finding_site *site = calloc(n_finding_rules, sizeof(*site));
	size_t said = 0;
	const struct listener listener = { count, &said };
	must(site);
	int r = advice_take("file", (struct str){ (const char *)data, size }, site, &listener);
	must(r == 0 ? said == 0 : said > 0);
	for (size_t i = 0; i < n_finding_rules; i++) {
		must(!(site[i].set && site[i].off) && strlen(site[i].link) < 256);
		must(!site[i].timed || (site[i].seconds >= 0 && site[i].seconds < 1e18));
		must(!site[i].set || (site[i].threshold >= 0 && site[i].threshold < 1e18));
	}
	free(site);
	return 0;
}
