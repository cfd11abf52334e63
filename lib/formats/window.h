/* SPDX-License-Identifier: BSD-3-Clause */
/* window.h - the part of a source that a format has read and still needs */
#pragma once

#include "base/buf.h"
#include "formats/format.h"

struct window {
	struct byte_source from;
	struct buf bytes;
	size_t at;		/* offset of the first byte that is still needed */
	uint64_t offset;	/* offset in the file of the first byte of .bytes */
	bool ended;		/* the source has reached its end, or failed */
	int error;		/* read error of the source, -errno, or 0 */
};

/*
 * Return the bytes from .at on: at least `want` bytes, or fewer at the end of the file. The bytes
 * are valid until the next call.
 */
struct str window_ahead(struct window *w, size_t want);
