/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_unfold.c - load a state of counters, save it again, and continue from it */
#include <stdlib.h>
#include "schema/unfold.h"
#include "tests/fuzz/records_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool wants(void *arg, struct str type)
{
	(void)arg;
	return !str_eq(type, STR("proc"));
}

static void same_again(const struct unfold *u)
{
	struct buf first CLEANUP(buf_free) = { 0 }, second CLEANUP(buf_free) = { 0 };
	struct unfold *again = unfold_new(wants, NULL);
	unfold_put(u, &first);
	if (unfold_take(again, buf_str(&first)) < 0)
		abort();
	unfold_put(again, &second);
	if (!str_eq(buf_str(&first), buf_str(&second)))
		abort();
	unfold_free(again);
}

/*
 * Read every value that exists, so that a sanitizer sees invalid reads. The sum has no other use.
 */
static uint64_t add_all(const struct record *r)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < r->n_types; i++)
		for (size_t d = 0; d < r->rows[i].n; d++)
			for (size_t k = 0; k < r->rows[i].type->n_keys; k++)
				if (row_has(&r->rows[i].row[d], k))
					sum += r->rows[i].row[d].value[k];
	return sum;
}

/* The input is the text of a state up to the first NUL, then a raw file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static volatile uint64_t sum;
	struct str text = { (const char *)data, size }, state = text;
	const char *nul = size ? memchr(text.p, '\0', size) : NULL;
	if (nul)
		state.n = (size_t)(nul - text.p);
	text = str_skip(text, nul ? state.n + 1 : state.n);

	struct unfold *u = unfold_new(wants, NULL);
	struct record_source from = records_in(&text);
	const struct record *r;
	if (unfold_take(u, state) == 0)
		same_again(u);
	while (record_next(&from, &r) > 0)
		sum = sum + add_all(unfold(u, r, &from));
	same_again(u);
	unfold_sweep(u);
	same_again(u);
	unfold_free(u);
	record_source_end(&from);
	return 0;
}
