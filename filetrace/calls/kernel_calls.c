/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel_calls.c - trace the system calls of processes and their descendants with BPF */
#include "filetrace/calls/kernel_calls.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/files.h"
#include "collectors/bpf/load_words.h"
#include "filetrace/calls/call_kinds.h"
#include "filetrace/calls/calls.skel.h"	/* built from calls.bpf.c */

struct kernel_calls {
	struct calls_bpf *s;
	struct ring_buffer *ring;
	struct calls_wanted w;
};

static int kernel_calls_pass_record(void *arg, void *record, size_t n)
{
	struct kernel_calls *k = arg;
	k->w.take(k->w.arg, (struct str){ record, n });
	return 0;
}

static int kernel_calls_load_programs(struct kernel_calls *k)
{
	struct calls_bpf *s = k->s = calls_bpf__open();
	if (!s)
		return -errno;
	call_kinds(s->rodata->kinds, k->w.recorded);
	s->rodata->slow = (unsigned long long)k->w.slow;
	s->rodata->job = k->w.job;
	s->rodata->has_threads = k->w.running;
	int r = calls_bpf__load(s);
	if (r < 0)
		return r;
	k->ring = ring_buffer__new(bpf_map__fd(s->maps.records), kernel_calls_pass_record, k, NULL);
	return k->ring ? 0 : -errno;
}

int kernel_calls_load(struct kernel_calls **ret, const struct calls_wanted *w, const char **why)
{
	*why = load_forbidden();
#ifndef __x86_64__
	*why = "system calls can be traced only on x86-64";
#endif
	if (*why)
		return -EPERM;
	struct kernel_calls *k = xrealloc(NULL, sizeof(*k));
	*k = (struct kernel_calls){ .w = *w };
	load_listen();
	int r = kernel_calls_load_programs(k);
	*why = load_heard();
	if (r < 0) {
		kernel_calls_free(k);
		return r;
	}
	*ret = k;
	return 0;
}

int kernel_calls_attach(struct kernel_calls *k)
{
	return calls_bpf__attach(k->s);
}

int kernel_calls_follow(struct kernel_calls *k, pid_t pid)
{
	struct calls_thread none = { 0 };
	int process CLEANUP(close_fd) = (int)syscall(SYS_pidfd_open, pid, 0);
	if (process < 0)
		return -errno;
	int r = bpf_map_update_elem(bpf_map__fd(k->s->maps.threads), &process, &none, BPF_NOEXIST);
	if (r == 0)
		__atomic_fetch_add(&k->s->bss->counts.live, 1, __ATOMIC_RELAXED);
	if (r == -EEXIST)
		return 0;
	return r < 0 ? r : 1;
}

void kernel_calls_read(struct kernel_calls *k, int ms)
{
	ring_buffer__poll(k->ring, ms);
	ring_buffer__consume(k->ring);
}

bool kernel_calls_live(const struct kernel_calls *k)
{
	return __atomic_load_n(&k->s->bss->counts.live, __ATOMIC_RELAXED) > 0;
}

uint64_t kernel_calls_lost(const struct kernel_calls *k)
{
	return __atomic_load_n(&k->s->bss->counts.lost, __ATOMIC_RELAXED);
}

uint64_t kernel_calls_32bit(const struct kernel_calls *k)
{
	return __atomic_load_n(&k->s->bss->counts.other, __ATOMIC_RELAXED);
}

void kernel_calls_detach(struct kernel_calls *k)
{
	calls_bpf__detach(k->s);
}

void kernel_calls_free(struct kernel_calls *k)
{
	ring_buffer__free(k->ring);
	calls_bpf__destroy(k->s);
	free(k);
}
