/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_firefly.c - check that fireflies (SciTags messages about TCP connections) are complete */
#include <stdlib.h>
#include <string.h>
#include "formats/xrootd/firefly.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str datagram = { (const char *)data, size };
	struct firefly f;
	(void)firefly_is(datagram);
	if (firefly_read(datagram, &f) < 0)
		return 0;
	if (f.state > FIREFLY_END || f.start <= 0 || (f.state == FIREFLY_END) != (f.end > 0) ||
	    strlen(f.application) >= sizeof(f.application) ||
	    strlen(f.host) >= sizeof(f.host) || f.experiment > UINT32_MAX)
		abort();
	return 0;
}
