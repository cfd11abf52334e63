/* SPDX-License-Identifier: BSD-3-Clause */
/* job.bpf.c - runs in the kernel: the values of type job of each control group that is asked for */
#include "collectors/bpf/kernel.h"
#include "collectors/bpf/job_shared.h"

#define DEVICES_MAX 64	/* of one group's I/O */

char terms[] SEC("license") = "Dual BSD/GPL";

struct job_shared shared;

#define FIELD(r, p, field) bpf_core_read(&(r), sizeof(r), &(p)->field)
#define AT(type, field) bpf_core_field_offset(type, field)
#define ID(name) bpf_core_enum_value(enum cgroup_subsys_id, name)
#define HAS(name) bpf_core_enum_value_exists(enum cgroup_subsys_id, name)
#define SUBSYS(c, name) (HAS(name) ? (c)->subsys[ID(name)] : (void *)0)

static __always_inline void set(struct job_cells *to, unsigned key, unsigned long long v)
{
	to->value[key] = v;
	to->present |= 1ull << key;
}

/*
 * A flush adds what each CPU counted to all groups; without it a job of seconds shows 0. Since 6.16
 * each controller has one, and a program may ask for that of CPU times only; for the others the
 * collector reads a file of the group above the jobs. A kernel has one of the functions; looking
 * for the other in modules takes CAP_SYS_ADMIN: so there are two programs.
 */
#ifdef BEFORE_6_16
extern void cgroup_rstat_flush(struct cgroup *cgrp) __ksym;

static __always_inline void flush(struct cgroup *root)
{
	cgroup_rstat_flush(root);
	shared.flushed = 1;
}
#else
extern void css_rstat_flush(struct cgroup_subsys_state *css) __ksym;

static __always_inline void flush(struct cgroup *root)
{
	css_rstat_flush(&root->self);
}
#endif

/* A loop that the verifier can follow: the collector never puts an id further away. */
static __always_inline struct job_cells *find(unsigned long long id)
{
	unsigned at = job_slot_of(id);
	for (unsigned i = 0; i < JOB_SLOTS_TRIED; i++) {
		struct job_cells *c = &shared.cells[(at + i) & (JOB_SLOTS - 1)];
		if (c->id == id)
			return c;
		if (c->id == 0)
			return 0;
	}
	return 0;
}

static __always_inline void take_cpu(struct job_cells *to, struct cgroup *c)
{
	struct task_group *group = (void *)SUBSYS(c, cpu_cgrp_id);
	unsigned long long held;
	set(to, CPU, c->bstat.cputime.sum_exec_runtime);
	set(to, USER, c->bstat.cputime.utime);
	set(to, SYSTEM, c->bstat.cputime.stime);
	to->shown[0] = c->prev_cputime.utime;
	to->shown[1] = c->prev_cputime.stime;
	if (group && bpf_core_field_exists(group->cfs_bandwidth.throttled_time) &&
	    FIELD(held, group, cfs_bandwidth.throttled_time) == 0)
		set(to, THROTTLED, held);
}

static __always_inline void take_limits(struct job_cells *to, struct mem_cgroup *m)
{
	unsigned i = bpf_core_enum_value(enum memcg_memory_event, MEMCG_OOM_KILL);
	unsigned long peak, limit;
	long now, swap, killed;
	if (FIELD(now, m, memory.usage.counter) == 0)
		set(to, MEM, now);
	if (FIELD(peak, m, memory.watermark) == 0)
		set(to, MEM_PEAK, peak);
	if (FIELD(limit, m, memory.max) == 0)
		set(to, MEM_LIMIT, limit);
	if (FIELD(swap, m, swap.usage.counter) == 0)
		set(to, SWAP, swap);
	if (bpf_core_read(&killed, sizeof(killed), &m->memory_events[0].counter + i) == 0)
		set(to, OOM_KILL, killed);
}

static __always_inline void take_state(struct job_cells *to, struct memcg_vmstats *v, unsigned key,
				       unsigned at)
{
	long pages;
	if (at < JOB_STATES && at < bpf_core_field_size(v->state) / sizeof(pages) &&
	    bpf_core_read(&pages, sizeof(pages), &v->state[0] + at) == 0)
		set(to, key, pages > 0 ? pages : 0);
}

