/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_index.c - read the end of any compressed file, and compare an index with its records */
#include <stdlib.h>
#include "archive/index.h"
#include "archive/remote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void read_text(struct str text)
{
	struct index_job j;
	struct str rest = text;
	uint64_t place;
	must(!index_last_frame(text, &place) || memmem(text.p, text.n, "last ", 5));
	while (index_next_job(&rest, &j))
		must(j.first >= 0 && j.last >= 0 && j.id.n > 0 && j.id.p >= text.p &&
		     j.id.p + j.id.n <= text.p + text.n);
}

/*
 * Check that a frame made around these bytes gives the same bytes again, and is refused after a bit
 * was changed.
 */
static void try_frame(struct str text)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str found;
	static const char tail[] = "12345678";
	buf_add(&b, str_of(tail));
	index_put_frame(&b, text, b.n, tail);
	must(index_take_frame(buf_str(&b), b.n, &found) && str_eq(found, text));
	b.p[8 + text.n] = (char)(b.p[8 + text.n] ^ 1);
	must(!index_take_frame(buf_str(&b), b.n, &found));
}

struct bytes {
	struct str left;
};

static ssize_t read_bytes(void *arg, char *to, size_t n)
{
	struct bytes *b = arg;
	n = n < b->left.n ? n : b->left.n;
	memcpy(to, b->left.p, n);
	b->left = str_skip(b->left, n);
	return (ssize_t)n;
}

static void must_have(struct str index, const struct record *r)
{
	for (size_t i = 0; i < r->n_jobs; i++)
		must(index_has_job(index, r->job[i]));
	for (size_t i = 0; i < r->n_marks; i++)
		if (r->mark[i].kind == MARK_BEGIN || r->mark[i].kind == MARK_END)
			must(index_has_job(index, r->mark[i].subject));
}

/* Check that an index made from the records hides no job of the records. */
static void try_records(struct str text)
{
	struct buf index CLEANUP(buf_free) = { 0 };
	struct bytes b = { text };
	const struct byte_source from = { read_bytes, &b };
	if (index_make(&from, &index) < 0)
		return;
	b.left = text;
	struct record_source source = records_open(&from, NULL);
	const struct record *r;
	while (record_next(&source, &r) > 0)
		must_have(buf_str(&index), r);
	record_source_end(&source);
	read_text(buf_str(&index));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str all = { (const char *)data, size }, text;
	if (index_take_frame(all, size, &text))
		read_text(text);
	read_text(all);
	remote_take_index("s3://bucket/site", all);
	must(!remote_index("s3://bucket/site/n1/1", &text));
	try_frame(all);
	try_records(all);
	return 0;
}
