/* SPDX-License-Identifier: BSD-3-Clause */
/* sums_minute.h - a minute of sums, and the listener that gets the sums */
#pragma once

#include <stdint.h>

#define XRD_MINUTE ((int64_t)60000000)

struct xrd_sums;

/* Receives the sums up to usec, with a row for each server. There are no rows at the first call. */
struct xrd_sums_listener {
	void (*minute)(void *arg, int64_t usec, const struct xrd_sums *s);
	void *arg;
};