static __always_inline void take_event(struct job_cells *to, struct memcg_vmstats *v, unsigned key,
				       unsigned at)
{
	unsigned long n;
	if (at < JOB_EVENTS && at < bpf_core_field_size(v->events) / sizeof(n) &&
	    bpf_core_read(&n, sizeof(n), &v->events[0] + at) == 0)
		set(to, key, n);
}

/* memory.stat of kernels up to 6.9 is in the order of the kernel's enumeration. */
static __always_inline void learn(struct memcg_vmstats *v)
{
	unsigned states = bpf_core_field_size(v->state), events = bpf_core_field_size(v->events);
	_Bool plain = states / 8 == bpf_core_enum_value(enum memcg_stat_item, MEMCG_NR_STAT);
	shared.learning.shmem_after = plain ? bpf_core_enum_value(enum node_stat_item, NR_SHMEM) -
				       bpf_core_enum_value(enum node_stat_item, NR_ANON_MAPPED) : 5;
	if (states > sizeof(shared.learning.state))
		states = sizeof(shared.learning.state);
	if (events > sizeof(shared.learning.event))
		events = sizeof(shared.learning.event);
	bpf_core_read(shared.learning.state, states, &v->state);
	bpf_core_read(shared.learning.event, events, &v->events);
}

static __always_inline void take_memory(struct job_cells *to, struct mem_cgroup *m)
{
	struct memcg_vmstats *v;
	unsigned anon = shared.learning.anon_at, pgfault = shared.learning.pgfault_at;
	take_limits(to, m);
	if (FIELD(v, m, vmstats) < 0)
		return;
	if (shared.learning.id == to->id)
		learn(v);
	if (anon) {
		take_state(to, v, ANON, anon - 1);
		take_state(to, v, PAGE_CACHE, anon - 1 + 2);
		take_state(to, v, SHMEM, anon - 1 + shared.learning.shmem_after);
	}
	if (pgfault) {
		take_event(to, v, PGFAULT, pgfault - 1);
		take_event(to, v, PGMAJFAULT, pgfault);
	}
}

/* A device that goes away takes its numbers along, at any moment: then there is no sum. */
static __always_inline void take_io(struct job_cells *to, struct blkcg *b)
{
	unsigned long long sum[4] = { 0 };
	struct hlist_node *node;
	if (FIELD(node, b, blkg_list.first) < 0)
		return;
	for (unsigned i = 0; node && i < DEVICES_MAX; i++) {
		struct blkcg_gq *g = (void *)node - AT(struct blkcg_gq, blkcg_node);
		unsigned long long bytes[2], ios[2];
		struct blkcg *owner;
		_Bool online;
		if (FIELD(online, g, online) < 0 ||
		    FIELD(bytes, g, iostat.cur.bytes) < 0 ||
		    FIELD(ios, g, iostat.cur.ios) < 0 ||
		    FIELD(node, g, blkcg_node.next) < 0 ||
		    FIELD(owner, g, blkcg) < 0 || owner != b)
			return;
		for (unsigned k = 0; online && k < 2; k++) {
			sum[k] += bytes[k];
			sum[2 + k] += ios[k];
		}
	}
	if (node)
		return;
	set(to, RD_BYTES, sum[0]);
	set(to, WR_BYTES, sum[1]);
	set(to, RD_IOS, sum[2]);
	set(to, WR_IOS, sum[3]);
}

static __always_inline void take_pids(struct job_cells *to, struct pids_cgroup *p)
{
	long n;
	if (FIELD(n, p, counter.counter) == 0)
		set(to, PIDS, n);
}

SEC("iter.s/cgroup")
int jobs(struct bpf_iter__cgroup *ctx)
{
	struct cgroup *c = ctx->cgroup;
	if (!c)
		return 0;
	if (ctx->meta->seq_num == 0)
		flush(c);
	struct job_cells *to = find(c->kn->id);
	if (!to)
		return 0;
	struct mem_cgroup *memory = (void *)SUBSYS(c, memory_cgrp_id);
	struct blkcg *io = (void *)SUBSYS(c, io_cgrp_id);
	struct pids_cgroup *pids = (void *)SUBSYS(c, pids_cgrp_id);
	to->present = 0;
	take_cpu(to, c);
	if (memory)
		take_memory(to, memory);
	if (io)
		take_io(to, io);
	if (pids)
		take_pids(to, pids);
	to->walk = shared.walk;
	return 0;
}
