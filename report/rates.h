/* SPDX-License-Identifier: BSD-3-Clause */
/* rates.h - records of one host whose counters are rates: what they counted in a second */
#pragma once

#include "schema/record.h"

struct rates;

struct rates *rates_new(bool (*wants)(void *arg, struct str type), void *arg);
void rates_free(struct rates *r);	/* NULL is fine */

/*
 * The record with each counter as its rate since the device's reading before, in the unit of the
 * schema per second, wraps added up; other keys are as they are. A counter has no value where
 * nothing can be subtracted: in a device's first row, after a reset, where the clock went back. A
 * row without any value is left out. Valid until the next call, and as long as g is.
 */
const struct record *rates_of(struct rates *r, const struct record *g, struct str boot_id);
