/* SPDX-License-Identifier: BSD-3-Clause */
/* sacct.c - read Slurm's accounting of jobs: array ids, names and states */
#include "report/sacct.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "archive/input.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/child.h"
#include "base/utf8.h"
#include "base/vec.h"

enum column {
	JOB_ID, JOB_ID_RAW, JOB_NAME, USER, ACCOUNT, PARTITION, STATE, EXIT_CODE, LIMIT_RAW, NNODES,
	COLUMNS
};
static const char *const names[COLUMNS] = {
	[JOB_ID] = "JobID", [JOB_ID_RAW] = "JobIDRaw", [JOB_NAME] = "JobName", [USER] = "User",
	[ACCOUNT] = "Account", [PARTITION] = "Partition", [STATE] = "State",
	[EXIT_CODE] = "ExitCode", [LIMIT_RAW] = "TimelimitRaw", [NNODES] = "NNodes",
};
extern char **environ;

#define FORMAT "JobID,JobIDRaw,JobName,User,Account,Partition,State,ExitCode,TimelimitRaw,NNodes"
#define ASK_MS 10000	/* timeout for the reply of sacct, in milliseconds */
#define PLACES_MAX 128	/* largest number of columns in an accounting file */

/* The column at each position of a line; COLUMNS marks the position of an unknown column. */
struct layout {
	enum column at[PLACES_MAX];
	size_t n;
};

static bool take_field(struct str *line, struct str *field)
{
	if (!line->p)
		return false;
	if (!str_take_until(line, '|', field)) {
		*field = *line;
		*line = (struct str){ 0 };
	}
	return true;
}

/* Parse the line of column names. Returns true if the required columns exist. */
static bool take_layout(struct layout *l, struct str line)
{
	bool has[COLUMNS + 1] = { false };
	struct str field;

	while (l->n < PLACES_MAX && take_field(&line, &field)) {
		enum column c = JOB_ID;
		while (c < COLUMNS && !str_eq(field, str_of(names[c])))
			c++;
		l->at[l->n++] = c;
		has[c] = true;
	}
	return has[JOB_ID] && has[JOB_ID_RAW] && !line.p;
}

static uint64_t sacct_number(struct str s)
{
	uint64_t n;
	return str_is_u64(s) && str_take_u64(&s, &n) ? n : 0;
}

static void put_job(struct sacct *s, const struct str *field)
{
	if (s->wants && !s->wants(s->arg, field[JOB_ID_RAW], field[JOB_ID]))
		return;
	uint64_t hash = map_hash(field[JOB_ID_RAW]);
	struct str state = field[STATE], word = { 0 };
	struct sacct_job j = { .raw = xstrdup(field[JOB_ID_RAW]),
			       .shown = xstrdup(field[JOB_ID]),
			       .nodes = sacct_number(field[NNODES]) };

	utf8_copy(j.user, sizeof(j.user), field[USER]);
	utf8_copy(j.allocation.name, sizeof(j.allocation.name), field[JOB_NAME]);
	utf8_copy(j.allocation.account, sizeof(j.allocation.account), field[ACCOUNT]);
	utf8_copy(j.allocation.partition, sizeof(j.allocation.partition), field[PARTITION]);
	/* keep only the first word of states such as "CANCELLED by 1000" */
	if (str_take_word(&state, &word))
		str_copy(j.allocation.state, sizeof(j.allocation.state), word);
	str_copy(j.allocation.exit, sizeof(j.allocation.exit), field[EXIT_CODE]);
	uint64_t minutes = sacct_number(field[LIMIT_RAW]);
	j.allocation.limit = minutes < 1u << 30 ? 60 * minutes : 0;
	map_add(&s->by_raw, hash, (union map_value){ .n = s->n });
	s->job = vec_reserve(s->job, &s->cap, s->n + 1, sizeof(*s->job));
	s->job[s->n++] = j;
}

/*
 * Return whether a line describes a job that ran, rather than a step (its id has a dot) or the
 * pending tasks of an array ("12_[4-9]").
 */
static bool is_job(const struct str *field)
{
	return str_is_u64(field[JOB_ID_RAW]) && field[JOB_ID].n && !str_has(field[JOB_ID], '.') &&
	       !str_has(field[JOB_ID], '[');
}

