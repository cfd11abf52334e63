/* SPDX-License-Identifier: BSD-3-Clause */
/* lnet.h - number of keys of type lnet, and their columns in Lustre's file "stats" */
#pragma once

enum { LNET_KEYS = 6 };

/*
 * Column of each key in Lustre's file "stats", counted from 0. The file has eleven numbers: current
 * messages, maximum, errors; then messages sent, received, routed and dropped; then bytes sent,
 * received, routed and dropped (__proc_lnet_stats() in lnet/lnet/router_proc.c).
 */
extern const unsigned char lnet_column[LNET_KEYS];
