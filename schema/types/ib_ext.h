/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_ext.h - files with the values of type ib_ext, by kernel version */
#pragma once

enum { IB_EXT_KEYS = 8 };

/*
 * Folder of a port's 64-bit counters in kernels before 4.5, and in Mellanox' own drivers for
 * ConnectX-3.
 */
#define IB_EXT_OLD "counters_ext"
extern const char *const ib_ext_old[IB_EXT_KEYS];

/*
 * Folder of a port's counters since Linux 4.5. If the adapter counts with 64 bits, the files of its
 * 32-bit counters have 64 bits, too. This is so if the file unicast_xmit_packets exists, because
 * the kernel takes either all eight files from PortCountersExtended, or none (get_counter_table()
 * in drivers/infiniband/core/sysfs.c). Some adapters count data with 64 bits, but lack the four
 * unicast and multicast counters. nodometer cannot distinguish them from 32-bit adapters, and
 * records only type ib.
 */
#define IB_EXT_NEW "counters"
extern const char *const ib_ext_new[IB_EXT_KEYS];
