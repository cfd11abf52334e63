/* SPDX-License-Identifier: BSD-3-Clause */
/* archive_body.h - a file of the archive as it goes over the network: compressed */
#pragma once

#include "archive/text_at.h"

#ifdef HAVE_ZSTD
#define ARCHIVE_BODY_SUFFIX ".zst"
#else
#define ARCHIVE_BODY_SUFFIX ""
#endif

/*
 * The first `end` bytes of the text, compressed where this build can, in a file without a name
 * below dir: its descriptor, or -errno. *n is its size.
 */
int archive_body_make(const char *dir, struct text_at *text, uint64_t end, uint64_t *n) MUST_CHECK;
