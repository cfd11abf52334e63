/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * proc - memory and threads of each process of an ordinary user, from /proc/PID/status
 *
 * Ordinary users have at least UID_MIN of /etc/login.defs (or 1000) as effective user id, and are
 * not nobody. All processes of these users get a row, even shells. If only a user's own run is
 * sampled, the processes are those that type job has just found.
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

/* class of a process, stored in .tag of struct process */
enum tag { UNKNOWN, KERNEL, SYSTEM, USER };

struct proc_state {
	uint64_t uid_min;
	struct processes processes;
	struct buf device;
	/* positions where each line was found last, see key_lines_find() */
	uint16_t text_at[TEXTS], value_at[PROC_KEYS];
	uint8_t key_size[PROC_KEYS];
	struct proc_tasks tasks;
};

static void proc_free_state(void *state)
{
	struct proc_state *st = state;
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
	return uid_min ? uid_min : 1;	/* root is not an ordinary user, even with UID_MIN 0 */
}

static bool is_ordinary(const struct proc_state *st, uint64_t uid)
{
	/* nobody and nfsnobody */
	bool nobody = uid == 65534 || uid == UINT32_MAX - 1;
	return uid >= st->uid_min && !nobody;
}

/* Parse the name: all text after a tab, with its blanks. */
static struct str proc_parse_name(struct key_lines *l, uint16_t *at)
{
	struct str name = key_lines_find(l, STR("Name"), at) ? key_lines_take_rest(l) : STR("");
	return str_take_prefix(&name, STR("\t")) ? name : str_trim(name);
}

/* Parse a list of CPUs or nodes. Before Linux 2.6.26, the status file has no lists. */
static struct str proc_parse_list(struct key_lines *l, struct str key, uint16_t *at)
{
	return key_lines_find(l, key, at) ? str_trim(key_lines_take_rest(l)) : STR("-");
}

/*
 * Parse a status file, in the order of its lines. Kernel threads have no memory, so they get no
 * row.
 */
static struct proc_status proc_parse(struct proc_state *st, const struct metric *m, struct str text)
{
	struct key_lines l = key_lines_of(text);
	struct proc_status ret = { .euid = 0 };
	ret.text[NAME] = proc_parse_name(&l, &st->text_at[NAME]);
	for (size_t i = 0; i < PROC_KEYS && (i <= VM_SIZE || ret.present[VM_SIZE]); i++)
		ret.present[i] = key_lines_find(&l, (struct str){ m[i].name, st->key_size[i] },
						&st->value_at[i]) &&
				 key_lines_take_u64(&l, &ret.value[i]) &&
				 (i != UID || key_lines_take_u64(&l, &ret.euid));
	ret.text[CPUS_LIST] = proc_parse_list(&l, STR("Cpus_allowed_list"),
					      &st->text_at[CPUS_LIST]);
	ret.text[MEMS_LIST] = proc_parse_list(&l, STR("Mems_allowed_list"),
					      &st->text_at[MEMS_LIST]);
	return ret;
}

static void proc_add_row(struct source *s, struct proc_state *st, uint32_t pid,
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
 * Returns true if the status of a process must be read. For a daemon, check the owner at each
 * sample, because a daemon may become a user's process (slurmstepd, sshd). Kernel threads and
 * zombies have no memory and never become a user's process. In a captured tree, all files belong to
 * the user who unpacked it, so only the status shows the owner.
 */
static bool is_worth_reading(const struct source *s, const struct proc_state *st,
			     const struct process *p)
{
	uid_t uid;
	if (p->tag == KERNEL)
		return false;
	if (p->tag != SYSTEM || s->files.in_root)
		return true;
	return process_owner(&st->processes, p, &uid) == 0 && is_ordinary(st, uid);
}

static void proc_read_process(struct source *s, struct proc_state *st, struct process *p)
{
	struct str text;
	if (!is_worth_reading(s, st, p) ||
	    process_status(&st->processes, &s->files, p, &s->text, &text) < 0)
		return;

	struct proc_status status = proc_parse(st, s->rows.metrics, text);
	s->bytes += text.n;
	if (!status.present[UID] || !status.present[VM_SIZE])
		p->tag = status.present[UID] ? KERNEL : UNKNOWN;
	else
		p->tag = is_ordinary(st, status.euid) ? USER : SYSTEM;
	if (p->tag == USER)
		proc_add_row(s, st, p->pid, &status);
	else
		process_close(&st->processes, p);
}

static void add_task(void *arg, uint32_t pid, const struct proc_status *status)
{
	struct source *s = arg;
	proc_add_row(s, s->state, pid, status);
}

static bool read_status(void *arg, uint32_t pid, struct proc_status *ret)
{
	struct source *s = arg;
	struct proc_state *st = s->state;
	struct process p = { .pid = pid, .fd = -1 };
	struct str text;
	snprintf(p.name, sizeof(p.name), "%u", pid);
	int r = process_status(&st->processes, &s->files, &p, &s->text, &text);
	process_close(&st->processes, &p);
	if (r == 0)
		*ret = proc_parse(st, s->rows.metrics, text);
	return r == 0;
}

static void add_tree(struct source *s, struct proc_state *st, const struct job_tree *t)
{
	for (size_t i = 0; i < t->n_seen; i++) {
		const struct job_tree_process *p = &t->seen[i];
		if (!p->n_status)
			continue;
		struct str text = { t->texts.p + p->status, p->n_status };
		struct proc_status status = proc_parse(st, s->rows.metrics, text);
		if (status.present[VM_SIZE])
			proc_add_row(s, st, (uint32_t)p->pid, &status);
	}
}

/*
 * Let the BPF program list the processes. Returns false if the program cannot be used, so that
 * files must be read.
 */
static bool proc_walk_program(struct source *s, struct proc_state *st)
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

static struct proc_state *make_state(struct source *s)
{
	struct proc_state *st = source_state(s, sizeof(*st));
	s->end_state = proc_free_state;
	st->processes.dir = -1;
	for (size_t i = 0; i < PROC_KEYS; i++)
		st->key_size[i] = (uint8_t)strlen(s->rows.metrics[i].name);
	return st;
}

static int collect_all(struct source *s)
{
	struct proc_state *st = s->state;
	int r = 0;
	if (!st && processes_shown(s) < 0)
		return -ENOENT;
	if (!st) {
		st = make_state(s);
		st->uid_min = read_uid_min(s);
		r = processes_open(&st->processes, &s->files);
	}
	if (r == 0 && proc_walk_program(s, st))
		return 0;
	if (r == 0)
		r = processes_look(&st->processes, &s->files);
	if (r < 0)
		return source_absent(s, "/proc cannot be listed");

	for (size_t i = 0; i < st->processes.now.n; i++)
		proc_read_process(s, st, &st->processes.now.p[i]);
	if (s->rows.n || st->processes.now.n)
		/* an idle node has no rows, but this is no error */
		return 0;
	return source_absent(s, "no process of a user with id %llu or above",
			     (unsigned long long)st->uid_min);
}

static int proc_collect(struct source *s)
{
	const struct job_tree *tree = s->shared ? s->shared->tree : NULL;
	if (!tree)
		return collect_all(s);
	add_tree(s, s->state ? s->state : make_state(s), tree);
	return 0;
}

const struct collector proc_collector = {
	.type    = &proc_type,
	.collect = proc_collect,
	.program = PROGRAM_PROC,
};
