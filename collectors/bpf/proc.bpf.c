/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.bpf.c - BPF program that reads the values of type proc of ordinary users' processes */
#include "collectors/bpf/kernel.h"
#include "collectors/bpf/proc_shared.h"

#define KERNEL_THREAD 0x200000	/* as PF_KTHREAD in include/linux/sched.h */
#define NOBODY 65534
#define TRIES 3
#define PERCPU_ARRAY 6		/* as in enum bpf_map_type */

enum { FILE_PAGES, ANON_PAGES, SWAP_ENTRIES, SHMEM_PAGES, COUNTERS };	/* as in mm_types_task.h */

char terms[] SEC("license") = "Dual BSD/GPL";

struct proc_shared shared;
const volatile unsigned cpus = 1;	/* number of possible CPUs, a constant for the verifier */
/* hides a pointer from the verifier, which does not track values in memory */
volatile unsigned long long place;

#define COPY(to, from) bpf_probe_read_kernel(to, sizeof(to) < bpf_core_field_size(from) ? \
					     sizeof(to) : bpf_core_field_size(from), &(from))

static __always_inline unsigned long positive(long pages)
{
	return pages > 0 ? pages : 0;
}

#ifdef BEFORE_6_2

/*
 * Read the page counters one by one: the verifier of Linux 6.1 rejects reading them as an array of
 * atomic_long_t.
 */
static __always_inline void task_read_pages(unsigned long *n, struct mm_struct *m)
{
	struct mm_struct___before_6_2 *old = (void *)m;
	long count[COUNTERS] = { 0 };
	bpf_core_read(count, sizeof(count), &old->rss_stat.count);
	for (int i = 0; i < COUNTERS; i++)
		n[i] = positive(count[i]);
}

#else

/*
 * A per-CPU map that shows at which offset each CPU's memory is: the kernel does not expose these
 * offsets, but the addresses of the map's elements differ by them.
 */
struct {
	__uint(type, PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, long);
} each_cpu SEC(".maps");

extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;

static __always_inline void find_cpus(void)
{
	struct bpf_array *all =
		bpf_rdonly_cast(&each_cpu, bpf_core_type_id_kernel(struct bpf_array));
	unsigned long long of_all = 0;
	int zero = 0;
	bpf_core_read(&of_all, sizeof(of_all), &all->pptrs[0]);
	for (unsigned i = 0; i < PROC_CPUS && i < cpus; i++) {
		place = (unsigned long long)bpf_map_lookup_percpu_elem(&each_cpu, &zero, i);
		if (place)
			shared.cpu_at[i] = place - of_all;
	}
}

/*
 * Sum up the counts that CPUs have not added to a counter's total yet. counters: the counter's
 * per-CPU address.
 */
__noinline long sum_of_cpus(unsigned long long counters)
{
	long sum = 0;
	for (unsigned i = 0; i < PROC_CPUS && i < cpus; i++) {
		struct refcount_struct *one = bpf_rdonly_cast((void *)(counters + shared.cpu_at[i]),
			bpf_core_type_id_kernel(struct refcount_struct));
		sum += one->refs.counter;
	}
	return sum;
}

/*
 * Read a counter as /proc shows it: the exact sum since Linux 6.16, only .count before
 * (shared.approximate). If .count changes during the reading, because a CPU added its part, compute
 * the sum again.
 */
static __always_inline long counter_pages(struct percpu_counter *c)
{
	unsigned long long counters = 0;
	long long count = c->count;
	long sum = count;
	bpf_core_read(&counters, sizeof(counters), &c->counters);
	for (int i = 0; i < TRIES && !shared.approximate; i++) {
		sum = count + sum_of_cpus(counters);
		if (c->count == count)
			break;
		count = c->count;
	}
	return positive(sum);
}

static __always_inline void task_read_pages(unsigned long *n, struct mm_struct *m)
{
	if (!shared.cpu_at[0])
		find_cpus();
	n[FILE_PAGES] = counter_pages(&m->rss_stat[FILE_PAGES]);
	n[ANON_PAGES] = counter_pages(&m->rss_stat[ANON_PAGES]);
	n[SWAP_ENTRIES] = counter_pages(&m->rss_stat[SWAP_ENTRIES]);
	n[SHMEM_PAGES] = counter_pages(&m->rss_stat[SHMEM_PAGES]);
}
#endif

static __always_inline void task_read_resident(unsigned long long *v, struct mm_struct *m)
{
	unsigned long n[COUNTERS], rss, most = m->hiwater_rss;
	task_read_pages(n, m);
	rss = n[FILE_PAGES] + n[ANON_PAGES] + n[SHMEM_PAGES];
	v[VM_RSS] = rss;
	v[VM_HWM] = most > rss ? most : rss;
	v[VM_SWAP] = n[SWAP_ENTRIES];
}

static __always_inline void task_read_memory(struct proc_task *to, struct mm_struct *m)
{
	unsigned long long *v = to->value;
	unsigned long size = m->total_vm, most = m->hiwater_vm;
	v[VM_PEAK] = most > size ? most : size;
	v[VM_SIZE] = size;
	v[VM_LCK] = m->locked_vm;
	v[VM_DATA] = m->data_vm;
	v[VM_STK] = m->stack_vm;
	v[VM_EXE] = m->start_code;
	v[VM_LIB] = m->end_code;
	v[VM_PTE] = m->pgtables_bytes.counter;
	to->exec_pages = m->exec_vm;
	task_read_resident(v, m);
}

/*
 * Add a process. Returns 1 if the shared memory is full: the collector empties it, and the walk
 * continues with this process.
 */
SEC("iter/task")
int processes(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	if (!t)
		return 0;
	struct mm_struct *m = t->mm;
	if (t->pid != t->tgid || (t->flags & KERNEL_THREAD) || !m)
		return 0;
	unsigned user = t->real_cred->euid.val;
	if (user < shared.uid_min || user == NOBODY || user == -2u)
		return 0;
	unsigned n = shared.n;
	if (n >= PROC_TASKS)
		return 1;
	struct proc_task *to = &shared.task[n];
	to->pid = t->pid;
	to->value[UID] = t->real_cred->uid.val;
	to->value[THREADS] = t->signal->nr_threads;
	COPY(to->name, t->comm);
	COPY(to->cpus, t->cpus_mask);
	shared.has_nodes = bpf_core_field_exists(t->mems_allowed);
	if (bpf_core_field_exists(t->mems_allowed))
		COPY(to->nodes, t->mems_allowed);
	task_read_memory(to, m);
	/* keep the values only if t->mm is unchanged; otherwise the process has ended */
	if (t->mm == m)
		shared.n = n + 1;
	return 0;
}
