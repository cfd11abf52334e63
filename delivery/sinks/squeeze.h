/* SPDX-License-Identifier: BSD-3-Clause */
/* squeeze.h - bodies are compressed, each way a row of a table */
#pragma once

#include "base/buf.h"

struct squeeze {
	const char *name;	/* as Content-Encoding has it */
	void (*put)(struct buf *to, struct str plain);	/* NULL: this build has no library for it */
};

/* gzip, zstd; or NULL. */
const struct squeeze *squeeze_find(struct str name);
/*
 * A block of snappy (format_description.txt), as remote write wants it. Built without libsnappy it
 * is of literals alone: framed, and not smaller.
 */
extern const struct squeeze squeeze_snappy;
