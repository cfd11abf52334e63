/* SPDX-License-Identifier: BSD-3-Clause */
/* job.bpf.c - BPF program that reads the values of type job of each requested cgroup */
#include "collectors/bpf/kernel.h"
#include "collectors/bpf/job_shared.h"

#define DEVICES_MAX 64	/* largest number of devices per cgroup */

char terms[] SEC("license") = "Dual BSD/GPL";

struct job_shared shared;

#define FIELD(r, p, field) bpf_core_read(&(r), sizeof(r), &(p)->field)
#define AT(type, field) bpf_core_field_offset(type, field)
#define ID(name) bpf_core_enum_value(enum cgroup_subsys_id, name)
#define HAS(name) bpf_core_enum_value_exists(enum cgroup_subsys_id, name)
#define SUBSYS(c, name) (HAS(name) ? (c)->subsys[ID(name)] : (void *)0)

static __always_inline void cells_set(struct job_cells *to, unsigned key, unsigned long long v)
{
	to->value[key] = v;
	to->present |= 1ull << key;
}

/*
 * Flush the statistics: add the counts that each CPU keeps to those of all cgroups. Without a
 * flush, a job of a few seconds shows 0. Linux 6.16 replaced the flush function by one for each
 * controller, and a BPF program may only call the function for CPU times; the collector flushes the
 * other controllers by reading files of the jobs' parent cgroup. There are two programs, because
 * for a single one the loader would search kernel modules for the missing function, which needs
 * CAP_SYS_ADMIN.
 */
#ifdef BEFORE_6_16
extern void cgroup_rstat_flush(struct cgroup *cgrp) __ksym;

static __always_inline void flush_statistics(struct cgroup *root)
{
	cgroup_rstat_flush(root);
	shared.flushed = 1;
}
#else
extern void css_rstat_flush(struct cgroup_subsys_state *css) __ksym;

static __always_inline void flush_statistics(struct cgroup *root)
{
	css_rstat_flush(&root->self);
}
#endif

/*
 * Find the slot of the cgroup with this id. Returns NULL if the cgroup has no slot. The verifier
 * requires a bounded loop, so only JOB_SLOTS_TRIED slots are tried.
 */
static __always_inline struct job_cells *cells_find(unsigned long long id)
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

static __always_inline void cells_read_cpu(struct job_cells *to, struct cgroup *c)
{
	struct task_group *group = (void *)SUBSYS(c, cpu_cgrp_id);
	unsigned long long held;
	cells_set(to, CPU, c->bstat.cputime.sum_exec_runtime);
	cells_set(to, USER, c->bstat.cputime.utime);
	cells_set(to, SYSTEM, c->bstat.cputime.stime);
	to->shown[0] = c->prev_cputime.utime;
	to->shown[1] = c->prev_cputime.stime;
	if (group && bpf_core_field_exists(group->cfs_bandwidth.throttled_time) &&
	    FIELD(held, group, cfs_bandwidth.throttled_time) == 0)
		cells_set(to, THROTTLED, held);
}

static __always_inline void cells_read_limits(struct job_cells *to, struct mem_cgroup *m)
{
	unsigned i = bpf_core_enum_value(enum memcg_memory_event, MEMCG_OOM_KILL);
	unsigned long peak, limit;
	long now, swap, killed;
	if (FIELD(now, m, memory.usage.counter) == 0)
		cells_set(to, MEM, now);
	if (FIELD(peak, m, memory.watermark) == 0)
		cells_set(to, MEM_PEAK, peak);
	if (FIELD(limit, m, memory.max) == 0)
		cells_set(to, MEM_LIMIT, limit);
	if (FIELD(swap, m, swap.usage.counter) == 0)
		cells_set(to, SWAP, swap);
	if (bpf_core_read(&killed, sizeof(killed), &m->memory_events[0].counter + i) == 0)
		cells_set(to, OOM_KILL, killed);
}

static __always_inline void cells_read_state(struct job_cells *to, struct memcg_vmstats *v,
					     unsigned key, unsigned at)
{
	long pages;
	if (at < JOB_STATES && at < bpf_core_field_size(v->state) / sizeof(pages) &&
	    bpf_core_read(&pages, sizeof(pages), &v->state[0] + at) == 0)
		cells_set(to, key, pages > 0 ? pages : 0);
}

static __always_inline void cells_read_event(struct job_cells *to, struct memcg_vmstats *v,
					     unsigned key, unsigned at)
{
	unsigned long n;
	if (at < JOB_EVENTS && at < bpf_core_field_size(v->events) / sizeof(n) &&
	    bpf_core_read(&n, sizeof(n), &v->events[0] + at) == 0)
		cells_set(to, key, n);
}

/*
 * Copy all counters of memory.stat to shared.learning, so that the collector can find their
 * positions. Since Linux 6.10, shmem is 5 places after anon; before, the distance is that in the
 * kernel's enum node_stat_item.
 */
