/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job - what each job of this node used, from its control group, whatever else runs on the node
 *
 * A row needs all keys that other rows have. Those that a kernel or the scheduler's choice of
 * controllers lacks, all jobs of a node lack. A job's group is gone with the job: what it used
 * between the last sample and its end is in no row, so a scheduler's epilog comes too late.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include "collectors/job_dirs.h"

static const struct metric metrics[] = {
	{ "cpu",        COUNTER, "us", "CPU time"                                            },
	{ "user",       COUNTER, "us", "of it in user mode; steps of 10 ms in v1"            },
	{ "system",     COUNTER, "us", "of it in the kernel; steps of 10 ms in v1"           },
	{ "throttled",  COUNTER, "us", "held back by its CPU quota; v2 only"                  },
	{ "mem",        GAUGE,   "B",  "memory charged to the job, page cache included"      },
	{ "mem_peak",   GAUGE,   "B",  "the most that was; v2 since 5.19"                    },
	{ "mem_limit",  GAUGE,   "B",  "the most that may be; 9223372036854771712 is none"   },
	{ "anon",       GAUGE,   "B",  "programs' own memory: anon, total_rss of v1"         },
	{ "file",       GAUGE,   "B",  "page cache, shmem included: total_cache of v1"       },
	{ "shmem",      GAUGE,   "B",  "shared memory and tmpfs"                             },
	{ "swap",       GAUGE,   "B",  "swapped out"                                         },
	{ "pgfault",    COUNTER, "",   "page faults"                                         },
	{ "pgmajfault", COUNTER, "",   "page faults that had to read"                        },
	{ "oom_kill",   COUNTER, "",   "processes killed for memory; v1 since 4.13"          },
	{ "rd_bytes",   COUNTER, "B",  "read from block devices"                             },
	{ "wr_bytes",   COUNTER, "B",  "written to block devices"                            },
	{ "rd_ios",     COUNTER, "",   "reads from block devices"                            },
	{ "wr_ios",     COUNTER, "",   "writes to block devices"                             },
	{ "pids",       GAUGE,   "",   "processes and threads"                               },
};
enum {
	CPU, USER, SYSTEM, THROTTLED, MEM, MEM_PEAK, MEM_LIMIT, ANON, PAGE_CACHE, SHMEM, SWAP,
	PGFAULT, PGMAJFAULT, OOM_KILL, RD_BYTES, WR_BYTES, RD_IOS, WR_IOS, PIDS,
};

#define JOB_FILES 10	/* that either table below reads */
#define NO_LIMIT 9223372036854771712u	/* as v1 says it with pages of 4 KB */

enum how {
	NUMBER,	/* the file is one, or "max" */
	LINE,	/* "key 123" */
	SUM,	/* of all devices' "8:0 key=123 other=4", or "8:0 key 123" */
};

/* Keys of one file together, in its order. Documentation/admin-guide/cgroup-v{1,2}. */
struct source {
	const char *controller, *file;
	size_t metric;
	enum how how;
	const char *key;
	unsigned times, per;	/* 0 is 1 */
};

static const struct source v2[] = {
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

static const struct source v1[] = {
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

struct state {
	struct jobs jobs;
	size_t kept;	/* of so many jobs files may stay open */
};

/* From where the key before it was found on, then from the start. */
static bool find_line(struct str text, struct str *rest, const char *key, uint64_t *ret)
{
	struct str line, name = str_of(key);
	for (int again = 0; again < 2; again++) {
		while (str_take_line(rest, &line))
			if (str_take_prefix(&line, name) && str_peek(line) == ' ')
				return str_take_u64(&line, ret);
		*rest = text;
	}
	return false;
}

/* No line is no I/O: the sum is known to be 0. */
static uint64_t sum(struct str text, const char *key)
{
	struct str line;
	size_t n = strlen(key);
	uint64_t v, sum = 0;
	while (str_take_line(&text, &line)) {
		const char *at = memmem(line.p, line.n, key, n);
		if (!at)
			continue;
		line = str_skip(line, (size_t)(at - line.p) + n);
		if (str_take_u64(&line, &v))
			sum += v;
	}
	return sum;
}

static bool find_value(const struct source *src, struct str text, struct str *rest, uint64_t *ret)
{
	switch (src->how) {
	case LINE:
		return find_line(text, rest, src->key, ret);
	case SUM:
		*ret = sum(text, src->key);
		return true;
	case NUMBER:
		*ret = NO_LIMIT;
		return str_take_u64(&text, ret) || str_eq(str_trim(text), STR("max"));
	}
	return false;
}

static int read_file(struct sample *s, const struct job *job, const char *controller,
		     const char *file, bool keep, struct str *ret)
{
	char path[512];
	int n = snprintf(path, sizeof(path), "%s/%s%s%s/%s", job->mount, controller,
			 *controller ? "/" : "", job->dir, file);
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	int r = sample_read(s, path, ret);
	if (!keep)
		files_forget(&s->files, path);
	if (r == -ENOENT && strcmp(controller, "cpuacct") == 0)
		return read_file(s, job, "cpu,cpuacct", file, keep, ret);
	return r;
}

static void fill_row(struct sample *s, struct row row, const struct job *job, bool keep)
{
	const struct source *src = job->v2 ? v2 : v1, *before = NULL;
	size_t n = job->v2 ? ARRAY_SIZE(v2) : ARRAY_SIZE(v1);
	struct str text = { 0 }, rest = { 0 };
	uint64_t v;
	int r = 0;

	for (const struct source *end = src + n; src < end; before = src++) {
		if (!before || strcmp(before->file, src->file) != 0) {
			r = read_file(s, job, src->controller, src->file, keep, &text);
			rest = text;
		}
		if (r < 0 || !find_value(src, text, &rest, &v))
			continue;
		v *= src->times ? src->times : 1;
		row_set(row, src->metric, src->per ? v / src->per : v);
	}
}

static void collect_job(struct sample *s, struct state *st, size_t i)
{
	struct job *job = &st->jobs.job[i];
	struct row row = sample_row(s, str_of(job->device));
	fill_row(s, row, job, i < st->kept);
	if (*row.present && (*row.present & job->keys) == job->keys) {
		job->keys = *row.present;
		return;
	}
	sample_drop_row(s);	/* it ended, maybe while we read */
	st->jobs.stale = true;
}

static void end(void *state)
{
	struct state *st = state;
	jobs_free(&st->jobs);
}

/* A quarter of what may be open; the files of more jobs are opened each time. */
static size_t jobs_kept_open(void)
{
	struct rlimit limit = { 0 };
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur / 4 / JOB_FILES;
}

static int collect(struct sample *s)
{
	struct state *st = sample_state(s, sizeof(*st));
	if (!s->end_state) {
		s->end_state = end;
		st->kept = jobs_kept_open();
	}
	jobs_look(&st->jobs, s);
	for (size_t i = 0; i < st->jobs.n; i++)
		collect_job(s, st, i);
	return s->n_rows || st->jobs.scheduler ? 0 :
		sample_absent(s, "no scheduler keeps jobs in control groups of this node");
}

const struct collector job_collector = {
	.name    = "job",
	.summary = "what each job used",
	.source  = "control groups of Slurm, OpenPBS, Torque, HTCondor, LSF and Flux",
	.device  = "the job's id; with HTCondor its slot",
	.collect = collect,
	METRICS(metrics),
};
