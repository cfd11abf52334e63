/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_json_read.c - read JSON from any line: the values lie within the line */
#include <stdlib.h>
#include "formats/json_read.h"
#include "formats/xrootd/shoveler.h"
#include "formats/xrootd/xrd_gline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Check that a line of the g-stream becomes a valid JSON object if it is accepted. */
static void read_gline(struct str line)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str members;
	bool escaped;
	for (size_t i = 0; i < 3; i++) {
		if (xrd_g_put_object(&b, "COP"[i], line, &escaped) &&
		    !json_take_object(buf_str(&b), &members))
			abort();
		b.n = 0;
	}
	if (xrd_g_add_side_path(&b, line, STR("Dst")) && (b.n < 2 || b.n > line.n || *b.p != '/'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str line = { (const char *)data, size }, members, name, value;
	struct buf b CLEANUP(buf_free) = { 0 };
	struct shoveled from;
	if (shoveler_read(line, &from, &b) == 0 && b.n > size)
		abort();
	read_gline(line);
	if (!json_take_object(line, &members))
		return 0;
	while (json_take_member(&members, &name, &value)) {
		b.n = 0;
		if (name.p < line.p || value.p + value.n > line.p + line.n)
			abort();
		if (json_add_text(&b, value) && b.n > value.n)
			abort();
	}
	return 0;
}
