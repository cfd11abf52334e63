/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel.h - the members of the kernel's structs that BPF programs read
 *
 * The structs declare only members that a program reads, in any order: the loader finds the
 * members' offsets in the running kernel (CO-RE). A program is rejected if it reads a member that
 * the kernel lacks, unless the program checks bpf_core_field_exists() first.
 */
#pragma once

/* types that bpf/bpf_helpers.h needs */
typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct counter {	/* atomic_long_t or atomic64_t */
	long counter;
};

struct bpf_iter_meta {
	__u64 session_id, seq_num;
};

struct cgroup;

struct kernfs_node {
	__u64 id;
};

struct task_cputime {
	__u64 stime, utime, sum_exec_runtime;
};

struct prev_cputime {
	__u64 utime, stime;
};

struct cgroup_base_stat {
	struct task_cputime cputime;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	struct cgroup_subsys_state *subsys[1];
	struct cgroup_base_stat bstat;
	struct prev_cputime prev_cputime;
};

struct bpf_iter__cgroup {
	struct bpf_iter_meta *meta;
	struct cgroup *cgroup;
};

struct cfs_bandwidth {
	__u64 throttled_time;
};

struct task_group {
	struct cfs_bandwidth cfs_bandwidth;
};

struct page_counter {
	struct counter usage;
	unsigned long watermark, max;
};

struct memcg_vmstats {
	long state[1];
	unsigned long events[1];
};

struct mem_cgroup {
	struct page_counter memory, swap;
	struct counter memory_events[1];
	struct memcg_vmstats *vmstats;
};

struct pids_cgroup {
	struct counter counter;
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct blkcg {
	struct hlist_head blkg_list;
};

struct blkg_iostat {
	__u64 bytes[2], ios[2];
};

struct blkg_iostat_set {
	struct blkg_iostat cur;
};

struct gendisk {
	int major, first_minor;
};

struct request_queue {
	struct gendisk *disk;	/* since Linux 5.15 */
};

struct blkcg_gq {
	struct request_queue *q;
	struct hlist_node blkcg_node;
	struct blkcg *blkcg;
	_Bool online;
	struct blkg_iostat_set iostat;
};

struct percpu_counter {
	long long count;
	int *counters;
};

struct file;

struct mm_struct {
	struct file *exe_file;
	unsigned long hiwater_rss, hiwater_vm, total_vm, locked_vm, data_vm, exec_vm, stack_vm;
	unsigned long start_code, end_code;
	struct counter pgtables_bytes;
	struct percpu_counter rss_stat[4];	/* since Linux 6.2 */
};

struct mm_rss_stat {
	struct counter count[4];
};

struct mm_struct___before_6_2 {
	struct mm_rss_stat rss_stat;
};

struct id {	/* kuid_t or kgid_t */
	unsigned val;
};

struct cred {
	struct id uid, euid, fsuid, fsgid;
};

struct qstr {
	__u64 hash_len;
	const unsigned char *name;
};

struct inode {
	unsigned short i_mode;
	long long i_size;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	unsigned f_mode;
	struct inode *f_inode;
	struct path f_path;
	long long f_pos;
};

struct fdtable {
	unsigned max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct fs_struct {
	int umask;
	struct path root, pwd;
};

struct thread_info {
	__u32 status;
};

struct pt_regs {	/* x86-64 only */
	unsigned long di, si, dx, r10, r8, r9, orig_ax;
};

struct signal_struct {
	int nr_threads;
};

struct mask {	/* cpumask_t or nodemask_t */
	unsigned long bits[1];
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct task_struct {
	struct thread_info thread_info;
	struct task_struct *group_leader;
	struct files_struct *files;
	struct fs_struct *fs;
	struct css_set *cgroups;
	int pid, tgid;
	unsigned flags;
	struct mm_struct *mm;
	struct cred *real_cred, *cred;
	struct signal_struct *signal;
	char comm[16];
	struct mask cpus_mask, mems_allowed;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_array {
	void *pptrs[1];
};

struct refcount_struct {	/* used to read any int in kernel memory */
	struct counter32 {
		int counter;
	} refs;
};

#pragma clang attribute pop

enum cgroup_subsys_id { cpu_cgrp_id = 1, io_cgrp_id, memory_cgrp_id, pids_cgrp_id };
enum memcg_memory_event { MEMCG_OOM_KILL };
enum memcg_stat_item { MEMCG_NR_STAT = 1 };
enum node_stat_item { NR_ANON_MAPPED = 1, NR_FILE_PAGES, NR_SHMEM };
