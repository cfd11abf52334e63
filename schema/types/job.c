/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c - type job: resources used by each job */
#include "schema/type.h"
#include "schema/types/job.h"

static const struct metric metrics[] = {
	{ "cpu",        COUNTER, "us", "CPU time"                                            },
	{ "user",       COUNTER, "us", "of it in user mode; steps of 10 ms in v1"            },
	{ "system",     COUNTER, "us", "of it in the kernel; steps of 10 ms in v1"           },
	{ "throttled",  COUNTER, "us", "held back by its CPU quota; v2 only"                 },
	{ "mem",        GAUGE,   "B",  "memory charged to the job, page cache included"      },
	{ "mem_peak",   GAUGE,   "B",  "the most that was; v2 since 5.19; in a run, of a process" },
	{ "mem_limit",  GAUGE,   "B",  "the most that may be; 9223372036854771712 is none"   },
	{ "anon",       GAUGE,   "B",  "programs' own memory"                                },
	{ "file",       GAUGE,   "B",  "page cache, shmem included"                          },
	{ "shmem",      GAUGE,   "B",  "shared memory and tmpfs"                             },
	{ "swap",       GAUGE,   "B",  "swapped out"                                         },
	{ "pgfault",    COUNTER, "",   "page faults"                                         },
	{ "pgmajfault", COUNTER, "",   "page faults that had to read"                        },
	{ "oom_kill",   COUNTER, "",   "processes killed for memory; v1 since 4.13"          },
	{ "rd_bytes",   COUNTER, "B",  "read from block devices, each byte once"             },
	{ "wr_bytes",   COUNTER, "B",  "written to block devices, each byte once"            },
	{ "rd_ios",     COUNTER, "",   "reads from block devices"                            },
	{ "wr_ios",     COUNTER, "",   "writes to block devices"                             },
	{ "pids",       GAUGE,   "",   "processes and threads"                               },
	{ "age",        GAUGE,   "us", "since all were read; 0: now, the control group is there" },
	{ "whole",      GAUGE,   "",   "where age is not 0: 1 no CPU time is missing, 3 nothing" },
	{ "cpus",       GAUGE,   "",   "CPUs that the job may use"                           },
	{ "cpu_wait",   COUNTER, "us", "tasks waited for a CPU; in a run"                    },
	{ "cpu_wait_of", COUNTER, "us", "CPU time of the tasks that cpu_wait includes"       },
};

const struct job_source job_v2[JOB_V2_SOURCES] = {
	{ "", "cpu.stat",            CPU,        LINE, "usage_usec"     },
	{ "", "cpu.stat",            USER,       LINE, "user_usec"      },
	{ "", "cpu.stat",            SYSTEM,     LINE, "system_usec"    },
	{ "", "cpu.stat",            THROTTLED,  LINE, "throttled_usec" },
	{ "", "memory.current",      MEM,        NUMBER },
	{ "", "memory.peak",         MEM_PEAK,   NUMBER },
	{ "", "memory.max",          MEM_LIMIT,  NUMBER },
	{ "", "memory.stat",         ANON,       LINE, "anon"       },
	{ "", "memory.stat",         PAGE_CACHE, LINE, "file"       },
	{ "", "memory.stat",         SHMEM,      LINE, "shmem"      },
	{ "", "memory.stat",         PGFAULT,    LINE, "pgfault"    },
	{ "", "memory.stat",         PGMAJFAULT, LINE, "pgmajfault" },
	{ "", "memory.swap.current", SWAP,       NUMBER },
	{ "", "memory.events",       OOM_KILL,   LINE, "oom_kill" },
	{ "", "io.stat",             RD_BYTES,   SUM,  " rbytes=" },
	{ "", "io.stat",             WR_BYTES,   SUM,  " wbytes=" },
	{ "", "io.stat",             RD_IOS,     SUM,  " rios="   },
	{ "", "io.stat",             WR_IOS,     SUM,  " wios="   },
	{ "", "pids.current",        PIDS,       NUMBER },
};

const struct job_source job_v1[JOB_V1_SOURCES] = {
	{ "cpuacct", "cpuacct.usage",                CPU,        NUMBER, .per = 1000 },
	{ "cpuacct", "cpuacct.stat",                 USER,       LINE, "user",   .times = 10000 },
	{ "cpuacct", "cpuacct.stat",                 SYSTEM,     LINE, "system", .times = 10000 },
	{ "memory",  "memory.usage_in_bytes",        MEM,        NUMBER },
	{ "memory",  "memory.max_usage_in_bytes",    MEM_PEAK,   NUMBER },
	{ "memory",  "memory.limit_in_bytes",        MEM_LIMIT,  NUMBER },
	{ "memory",  "memory.stat",                  PAGE_CACHE, LINE, "total_cache"      },
	{ "memory",  "memory.stat",                  ANON,       LINE, "total_rss"        },
	{ "memory",  "memory.stat",                  SHMEM,      LINE, "total_shmem"      },
	{ "memory",  "memory.stat",                  SWAP,       LINE, "total_swap"       },
	{ "memory",  "memory.stat",                  PGFAULT,    LINE, "total_pgfault"    },
	{ "memory",  "memory.stat",                  PGMAJFAULT, LINE, "total_pgmajfault" },
	{ "memory",  "memory.oom_control",           OOM_KILL,   LINE, "oom_kill" },
	{ "blkio",   "blkio.throttle.io_service_bytes_recursive", RD_BYTES, SUM, " Read "  },
	{ "blkio",   "blkio.throttle.io_service_bytes_recursive", WR_BYTES, SUM, " Write " },
	{ "blkio",   "blkio.throttle.io_serviced_recursive",      RD_IOS,   SUM, " Read "  },
	{ "blkio",   "blkio.throttle.io_serviced_recursive",      WR_IOS,   SUM, " Write " },
	{ "pids",    "pids.current",                 PIDS,       NUMBER },
};

static void put_sources(struct buf *to, const char *version, const struct job_source *src, size_t n,
			size_t key)
{
	for (size_t i = 0; i < n; i++) {
		if (src[i].metric != key)
			continue;
		buf_addf(to, "%s%s %s", to->n ? "; " : "", version, src[i].file);
		struct str name = str_trim(str_of(src[i].key ? src[i].key : ""));
		if (name.n)
			buf_addf(to, " " STR_FMT, STR_ARG(name));
	}
}

static void job_put_source(const struct type *t, size_t key, struct buf *to)
{
	(void)t;
	if (key == AGE || key == WHOLE)
		buf_add(to, STR("the agent's own readings"));
	if (key == CPUS)
		buf_add(to, STR("v2 cpuset.cpus.effective; v1 cpuset.cpus; without them all CPUs"));
	if (key == CPU_WAIT || key == CPU_WAIT_OF)
		buf_add(to, STR("nodometer run: /proc/PID/task/TID/schedstat"));
	put_sources(to, "v2", job_v2, JOB_V2_SOURCES, key);
	put_sources(to, "v1", job_v1, JOB_V1_SOURCES, key);
}

const struct type job_type = {
	.name    = "job",
	.about   = "what each job used",
	.source  = "control groups of Slurm, OpenPBS, Torque, HTCondor, LSF and Flux",
	.device  = "the job's id; the slot's name where HTCondor's .job.ad cannot be read",
	.where   = job_put_source,
	METRICS(metrics),
};
