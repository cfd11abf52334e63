/* SPDX-License-Identifier: BSD-3-Clause */
/* squeeze.h - bodies are compressed: gzip, and the framing of snappy */
#pragma once

#include "base/buf.h"

bool squeeze_can_gzip(void);	/* built with zlib */
void squeeze_gzip(struct buf *to, struct str plain);

/* A valid block of snappy (format_description.txt) of literals alone: framed, and not smaller. */
void squeeze_snappy(struct buf *to, struct str plain);
