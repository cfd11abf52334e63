/* SPDX-License-Identifier: BSD-3-Clause */
/* job_values.c - read a job's values from the files of one cgroup */
#include "collectors/job_values.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "collectors/key_lines.h"
#include "schema/types/job.h"

/*
 * Sum up a key over all devices, and keep the value of each device. Returns true if at least one
 * device has a line.
 */
static bool job_values_sum(struct str text, const struct job_source *src,
			   struct job_io_reading *io, uint64_t *ret)
{
	struct str line;
	size_t n = strlen(src->key), lines = 0;
	uint64_t v;
	*ret = 0;
	while (str_take_line(&text, &line)) {
		const char *at = memmem(line.p, line.n, src->key, n);
		if (!at)
			continue;
		struct str head = { line.p, (size_t)(at - line.p) };
		line = str_skip(line, head.n + n);
		if (!str_take_u64(&line, &v))
			continue;
		*ret += v;
		if (io)
			job_io_note(io, lines, head, src->metric - RD_BYTES, v);
		lines++;
	}
	return lines > 0;
}

static bool job_values_find(const struct job_place *p, const struct job_source *src,
			    struct key_lines *l, uint16_t *line, uint64_t *ret)
{
	struct str text = { l->begin, (size_t)(l->end - l->begin) };
	switch (src->how) {
	case LINE:
		return key_lines_find(l, str_of(src->key), line) && key_lines_take_u64(l, ret);
	case SUM:
		return job_values_sum(text, src, p->io, ret) || (p->zeros >> src->metric & 1);
	case NUMBER:
		*ret = JOB_NO_LIMIT;
		return str_take_u64(&text, ret) || str_eq(str_trim(text), STR("max"));
	}
	return false;
}

static int job_values_open(struct source *s, const struct job_place *p, const char *controller,
			   const char *file)
{
	char path[512];
	int n = snprintf(path, sizeof(path), "%s/%s%s%s/%s", p->mount, controller,
			 *controller ? "/" : "", p->dir, file);
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	int fd = files_open(&s->files, path, O_RDONLY);
	if (fd == -ENOENT && strcmp(controller, "cpuacct") == 0)
		return job_values_open(s, p, "cpu,cpuacct", file);
	return fd;
}

static int job_values_read_file(struct source *s, const struct job_place *p, size_t i,
				const struct job_source *src, struct str *ret)
{
	int *fd = &p->fd[i];
	if (*fd == JOB_NOT_OPENED || (*fd < 0 && s->rescan))
		*fd = job_values_open(s, p, src->controller, src->file);
	return *fd < 0 ? *fd : source_read_fd(s, *fd, ret);
}

/*
 * Take a key's value from those of the BPF program. Returns true if the file need not be read for
 * this key.
 */
static bool job_values_take_known(const struct job_place *p, size_t file, size_t key,
				  struct job_values *to)
{
	if (!p->known || !p->known->present)
		return false;
	if (!(p->known->present >> key & 1))
		return (p->fd[file] >= 0 || p->fd[file] == JOB_NOT_OPENED) &&
		       !(p->files >> key & 1);	/* the file lacks the key */
	to->value[key] = p->known->value[key];
	to->present |= (uint64_t)1 << key;
	return true;
}

int job_values_read(struct source *s, const struct job_place *p, bool times,
		    struct job_values *to)
{
	const struct job_source *table = p->v2 ? job_v2 : job_v1, *src = table, *before = NULL;
	size_t n = p->v2 ? JOB_V2_SOURCES : JOB_V1_SOURCES, file = 0;
	struct str text;
	struct key_lines l = { 0 };
	int r = 0, first = 1;
	bool is_read = false;
	uint64_t v;

	for (const struct job_source *end = src + n; src < end; before = src++) {
		bool next = !before || strcmp(before->file, src->file) != 0;
		file += before && next;
		is_read &= !next;
		if ((src->metric <= THROTTLED) != times ||
		    job_values_take_known(p, file, src->metric, to))
			continue;
		if (!is_read) {
			r = job_values_read_file(s, p, file, src, &text);
			l = r < 0 ? l : key_lines_of(text);
			first = first == 1 ? r : first;
			is_read = true;
		}
		if (r < 0 || !job_values_find(p, src, &l, &p->line[src - table], &v))
			continue;
		v *= src->times ? src->times : 1;
		to->value[src->metric] = src->per ? v / src->per : v;
		to->present |= (uint64_t)1 << src->metric;
	}
	return first;
}
