/* SPDX-License-Identifier: BSD-3-Clause */
/* test_read.c - read hosts in parallel processes, with the same report as from one process */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/files.h"
#include "figures/runs.h"
#include "figures/totals.h"
#include "report/read/read.h"

#define HOSTS_MAX 16

static void keep_said(void *arg, struct str text)
{
	buf_addf(arg, STR_FMT "\n", STR_ARG(text));
}

/* The files of an archive: those of host i are file[first[i]] to file[first[i + 1] - 1]. */
struct archive {
	struct archive_file *file;
	size_t n, hosts;
	size_t first[HOSTS_MAX + 1];
	struct node_query ask;
	struct buf said;
};

static void archive_open(struct archive *a)
{
	const char *top = getenv("srcdir");
	struct buf dir CLEANUP(buf_free) = { 0 };

	*a = (struct archive){ .ask = { .job = "7", .since = INT64_MIN, .until = INT64_MAX } };
	buf_addf(&dir, "%s/tests/report/many-nodes/archive%c", top ? top : ".", '\0');
	assert_int_equal(archive_list(dir.p, &a->file, &a->n, NULL), 0);
	for (size_t i = 0; i < a->n; i++)
		if (i == 0 || strcmp(a->file[i].host, a->file[i - 1].host) != 0) {
			assert_true(a->hosts < HOSTS_MAX);
			a->first[a->hosts++] = i;
		}
	a->first[a->hosts] = a->n;
	assert_true(a->hosts > 2);
}

static void archive_end(struct archive *a)
{
	archive_list_free(a->file, a->n);
	buf_free(&a->said);
}

static struct runs read_host(struct archive *a, size_t host)
{
	const struct read_listener listener = { .defect = keep_said, .arg = &a->said };
	struct node_read found;
	node_read(&a->ask, NULL, a->file + a->first[host], a->first[host + 1] - a->first[host],
		  &listener, &found);
	assert_int_equal(found.unreadable, 0);
	return found.runs;
}

static void add(struct buf *b, const void *p, size_t n)
{
	buf_add(b, (struct str){ p, n });
}

static void put_runs(struct buf *b, const struct runs *runs)
{
	add(b, runs, sizeof(*runs));
	for (size_t i = 0; i < runs->n; i++) {
		const struct run *r = &runs->run[i];
		add(b, r, sizeof(*r));
		add(b, r->node.name, strlen(r->node.name) + 1);
		add(b, r->node.value, n_figures * sizeof(*r->node.value));
		add(b, r->procs.proc, r->procs.n * sizeof(*r->procs.proc));
	}
}

static void *take(struct str *from, size_t n)
{
	assert_true(from->n >= n);
	void *p = memcpy(xrealloc(NULL, n), from->p, n);
	*from = str_skip(*from, n);
	return p;
}

/*
 * Copy the runs that another process sent. Pointers in them are invalid in this process, so
 * allocate new memory.
 */
static struct runs take_runs(struct str from)
{
	struct runs *head = take(&from, sizeof(*head)), runs = *head;
	free(head);
	runs.cap = runs.n;
	runs.run = xrealloc(NULL, runs.n * sizeof(*runs.run));
	for (size_t i = 0; i < runs.n; i++) {
		struct run *r = take(&from, sizeof(*r));
		r->node.name = take(&from, strnlen(from.p, from.n) + 1);
		r->node.value = take(&from, n_figures * sizeof(*r->node.value));
		r->procs.proc = take(&from, r->procs.n * sizeof(*r->procs.proc));
		r->procs.cap = r->procs.n;
		r->procs.type = NULL;
		runs.run[i] = *r;
		free(r);
	}
	assert_int_equal(from.n, 0);
	return runs;
}

static _Noreturn void child(struct archive *a, size_t host, int fd)
{
	struct buf b = { 0 };
	struct runs runs = read_host(a, host);
	put_runs(&b, &runs);
	_exit(files_write(fd, buf_str(&b)) < 0);
}

