/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_shared.h - what the program in the kernel and the collector of type proc both see */
#pragma once

#include "schema/types/proc.h"

enum { PROC_TASKS = 512, PROC_CPUS = 1024, PROC_WORDS = PROC_CPUS / 64 };

/* Memory is in pages, VM_EXE and VM_LIB are where the code begins and ends, VM_PTE is in bytes. */
struct proc_task {
	unsigned pid, exec_pages;
	char name[16];
	unsigned long long value[PROC_KEYS];
	unsigned long long cpus[PROC_WORDS], nodes[PROC_WORDS];	/* allowed ones */
};

struct proc_shared {
	unsigned uid_min;	/* the collector sets it */
	unsigned approximate;	/* as files are before 6.16: what CPUs have not added is missing */
	unsigned has_nodes;
	unsigned cpus;		/* possible ones: a mask may have bits behind these */
	unsigned n;
	unsigned long long cpu_at[PROC_CPUS];	/* of each CPU, behind the address for all */
	struct proc_task task[PROC_TASKS];
};
