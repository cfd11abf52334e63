/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * captures.h - read datagrams of real XRootD servers, captured in tests/tracers or
 * $NODOMETER_CAPTURES
 */
#pragma once

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include "xrootd/input/xrd_input.h"

struct captured {
	struct xrd_source from;
	int64_t at;
	/* a buffer of the datagram's exact size, so that a sanitizer sees reads past its end */
	struct str bytes;
};

struct capture {
	struct captured *d;
	size_t n;
};

static void keep(void *arg, const struct xrd_source *from, struct str bytes, int64_t now)
{
	struct capture *c = arg;
	char *copy = malloc(bytes.n + !bytes.n);
	assert_non_null(copy);
	memcpy(copy, bytes.p, bytes.n);
	c->d = xrealloc(c->d, (c->n + 1) * sizeof(*c->d));
	c->d[c->n++] = (struct captured){ *from, now, { copy, bytes.n } };
}

static size_t see_capture(const char *path, void (*see)(struct capture *c))
{
	struct capture c = { .n = 0 };
	struct xrd_capture counts = { 0 };
	const struct xrd_datagrams to = { keep, &c };
	assert_int_equal(xrd_take_capture(xrd_open_capture(path), &counts, &to), 0);
	see(&c);
	for (size_t i = 0; i < c.n; i++)
		free((char *)c.d[i].bytes.p);
	free(c.d);
	return c.n;
}

/* Call see() with the datagrams of each capture file. Returns the total number of datagrams. */
static size_t each_capture(void (*see)(struct capture *c))
{
	const char *src = getenv("srcdir"), *other = getenv("NODOMETER_CAPTURES");
	struct buf pattern = { 0 };
	size_t n = 0;
	glob_t g;
	if (other)
		buf_addf(&pattern, "%s/*.dgram", other);
	else
		buf_addf(&pattern, "%s/tests/tracers/*.dgram", src ? src : ".");
	buf_add_char(&pattern, '\0');
	assert_int_equal(glob(pattern.p, 0, NULL, &g), 0);
	assert_true(g.gl_pathc > 4);
	for (size_t i = 0; i < g.gl_pathc; i++)
		n += see_capture(g.gl_pathv[i], see);
	globfree(&g);
	buf_free(&pattern);
	return n;
}
