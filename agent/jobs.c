/* SPDX-License-Identifier: BSD-3-Clause */
/* jobs.c - which jobs own this node at the moment */
#include "agent/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "formats/raw_write.h"

const char *const job_source_names[JOB_SOURCES] = {
	[JOB_FROM_HOOK] = "hook", [JOB_FROM_FILE] = "file", [JOB_FROM_CGROUP] = "cgroup",
};

bool job_id_valid(struct str id)
{
	if (id.n == 0 || id.n > JOB_ID_MAX || str_eq(id, STR("-")) || id.p[0] == '%')
		return false;
	for (size_t i = 0; i < id.n; i++) {
		unsigned char c = (unsigned char)id.p[i];
		if (c <= ' ' || c == 0x7f || c == ',')
			return false;
	}
	return true;
}

struct job *jobs_get(struct jobs *j, struct str id)
{
	for (size_t i = 0; i < j->n; i++)
		if (str_eq(id, str_of(j->job[i].id)))
			return &j->job[i];
	return NULL;
}

const struct job *jobs_find(const struct jobs *j, struct str id)
{
	return jobs_get((struct jobs *)j, id);
}

void jobs_note_end(struct jobs *j, struct str id, int64_t at_us, bool grouped)
{
	struct ended *e = &j->ended[j->next_ended];
	*e = (struct ended){ .at_us = at_us, .grouped = grouped };
	str_copy(e->id, sizeof(e->id), id);
	j->next_ended = (j->next_ended + 1) % ENDED_MAX;
}

const struct ended *jobs_ended_since(const struct jobs *j, struct str id, int64_t since_us)
{
	for (size_t i = 0; i < ENDED_MAX; i++)
		if (j->ended[i].at_us > since_us && str_eq(id, str_of(j->ended[i].id)))
			return &j->ended[i];
	return NULL;
}

static void forget_end(struct jobs *j, struct str id)
{
	for (size_t i = 0; i < ENDED_MAX; i++)
		if (str_eq(id, str_of(j->ended[i].id)))
			j->ended[i].at_us = 0;
}

int jobs_add(struct jobs *j, struct str id, int64_t since_us, enum job_source source)
{
	if (!job_id_valid(id))
		return -EINVAL;
	if (jobs_find(j, id))
		return -EEXIST;
	if (j->n == JOBS_MAX)
		return -ENOSPC;

	struct job *job = &j->job[j->n++];
	*job = (struct job){ .since_us = since_us, .source = source, .hooked_us = since_us };
	str_copy(job->id, sizeof(job->id), id);
	forget_end(j, id);
	return 0;
}

int jobs_remove(struct jobs *j, struct str id)
{
	const struct job *job = jobs_find(j, id);
	if (!job)
		return -ENOENT;

	size_t at = (size_t)(job - j->job);
	memmove(&j->job[at], &j->job[at + 1], (--j->n - at) * sizeof(*job));
	return 0;
}

int jobs_release(struct jobs *j, struct str id, bool released)
{
	struct job *job = jobs_get(j, id);
	if (!job)
		return -ENOENT;
	if (job->released == released)
		return -EALREADY;
	job->released = released;
	return 0;
}

bool jobs_any_released(const struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->job[i].released)
			return true;
	return false;
}

static void put_ids(const struct jobs *j, bool released_only, struct buf *b)
{
	size_t n = 0;
	for (size_t i = 0; i < j->n; i++) {
		if (released_only && !j->job[i].released)
			continue;
		if (n++)
			buf_add_char(b, ',');
		buf_add(b, str_of(j->job[i].id));
	}
}

void jobs_put(const struct jobs *j, struct buf *b)
{
	put_ids(j, false, b);
}

void jobs_put_released(const struct jobs *j, struct buf *b)
{
	put_ids(j, true, b);
}

static bool find_source(struct str word, enum job_source *ret)
{
	int s = 0;
	while (s < JOB_SOURCES && !str_eq(word, str_of(job_source_names[s])))
		s++;
	*ret = (enum job_source)s;
	return s < JOB_SOURCES;
}

/* Then *line is what stands behind it. */
static bool find_word(struct str *line, struct str want)
{
	struct str word;
	while (str_take_word(line, &word))
		if (str_eq(word, want))
			return true;
	return false;
}

static bool has_word(struct str line, struct str want)
{
	return find_word(&line, want);
}

static void load_ended(struct jobs *j, struct str id, int64_t at_us, bool grouped)
{
	if (at_us > 0 && job_id_valid(id) && !jobs_find(j, id) &&
	    !jobs_ended_since(j, id, at_us - 1))
		jobs_note_end(j, id, at_us, grouped);
}

static void load_line(struct jobs *j, struct str line)
{
	enum job_source source;
	struct str id, word;
	int64_t since;
	if (!str_take_word(&line, &id) || !str_take_prefix(&line, STR(" ")) ||
	    !str_take_time(&line, &since) || !str_take_word(&line, &word))
		return;
	if (str_eq(word, STR("ended")))
		load_ended(j, id, since, has_word(line, STR("grouped")));
	if (!find_source(word, &source) || jobs_add(j, id, since, source) < 0)
		return;		/* a line twice, or one too many, among others */
	j->job[j->n - 1].released = has_word(line, STR("released"));
	j->job[j->n - 1].grouped = has_word(line, STR("grouped"));
	if (find_word(&line, STR("hooked")) && str_take_prefix(&line, STR(" ")) &&
	    str_take_time(&line, &since))
		j->job[j->n - 1].hooked_us = since;
}

int jobs_load(struct jobs *j, const char *path)
{
	struct files here = { .rootfd = AT_FDCWD };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text, line;
	int r = files_read(&here, path, FILE_TO_END, &b, &text);

	here.rootfd = -1;
	files_free(&here);
	if (r < 0 && r != -ENOENT)
		return r;
	j->n = 0;
	if (r < 0)
		return 0;
	while (str_take_line(&text, &line))
		load_line(j, line);
	return 0;
}

static void put_job(struct buf *b, const struct job *job)
{
	buf_addf(b, "%s ", job->id);
	raw_put_time(b, job->since_us);
	buf_addf(b, " %s%s%s", job_source_names[job->source], job->released ? " released" : "",
		 job->grouped ? " grouped" : "");
	if (job->hooked_us != job->since_us) {
		buf_add(b, STR(" hooked "));
		raw_put_time(b, job->hooked_us);
	}
	buf_add_char(b, '\n');
}

static void put_ended(struct buf *b, const struct ended *e)
{
	if (!e->at_us)
		return;
	buf_addf(b, "%s ", e->id);
	raw_put_time(b, e->at_us);
	buf_addf(b, " ended%s\n", e->grouped ? " grouped" : "");
}

/* Readable for all: what a hook saves as root, the agent reads as its own user. */
int jobs_save(const struct jobs *j, const char *path)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	for (size_t i = 0; i < j->n; i++)
		put_job(&b, &j->job[i]);
	for (size_t i = 0; i < ENDED_MAX; i++)
		put_ended(&b, &j->ended[(j->next_ended + i) % ENDED_MAX]);
	return files_replace(path, buf_str(&b));
}

struct str jobs_read_file(const char *path, char *buf, size_t size)
{
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd >= 0 ? read(fd, buf, size) : 0;
	struct str text = { buf, n > 0 ? (size_t)n : 0 }, id = { buf, 0 };
	text = str_trim(text);
	if (!str_take_word(&text, &id) || !job_id_valid(id))
		id.n = 0;
	return id;
}

const struct job *jobs_of_file(const struct jobs *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->job[i].source == JOB_FROM_FILE)
			return &j->job[i];
	return NULL;
}
