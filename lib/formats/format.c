/* SPDX-License-Identifier: BSD-3-Clause */
/* format.c - detect the format of a file, and read its records */
#include "formats/format.h"

#include <stdlib.h>
#include <string.h>

#define FORMAT(name) extern const struct record_format name##_format;
#include "formats/formats.inc"
#undef FORMAT

static const struct record_format *const record_formats[] = {
#define FORMAT(name) &name##_format,
#include "formats/formats.inc"
#undef FORMAT
};

struct opened {
	struct byte_source from;
	struct record_source source;
	size_t n, at;
	char first[FORMAT_LOOK];	/* first bytes of the file, for knows() */
};

static ssize_t format_read_bytes(void *arg, char *to, size_t n)
{
	struct opened *o = arg;
	size_t left = o->n - o->at;
	if (left == 0)
		return o->from.read(o->from.arg, to, n);
	if (n > left)
		n = left;
	memcpy(to, o->first + o->at, n);
	o->at += n;
	return (ssize_t)n;
}

/* Read the first bytes of the file. Ignore errors, because the next read reports them again. */
static void read_first(struct opened *o)
{
	ssize_t got;
	while (o->n < FORMAT_LOOK &&
	       (got = o->from.read(o->from.arg, o->first + o->n, FORMAT_LOOK - o->n)) > 0)
		o->n += (size_t)got;
}

static const struct record_format *format_detect(struct str first)
{
	const struct record_format *other = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(record_formats); i++) {
		const struct record_format *f = record_formats[i];
		if (!f->knows)
			other = f;
		else if (f->knows(first))
			return f;
	}
	return other;
}

static int format_next(void *arg, const struct record **ret)
{
	struct opened *o = arg;
	return record_next(&o->source, ret);
}

static struct str format_property(const void *arg, const char *name)
{
	const struct opened *o = arg;
	return record_property(&o->source, name);
}

static const struct record_type *format_type_at(const void *arg, size_t i)
{
	const struct opened *o = arg;
	return record_type_at(&o->source, i);
}

static void format_end(void *arg)
{
	struct opened *o = arg;
	record_source_end(&o->source);
	free(o);
}

struct record_source records_open(const struct byte_source *from,
				  const struct record_listener *listener)
{
	struct opened *o = xrealloc(NULL, sizeof(*o));
	const struct byte_source bytes = { format_read_bytes, o };
	o->from = *from;
	o->n = o->at = 0;
	read_first(o);
	o->source = format_detect((struct str){ o->first, o->n })->open(&bytes, listener);
	return (struct record_source){ format_next, format_property, format_type_at, format_end,
				      o };
}
