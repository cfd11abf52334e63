/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_shared.h - memory shared between the BPF program and the collector of type proc */
#pragma once

#include "schema/types/proc.h"

enum { PROC_TASKS = 512, PROC_CPUS = 1024, PROC_WORDS = PROC_CPUS / 64 };

/*
 * A process. Memory is in pages, except VM_PTE in bytes; VM_EXE and VM_LIB are the start and end of
 * the code.
 */
struct proc_task {
	unsigned pid, exec_pages;
	char name[16];
	unsigned long long value[PROC_KEYS];
	unsigned long long cpus[PROC_WORDS], nodes[PROC_WORDS];	/* allowed CPUs and NUMA nodes */
};

struct proc_shared {
	unsigned uid_min;	/* set by the collector */
	/* read .count only, as files before Linux 6.16, without the CPUs' own counts */
	unsigned approximate;
	unsigned has_nodes;
	unsigned cpus;		/* number of possible CPUs: masks may have more bits */
	unsigned n;
	/* offset of each CPU's memory from the address for all */
	unsigned long long cpu_at[PROC_CPUS];
	struct proc_task task[PROC_TASKS];
};
