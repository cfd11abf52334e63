/* SPDX-License-Identifier: BSD-3-Clause */
/* lnet.h - the shape of type lnet */
#pragma once

enum { LNET_KEYS = 6 };

/*
 * Eleven numbers: messages now, at most, errors; sent, received, routed, dropped as messages, then
 * as bytes (lnet/lnet/router_proc.c: __proc_lnet_stats()).
 */
extern const unsigned char lnet_column[LNET_KEYS];
