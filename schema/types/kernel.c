/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.c - type kernel: interrupts, boot time, and use and limits of kernel tables */
#include "schema/type.h"

static const struct metric metrics[] = {
	{ "btime", GAUGE, "", "time of boot, seconds since 1970", "stat" },
	{ "intr", COUNTER, "", "interrupts", "stat" },
	{ "procs_blocked", GAUGE, "", "threads that wait for I/O", "stat" },
	{ "oom_kill", COUNTER, "", "processes killed for memory (since 4.13)", "vmstat" },
	{ "entropy_avail", GAUGE, "", "bits in the pool of random numbers",
	  "sys/kernel/random/entropy_avail" },
	{ "entropy_poolsize", GAUGE, "", "bits that the pool can hold",
	  "sys/kernel/random/poolsize" },
	{ "conntrack", GAUGE, "", "connections that the firewall tracks",
	  "sys/net/netfilter/nf_conntrack_count" },
	{ "conntrack_max", GAUGE, "", "most connections that it can track",
	  "sys/net/netfilter/nf_conntrack_max" },
	{ "file_max", GAUGE, "", "most open files", "sys/fs/file-max" },
	{ "pid_max", GAUGE, "", "largest process id", "sys/kernel/pid_max" },
	{ "threads_max", GAUGE, "", "most threads", "sys/kernel/threads-max" },
};

const struct type kernel_type = {
	.name    = "kernel",
	.about   = "interrupts, boot time, and tables of the kernel with their limits",
	.source  = "/proc/KEY",
	.device  = "the whole node",
	.off     = true,
	METRICS(metrics),
};
