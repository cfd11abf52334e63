/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * proc - memory and threads of each process of an ordinary user, from /proc/PID/status
 *
 * Which: those whose effective user is at least UID_MIN of /etc/login.defs (or 1000), not nobody:
 * daemons and kernel threads belong to no job. No name is left out, not even shells. In a run of a
 * user's own, the processes of the run, as type job has just read them.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/system/processes.h"
#include "collectors/job_tree.h"
#include "collectors/key_lines.h"
#include "collectors/process_list.h"
#include "collectors/proc_tasks.h"

enum tag { UNKNOWN, KERNEL, SYSTEM, USER };	/* in struct process */

static const char *const texts[TEXTS] = { "Name", "Cpus_allowed_list", "Mems_allowed_list" };

struct state {
	uint64_t uid_min;
	struct processes processes;
	struct buf device;
	uint16_t text_at[TEXTS], value_at[PROC_KEYS];	/* see key_lines_find() */
	uint8_t key_size[PROC_KEYS];
	struct proc_tasks tasks;
};

static void end(void *state)
{
	struct state *st = state;
	processes_free(&st->processes);
	buf_free(&st->device);
}

static uint64_t read_uid_min(struct source *s)
{
	struct str text, line;
	uint64_t v, uid_min = 1000;
	if (files_read(&s->files, "etc/login.defs", FILE_TO_END, &s->text, &text) == 0)
		while (str_take_line(&text, &line))
			if (str_take_prefix(&line, STR("UID_MIN")) && str_take_u64(&line, &v))
				uid_min = v;
	files_forget(&s->files, "etc/login.defs");
	return uid_min ? uid_min : 1;	/* root is never an ordinary user */
}

static bool is_ordinary(const struct state *st, uint64_t uid)
{
	bool nobody = uid == 65534 || uid == UINT32_MAX - 1;	/* the latter is nfsnobody */
	return uid >= st->uid_min && !nobody;
}

/* Before 2.6.26 there were no lists. */
static void take_text(struct key_lines *l, struct state *st, size_t i, struct proc_status *ret)
{
	bool found = key_lines_find(l, str_of(texts[i]), &st->text_at[i]);
	ret->text[i] = found ? key_lines_rest(l) : i == NAME ? STR("") : STR("-");
	if (i != NAME || !str_take_prefix(&ret->text[i], STR("\t")))
		ret->text[i] = str_trim(ret->text[i]);
}

/* In the order of the file. Kernel threads have no memory, and so no row. */
static struct proc_status parse(struct state *st, const struct metric *m, struct str text)
{
	struct key_lines l = key_lines_of(text);
	struct proc_status ret = { .euid = 0 };
	take_text(&l, st, NAME, &ret);
	for (size_t i = 0; i < PROC_KEYS && (i <= VM_SIZE || ret.present[VM_SIZE]); i++)
		ret.present[i] = key_lines_find(&l, (struct str){ m[i].name, st->key_size[i] },
						&st->value_at[i]) &&
				 key_lines_take_u64(&l, &ret.value[i]) &&
				 (i != UID || key_lines_take_u64(&l, &ret.euid));
	take_text(&l, st, CPUS_LIST, &ret);
	take_text(&l, st, MEMS_LIST, &ret);
	return ret;
}

static void add_row(struct source *s, struct state *st, const char *pid,
		    const struct proc_status *status)
{
	st->device.n = 0;
	proc_status_put_device(&st->device, status, pid);
	struct row row = rows_add_escaped(&s->rows, buf_str(&st->device));
	for (size_t i = 0; i < PROC_KEYS; i++)
		if (status->present[i])
			row_set(row, i, status->value[i]);
}

/*
 * A daemon may become a user's process (slurmstepd, sshd), so its owner is asked for each time,
 * which is a third of the price of its status. A kernel thread never does, nor a zombie: they have
 * no memory, and most processes of a large node are such. A captured tree belongs to whoever
 * unpacked it: there, only the status knows.
 */
static bool is_worth_reading(const struct source *s, const struct state *st,
			     const struct process *p)
{
	uid_t uid;
	if (p->tag == KERNEL)
		return false;
	if (p->tag != SYSTEM || s->files.in_root)
		return true;
	return process_owner(&st->processes, p, &uid) == 0 && is_ordinary(st, uid);
}

