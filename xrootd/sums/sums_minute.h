/* SPDX-License-Identifier: BSD-3-Clause */
/* sums_minute.h - a minute of sums, and the listener that gets the sums */
#pragma once

#include <stdint.h>

#define XRD_MINUTE ((int64_t)60000000)

struct xrd_sums;

/*
 * Gets the sums up to usec, with a row for each server. The first call has no rows, because nothing
 * is known yet.
 */
struct xrd_sums_listener {
	void (*minute)(void *arg, int64_t usec, const struct xrd_sums *s);
	void *arg;
};
