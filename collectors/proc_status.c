/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_status.c - a process as its /proc/PID/status shows it */
#include "collectors/proc_status.h"

#define NAME_BYTES_MAX 64	/* the kernel's own limit: 15, for its threads 63 */
#define LIST_BYTES_MAX 120	/* of CPUs or of nodes, so that a device stays under 512 */

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

void proc_status_put_device(struct buf *b, const struct proc_status *status, const char *pid)
{
	add_name(b, status->text[NAME]);
	buf_add_char(b, '/');
	buf_add(b, str_of(pid));
	buf_add_char(b, '/');
	add_list(b, status->text[CPUS_LIST]);
	buf_add_char(b, '/');
	add_list(b, status->text[MEMS_LIST]);
}
