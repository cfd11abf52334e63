/* SPDX-License-Identifier: BSD-3-Clause */
/* squeeze.h - compress request bodies */
#pragma once

#include "base/buf.h"

struct squeeze {
	const char *name;	/* value of the header Content-Encoding */
	void (*put)(struct buf *to, struct str plain);	/* NULL if built without the library */
};

/* Find the compression "gzip" or "zstd". Returns NULL for any other name. */
const struct squeeze *squeeze_find(struct str name);
/*
 * The snappy block format (format_description.txt), which Prometheus remote write requires. Without
 * libsnappy the output has the block format but is not compressed: it has only literals.
 */
extern const struct squeeze squeeze_snappy;
