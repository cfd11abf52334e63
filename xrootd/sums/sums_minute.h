/* SPDX-License-Identifier: BSD-3-Clause */
/* sums_minute.h - a minute of sums, and who gets it */
#pragma once

#include <stdint.h>

#define XRD_MINUTE ((int64_t)60000000)

struct xrd_sums;

/* The sums up to usec, one row for each server, or, the first time, none: nothing is known yet. */
struct xrd_sums_listener {
	void (*minute)(void *arg, int64_t usec, const struct xrd_sums *s);
	void *arg;
};
