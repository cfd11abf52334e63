/* SPDX-License-Identifier: BSD-3-Clause */
/* jobs.c - keep track of the jobs on this node */
#include "recorder/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/vec.h"

const char *const job_source_names[JOB_SOURCES] = {
	[JOB_FROM_HOOK] = "hook", [JOB_FROM_FILE] = "file", [JOB_FROM_CGROUP] = "cgroup",
};

bool job_source_find(struct str name, enum job_source *ret)
{
	int s = 0;
	while (s < JOB_SOURCES && !str_eq(name, str_of(job_source_names[s])))
		s++;
	*ret = (enum job_source)s;
	return s < JOB_SOURCES;
}

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

void jobs_free(struct jobs *j)
{
	free(j->job);
	free(j->ended);
	*j = (struct jobs){ .n = 0 };
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

/* Return the entry for the next ended job: a new entry, or the oldest if the table is full. */
static struct ended *jobs_next_ended(struct jobs *j)
{
	size_t at = j->next_ended;
	if (j->n_ended == ENDED_MAX) {
		j->next_ended = (at + 1) % ENDED_MAX;
		return &j->ended[at];
	}
	j->ended = vec_reserve(j->ended, &j->cap_ended, j->n_ended + 1, sizeof(*j->ended));
	return &j->ended[j->n_ended++];
}

static void jobs_note_end(struct jobs *j, struct str id, int64_t at_us, bool grouped)
{
	struct ended *e = jobs_next_ended(j);
	*e = (struct ended){ .at_us = at_us, .grouped = grouped };
	str_copy(e->id, sizeof(e->id), id);
}

void jobs_note_later(struct jobs *j, struct str id)
{
	for (size_t i = 0; i < j->n_ended; i++)
		j->ended[i].later |= j->ended[i].at_us && str_eq(id, str_of(j->ended[i].id));
}

const struct ended *jobs_ended_since(const struct jobs *j, struct str id, int64_t since_us)
{
	for (size_t i = 0; i < j->n_ended; i++)
		if (j->ended[i].at_us > since_us && str_eq(id, str_of(j->ended[i].id)))
			return &j->ended[i];
	return NULL;
}

static void jobs_forget_end(struct jobs *j, struct str id)
{
	for (size_t i = 0; i < j->n_ended; i++)
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
		return -EOVERFLOW;
	j->job = vec_reserve(j->job, &j->cap, j->n + 1, sizeof(*j->job));
	struct job *job = &j->job[j->n++];
	*job = (struct job){ .since_us = since_us, .source = source, .hooked_us = since_us,
			      .uid = -1 };
	str_copy(job->id, sizeof(job->id), id);
	jobs_forget_end(j, id);
	return 0;
}

int jobs_end(struct jobs *j, struct str id, int64_t at_us, bool grouped, struct job *ret)
{
	const struct job *job = jobs_find(j, id);
	jobs_note_end(j, id, at_us, grouped || (job && job->grouped && !job->gone_us));
	if (!job) {
		*ret = (struct job){ .uid = -1 };
		str_copy(ret->id, sizeof(ret->id), id);
		return -ENOENT;
	}
	*ret = *job;
	size_t at = (size_t)(job - j->job);
	memmove(&j->job[at], &j->job[at + 1], (--j->n - at) * sizeof(*job));
	return 0;
}

static void jobs_put_ids(const struct jobs *j, bool released_only, struct buf *b)
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
	jobs_put_ids(j, false, b);
}

void jobs_put_released(const struct jobs *j, struct buf *b)
{
	jobs_put_ids(j, true, b);
}

static bool jobs_has_word(struct str line, struct str want)
{
	struct str word;
	while (str_take_word(&line, &word))
		if (str_eq(word, want))
			return true;
	return false;
}

static void jobs_load_ended(struct jobs *j, struct str id, int64_t at_us, struct str words)
{
	if (at_us <= 0 || !job_id_valid(id) || jobs_find(j, id) ||
	    jobs_ended_since(j, id, at_us - 1))
		return;
	jobs_note_end(j, id, at_us, jobs_has_word(words, STR("grouped")));
	if (jobs_has_word(words, STR("later")))
		jobs_note_later(j, id);
}

static void jobs_load_words(struct job *job, struct str line)
{
	struct str word;
	uint64_t uid;
	while (str_take_word(&line, &word)) {
		job->released |= str_eq(word, STR("released"));
		job->grouped |= str_eq(word, STR("grouped"));
		if (str_eq(word, STR("hooked")) && str_take_prefix(&line, STR(" ")))
			(void)str_take_time(&line, &job->hooked_us);
		if (str_eq(word, STR("uid")) && str_take_u64(&line, &uid) && uid < UINT32_MAX)
			job->uid = (int64_t)uid;
		if (str_eq(word, STR("gpus")) && str_take_word(&line, &word))
			str_copy(job->gpus, sizeof(job->gpus), word);
		if (str_take_prefix(&word, STR("user=")))
			str_copy(job->user, sizeof(job->user), word);
		if (str_take_prefix(&word, STR("account=")))
			str_copy(job->account, sizeof(job->account), word);
	}
}

static void jobs_load_line(struct jobs *j, struct str line)
{
	enum job_source source;
	struct str id, word;
	int64_t since;
	if (!str_take_word(&line, &id) || !str_take_prefix(&line, STR(" ")) ||
	    !str_take_time(&line, &since) || !str_take_word(&line, &word))
		return;
	if (str_eq(word, STR("ended")))
		jobs_load_ended(j, id, since, line);
	if (!job_source_find(word, &source) || jobs_add(j, id, since, source) < 0)
		return;		/* the job is listed twice, or there are too many jobs */
	jobs_load_words(&j->job[j->n - 1], line);
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
		jobs_load_line(j, line);
	return 0;
}

static void jobs_put_job(struct buf *b, const struct job *job)
{
	buf_addf(b, "%s ", job->id);
	buf_add_time(b, job->since_us);
	buf_addf(b, " %s%s%s", job_source_names[job->source], job->released ? " released" : "",
		 job->grouped ? " grouped" : "");
	if (job->hooked_us != job->since_us) {
		buf_add(b, STR(" hooked "));
		buf_add_time(b, job->hooked_us);
	}
	if (job->uid >= 0)
		buf_addf(b, " uid %lld", (long long)job->uid);
	if (job->gpus[0])
		buf_addf(b, " gpus %s", job->gpus);
	if (job->user[0])
		buf_addf(b, " user=%s", job->user);
	if (job->account[0])
		buf_addf(b, " account=%s", job->account);
	buf_add_char(b, '\n');
}

static void jobs_put_ended(struct buf *b, const struct ended *e)
{
	if (!e->at_us)
		return;
	buf_addf(b, "%s ", e->id);
	buf_add_time(b, e->at_us);
	buf_addf(b, " ended%s%s\n", e->grouped ? " grouped" : "", e->later ? " later" : "");
}

/*
 * The state file is readable for everyone, because a hook writes it as root and the agent reads it
 * as the agent's user.
 */
int jobs_save(const struct jobs *j, const char *path)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	for (size_t i = 0; i < j->n; i++)
		jobs_put_job(&b, &j->job[i]);
	for (size_t i = 0; i < j->n_ended; i++)
		jobs_put_ended(&b, &j->ended[(j->next_ended + i) % j->n_ended]);
	return files_replace(path, buf_str(&b));
}

struct str jobs_read_file(const char *path, char *buf, size_t size)
{
	struct stat st;
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	bool is_file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	/* do not follow a symbolic link: it could lead to a file that its creator may not read */
	ssize_t n = is_file ? read(fd, buf, size) : 0;
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
