/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_status.h - values of /proc/PID/status */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/str.h"
#include "schema/types/proc.h"

/* lines of /proc/PID/status whose value is a text, not a number */
enum { NAME, CPUS_LIST, MEMS_LIST, TEXTS };

/*
 * The values of one process. Sizes are in kB. The strings point into the file's text; the name has
 * escapes for newline and backslash.
 */
struct proc_status {
	struct str text[TEXTS];
	uint64_t euid, value[PROC_KEYS];
	bool present[PROC_KEYS];
};

/* Append the device of a process, "name/pid/CPUs/nodes", with octal escapes. */
void proc_status_put_device(struct buf *b, const struct proc_status *status, uint32_t pid);
