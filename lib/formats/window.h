/* SPDX-License-Identifier: BSD-3-Clause */
/* window.h - the bytes of a source that a format has read and still needs */
#pragma once

#include "base/buf.h"
#include "formats/format.h"

struct window {
	struct byte_source from;
	struct buf bytes;
	size_t at;		/* bytes before this one are done with */
	uint64_t offset;	/* of the first byte in the file */
	bool ended;		/* the source has no more */
	int error;		/* of the source */
};

/* The bytes from .at on, so many at least unless the file ends; valid until the next call. */
struct str window_ahead(struct window *w, size_t want);
