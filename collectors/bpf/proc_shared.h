/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_shared.h - memory shared between the BPF program and the collector of type proc */
#pragma once

#include "schema/types/proc.h"

enum { PROC_TASKS = 512, PROC_CPUS = 1024, PROC_WORDS = PROC_CPUS / 64 };

/*
 * A process. Sizes are in pages. Exceptions: VM_PTE is in bytes; VM_EXE and VM_LIB are the first
 * and last address of the program's code.
 */
struct proc_task {
	unsigned pid, exec_pages;
	char name[16];
	unsigned long long value[PROC_KEYS];
	unsigned long long cpus[PROC_WORDS], nodes[PROC_WORDS];	/* allowed CPUs and NUMA nodes */
};

struct proc_shared {
	unsigned uid_min;	/* smallest user id of ordinary users, set by the collector */
	/*
	 * read only the totals of page counters, without the counts that CPUs have not added to
	 * them yet, as /proc/PID/status does before Linux 6.16
	 */
	unsigned approximate;
	unsigned has_nodes;
	unsigned cpus;	/* number of possible CPUs */
	unsigned n;
	/*
	 * for each CPU: offset from the address of a per-CPU variable to this CPU's copy of the
	 * variable
	 */
	unsigned long long cpu_at[PROC_CPUS];
	struct proc_task task[PROC_TASKS];
};
