/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_run_rows.c - read stored rows of runs with any bytes */
#include <stdlib.h>
#include <sys/mman.h>
#include "base/files.h"
#include "report/jobs/run_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Check that texts that are read from a row lie within the bytes of the row. */
static void read_row(struct str bytes)
{
	struct run_row row;
	struct run_node node;
	struct run_value v;
	size_t values = 0, nodes = 0;

	if (!run_row_take(bytes, &row))
		return;
	for (size_t i = 0; i < run_figures(); i++)
		values += run_row_value(&row, i, &v);
	for (struct str at = row.nodes; run_row_next_node(&at, &node); nodes++)
		if (node.name < bytes.p || node.name + strlen(node.name) >= bytes.p + bytes.n)
			abort();
	if (values != row.n_values || nodes != row.n_nodes || strlen(row.program) >= PROC_NAME_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = { (const char *)data, size };
	struct run_store k = RUN_STORE_EMPTY;
	struct str bytes;
	int fd = memfd_create("runs", MFD_CLOEXEC);

	if (fd < 0 || files_write(fd, all) < 0)
		abort();
	if (size >= 16)
		memcpy(&k.formula, data + 8, sizeof(k.formula));
	run_store_take(&k, fd);
	for (size_t i = 0; i < k.n; i++)
		if (run_store_bytes(&k, i, &bytes))
			read_row(bytes);
	run_store_free(&k);
	read_row(all);
	return 0;
}
