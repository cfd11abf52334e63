/* SPDX-License-Identifier: BSD-3-Clause */
/* process_list.h - read one file of each process, for types with a row per process */
#pragma once

#include "base/system/processes.h"
#include "collectors/collector.h"

/* A process, and the text of its file. The text is in a buffer of the source. */
struct process_text {
	const struct process *process;
	struct str text;
	unsigned uid, gid;	/* effective user and group, which own the file */
};

/*
 * Returns 0, or -ENOENT with s->why set if /proc was mounted with hidepid= and so hides the
 * processes of other users.
 */
int processes_shown(struct source *s);
/*
 * Call take() for each process with a readable file /proc/PID/LEAF. Returns 0, or -ENOENT if
 * processes are hidden or there is no /proc.
 */
int process_list(struct source *s, const char *leaf,
		 void (*take)(struct source *s, const struct process_text *p));
/*
 * Read another file of the same process. Returns false on failure. *ret is valid until the next
 * read.
 */
bool process_file(struct source *s, const struct process *p, const char *leaf, struct str *ret);
/* Add a row of the process, with the device "PID/NAME". */
struct row process_row(struct source *s, const struct process *p, struct str name);
