/* SPDX-License-Identifier: BSD-3-Clause */
/* call_kinds.h - the x86-64 system calls that operate on files, by number */
#pragma once

#include <stdint.h>
#include "filetrace/calls/calls_shared.h"

struct call_name {
	const char *name;
	struct call_kind kind;
	/* implied flags: of open(2) for creat, of unlinkat(2) for rmdir, of access(2) for chdir */
	unsigned flags;
};

/* Return the description of a system call, or NULL if it does not operate on files. */
const struct call_name *call_name(unsigned number);

/* Fill in kinds[] for each call that performs an operation of the set; zero the other entries. */
void call_kinds(struct call_kind kinds[CALLS], uint32_t recorded);
