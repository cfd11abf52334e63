/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_fdinfo.c - parse the kernel's fdinfo of a DRM client */
#include <stdint.h>
#include <stdlib.h>
#include "collectors/drm_fdinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str text = { (const char *)data, size };
	struct drm_client c = { 0 }, cut = { 0 };
	if (!drm_fdinfo_take(text, &c)) {
		must(!c.busy_known && c.driver.n == 0);
		return 0;
	}
	must(c.driver.n > 0 && c.driver.p >= text.p && c.driver.p + c.driver.n <= text.p + size);
	must(c.busy_known || c.busy == 0);
	must(c.memory_known || c.memory == 0);
	/* If a file that is cut off after a line gives a busy time, so does the whole file. */
	size_t half = size / 2;
	while (half && text.p[half - 1] != '\n')
		half--;
	if (drm_fdinfo_take((struct str){ text.p, half }, &cut))
		must(!cut.busy_known || c.busy_known);
	return 0;
}
