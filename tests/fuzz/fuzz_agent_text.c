/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_agent_text.c - give random texts to the agent's socket and files */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "recorder/config.h"
#include "agent/control.h"
#include "figures/allocation.h"
#include "recorder/jobs.h"
#include "archive/tail.h"
#include "collectors/job_layouts.h"
#include "collectors/job_slot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Write the text to a file that all calls share. Returns the descriptor of the file. */
static int put_file(struct str text)
{
	static int fd = -1;
	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	must(fd >= 0 && ftruncate(fd, 0) == 0);
	must(pwrite(fd, text.p, text.n, 0) == (ssize_t)text.n);
	return fd;
}

static void try_request(struct str text)
{
	struct control_request q;
	int r = control_parse(text, &q);
	must(r == 0 || r == -EBADMSG);
	must(r < 0 || (q.verb < CONTROL_VERBS && q.expires_ms >= 0));
	must(r < 0 || (q.argument.p >= text.p && q.argument.n <= text.n));
}

static void try_jobs(struct str text)
{
	struct jobs j CLEANUP(jobs_free) = { 0 };
	struct buf ids CLEANUP(buf_free) = { 0 };
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", put_file(text));
	must(jobs_load(&j, path) == 0);
	must(j.n <= JOBS_MAX);
	for (size_t i = 0; i < j.n; i++) {
		must(job_id_valid(str_of(j.job[i].id)));
		must(jobs_find(&j, str_of(j.job[i].id)) == &j.job[i]);
		must(j.job[i].since_us >= 0 && j.job[i].source < JOB_SOURCES);
	}
	jobs_put(&j, &ids);
}

static void try_config(struct str text)
{
	struct config c;
	struct buf errors CLEANUP(buf_free) = { 0 };
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", put_file(text));
	config_init(&c);
	int r = config_read(&c, path, &errors);
	must(r == 0 || r == -EINVAL);
	must((r == 0) == (errors.n == 0));
	must(errors.n < 32768);
	must(c.dir[0] == '/' && c.interval_us >= 20000 && c.deadline_us >= 1000);
	must(c.retain.days >= 0 && c.retain.bytes >= 0);
	must(c.retain.free_floor >= 0 || c.retain.free_floor == TIDY_FLOOR);
	must(c.spread_us >= 0);
	for (size_t i = 0; i < n_collectors; i++)
		must(c.use[i] <= USE_ISOLATE);
	config_free(&c);
}

static void try_tail(struct str text)
{
	off_t whole = -1;
	int64_t last_us;
	must(tail_find_whole(put_file(text), (off_t)text.n, &whole, &last_us) == 0);
	must(whole >= 0 && whole <= (off_t)text.n && last_us >= 0);
	if (tail_group_is_whole(text))
		must(!tail_group_is_whole((struct str){ text.p, text.n - 1 }));
}

static void try_cgroups(struct str text)
{
	struct files root = { .rootfd = -1 };
	struct source s;
	char job[JOB_ID_MAX + 1];
	source_init(&s, &root, NULL, 0);
	/* The root has no folders, so no cgroup in the text belongs to a job. */
	must(!job_of_cgroups(&s, text, 1000, job, sizeof(job)));
	source_free(&s);
}

static void try_gpus(struct str text)
{
	bool has[GPUS_MAX];
	size_t n = 0;
	int r = gpu_list(text, has);
	must(r == 0 || r == -EINVAL);
	for (size_t i = 0; i < GPUS_MAX; i++)
		n += has[i];
	must(r < 0 || (n > 0 && text.n > 0));
}

static void try_ad(struct str text)
{
	char job[48];
	if (job_of_ad(text, job, sizeof(job)))
		must(strchr(job, '.') && strspn(job, "0123456789.") == strlen(job));
}

/* The first byte selects the reader that gets the remaining bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(struct str) = {
		try_request, try_jobs, try_config, try_tail, try_cgroups, try_gpus,
		try_ad,
	};
	if (size == 0)
		return 0;
	struct str text = { (const char *)data + 1, size - 1 };
	readers[(uint8_t)(data[0] - 'A') % ARRAY_SIZE(readers)](text);
	return 0;
}
