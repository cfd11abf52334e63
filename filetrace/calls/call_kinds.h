/* SPDX-License-Identifier: BSD-3-Clause */
/* call_kinds.h - the system calls that are operations on files, by their numbers on x86-64 */
#pragma once

#include <stdint.h>
#include "tracers/files/calls/calls_shared.h"

struct call_name {
	const char *name;
	struct call_kind kind;
	unsigned flags;		/* implied by the call */
};

/* NULL: none. */
const struct call_name *call_name(unsigned number);

/* Of these operations, a set by their bits; the others are left all zero. */
void call_kinds(struct call_kind kinds[CALLS], uint32_t recorded);
