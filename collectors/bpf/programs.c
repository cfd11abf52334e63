/* SPDX-License-Identifier: BSD-3-Clause */
/* programs.c - run and free loaded BPF programs */
#include "collectors/bpf/programs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/files.h"

void programs_free(struct programs *p)
{
	for (size_t i = 0; i < PROGRAMS; i++) {
		if (!p->program[i].shared)
			continue;
		munmap(p->program[i].shared, p->program[i].size);
		close_fd(&p->program[i].link);
	}
	*p = (struct programs){ 0 };
}

bool programs_any(const struct programs *p)
{
	for (size_t i = 0; i < PROGRAMS; i++)
		if (p->program[i].shared)
			return true;
	return false;
}

#ifdef HAVE_BPF

#include <linux/bpf.h>

/* Run the iterator once. Open a new iterator, because an iterator cannot be rewound. */
static int program_run_iterator(const struct program *p, void (*full)(void *arg), void *arg)
{
	union bpf_attr attr = { .iter_create.link_fd = (uint32_t)p->link };
	char none[8];
	int fd CLEANUP(close_fd) = (int)syscall(SYS_bpf, BPF_ITER_CREATE, &attr, sizeof(attr));
	if (fd < 0)
		return -errno;
	ssize_t n;
	while ((n = read(fd, none, sizeof(none))) != 0 && (n > 0 || (errno == EAGAIN && full)))
		if (n < 0)
			full(arg);
	return n < 0 ? -errno : 0;
}

#else

static int program_run_iterator(const struct program *p, void (*full)(void *arg), void *arg)
{
	(void)p;
	(void)full;
	(void)arg;
	return -EOPNOTSUPP;
}
#endif

int program_walk(struct program *p, void (*full)(void *arg), void *arg)
{
	int r = program_run_iterator(p, full, arg);
	if (r < 0)
		snprintf(p->why, sizeof(p->why), "its iterator failed: %s", strerror(-r));
	return r;
}
