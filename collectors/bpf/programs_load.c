/* SPDX-License-Identifier: BSD-3-Clause */
/* programs_load.c - load BPF programs with libbpf */
#include "collectors/bpf/programs.h"

#include <stdio.h>
#include "base/str.h"

static void program_set_why(struct program *p, const char *why)
{
	snprintf(p->why, sizeof(p->why), "%s", why);
}

#ifdef HAVE_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>
#include "base/files.h"
#include "collectors/bpf/job_shared.h"
#include "collectors/bpf/job.skel.h"	/* generated from job.bpf.c */
#include "collectors/bpf/job_old.skel.h"
#include "collectors/bpf/load_words.h"
#include "collectors/bpf/proc_shared.h"
#include "collectors/bpf/proc.skel.h"
#include "collectors/bpf/proc_old.skel.h"

/* Keep the map's memory and the link after libbpf's objects are closed. */
static int program_keep(struct program *p, const struct bpf_link *link, const struct bpf_map *map)
{
	size_t size = bpf_map__value_size(map);
	int fd = link ? fcntl(bpf_link__fd(link), F_DUPFD_CLOEXEC, 3) : -1;
	if (fd < 0)
		return -errno;
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (shared == MAP_FAILED) {
		close(fd);
		return -errno;
	}
	p->link = fd;
	p->size = size;
	p->shared = shared;
	return 0;
}

/* Open the root of the cgroup v2 hierarchy. */
static int open_groups(void)
{
	static const char *const places[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs fs;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (statfs(places[i], &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			return open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	errno = ENOENT;
	return -1;
}

static int program_attach(struct program *p, const struct bpf_program *walk,
			  const struct bpf_map *shared,
			  const struct bpf_iter_attach_opts *options)
{
	struct bpf_link *link = bpf_program__attach_iter(walk, options);
	int r = program_keep(p, link, shared);
	bpf_link__destroy(link);
	return r;
}

static int program_load_job(struct program *p)
{
	union bpf_iter_link_info walk = { .cgroup.order = BPF_CGROUP_ITER_DESCENDANTS_PRE };
	LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &walk,
		    .link_info_len = sizeof(walk));
	int groups CLEANUP(close_fd) = open_groups();
	if (groups < 0) {
		program_set_why(p, "no control groups of version 2");
		return -ENOENT;
	}
	walk.cgroup.cgroup_fd = (uint32_t)groups;
	struct job_bpf *s = job_bpf__open_and_load();
	if (!s)
		load_listen();
	struct job_old_bpf *old = s ? NULL : job_old_bpf__open_and_load();
	int r = s ? program_attach(p, s->progs.jobs, s->maps.bss, &options) :
		old ? program_attach(p, old->progs.jobs, old->maps.bss, &options) : -errno;
	job_bpf__destroy(s);
	job_old_bpf__destroy(old);
	return r;
}

static int program_load_old_proc(struct program *p)
{
	load_listen();
	struct proc_old_bpf *s = proc_old_bpf__open_and_load();
	int r = s ? program_attach(p, s->progs.processes, s->maps.bss, NULL) : -errno;
	proc_old_bpf__destroy(s);
	return r;
}

#define FIRST_PID_NAMESPACE 0xeffffffc	/* PROC_PID_INIT_INO, include/linux/proc_ns.h */

static int program_load_proc(struct program *p)
{
	struct stat st;
	int cpus = libbpf_num_possible_cpus();
	if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino != FIRST_PID_NAMESPACE) {
		program_set_why(p, "not available in a PID namespace");
		return -EXDEV;
	}
	if (cpus < 1 || cpus > PROC_CPUS)
		return -E2BIG;
	struct proc_bpf *s = proc_bpf__open();
	if (s)
		s->rodata->cpus = (unsigned)cpus;
	int r = s ? proc_bpf__load(s) : -errno;
	if (r == 0)
		r = program_attach(p, s->progs.processes, s->maps.bss, NULL);
	proc_bpf__destroy(s);
	if (r < 0)
		r = program_load_old_proc(p);
	if (r == 0)
		((struct proc_shared *)p->shared)->cpus = (unsigned)cpus;
	return r;
}

static int (*const loaders[PROGRAMS])(struct program *p) = {
	[PROGRAM_JOB]  = program_load_job,
	[PROGRAM_PROC] = program_load_proc,
};

void program_load(struct programs *all, enum program_name name)
{
	struct program *p = &all->program[name];
	if (p->shared)
		return;
	const char *why = load_forbidden();
	if (why) {
		program_set_why(p, why);
		return;
	}
	p->why[0] = '\0';
	load_listen();
	int r = loaders[name](p);
	const char *refusal = load_heard();
	malloc_trim(0);	/* give the 5 MB that the kernel's BTF occupied back to the system */
	if (r < 0 && !p->why[0])
		program_set_why(p, refusal[0] ? refusal : strerror(-r));
}

#else

void program_load(struct programs *all, enum program_name name)
{
	program_set_why(&all->program[name], "built without libbpf, clang or bpftool");
}
#endif
