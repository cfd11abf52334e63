/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.bpf.c - BPF programs that record file system calls of processes and their descendants */
#include "collectors/bpf/kernel.h"
#include "filetrace/calls/calls_shared.h"

char terms[] SEC("license") = "Dual BSD/GPL";

/* values of enum bpf_map_type */
enum { PERCPU_ARRAY = 6, LRU_HASH = 9, RINGBUF = 27, TASK_STORAGE = 29 };
enum { NO_PREALLOC = 1, CREATE = 1, NO_WAKEUP = 1, FORCE_WAKEUP = 2 };
#define IS_COMPAT  2		/* Linux: TS_COMPAT in arch/x86/include/asm/thread_info.h */
#define CREATED    (1u << 20)	/* Linux: FMODE_CREATED in include/linux/fs.h */
#define AT_CWD     (-100)	/* Linux: AT_FDCWD */
#define WINDOW     (CALL_PATHS / 2)
#define DEPTH      256		/* limit of the number of names and mounts in a path */
#define GROUPS     32		/* largest depth of nested cgroups */
#define PARTS      1024		/* limit of elements of a struct iovec[]: UIO_MAXIOV */

const volatile struct call_kind kinds[CALLS];
/* least duration of a recorded call, in nanoseconds */
const volatile unsigned long long slow;
const volatile unsigned long long job;		/* id of the job's cgroup v2, or 0 */
/* the processes to trace may have several threads when tracing starts */
const volatile unsigned char has_threads;

struct calls_counts counts;

struct {
	__uint(type, TASK_STORAGE);
	__uint(map_flags, NO_PREALLOC);
	__type(key, int);
	__type(value, struct calls_thread);
} threads SEC(".maps");

struct {
	__uint(type, RINGBUF);
	__uint(max_entries, 32 << 20);
} records SEC(".maps");

/*
 * A cached path id. It is valid while the mount, the parent, the name's hash and the root are
 * unchanged and fewer than WINDOW newer ids were assigned.
 */
struct known_path {
	__u64 mount, parent, hash, root, id;
};

struct {
	__uint(type, LRU_HASH);
	__uint(max_entries, WINDOW);
	__type(key, __u64);
	__type(value, struct known_path);
} paths SEC(".maps");

struct call_space {
	struct call_record r;
	char text[2 * CALL_TEXT];
};

struct {
	__uint(type, PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct call_space);
} call_space SEC(".maps");

struct path_space {
	struct path_record r;
	char names[CALL_TEXT + 256];
};

struct {
	__uint(type, PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct path_space);
} path_space SEC(".maps");

/*
 * Append a record to the ring. The reader polls every few milliseconds. Wake it only if more than 8
 * MiB are waiting, since a wakeup for each record would cost more than the record.
 */
static __always_inline long calls_put_record(void *record, __u64 size)
{
	__u64 waiting = bpf_ringbuf_query(&records, 0);
	return bpf_ringbuf_output(&records, record, size,
				  waiting > 8 << 20 ? FORCE_WAKEUP : NO_WAKEUP);
}

struct path_walk {
	struct dentry *d;
	struct vfsmount *m;
	struct dentry *root;
	struct vfsmount *root_mount;
	unsigned n;
};

/* Go one name or mount up towards the root of the process. Returns 1 if the path is complete. */
static long calls_walk_step(unsigned i, struct path_walk *w)
{
	int zero = 0;
	struct path_space *to = bpf_map_lookup_elem(&path_space, &zero);
	struct dentry *d = w->d;
	struct vfsmount *m = w->m;
	if (!to || (d == w->root && m == w->root_mount))
		return 1;
	if (d == BPF_CORE_READ(m, mnt_root)) {
		struct mount *mount = (void *)m - bpf_core_field_offset(struct mount, mnt);
		struct mount *above = BPF_CORE_READ(mount, mnt_parent);
		w->d = BPF_CORE_READ(mount, mnt_mountpoint);
		w->m = (void *)above + bpf_core_field_offset(struct mount, mnt);
		return above == mount;
	}
	unsigned at = w->n;
	if (at >= CALL_TEXT)
		return 1;
	long n = bpf_probe_read_kernel_str(&to->names[at], 256, BPF_CORE_READ(d, d_name.name));
	if (n > 0)
		w->n = at + n;
	w->d = BPF_CORE_READ(d, d_parent);
	/* a root without a mount ends the path, for example that of a file from memfd_create(2) */
	return w->d == d;
}

