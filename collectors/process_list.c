/* SPDX-License-Identifier: BSD-3-Clause */
/* process_list.c - read one file of each process */
#include "collectors/process_list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

struct process_list_state {
	struct processes processes;
	struct buf device;
};

static void process_list_free_state(void *state)
{
	struct process_list_state *st = state;
	processes_free(&st->processes);
	buf_free(&st->device);
}

int processes_shown(struct source *s)
{
	int fd CLEANUP(close_fd) = files_open(&s->files, "proc/1/stat", O_RDONLY);
	return fd >= 0 || s->files.in_root ? 0 :
	       source_absent(s, "other processes are hidden: see hidepid in nodometer-security(7)");
}

static bool process_read_file(struct source *s, const struct process *p, const char *leaf,
			      struct process_text *ret)
{
	char path[64];
	struct stat owner;
	snprintf(path, sizeof(path), "proc/%s/%s", p->name, leaf);
	int fd CLEANUP(close_fd) = files_open(&s->files, path, O_RDONLY);
	if (fd < 0 || source_read_fd(s, fd, &ret->text) < 0 || fstat(fd, &owner) < 0)
		return false;	/* the process has ended or may not be read */
	ret->process = p;
	ret->uid = owner.st_uid;
	ret->gid = owner.st_gid;
	return ret->text.n > 0;
}

bool process_file(struct source *s, const struct process *p, const char *leaf, struct str *ret)
{
	struct process_text t;
	if (!process_read_file(s, p, leaf, &t))
		return false;
	*ret = t.text;
	return true;
}

struct row process_row(struct source *s, const struct process *p, struct str name)
{
	struct process_list_state *st = s->state;
	st->device.n = 0;
	buf_addf(&st->device, "%s/" STR_FMT, p->name, STR_ARG(name));
	return rows_add(&s->rows, buf_str(&st->device));
}

int process_list(struct source *s, const char *leaf,
		 void (*take)(struct source *s, const struct process_text *p))
{
	struct process_list_state *st = s->state;
	int r = 0;
	if (!st && processes_shown(s) < 0)
		return -ENOENT;
	if (!st) {
		st = source_state(s, sizeof(*st));
		s->end_state = process_list_free_state;
		r = processes_open(&st->processes, &s->files);
	}
	if (r == 0)
		r = processes_look(&st->processes, &s->files);
	if (r < 0)
		return source_absent(s, "/proc cannot be listed");
	for (size_t i = 0; i < st->processes.now.n; i++) {
		struct process_text t;
		if (process_read_file(s, &st->processes.now.p[i], leaf, &t))
			take(s, &t);
	}
	return s->rows.n ? 0 : source_absent(s, "no process has a readable %s", leaf);
}