static void look_at(struct source *s, struct state *st, struct process *p)
{
	struct str text;
	if (!is_worth_reading(s, st, p) ||
	    process_status(&st->processes, &s->files, p, &s->text, &text) < 0)
		return;

	struct proc_status status = parse(st, s->rows.metrics, text);
	s->bytes += text.n;
	if (!status.present[UID] || !status.present[VM_SIZE])
		p->tag = status.present[UID] ? KERNEL : UNKNOWN;
	else
		p->tag = is_ordinary(st, status.euid) ? USER : SYSTEM;
	if (p->tag == USER)
		add_row(s, st, p->name, &status);
	else
		process_close(&st->processes, p);
}

static void add_task(void *arg, uint32_t pid, const struct proc_status *status)
{
	struct source *s = arg;
	char text[16];
	snprintf(text, sizeof(text), "%u", pid);
	add_row(s, s->state, text, status);
}

static bool read_status(void *arg, uint32_t pid, struct proc_status *ret)
{
	struct source *s = arg;
	struct state *st = s->state;
	struct process p = { .pid = pid, .fd = -1 };
	struct str text;
	snprintf(p.name, sizeof(p.name), "%u", pid);
	int r = process_status(&st->processes, &s->files, &p, &s->text, &text);
	process_close(&st->processes, &p);
	if (r == 0)
		*ret = parse(st, s->rows.metrics, text);
	return r == 0;
}

static void add_tree(struct source *s, struct state *st, const struct job_tree *t)
{
	char pid[16];
	for (size_t i = 0; i < t->n_seen; i++) {
		const struct job_tree_process *p = &t->seen[i];
		if (!p->n_status)
			continue;
		struct str text = { t->texts.p + p->status, p->n_status };
		struct proc_status status = parse(st, s->rows.metrics, text);
		snprintf(pid, sizeof(pid), "%d", (int)p->pid);
		if (status.present[VM_SIZE])
			add_row(s, st, pid, &status);
	}
}

/* False: files have to be read. */
static bool ask_program(struct source *s, struct state *st)
{
	const struct proc_hearer h = { add_task, read_status, s };
	struct program *p = source_loaded_program(s, PROGRAM_PROC);
	if (!p)
		return false;
	bool all = proc_tasks_walk(&st->tasks, p, st->uid_min, s->rescan, &h);
	for (size_t i = 0; all && i < st->processes.now.n; i++)
		process_close(&st->processes, &st->processes.now.p[i]);
	if (all)
		st->processes.now.n = 0;
	else
		rows_clear(&s->rows);
	return all;
}

static struct state *make_state(struct source *s)
{
	struct state *st = source_state(s, sizeof(*st));
	s->end_state = end;
	st->processes.dir = -1;
	for (size_t i = 0; i < PROC_KEYS; i++)
		st->key_size[i] = (uint8_t)strlen(s->rows.metrics[i].name);
	return st;
}

static int collect_all(struct source *s)
{
	struct state *st = s->state;
	int r = 0;
	if (!st && processes_shown(s) < 0)
		return -ENOENT;
	if (!st) {
		st = make_state(s);
		st->uid_min = read_uid_min(s);
		r = processes_open(&st->processes, &s->files);
	}
	if (r == 0 && ask_program(s, st))
		return 0;
	if (r == 0)
		r = processes_look(&st->processes, &s->files);
	if (r < 0)
		return source_absent(s, "/proc cannot be listed");

	for (size_t i = 0; i < st->processes.now.n; i++)
		look_at(s, st, &st->processes.now.p[i]);
	if (s->rows.n || st->processes.now.n)
		return 0;	/* without rows: an idle node, a job may start any moment */
	return source_absent(s, "no process of a user with id %llu or above",
			     (unsigned long long)st->uid_min);
}

static int collect(struct source *s)
{
	const struct job_tree *tree = s->shared ? s->shared->tree : NULL;
	if (!tree)
		return collect_all(s);
	add_tree(s, s->state ? s->state : make_state(s), tree);
	return 0;
}

const struct collector proc_collector = {
	.type    = &proc_type,
	.collect = collect,
	.program = PROGRAM_PROC,
};
