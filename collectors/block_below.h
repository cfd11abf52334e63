/* SPDX-License-Identifier: BSD-3-Clause */
/* block_below.h - which disks stand on which, from /sys/block */
#pragma once

#include "collectors/source.h"

/* For the header, see rows_below(): dm, md, bcache, drbd, zd, loop, NVMe of several paths. */
void block_below(struct source *s);
