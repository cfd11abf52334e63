/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_fleet.c - judge nodes by their newest records */
#include <stdlib.h>
#include <string.h>
#include "report/fleet/judge.h"
#include "report/fleet/print_fleet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * The bytes after the first NUL are the file of the first node; the bytes before it are the file of
 * the two other nodes. Without a NUL, all three nodes have the same file.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = { (const char *)data, size }, first = all;
	const char *nul = size ? memchr(all.p, '\0', size) : NULL;
	if (nul)
		first.n = (size_t)(nul - all.p);
	char a[] = "n1", b[] = "n\n2", c[] = "n3";
	struct fleet_node node[] = { { .name = a }, { .name = b }, { .name = c } };
	struct fleet f = { .dir = "", .now_us = 1700000000000000, .silent_us = 3600000000,
			   .node = node, .n = 3 };
	struct buf out = { 0 };

	for (size_t i = 0; i < f.n; i++)
		look_take(&node[i].look, i || !nul ? first : str_skip(all, first.n + 1));
	fleet_judge(&f);
	fleet_put_text(&out, &f);
	size_t lines = 0;
	for (size_t i = 0; i < out.n; i++)
		lines += out.p[i] == '\n';
	if (lines != f.faulty + 1)
		abort();
	fleet_put_json(&out, &f);
	for (size_t i = 0; i < f.n; i++) {
		look_free(&node[i].look);
		for (size_t k = 0; k < FLEET_FAULTS; k++)
			buf_free(&node[i].fault[k]);
	}
	free(f.program);
	buf_free(&out);
	return 0;
}
