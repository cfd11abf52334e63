/* SPDX-License-Identifier: BSD-3-Clause */
/* own.h - whether the rows of a job itself say all of it: its control group goes before its end */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "figures/figures.h"
#include "schema/record.h"

/* The rows of one run. All zero: there were none. */
struct own {
	bool gone;		/* the newest was written when the group was gone, */
	uint64_t lacks;		/* or any was: what was missing then */
	uint32_t sample;	/* of the newest, from 1 on */
};

void own_row(struct own *o, const struct record_type *type, const struct record_row *row,
	     uint32_t sample);
/* Of a run whose last sample is this one; need: OWN_TIMES or OWN_OTHERS. */
bool own_is_part(const struct own *o, unsigned need, uint32_t last);