static __always_inline void learn_layout(struct memcg_vmstats *v)
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

static __always_inline void cells_read_memory(struct job_cells *to, struct mem_cgroup *m)
{
	struct memcg_vmstats *v;
	unsigned anon = shared.learning.anon_at, pgfault = shared.learning.pgfault_at;
	cells_read_limits(to, m);
	if (FIELD(v, m, vmstats) < 0)
		return;
	if (shared.learning.id == to->id)
		learn_layout(v);
	if (anon) {
		cells_read_state(to, v, ANON, anon - 1);
		cells_read_state(to, v, PAGE_CACHE, anon - 1 + 2);
		cells_read_state(to, v, SHMEM, anon - 1 + shared.learning.shmem_after);
	}
	if (pgfault) {
		cells_read_event(to, v, PGFAULT, pgfault - 1);
		cells_read_event(to, v, PGMAJFAULT, pgfault);
	}
}

/* Read the device number of a blkcg_gq, as shown in io.stat. */
static __always_inline _Bool part_read_device(struct job_part *p, struct blkcg_gq *g)
{
	struct request_queue *q;
	struct gendisk *disk;
	int major, minor;
	if (FIELD(q, g, q) < 0 || FIELD(disk, q, disk) < 0 || FIELD(major, disk, major) < 0 ||
	    FIELD(minor, disk, first_minor) < 0)
		return 0;
	p->device = (unsigned)major << JOB_MAJOR_SHIFT | (unsigned)minor;
	return 1;
}

static __always_inline _Bool part_read_counters(struct job_part *p, struct blkcg_gq *g)
{
	p->keys = (1u << JOB_IO_KEYS) - 1;
	return bpf_core_read(&p->value[0], 2 * sizeof(p->value[0]), &g->iostat.cur.bytes) == 0 &&
	       bpf_core_read(&p->value[2], 2 * sizeof(p->value[0]), &g->iostat.cur.ios) == 0;
}

/*
 * Check that g still belongs to the cgroup. Call this after all other reads of g, because the
 * kernel may reuse its memory at any time.
 */
static __always_inline _Bool device_is_of(struct blkcg_gq *g, struct blkcg *b)
{
	struct blkcg *owner;
	return FIELD(owner, g, blkcg) == 0 && owner == b;
}

/*
 * Read the I/O of all devices of a cgroup. Set no I/O keys if the list of devices changes during
 * the reading. The index of the next part is in shared memory, because the verifier would examine
 * the loop for each value of a local variable.
 */
static __always_inline void cells_read_io(struct job_cells *to, struct blkcg *b)
{
	unsigned first = shared.n_parts;
	struct hlist_node *node;
	if (!bpf_core_field_exists(((struct request_queue *)0)->disk) ||
	    FIELD(node, b, blkg_list.first) < 0)
		return;
	for (unsigned i = 0; node && i < DEVICES_MAX; i++) {
		struct blkcg_gq *g = (void *)node - AT(struct blkcg_gq, blkcg_node);
		unsigned at = shared.n_parts;
		struct job_part *p = &shared.part[at & (JOB_PARTS - 1)];
		_Bool online;
		if (at >= JOB_PARTS || FIELD(online, g, online) < 0 || !part_read_counters(p, g) ||
		    FIELD(node, g, blkcg_node.next) < 0 || !device_is_of(g, b))
			return;
		if (online && (p->value[2] | p->value[3]) && part_read_device(p, g))
			shared.n_parts = at + 1;
	}
	if (node)
		return;
	to->first_part = first;
	to->parts = shared.n_parts - first;
	to->present |= JOB_IO_MASK;
}

static __always_inline void cells_read_pids(struct job_cells *to, struct pids_cgroup *p)
{
	long n;
	if (FIELD(n, p, counter.counter) == 0)
		cells_set(to, PIDS, n);
}

SEC("iter.s/cgroup")
int jobs(struct bpf_iter__cgroup *ctx)
{
	struct cgroup *c = ctx->cgroup;
	if (!c)
		return 0;
	if (ctx->meta->seq_num == 0) {
		shared.n_parts = 0;
		flush_statistics(c);
	}
	struct job_cells *to = cells_find(c->kn->id);
	if (!to)
		return 0;
	struct mem_cgroup *memory = (void *)SUBSYS(c, memory_cgrp_id);
	struct blkcg *io = (void *)SUBSYS(c, io_cgrp_id);
	struct pids_cgroup *pids = (void *)SUBSYS(c, pids_cgrp_id);
	to->present = 0;
	cells_read_cpu(to, c);
	if (memory)
		cells_read_memory(to, memory);
	if (io)
		cells_read_io(to, io);
	if (pids)
		cells_read_pids(to, pids);
	to->walk = shared.walk;
	return 0;
}
