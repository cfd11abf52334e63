/* SPDX-License-Identifier: BSD-3-Clause */
/* lnet.h - number of keys of type lnet, and their columns in Lustre's file "stats" */
#pragma once

enum { LNET_KEYS = 6 };

/*
 * Columns of the keys in Lustre's file "stats", counted from 0. It has eleven numbers: current
 * messages, maximum, errors; then sent, received, routed and dropped, first in messages and then in
 * bytes (__proc_lnet_stats() in lnet/lnet/router_proc.c).
 */
extern const unsigned char lnet_column[LNET_KEYS];
