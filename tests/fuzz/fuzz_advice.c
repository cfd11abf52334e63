/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_advice.c - read a site's thresholds and links for findings, and its costs of energy */
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

/*
 * Check that each step of the grid is later than the previous step, and that no value is below 0
 * except -1, which means unknown.
 */
static void try_grid(struct factors *f, struct str text)
{
	size_t said = 0;
	const struct listener listener = { count, &said };
	int r = factors_take_grid(f, "file", text, &listener);
	must(r == 0 ? said == 0 : said == 1);
	for (size_t i = 1; i < f->n; i++)
		must(f->grid[i].at > f->grid[i - 1].at && f->grid[i].grams >= 0);
	struct bill c = factors_cost(f, 1e9, 0, INT64_C(1000000000000000));
	must(c.kwh > 0 && (c.grams >= 0 || c.grams == -1) && (c.price >= 0 || c.price == -1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct advice advice CLEANUP(advice_end);
	size_t said = 0;
	const struct listener listener = { count, &said };
	const struct str text = { (const char *)data, size };
	advice_begin(&advice);
	const struct finding_site *site = advice.site;
	int r = advice_take("file", text, &advice, &listener);
	must(r == 0 ? said == 0 : said > 0);
	for (size_t i = 0; i < n_finding_rules; i++) {
		must(!(site[i].set && site[i].off) && strlen(site[i].link) < 256);
		must(!site[i].timed || (site[i].seconds >= 0 && site[i].seconds < 1e18));
		must(!site[i].set || (site[i].threshold >= 0 && site[i].threshold < 1e18));
	}
	try_grid(&advice.factors, text);
	return 0;
}
