/* SPDX-License-Identifier: BSD-3-Clause */
/* job_cpus.c - count the CPUs that a job may use */
#include "collectors/job_cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define JOB_CPUS_MAX 8192	/* largest NR_CPUS of any kernel */

/* Count the CPUs of a list such as "0-3,8". Returns 0 if the list is empty or invalid. */
static uint64_t job_count_cpus(struct str list)
{
	unsigned first, last;
	uint64_t n = 0;
	list = str_trim(list);
	while (str_take_range(&list, JOB_CPUS_MAX, &first, &last))
		n += last - first + 1;
	return list.n ? 0 : n;
}

static uint64_t job_read_cpus(struct source *s, const char *path)
{
	struct str text;
	int fd = files_open(&s->files, path, O_RDONLY);
	uint64_t n = fd >= 0 && source_read_fd(s, fd, &text) == 0 ? job_count_cpus(text) : 0;
	close_fd(&fd);
	return n;
}

void job_look_at_cpus(struct source *s, struct job_last *j)
{
	char path[512];
	if (j->has_cpus && !s->rescan)
		return;
	int n = j->v2 ? snprintf(path, sizeof(path), "%s/%s/cpuset.cpus.effective", j->mount,
				 j->dir) :
			snprintf(path, sizeof(path), "%s/cpuset/%s/cpuset.cpus", j->mount, j->dir);
	j->cpus = n < (int)sizeof(path) ? job_read_cpus(s, path) : 0;
	if (!j->cpus)
		j->cpus = job_read_cpus(s, "sys/devices/system/cpu/online");
	j->has_cpus = true;
}
