/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_tasks.c - list users' processes with one run of a BPF program */
#include "collectors/proc_tasks.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "collectors/collector.h"

static const unsigned in_pages = 1 << VM_PEAK | 1 << VM_SIZE | 1 << VM_LCK | 1 << VM_HWM |
				 1 << VM_RSS | 1 << VM_DATA | 1 << VM_STK | 1 << VM_SWAP;

struct proc_walk {
	struct proc_tasks *t;
	struct proc_shared *shared;
	const struct proc_hearer *h;
	struct proc_status is;		/* values that the program read for the process to verify */
	bool found;
	uint32_t next;			/* pid of the next process to verify, or 0 */
};

static bool has_bit(const unsigned long long *bits, unsigned i)
{
	return i < PROC_CPUS && (bits[i / 64] >> i % 64 & 1);
}

static struct str list_of(struct proc_list *l, const unsigned long long *bits, unsigned most)
{
	if (l->n && memcmp(l->bits, bits, sizeof(l->bits)) == 0)
		return (struct str){ l->text, l->n };
	memcpy(l->bits, bits, sizeof(l->bits));
	l->n = 0;
	for (unsigned i = 0; i < most && l->n + 16 < sizeof(l->text); i++) {
		if (!has_bit(bits, i))
			continue;
		unsigned first = i;
		while (i + 1 < most && has_bit(bits, i + 1))
			i++;
		l->n += (size_t)snprintf(l->text + l->n, sizeof(l->text) - l->n,
					 first < i ? "%s%u-%u" : "%s%u", l->n ? "," : "", first, i);
	}
	return (struct str){ l->text, l->n };
}

/* Escape a name as the kernel does in /proc/PID/status (fs/proc/array.c, proc_task_name()). */
static struct str proc_tasks_name(const struct proc_task *task, char *to)
{
	size_t n = 0;
	for (const char *c = task->name; c < task->name + sizeof(task->name) && *c; c++) {
		if (*c == '\n' || *c == '\\')
			to[n++] = '\\';
		to[n++] = *c == '\n' ? 'n' : *c;
	}
	return (struct str){ to, n };
}

/*
 * Set the sizes of code as the kernel does (fs/proc/task_mmu.c, task_mem()): executable memory
 * outside the program's own code counts as code of libraries.
 */
static void set_code(const struct proc_task *task, uint64_t page, uint64_t *value)
{
	uint64_t begin = task->value[VM_EXE] & ~(page - 1);
	uint64_t own = ((task->value[VM_LIB] + page - 1) & ~(page - 1)) - begin;
	uint64_t all = task->exec_pages * page;
	own = own < all ? own : all;
	value[VM_EXE] = own >> 10;
	value[VM_LIB] = (all - own) >> 10;
}

static void convert(const struct proc_task *task, struct proc_status *to)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	for (size_t k = 0; k < PROC_KEYS; k++) {
		to->present[k] = true;
		to->value[k] = in_pages >> k & 1 ? task->value[k] * (page >> 10) : task->value[k];
	}
	to->value[VM_PTE] >>= 10;
	set_code(task, page, to->value);
}

static void proc_tasks_handle(struct proc_walk *w, const struct proc_task *task)
{
	char name[2 * sizeof(task->name)];
	struct proc_status status = {
		.text[NAME] = proc_tasks_name(task, name),
		.text[CPUS_LIST] = list_of(&w->t->cpus, task->cpus, w->shared->cpus),
		.text[MEMS_LIST] = STR("-"),
	};
	if (w->shared->has_nodes)
		status.text[MEMS_LIST] = list_of(&w->t->nodes, task->nodes, PROC_CPUS);
	convert(task, &status);
	if (task->pid == w->t->pid) {
		w->is = status;
		w->found = true;
	}
	if (w->t->trusted)
		w->h->add(w->h->arg, task->pid, &status);
}

static void proc_tasks_empty(void *arg)
{
	struct proc_walk *w = arg;
	for (unsigned i = 0; i < w->shared->n && i < PROC_TASKS; i++)
		proc_tasks_handle(w, &w->shared->task[i]);
	if (w->shared->n)
		w->next = w->shared->task[w->t->turn++ % w->shared->n].pid;
	w->shared->n = 0;
}

/*
 * Compare the program's values with two readings of the file. Returns 1 if the values agree, -1 if
 * they differ, or 0 if the file changed between the readings.
 */
static int proc_tasks_compare(const struct proc_status *is, const struct proc_status *a,
			      const struct proc_status *b, size_t *key)
{
	int r = 1;
	for (size_t k = 0; k < PROC_KEYS; k++) {
		if (a->present[k] && b->present[k] &&
		    program_agrees(is->value[k], a->value[k], b->value[k]))
			continue;
		*key = k;
		if (!a->present[k] || a->value[k] == b->value[k])
			return -1;
		r = 0;
	}
	return r;
}

/*
 * Act on the result of a comparison. After three differences, switch .approximate: whether the
 * program leaves out the counts that CPUs have not added to the total yet, as the file does before
 * Linux 6.16. After three more, stop using the program.
 */
static void proc_tasks_judge(struct proc_tasks *t, struct program *p, int verdict, size_t key)
{
	struct proc_shared *shared = p->shared;
	t->trusted |= verdict > 0;
	t->strikes = verdict > 0 ? 0 : t->strikes + (verdict < 0);
	if (t->strikes < PROGRAM_STRIKES)
		return;
	t->strikes = 0;
	t->trusted = false;
	if (t->switched)
		snprintf(p->why, sizeof(p->why), "%s differed from /proc/PID/status",
			 proc_type.metrics[key].name);
	shared->approximate ^= !t->switched;
	t->switched = true;
}

bool proc_tasks_walk(struct proc_tasks *t, struct program *p, uint64_t uid_min, bool rescan,
		     const struct proc_hearer *h)
{
	struct proc_status before, after;
	struct proc_walk w = { .t = t, .shared = p->shared, .h = h };
	bool known = t->trusted;
	size_t key = 0;
	if (!t->pid || (t->trusted && !rescan) || !h->read_file(h->arg, t->pid, &before))
		t->pid = 0;
	w.shared->uid_min = (unsigned)uid_min;
	w.shared->n = 0;
	int r = program_walk(p, proc_tasks_empty, &w);
	proc_tasks_empty(&w);
	if (r < 0)
		return false;
	if (w.found && h->read_file(h->arg, t->pid, &after))
		proc_tasks_judge(t, p, proc_tasks_compare(&w.is, &before, &after, &key), key);
	t->pid = w.next;
	return known;
}
