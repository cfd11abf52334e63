/* SPDX-License-Identifier: BSD-3-Clause */
/* vms_time.h - the 64-bit system time of OpenVMS: 100 ns since 17 November 1858 */
#pragma once

#include <stdint.h>

#define VMS_UNIX_EPOCH 0x007C95674BEB4000	/* 40587 days */

/*
 * Microseconds of the Unix epoch, and back. OpenVMS has local time; what nodometer writes is UTC,
 * since stamps must not decrease and local time does, once a year.
 */
static inline int64_t vms_time(int64_t usec)
{
	return usec * 10 + VMS_UNIX_EPOCH;
}

static inline int64_t vms_time_usec(int64_t vms)
{
	return vms / 10 - VMS_UNIX_EPOCH / 10;
}
