/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * proc - memory and threads of each process of an ordinary user, from /proc/PID/status
 *
 * Which: those whose effective user is at least UID_MIN of /etc/login.defs (or 1000), not nobody:
 * daemons and kernel threads belong to no job. No name is left out, not even shells.
 */
#include "collectors/collector.h"

#include <fcntl.h>
#include "base/system/processes.h"
#include "collectors/key_lines.h"
#include "schema/types/proc.h"

#define NAME_BYTES_MAX 64	/* the kernel's own limit: 15, for its threads 63 */
#define LIST_BYTES_MAX 120	/* of CPUs or of nodes, so that a device stays under 512 */

enum tag { UNKNOWN, KERNEL, SYSTEM, USER };	/* in struct process */

/* Lines of a status that are no metrics. */
enum { NAME, CPUS_LIST, MEMS_LIST, TEXTS };
static const char *const texts[TEXTS] = { "Name", "Cpus_allowed_list", "Mems_allowed_list" };

struct state {
	uint64_t uid_min;
	struct processes processes;
	struct buf device;
	uint16_t text_at[TEXTS], value_at[PROC_KEYS];	/* see key_lines_find() */
};

/* Lines of /proc/PID/status; the texts are borrowed from it. */
struct status {
	struct str text[TEXTS];
	uint64_t euid, value[PROC_KEYS];
	bool present[PROC_KEYS];
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
static void take_text(struct key_lines *l, struct state *st, size_t i, struct status *ret)
{
	bool found = key_lines_find(l, str_of(texts[i]), &st->text_at[i]);
	ret->text[i] = found ? key_lines_rest(l) : i == NAME ? STR("") : STR("-");
	if (i != NAME || !str_take_prefix(&ret->text[i], STR("\t")))
		ret->text[i] = str_trim(ret->text[i]);
}

/* In the order of the file. Kernel threads have no memory, and so no row. */
static struct status parse(struct state *st, const struct metric *m, struct str text)
{
	struct key_lines l = key_lines_of(text);
	struct status ret = { .euid = 0 };
	take_text(&l, st, NAME, &ret);
	for (size_t i = 0; i < PROC_KEYS && (i <= VM_SIZE || ret.present[VM_SIZE]); i++)
		ret.present[i] = key_lines_find(&l, str_of(m[i].name), &st->value_at[i]) &&
				 key_lines_take_u64(&l, &ret.value[i]) &&
				 (i != UID || key_lines_take_u64(&l, &ret.euid));
	take_text(&l, st, CPUS_LIST, &ret);
	take_text(&l, st, MEMS_LIST, &ret);
	return ret;
}

/*
 * The kernel doubles backslashes and writes a newline as \n (fs/proc/array.c, proc_task_name()).
 * Both go back to what they were, and what would end the name early is written in octal.
 */
static void add_name(struct buf *b, struct str name)
{
	if (name.n == 0)
		buf_add_char(b, '-');
	if (name.n > NAME_BYTES_MAX)
		name.n = NAME_BYTES_MAX;
	while (name.n) {
		char c = *name.p;
		name = str_skip(name, 1);
		if (c == '\\' && (str_peek(name) == '\\' || str_peek(name) == 'n')) {
			c = str_peek(name) == 'n' ? '\n' : '\\';
			name = str_skip(name, 1);
		}
		if (c == '\\')
			buf_add(b, STR("\\134"));
		else if (c == '/')
			buf_add(b, STR("\\057"));
		else
			buf_add_char(b, c);
	}
}

/* A list that is too long ends after one of its commas: "0,2,4,..." */
static void add_list(struct buf *b, struct str list)
{
	bool cut = list.n > LIST_BYTES_MAX;
	if (cut)
		list.n = LIST_BYTES_MAX - 3;
	while (cut && list.n && list.p[list.n - 1] != ',')
		list.n--;
	buf_add(b, list);
	if (cut)
		buf_add(b, STR("..."));
}

static void add_row(struct source *s, struct state *st, const struct process *p,
		    const struct status *status)
{
	struct buf *b = &st->device;
	b->n = 0;
	add_name(b, status->text[NAME]);
	buf_add_char(b, '/');
	buf_add(b, str_of(p->name));
	buf_add_char(b, '/');
	add_list(b, status->text[CPUS_LIST]);
	buf_add_char(b, '/');
	add_list(b, status->text[MEMS_LIST]);

	struct row row = rows_add_escaped(&s->rows, buf_str(b));
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

	struct status status = parse(st, s->rows.metrics, text);
	s->bytes += text.n;
	if (!status.present[UID] || !status.present[VM_SIZE])
		p->tag = status.present[UID] ? KERNEL : UNKNOWN;
	else
		p->tag = is_ordinary(st, status.euid) ? USER : SYSTEM;
	if (p->tag == USER)
		add_row(s, st, p, &status);
	else
		process_close(&st->processes, p);
}

/* Where /proc is mounted with hidepid=, an agent would see its own processes and call it all. */
static bool others_are_hidden(struct source *s)
{
	int fd CLEANUP(close_fd) = files_open(&s->files, "proc/1/status", O_RDONLY);
	return fd < 0 && !s->files.in_root;
}

static int collect(struct source *s)
{
	struct state *st = s->state;
	int r = 0;
	if (!st && others_are_hidden(s))
		return source_absent(s, "others are hidden: see hidepid in nodometerd(8)");
	if (!st) {
		st = source_state(s, sizeof(*st));
		s->end_state = end;
		st->uid_min = read_uid_min(s);
		r = processes_open(&st->processes, &s->files);
	}
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

const struct collector proc_collector = {
	.type    = &proc_type,
	.collect = collect,
};
