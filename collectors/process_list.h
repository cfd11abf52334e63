/* SPDX-License-Identifier: BSD-3-Clause */
/* process_list.h - each process of /proc and a file of it, for the types with a row of every one */
#pragma once

#include "base/system/processes.h"
#include "collectors/collector.h"

/* A process while it is looked at; its file's text is borrowed from the source. */
struct process_text {
	const struct process *process;
	struct str text;
	unsigned uid, gid;	/* of the file: effective user and group */
};

/* 0, or -ENOENT and s->why: /proc is mounted with hidepid= and shows only our own processes. */
int processes_shown(struct source *s);
/*
 * Calls take for each process whose file DIR/proc/PID/LEAF can be read. 0, or -ENOENT where others
 * are hidden or there is no /proc.
 */
int process_list(struct source *s, const char *leaf,
		 void (*take)(struct source *s, const struct process_text *p));
/* Another file of the same process; false: it cannot be read. *ret is valid until the next read. */
bool process_file(struct source *s, const struct process *p, const char *leaf, struct str *ret);
/* A new row of device pid/name. */
struct row process_row(struct source *s, const struct process *p, struct str name);