/* Record a path. Returns its id, or 0 if the record did not fit in the ring. */
static __noinline __u64 calls_record_path(struct path_walk *w)
{
	int zero = 0;
	struct path_space *to = bpf_map_lookup_elem(&path_space, &zero);
	if (!to || !w)
		return 0;
	bpf_loop(DEPTH, calls_walk_step, w, 0);
	unsigned n = w->n;
	if (n > CALL_TEXT + 255)
		return 0;
	to->r.kind = RECORD_PATH;
	to->r.n = n;
	to->r.id = __sync_fetch_and_add(&counts.ids, 1) + 1;
	return calls_put_record(to, sizeof(to->r) + n) ? 0 : to->r.id;
}

static __noinline __u64 calls_path_id(struct dentry *d, struct vfsmount *m)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct fs_struct *fs = task->fs;
	__u64 key = (__u64)d;
	if (!d || !m || !fs)	/* a process without .fs is exiting and makes no further calls */
		return 0;
	struct path_walk w = { .d = d, .m = m, .root = fs->root.dentry,
			      .root_mount = fs->root.mnt };
	struct known_path now = {
		.mount = (__u64)m, .root = (__u64)w.root,
		.parent = (__u64)BPF_CORE_READ(d, d_parent),
		.hash = BPF_CORE_READ(d, d_name.hash_len),
	};
	struct known_path *was = bpf_map_lookup_elem(&paths, &key);
	if (was && was->mount == now.mount && was->parent == now.parent && was->hash == now.hash &&
	    was->root == now.root && counts.ids - was->id < WINDOW)
		return was->id;
	now.id = calls_record_path(&w);
	if (now.id)
		bpf_map_update_elem(&paths, &key, &now, 0);
	return now.id;
}

static __always_inline __u64 calls_file_id(struct file *f)
{
	return calls_path_id(BPF_CORE_READ(f, f_path.dentry), BPF_CORE_READ(f, f_path.mnt));
}

static __always_inline struct file *calls_file_of(struct task_struct *task, unsigned fd)
{
	struct files_struct *files = task->files;
	struct file *f = 0;
	if (!files)
		return 0;
	struct fdtable *table = files->fdt;
	if (fd < table->max_fds)
		bpf_probe_read_kernel(&f, sizeof(f), table->fd + fd);
	return f;
}

/*
 * Return true if the mode is that of a regular file, directory, block device, or symbolic link
 * (opened with O_PATH).
 */
static __always_inline int calls_is_file(unsigned mode)
{
	unsigned type = mode >> 12;
	return type == 8 || type == 4 || type == 6 || type == 10;
}

static __always_inline unsigned calls_mode_of(struct file *f)
{
	return f ? BPF_CORE_READ(f, f_inode, i_mode) : 0;
}

static __always_inline __u64 calls_argument(const __u64 *a, unsigned char number)
{
	return number ? a[(number - 1) & 7] : 0;
}

static __always_inline void calls_get_arguments(__u64 *a, struct pt_regs *regs)
{
	a[0] = regs->di;
	a[1] = regs->si;
	a[2] = regs->dx;
	a[3] = regs->r10;
	a[4] = regs->r8;
	a[5] = regs->r9;
	a[6] = a[7] = 0;
}

