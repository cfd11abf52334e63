/* SPDX-License-Identifier: BSD-3-Clause */
/* vms_time.h - OpenVMS system time, in units of 100 ns since 17 November 1858 */
#pragma once

#include <stdint.h>

#define VMS_UNIX_EPOCH 0x007C95674BEB4000	/* 1 January 1970 in OpenVMS time */

/*
 * Convert microseconds since the Unix epoch to OpenVMS time and back. OpenVMS writes local time;
 * nodometer writes UTC, which is not set back when daylight saving time ends.
 */
static inline int64_t vms_time(int64_t usec)
{
	return usec * 10 + VMS_UNIX_EPOCH;
}

static inline int64_t vms_time_usec(int64_t vms)
{
	return vms / 10 - VMS_UNIX_EPOCH / 10;
}
