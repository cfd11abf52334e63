/* SPDX-License-Identifier: BSD-3-Clause */
/* process_list.h - read one file of each process, for types with a row per process */
#pragma once

#include "base/system/processes.h"
#include "collectors/collector.h"

/* A process, and the text of its file, which is valid until the next read. */
struct process_text {
	const struct process *process;
	struct str text;
	unsigned uid, gid;	/* effective user and group, which own the file */
};

/*
 * Check if processes of other users are visible. Returns 0, or -ENOENT with s->why set if /proc was
 * mounted with hidepid=.
 */
int processes_shown(struct source *s);
/*
 * Call take() for each process with a readable file /proc/PID/LEAF that is not empty. Returns 0, or
 * -ENOENT with s->why set if processes are hidden, /proc is missing, or take() added no row.
 */
int process_list(struct source *s, const char *leaf,
		 void (*take)(struct source *s, const struct process_text *p));
/*
 * Read the file /proc/PID/LEAF of a process that take() got. *ret is valid until the next read.
 * Returns false if the file is unreadable or empty.
 */
bool process_file(struct source *s, const struct process *p, const char *leaf, struct str *ret);
/* Add a row for the process, with the device "PID/NAME". Call this only from take(). */
struct row process_row(struct source *s, const struct process *p, struct str name);
