/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.c - moments of this node that its agent samples */
#include "top/asked.h"

#include <string.h>
#include "agent/control.h"
#include "formats/raw_read.h"

#define TIMEOUT_MS 1000

static ssize_t read_text(void *arg, char *to, size_t n)
{
	struct top_asked *a = arg;
	size_t left = a->text.n - a->at;
	n = n < left ? n : left;
	memcpy(to, a->text.p + a->at, n);
	a->at += n;
	return (ssize_t)n;
}

static void list_types(struct buf *b)
{
	for (size_t i = 0; i < n_top_types; i++)
		buf_addf(b, "%s%s", i ? "," : "", top_types[i].name);
}

bool top_ask(struct top_asked *a, const char *runtime_dir, const struct top_moment *before,
	     struct top_moment *m)
{
	const struct byte_source bytes = { read_text, a };
	const struct record *r;

	if (!a->types.n)
		list_types(&a->types);
	a->at = 0;
	if (control_ask(runtime_dir, CONTROL_SAMPLE, buf_str(&a->types), TIMEOUT_MS, &a->text) != 0)
		return false;
	struct record_source source = raw_records(&bytes, NULL);
	bool newer = record_next(&source, &r) > 0 && r->usec > before->usec;
	if (newer)
		top_moment_take(m, before, r);
	record_source_end(&source);
	return newer;
}

void top_asked_free(struct top_asked *a)
{
	buf_free(&a->types);
	buf_free(&a->text);
}