/* Return the id of the directory from which a relative path starts. */
static __always_inline __u64 calls_base_id(struct task_struct *task, const __u64 *a,
					   unsigned char dir)
{
	struct fs_struct *fs = task->fs;
	int fd = dir ? (int)calls_argument(a, dir) : AT_CWD;
	if (fd != AT_CWD) {
		struct file *f = calls_file_of(task, fd);
		return f ? calls_file_id(f) : 0;
	}
	return fs ? calls_path_id(fs->pwd.dentry, fs->pwd.mnt) : 0;
}

static __always_inline struct calls_thread *calls_thread_of(struct task_struct *task)
{
	struct calls_thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	if (t || !has_threads)
		return t;
	struct task_struct *leader = task->group_leader;
	if (!leader || leader == task || !bpf_task_storage_get(&threads, leader, 0, 0))
		return 0;
	__sync_fetch_and_add(&counts.live, 1);
	return bpf_task_storage_get(&threads, task, 0, CREATE);
}

/*
 * Look up the file before the call: close(2) drops the file, and chdir(2) changes the start of
 * relative paths.
 */
static __always_inline void calls_look_up_early(struct calls_thread *t, struct task_struct *task,
						const volatile struct call_kind *k,
						struct pt_regs *regs)
{
	__u64 a[8];
	calls_get_arguments(a, regs);
	if (!k->fd) {
		t->file_mode = 0;
		t->file = calls_base_id(task, a, 0);
		return;
	}
	struct file *f = calls_file_of(task, (unsigned)calls_argument(a, k->fd));
	t->file_mode = calls_mode_of(f);
	t->file = calls_is_file(t->file_mode) ? calls_file_id(f) : 0;
}

/*
 * Return the description of a call. The BPF verifier of Linux 6.1 requires the bit mask, which the
 * compiler would remove without barrier_var().
 */
static __always_inline const volatile struct call_kind *calls_kind_of(__u64 number)
{
	barrier_var(number);
	return &kinds[number & (CALLS - 1)];
}

SEC("tp_btf/sys_enter")
int calls_on_enter(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)ctx[0];
	unsigned long number = ctx[1];
	struct calls_thread *t = calls_thread_of(task);
	if (!t)
		return 0;
	t->start = 0;
	if (task->thread_info.status & IS_COMPAT || number >= 1 << 30) {
		__sync_fetch_and_add(&counts.other, 1);
		return 0;
	}
	const volatile struct call_kind *k = calls_kind_of(number);
	if (number >= CALLS || !k->traced)
		return 0;
	if (k->early)
		calls_look_up_early(t, task, k, regs);
	t->number = number;
	t->start = bpf_ktime_get_ns();
	return 0;
}

/* Sum up the lengths of a struct iovec[]. */
static __noinline __u64 calls_sum_of_parts(__u64 at, unsigned n)
{
	struct { __u64 p, n; } part;
	__u64 sum = 0;
	for (unsigned i = 0; i < PARTS && i < n; i++) {
		if (bpf_probe_read_user(&part, sizeof(part), (void *)(at + i * sizeof(part))))
			break;
		sum += part.n;
	}
	return sum;
}

/*
 * Set the path, mode, size and position of an open file. Returns 0 if the file is of a kind that is
 * not traced.
 */
static __always_inline int calls_set_file(struct call_record *r, struct file *f,
					  const volatile struct call_kind *k, const __u64 *a)
{
	r->file_mode = calls_mode_of(f);
	if (!calls_is_file(r->file_mode))
		return 0;
	r->file = calls_file_id(f);
	r->size = BPF_CORE_READ(f, f_inode, i_size);
	r->position = calls_argument(a, k->position);
	if (!k->position || r->position == -1ull)
		r->position = BPF_CORE_READ(f, f_pos) - (r->result > 0 ? r->result : 0);
	return 1;
}

