/* SPDX-License-Identifier: BSD-3-Clause */
/* process - state and resource use of every process, from /proc/PID/stat and statm */
#include "base/system/proc_stat.h"
#include "collectors/process_list.h"
#include "schema/types/process.h"

#define KERNEL_THREAD 0x200000	/* as PF_KTHREAD in include/linux/sched.h */
/*
 * added to the real-time priority of a real-time process; other processes have priorities from 0 to
 * 39
 */
#define REAL_TIME 40

static bool has_swap(struct str status)
{
	struct str line;
	uint64_t v;
	while (str_take_line(&status, &line))
		if (str_take_prefix(&line, STR("VmSwap:")))
			return str_take_u64(&line, &v) && v > 0;
	return false;
}

static void set_memory(struct source *s, const struct process *p, struct row row, bool kernel)
{
	struct str text;
	uint64_t size, rss, shared;
	if (!process_file(s, p, "statm", &text) || !str_take_u64(&text, &size) ||
	    !str_take_u64(&text, &rss) || !str_take_u64(&text, &shared))
		return;
	row_set(row, PROCESS_RSS, rss);
	row_set(row, PROCESS_SHARED, shared);
	bool out = rss == 0 && !kernel && process_file(s, p, "status", &text) && has_swap(text);
	row_set(row, PROCESS_SWAPPED, out);
}

static void process_add_row(struct source *s, const struct process_text *p)
{
	struct proc_stat st;
	const uint64_t *f = st.field;
	if (!proc_stat_take(p->text, STAT_RT_PRIORITY, &st))
		return;
	bool kernel = f[STAT_FLAGS] & KERNEL_THREAD;
	struct row row = process_row(s, p->process, st.name);
	row_set(row, PROCESS_STATE, (unsigned char)st.state);
	row_set(row, PROCESS_KERNEL, kernel);
	row_set(row, PROCESS_PRIORITY,
		f[STAT_RT_PRIORITY] ? REAL_TIME + f[STAT_RT_PRIORITY] : f[STAT_PRIORITY]);
	/* leave out the ids in a captured tree: its files belong to the user who unpacked it */
	if (!s->files.in_root) {
		row_set(row, PROCESS_UID, p->uid);
		row_set(row, PROCESS_GID, p->gid);
	}
	row_set(row, PROCESS_FAULTS, f[STAT_MINFLT] + f[STAT_MAJFLT]);
	row_set(row, PROCESS_CPU, f[STAT_UTIME] + f[STAT_STIME]);
	set_memory(s, p->process, row, kernel);
}

static int process_collect(struct source *s)
{
	return process_list(s, "stat", process_add_row);
}

const struct collector process_collector = {
	.type    = &process_type,
	.collect = process_collect,
};
