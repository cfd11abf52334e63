/* SPDX-License-Identifier: BSD-3-Clause */
/* exits.bpf.c - runs in the kernel: counts processes that end, by the name of their program */
#include "collectors/bpf/kernel.h"
#include "collectors/bpf/exits_shared.h"

#define KERNEL_THREAD 0x200000	/* PF_KTHREAD, include/linux/sched.h */
#define MOST_TRIES 4

char terms[] SEC("license") = "Dual BSD/GPL";

struct exits_shared shared;

/* FNV-1a of 64 bits: no two names of a node share one. */
static __always_inline unsigned long long hash_of(const char *name)
{
	unsigned long long h = 14695981039346656037ull;
	for (int i = 0; i < 16 && name[i]; i++)
		h = (h ^ (unsigned char)name[i]) * 1099511628211ull;
	return h ? h : 1;
}

/* A CPU that takes a free slot writes the name; the next one finds the hash. */
static __always_inline struct exits_name *find(const char *name)
{
	unsigned long long hash = hash_of(name), was;
	unsigned at = hash ^ hash >> 32;
	for (unsigned i = 0; i < EXITS_TRIED; i++) {
		struct exits_name *s = &shared.slot[(at + i) & (EXITS_NAMES - 1)];
		if (s->hash == hash)
			return s;
		if (s->hash)
			continue;
		was = __sync_val_compare_and_swap(&s->hash, 0, hash);
		if (was == 0)
			__builtin_memcpy(s->name, name, sizeof(s->name));
		if (was == 0 || was == hash)
			return s;
	}
	return &shared.slot[EXITS_NAMES];
}

static __always_inline void keep_most(unsigned long long *most, unsigned long long v)
{
	for (int i = 0; i < MOST_TRIES; i++) {
		unsigned long long was = *most;
		if (was >= v || __sync_val_compare_and_swap(most, was, v) == was)
			return;
	}
}

/*
 * At sched_process_exit the time since the last tick is in no sum, which is all that a process of a
 * millisecond has: so this is where the kernel lets go of it. The first thread goes last, after its
 * parent has asked for the status; the others' times, and its own, are in the sum.
 */
SEC("tp_btf/sched_process_free")
int ended(unsigned long long *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct signal_struct *all = t->signal;
	char name[16] = { 0 };
	if ((t->flags & KERNEL_THREAD) || t->pid != t->tgid || !all)
		return 0;
	bpf_core_read(name, sizeof(name), &t->comm);
	struct exits_name *to = find(name);
	__sync_fetch_and_add(&to->value[EXITS_ENDED], 1);
	__sync_fetch_and_add(&to->value[EXITS_CPU], all->sum_sched_runtime);
	keep_most(&to->value[EXITS_MEM], all->maxrss);
	return 0;
}