static bool sacct_take_line(struct sacct *s, const struct layout *l, struct str line)
{
	struct str field[COLUMNS + 1] = { 0 }, text;
	size_t n = 0;

	while (n < l->n && take_field(&line, &text))
		field[l->at[n++]] = text;
	if (n < l->n || line.p)
		return false;
	if (is_job(field))
		put_job(s, field);
	return true;
}

int sacct_take(struct sacct *s, const char *path, struct str text,
	       const struct listener *listener)
{
	struct layout l = { .n = 0 };
	struct str line = { 0 };
	size_t number = 1;

	if (!str_take_line(&text, &line) || !take_layout(&l, line)) {
		say_error(listener, "%s: expected the columns JobID and JobIDRaw: sacct "
			  "--parsable2 --format=" FORMAT, path);
		return -EINVAL;
	}
	while (str_take_line(&text, &line)) {
		number++;
		if (line.n && !sacct_take_line(s, &l, line))
			say_warning(listener, "%s:%zu: line left out: it does not have %zu columns",
				    path, number,
				    l.n);
	}
	return 0;
}

int sacct_read(struct sacct *s, const char *path)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	int r = input_read_all(path, FILE_BYTES_MAX, &text);
	if (r < 0)
		log_error("%s: %s", path, input_why(r));
	return r < 0 ? r : sacct_take(s, path, buf_str(&text), &log_listener);
}

bool sacct_is_task(const char *job)
{
	size_t n = strspn(job, "0123456789"), m = 0;
	if (n > 0 && (job[n] == '_' || job[n] == '+'))
		m = strspn(job + n + 1, "0123456789");
	return m > 0 && job[n + 1 + m] == '\0';
}

/*
 * Start sacct for a task, with its output to `out`. Returns 0, or -ENOENT if sacct is not
 * installed.
 */
static int sacct_start(const char *task, int out, pid_t *pid)
{
	static char name[] = "sacct", form[] = "--parsable2", jobs[] = "--jobs";
	static char whole[] = "--allocations", format[] = "--format=" FORMAT;
	char *argv[] = { name, form, whole, format, jobs, (char *)task, NULL };
	posix_spawn_file_actions_t actions;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	int e = posix_spawnp(pid, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -e;
}

static bool sacct_wants_task(const void *task, struct str raw, struct str shown)
{
	(void)raw;
	return sacct_means(shown, task);
}

bool sacct_ask(struct sacct *s, const char *task)
{
	char text[8192];
	pid_t pid;

	if (!sacct_is_task(task))
		return false;
	int out CLEANUP(close_fd) = memfd_create("nodometer-sacct", MFD_CLOEXEC);
	if (out < 0 || sacct_start(task, out, &pid) < 0)
		return false;
	if (!child_has_ended(pid, ASK_MS)) {
		child_kill(pid, 1000);
		return false;
	}
	ssize_t n = pread(out, text, sizeof(text), 0);
	s->wants = sacct_wants_task;
	s->arg = task;
	return n > 0 && sacct_take(s, "sacct", (struct str){ text, (size_t)n }, NULL) == 0 &&
	       s->n > 0;
}

const struct sacct_job *sacct_find(const struct sacct *s, const char *raw)
{
	uint64_t hash = map_hash(str_of(raw));
	const struct sacct_job *found = NULL;
	for (struct map_slot *at = NULL; (at = map_next(&s->by_raw, hash, at)); ) {
		const struct sacct_job *j = &s->job[at->value.n];
		if (strcmp(j->raw, raw) == 0 && (!found || j > found))
			found = j;
	}
	return found;
}

void sacct_add(struct report *r, const struct sacct_job *j)
{
	r->called = j->shown;
	if (!r->user[0])
		str_copy(r->user, sizeof(r->user), str_of(j->user));
	if (!r->nodes_allocated)
		r->nodes_allocated = j->nodes;
	for (size_t i = 0; i < r->n; i++)
		allocation_add(&r->node[i].allocation, &j->allocation);
}

bool sacct_means(struct str shown, const char *name)
{
	return str_eq(shown, str_of(name)) ||
	       (str_take_prefix(&shown, str_of(name)) && (str_peek(shown) == '_' ||
							   str_peek(shown) == '+'));
}

void sacct_free(struct sacct *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->job[i].raw);
		free(s->job[i].shown);
	}
	free(s->job);
	map_free(&s->by_raw);
}
