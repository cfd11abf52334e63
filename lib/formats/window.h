/* SPDX-License-Identifier: BSD-3-Clause */
/* window.h - a buffer that reads ahead in a source of bytes */
#pragma once

#include "base/buf.h"
#include "formats/format.h"

struct window {
	struct byte_source from;
	struct buf bytes;
	size_t at;		/* offset of the next byte in .bytes; the caller advances it */
	uint64_t offset;	/* offset of .bytes in the file */
	bool ended;		/* end of the source, or error */
	int error;		/* -errno of a read error, or 0 */
};

/*
 * Return the bytes from .at on: at least `want`, or fewer at the end of the source. The bytes are
 * valid until the next call.
 */
struct str window_ahead(struct window *w, size_t want);
