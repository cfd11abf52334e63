/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_node.h - a simulated node with its own recorder and archive */
#pragma once

#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include "archive/tail.h"
#include "recorder/requests.h"
#include "recorder/job_sources.h"
#include "tests/unit/mark_line.h"
#include "tests/unit/tree.h"

/* A node with one CPU. Its archive is in the folder "archive" of the tree. */
struct node {
	struct tree tree;
	struct config config;
	struct recorder *r;
	struct buf text;	/* contents of the file "current" when it was last read */
};

static inline void put_path(char *to, const struct tree *t, const char *leaf)
{
	snprintf(to, CONFIG_TEXT_MAX, "%s/%s", t->path, leaf);
}

static inline void node_open(struct node *n, bool keep)
{
	char error[768];
	*n = (struct node){ .r = xrealloc(NULL, sizeof(*n->r)) };
	tree_make(&n->tree);
	tree_put(&n->tree, "root/proc/stat", STR("cpu0 1 2 3 4\n"));
	config_init(&n->config);
	put_path(n->config.root, &n->tree, "root");
	put_path(n->config.dir, &n->tree, "archive");
	put_path(n->config.runtime_dir, &n->tree, "run");
	put_path(n->config.job_file, &n->tree, "job");
	str_copy(n->config.hostname, CONFIG_TEXT_MAX, STR("n1"));
	n->config.retain.free_floor = 0;
	for (size_t i = 0; i < n_collectors; i++)
		n->config.use[i] = strcmp(types[i]->name, "cpu") == 0 ? USE_ON : USE_OFF;
	assert_int_equal(recorder_open(n->r, &n->config, NULL, error, sizeof(error)), 0);
	n->r->to.keep = keep;
	if (keep)
		recorder_keep_groups(n->r);
	n->r->to.store.lock_ms = 10;
}

static inline void node_free(struct node *n)
{
	recorder_close(n->r);
	free(n->r);
	config_free(&n->config);
	buf_free(&n->text);
	tree_free(&n->tree);
}

/*
 * Check job ids and marks of the last record group in "current", for example "7,8 %begin 8
 * source=hook".
 */
static inline void assert_last(struct node *n, const char *want)
{
	struct buf got CLEANUP(buf_free) = { 0 };
	struct str text, line, time;
	tree_get(&n->tree, "archive/n1/current", &n->text);
	text = buf_str(&n->text);
	for (size_t i = text.n; i > 1; i--)
		if (n->text.p[i - 1] == '\n' && n->text.p[i - 2] == '\n') {
			text = str_skip(text, i);
			break;
		}
	assert_true(tail_group_is_whole(text));
	assert_true(str_take_line(&text, &line));
	assert_true(str_take_word(&line, &time));
	buf_add(&got, str_trim(line));
	while (str_take_line(&text, &line) && str_peek(line) == '%') {
		buf_add_char(&got, ' ');
		put_mark_line(&got, line);
	}
	assert_text(buf_str(&got), str_of(want));
}

static inline size_t groups(struct node *n)	/* number of record groups in "current" */
{
	struct str line;
	size_t found = 0;
	tree_get(&n->tree, "archive/n1/current", &n->text);
	for (struct str text = buf_str(&n->text); str_take_line(&text, &line); )
		found += line.n == 0;
	return found;
}

/* Lock the archive of n1 as another process would. Close the returned descriptor to unlock it. */
static inline int hold_lock(struct node *n)
{
	int fd = openat(n->tree.fd, "archive/n1/lock", O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	return fd;
}

/* Leave a request in the runtime directory, as a hook does. */
static inline void leave(struct node *n, int64_t usec, enum request_what what, const char *text)
{
	struct spool s CLEANUP(spool_close) = { .dirfd = -1, .lockfd = -1 };
	struct request q = { .what = what, .usec = usec, .text = str_of(text) };
	char name[SPOOL_NAME_SIZE];
	assert_int_equal(spool_open(&s, n->config.runtime_dir), 0);
	assert_int_equal(request_leave(&s, &q, name), 0);
}

/* Give the node this many CPUs, each with a row of seven large numbers. */
static inline void grow(struct node *n, int cpus)
{
	struct buf stat CLEANUP(buf_free) = { 0 };
	for (int i = 0; i < cpus; i++) {
		buf_addf(&stat, "cpu%d", i);
		for (int k = 0; k < 7; k++)
			buf_add(&stat, STR(" 1234567890123456789"));
		buf_add_char(&stat, '\n');
	}
	tree_put(&n->tree, "root/proc/stat", buf_str(&stat));
}
