/* SPDX-License-Identifier: BSD-3-Clause */
/* process - every process, with its state and what it used, from /proc/PID/stat and statm */
#include "collectors/process_list.h"
#include "schema/types/process.h"

#define KERNEL_THREAD 0x200000	/* PF_KTHREAD, include/linux/sched.h */
#define REAL_TIME 40		/* the kernel shows priority + 40 */

/* Fields of the file by the numbers of proc_pid_stat(5). */
enum {
	FLAGS = 9, MINFLT = 10, MAJFLT = 12, UTIME = 14, STIME = 15, PRIORITY = 18,
	RT_PRIORITY = 40, LAST = RT_PRIORITY,
};

/* "123 (name) S 1 ...": the name may hold anything, the last ")" ends it. */
static bool take_name(struct str *text, struct str *name)
{
	const char *open = memchr(text->p, '(', text->n);
	const char *close = memrchr(text->p, ')', text->n);
	if (!open || !close || close < open)
		return false;
	*name = (struct str){ open + 1, (size_t)(close - open) - 1 };
	*text = str_skip(*text, (size_t)(close - text->p) + 1);
	return true;
}

/* Fields that may be negative become 0: no caller needs their negative values. */
static bool take_fields(struct str text, char *letter, uint64_t *field)
{
	struct str word;
	if (!str_take_word(&text, &word) || word.n != 1)
		return false;
	*letter = *word.p;
	for (size_t i = 4; i <= LAST; i++) {
		field[i] = 0;
		if (!str_take_word(&text, &word))
			return false;
		str_take_u64(&word, &field[i]);
	}
	return true;
}

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

static void take(struct source *s, const struct process_text *p)
{
	struct str text = p->text, name;
	uint64_t f[LAST + 1];
	char letter;
	if (!take_name(&text, &name) || !take_fields(text, &letter, f))
		return;
	bool kernel = f[FLAGS] & KERNEL_THREAD;
	struct row row = process_row(s, p->process, name);
	row_set(row, PROCESS_STATE, (unsigned char)letter);
	row_set(row, PROCESS_KERNEL, kernel);
	row_set(row, PROCESS_PRIORITY, f[RT_PRIORITY] ? REAL_TIME + f[RT_PRIORITY] : f[PRIORITY]);
	if (!s->files.in_root) {	/* a captured tree belongs to whoever unpacked it */
		row_set(row, PROCESS_UID, p->uid);
		row_set(row, PROCESS_GID, p->gid);
	}
	row_set(row, PROCESS_FAULTS, f[MINFLT] + f[MAJFLT]);
	row_set(row, PROCESS_CPU, f[UTIME] + f[STIME]);
	set_memory(s, p->process, row, kernel);
}

static int collect(struct source *s)
{
	return process_list(s, "stat", take);
}

const struct collector process_collector = {
	.type    = &process_type,
	.collect = collect,
};
