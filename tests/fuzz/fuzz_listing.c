/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_listing.c - read listings and errors of web servers and object stores, and access key files
 */
#include <stdlib.h>
#include "formats/listing.h"
#include "formats/s3.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void found(void *arg, struct str name, uint64_t size)
{
	(void)size;
	must(name.n <= 1024);
	++*(size_t *)arg;
}

/* Check that a URL of any key has no byte that ends the URL, or begins a query or another line. */
static void try_url(struct str url)
{
	struct buf b CLEANUP(buf_free) = { 0 }, key CLEANUP(buf_free) = { 0 };
	static const char at[] = "https://s3.example.org";

	buf_add(&key, STR("s3://bucket/"));
	buf_add(&key, url);
	must(s3_put_url(&b, at, buf_str(&key)));
	for (size_t i = 0; i < b.n; i++)
		must(b.p[i] > ' ' && b.p[i] < 0x7f && b.p[i] != '?' && b.p[i] != '#');
	b.n = 0;
	must(s3_put_list_url(&b, at, buf_str(&key), url));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf next CLEANUP(buf_free) = { 0 }, said CLEANUP(buf_free) = { 0 };
	struct str text = { (const char *)data, size };
	size_t n = 0;
	const struct listing_to to = { found, &n };
	struct s3_keys keys;

	if (listing_take_folder(text, &to) == 0)
		must(n <= size / 12);
	if (listing_take_page(text, &to, &next) == 0)
		must(next.n <= size);
	listing_put_error(&said, text);
	must(said.n <= 3 * size + 16);	/* one element may contain the two others */
	if (s3_take_keys(text, STR("default"), &keys))
		must(keys.id.n > 0 && keys.secret.n > 0 && keys.id.p >= text.p &&
		     keys.id.p + keys.id.n <= text.p + text.n);
	try_url(text);
	return 0;
}