static void drain(int fd, struct buf *b)
{
	ssize_t got;
	do {
		buf_reserve(b, 4096);
		got = read(fd, b->p + b->n, 4096);
		b->n += got > 0 ? (size_t)got : 0;
	} while (got > 0);
}

/* Read all hosts in parallel processes, which are started from the last host to the first. */
static void read_side_by_side(struct archive *a, struct report *r)
{
	int fd[HOSTS_MAX][2], status;
	pid_t pid[HOSTS_MAX];

	for (size_t i = a->hosts; i-- > 0; ) {
		assert_int_equal(pipe(fd[i]), 0);
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (pid[i] == 0)
			child(a, i, fd[i][1]);
		close(fd[i][1]);
	}
	for (size_t i = 0; i < a->hosts; i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		drain(fd[i][0], &b);
		close(fd[i][0]);
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
		struct runs runs = take_runs(buf_str(&b));
		report_add(r, &runs);
	}
}

static void read_in_turn(struct archive *a, struct report *r)
{
	for (size_t i = 0; i < a->hosts; i++) {
		struct runs runs = read_host(a, i);
		report_add(r, &runs);
	}
}

/* Print each figure of the report and of each node, to the last bit of its numbers. */
static void put_report(struct buf *b, struct report *r)
{
	struct total t;

	runs_choose(r);
	procs_sort(&r->procs);
	buf_addf(b, "%zu nodes, %lld to %lld\n", r->n, (long long)r->start, (long long)r->end);
	for (size_t i = 0; i < r->procs.n; i++)
		buf_addf(b, "%s %zu %llu\n", r->procs.proc[i].name, r->procs.proc[i].node,
			 (unsigned long long)r->procs.proc[i].hwm);
	for (size_t i = 0; i < n_figures; i++) {
		if (!total_of(r, i, &t))
			continue;
		buf_addf(b, "%s.%s %zu %a %a %a %a %a\n", figures[i].type, figures[i].key, t.nodes,
			 t.n, t.rate, t.mean, t.min, t.max);
		for (size_t k = 0; k < r->n; k++)
			buf_addf(b, " %s %zu %a", r->node[k].name, r->node[k].samples,
				 node_value(&r->node[k], i));
		buf_add_char(b, '\n');
	}
}

TEST(parallel_processes_find_the_same_as_one_process)
{
	struct archive a CLEANUP(archive_end);
	struct report in_turn CLEANUP(report_free), at_once CLEANUP(report_free);
	struct buf want CLEANUP(buf_free) = { 0 }, got CLEANUP(buf_free) = { 0 };

	archive_open(&a);
	in_turn = at_once = (struct report){ .job = "7", .since = INT64_MIN, .until = INT64_MAX };
	read_side_by_side(&a, &at_once);
	read_in_turn(&a, &in_turn);
	put_report(&want, &in_turn);
	put_report(&got, &at_once);
	assert_true(in_turn.n == a.hosts);
	assert_true(want.n > 500);
	assert_true(str_eq(buf_str(&got), buf_str(&want)));
}

/* Defects of a file must go to the caller's listener only. */
TEST(a_host_that_is_read_again_gives_the_same_report)
{
	struct archive a CLEANUP(archive_end);
	struct report once CLEANUP(report_free), again CLEANUP(report_free);
	struct buf want CLEANUP(buf_free) = { 0 }, got CLEANUP(buf_free) = { 0 };

	archive_open(&a);
	once = again = (struct report){ .job = "7", .since = INT64_MIN, .until = INT64_MAX };
	read_in_turn(&a, &once);
	for (size_t i = a.hosts; i-- > 0; ) {
		struct runs runs = read_host(&a, i);
		runs_free(&runs);
	}
	read_in_turn(&a, &again);
	put_report(&want, &once);
	put_report(&got, &again);
	assert_true(str_eq(buf_str(&got), buf_str(&want)));
}

int main(void)
{
	RUN(cmocka_unit_test(parallel_processes_find_the_same_as_one_process),
	    cmocka_unit_test(a_host_that_is_read_again_gives_the_same_report));
}
