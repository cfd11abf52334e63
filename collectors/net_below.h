/* SPDX-License-Identifier: BSD-3-Clause */
/* net_below.h - which network interfaces stand on which, from /sys/class/net */
#pragma once

#include "collectors/source.h"

/* For the header, see rows_below(): bonds, VLANs, bridges; what has no hardware if any has. */
void net_below(struct source *s);