static __always_inline int calls_set_opened_file(struct call_record *r, struct file *f)
{
	if (!f)
		return 0;
	r->created = BPF_CORE_READ(f, f_mode) & CREATED ? 1 : 0;
	r->file_mode = calls_mode_of(f);
	r->file = calls_file_id(f);
	return 1;
}

/*
 * Copy the path argument. A descriptor with "" or NULL as path means the file itself
 * (AT_EMPTY_PATH).
 */
static __always_inline int calls_set_path(struct call_space *s, struct task_struct *task,
					  struct calls_thread *t,
					  const volatile struct call_kind *k,
					  const __u64 *a)
{
	struct call_record *r = &s->r;
	__u64 at = calls_argument(a, k->path);
	long n = at ? bpf_probe_read_user_str(s->text, CALL_TEXT - 1, (void *)at) : 0;
	if (k->dir && (int)calls_argument(a, k->dir) != AT_CWD && (!at || n == 1))
		return calls_set_file(r, calls_file_of(task, (unsigned)calls_argument(a, k->dir)),
				      k, a);
	r->n = n > 0 ? n : 0;
	if (n > 0 && s->text[0] != '/')
		r->file = k->early ? t->file : calls_base_id(task, a, k->dir);
	return 1;
}

/*
 * Set the path from the path argument, the newly opened file, or the descriptor. Returns 0 if the
 * call does not operate on a file.
 */
static __always_inline int calls_set_place(struct call_space *s, struct task_struct *task,
					   struct calls_thread *t,
					   const volatile struct call_kind *k,
					   const __u64 *a)
{
	struct call_record *r = &s->r;
	if (k->early && k->fd) {
		r->file = t->file;
		r->file_mode = t->file_mode;
		return calls_is_file(r->file_mode);
	}
	if (k->opens && r->result >= 0)
		return calls_set_opened_file(r, calls_file_of(task, (unsigned)r->result));
	if (k->path)
		return calls_set_path(s, task, t, k, a);
	return calls_set_file(r, calls_file_of(task, (unsigned)calls_argument(a, k->fd)), k, a);
}

static __always_inline void calls_set_second_file(struct call_space *s, struct task_struct *task,
						  const volatile struct call_kind *k,
						  const __u64 *a)
{
	struct call_record *r = &s->r;
	__u64 at = calls_argument(a, k->text ? k->text : k->to_path);
	char *to = &s->text[r->n & (CALL_TEXT - 1)];
	if (k->to_fd) {
		struct file *f = calls_file_of(task, (unsigned)calls_argument(a, k->to_fd));
		r->to_file = calls_is_file(calls_mode_of(f)) ? calls_file_id(f) : 0;
	}
	if (!at)
		return;
	long n = bpf_probe_read_user_str(to, CALL_TEXT - 1, (void *)at);
	r->to_n = n > 0 ? n : 0;
	if (!k->text && n > 0 && *to != '/')
		r->to_file = calls_base_id(task, a, k->to_dir);
}

static __always_inline void calls_set_arguments(struct call_record *r,
						const volatile struct call_kind *k, const __u64 *a)
{
	struct { __u64 flags, mode; } how = { 0 };
	unsigned short mode = 0;
	__u64 position = 0;
	r->flags = calls_argument(a, k->flags);
	r->mode = calls_argument(a, k->mode);
	r->requested = k->parts ? calls_sum_of_parts(calls_argument(a, k->parts),
						     calls_argument(a, k->parts + 1)) :
		   calls_argument(a, k->requested);
	if (k->size)
		r->size = calls_argument(a, k->size);
	if (k->how && !bpf_probe_read_user(&how, sizeof(how), (void *)calls_argument(a, k->how))) {
		r->flags = how.flags;
		r->mode = how.mode;
	}
	if (k->status && r->result == 0 &&
	    !bpf_probe_read_user(&mode, sizeof(mode),
				 (void *)(calls_argument(a, k->status) + k->mode_at)))
		r->file_mode = mode;
	if (k->position_at && calls_argument(a, k->position_at) &&
	    !bpf_probe_read_user(&position, sizeof(position),
				 (void *)calls_argument(a, k->position_at)))
		r->position = position - (r->result > 0 ? r->result : 0);
}

