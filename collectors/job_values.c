/* SPDX-License-Identifier: BSD-3-Clause */
/* job_values.c - what the files of one control group say of its job */
#include "collectors/job_values.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "schema/types/job.h"

/* From where the key before it was found on, then from the start. */
static bool find_line(struct str text, struct str *rest, const char *key, uint64_t *ret)
{
	struct str line, name = str_of(key);
	for (int again = 0; again < 2; again++) {
		while (str_take_line(rest, &line))
			if (str_take_prefix(&line, name) && str_peek(line) == ' ')
				return str_take_u64(&line, ret);
		*rest = text;
	}
	return false;
}

/* No line is no I/O: the sum is known to be 0. */
static uint64_t sum(struct str text, const char *key)
{
	struct str line;
	size_t n = strlen(key);
	uint64_t v, sum = 0;
	while (str_take_line(&text, &line)) {
		const char *at = memmem(line.p, line.n, key, n);
		if (!at)
			continue;
		line = str_skip(line, (size_t)(at - line.p) + n);
		if (str_take_u64(&line, &v))
			sum += v;
	}
	return sum;
}

static bool find_value(const struct job_source *src, struct str text, struct str *rest,
		       uint64_t *ret)
{
	switch (src->how) {
	case LINE:
		return find_line(text, rest, src->key, ret);
	case SUM:
		*ret = sum(text, src->key);
		return true;
	case NUMBER:
		*ret = JOB_NO_LIMIT;
		return str_take_u64(&text, ret) || str_eq(str_trim(text), STR("max"));
	}
	return false;
}

static int open_file(struct source *s, const struct job_place *p, const char *controller,
		     const char *file)
{
	char path[512];
	int n = snprintf(path, sizeof(path), "%s/%s%s%s/%s", p->mount, controller,
			 *controller ? "/" : "", p->dir, file);
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	int fd = files_open(&s->files, path, O_RDONLY);
	if (fd == -ENOENT && strcmp(controller, "cpuacct") == 0)
		return open_file(s, p, "cpu,cpuacct", file);
	return fd;
}

static int read_file(struct source *s, const struct job_place *p, size_t i,
		     const struct job_source *src, struct str *ret)
{
	int *fd = &p->fd[i];
	if (*fd == JOB_NOT_OPENED || (*fd < 0 && s->rescan))
		*fd = open_file(s, p, src->controller, src->file);
	return *fd < 0 ? *fd : source_read_fd(s, *fd, ret);
}

/* Whether nobody needs to read the file for this key. */
static bool take_known(const struct job_place *p, size_t file, size_t key, struct job_values *to)
{
	if (!p->known || !p->known->present)
		return false;
	if (!(p->known->present >> key & 1))
		return (p->fd[file] >= 0 || p->fd[file] == JOB_NOT_OPENED) &&
		       !(p->files >> key & 1);	/* the file has no such key */
	to->value[key] = p->known->value[key];
	to->present |= (uint64_t)1 << key;
	return true;
}

int job_values_read(struct source *s, const struct job_place *p, bool times,
		    struct job_values *to)
{
	const struct job_source *src = p->v2 ? job_v2 : job_v1, *before = NULL;
	size_t n = p->v2 ? JOB_V2_SOURCES : JOB_V1_SOURCES, file = 0;
	struct str text = { 0 }, rest = { 0 };
	int r = 0, first = 1;
	bool is_read = false;
	uint64_t v;

	for (const struct job_source *end = src + n; src < end; before = src++) {
		bool next = !before || strcmp(before->file, src->file) != 0;
		file += before && next;
		is_read &= !next;
		if ((src->metric <= THROTTLED) != times || take_known(p, file, src->metric, to))
			continue;
		if (!is_read) {
			r = read_file(s, p, file, src, &text);
			rest = text;
			first = first == 1 ? r : first;
			is_read = true;
		}
		if (r < 0 || !find_value(src, text, &rest, &v))
			continue;
		v *= src->times ? src->times : 1;
		to->value[src->metric] = src->per ? v / src->per : v;
		to->present |= (uint64_t)1 << src->metric;
	}
	return first;
}
