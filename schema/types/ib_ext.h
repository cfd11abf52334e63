/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_ext.h - the files of a port that have the keys of type ib_ext, by kernel */
#pragma once

enum { IB_EXT_KEYS = 8 };

/* Kernels before 4.5, and Mellanox' own drivers for ConnectX-3. */
#define IB_EXT_OLD "counters_ext"
extern const char *const ib_ext_old[IB_EXT_KEYS];

/*
 * Since 4.5 the files of the 32-bit counters have 64 bits where the adapter counts so. A port with
 * unicast_xmit_packets proves it: the kernel takes all eight from PortCountersExtended, or none
 * (get_counter_table() in drivers/infiniband/core/sysfs.c). An adapter that counts data in 64 bits
 * without those four cannot be known from one of 32: it is in ib only.
 */
#define IB_EXT_NEW "counters"
extern const char *const ib_ext_new[IB_EXT_KEYS];
