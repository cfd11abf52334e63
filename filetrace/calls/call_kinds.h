/* SPDX-License-Identifier: BSD-3-Clause */
/* call_kinds.h - the x86-64 system calls that operate on files, by number */
#pragma once

#include <stdint.h>
#include "filetrace/calls/calls_shared.h"

struct call_name {
	const char *name;
	struct call_kind kind;
	/* flags of open(2), unlinkat(2) or access(2) that the call implies: creat, rmdir, chdir */
	unsigned flags;
};

/* Return the description of a system call, or NULL if it does not operate on files. */
const struct call_name *call_name(unsigned number);

/* Fill in the calls of the recorded operations (a set). All other entries are zero. */
void call_kinds(struct call_kind kinds[CALLS], uint32_t recorded);
