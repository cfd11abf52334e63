/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_status.c - compose a process's device name from /proc/PID/status */
#include "collectors/proc_status.h"

/* bytes of a name; the kernel's limit is 15 for processes and 63 for kernel threads */
#define NAME_BYTES_MAX 64
/* bytes of each list in a device name, which must have less than 512 bytes */
#define LIST_BYTES_MAX 120

/*
 * Append a name. Undo the kernel's escapes for backslashes and newlines (fs/proc/array.c,
 * proc_task_name()), and write "/" and backslashes in octal.
 */
static void proc_status_add_name(struct buf *b, struct str name)
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

/* Append a list. A list that is too long is truncated after a comma: "0,2,4,..." */
static void proc_status_add_list(struct buf *b, struct str list)
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

void proc_status_put_device(struct buf *b, const struct proc_status *status, uint32_t pid)
{
	proc_status_add_name(b, status->text[NAME]);
	buf_add_char(b, '/');
	buf_add_u64(b, pid);
	buf_add_char(b, '/');
	proc_status_add_list(b, status->text[CPUS_LIST]);
	buf_add_char(b, '/');
	proc_status_add_list(b, status->text[MEMS_LIST]);
}