static __always_inline void calls_set_caller(struct call_record *r, struct task_struct *task,
					     struct calls_thread *t)
{
	struct mm_struct *mm = task->mm;
	struct fs_struct *fs = task->fs;
	r->uid = task->cred->fsuid.val;
	r->gid = task->cred->fsgid.val;
	r->pid = task->tgid;
	r->umask = fs ? fs->umask : 0;
	if (mm && (!t->exe || counts.ids - t->exe >= WINDOW)) {
		struct file *exe = mm->exe_file;
		t->exe = exe ? calls_file_id(exe) : 0;
	}
	r->exe = t->exe;
}

SEC("tp_btf/sys_exit")
int calls_on_exit(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)ctx[0];
	struct calls_thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	int zero = 0;
	__u64 a[8];
	if (!t || !t->start)
		/* most calls on the node return here, because their thread is not traced */
		return 0;
	__u64 now = bpf_ktime_get_ns();
	if (now - t->start < slow)
		return 0;
	struct call_space *s = bpf_map_lookup_elem(&call_space, &zero);
	unsigned number = t->number;
	if (!s)
		return 0;
	const volatile struct call_kind *k = calls_kind_of(number);
	__builtin_memset(&s->r, 0, sizeof(s->r));
	s->r.kind = RECORD_CALL;
	s->r.number = number;
	s->r.start = t->start;
	s->r.ns = now - t->start;
	s->r.result = (long)ctx[1];
	t->start = 0;
	calls_get_arguments(a, regs);
	if (!calls_set_place(s, task, t, k, a))
		return 0;
	calls_set_second_file(s, task, k, a);
	calls_set_arguments(&s->r, k, a);
	calls_set_caller(&s->r, task, t);
	if (calls_put_record(s, sizeof(s->r) + (s->r.n & (CALL_TEXT - 1)) +
				(s->r.to_n & (CALL_TEXT - 1))))
		__sync_fetch_and_add(&counts.lost, 1);
	return 0;
}

static __always_inline void calls_follow_task(struct task_struct *task, __u64 exe)
{
	struct calls_thread *t = bpf_task_storage_get(&threads, task, 0, CREATE);
	if (!t) {
		__sync_fetch_and_add(&counts.lost, 1);
		return;
	}
	t->exe = exe;
	__sync_fetch_and_add(&counts.live, 1);
}

SEC("tp_btf/task_newtask")
int calls_on_fork(__u64 *ctx)
{
	struct calls_thread *t = calls_thread_of(bpf_get_current_task_btf());
	if (t)
		calls_follow_task((void *)ctx[0], t->exe);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int calls_on_thread_exit(__u64 *ctx)
{
	if (bpf_task_storage_get(&threads, (void *)ctx[0], 0, 0))
		__sync_fetch_and_add(&counts.live, -1);
	return 0;
}

static __always_inline int calls_is_of_job(struct task_struct *task)
{
	struct cgroup *group = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	for (int i = 0; i < GROUPS && group; i++) {
		if (BPF_CORE_READ(group, kn, id) == job)
			return 1;
		struct cgroup_subsys_state *above = BPF_CORE_READ(group, self.parent);
		group = above ? BPF_CORE_READ(above, cgroup) : 0;
	}
	return 0;
}

/*
 * Follow a process of the job from its next execve(2). A scheduler puts the process into the job's
 * cgroup before it executes the user's program.
 */
SEC("tp_btf/sched_process_exec")
int calls_on_exec(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct calls_thread *t = calls_thread_of(bpf_get_current_task_btf());
	if (t)
		t->exe = 0;
	else if (job && calls_is_of_job(task))
		calls_follow_task(task, 0);
	return 0;
}
