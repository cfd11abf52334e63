/* SPDX-License-Identifier: BSD-3-Clause */
/* sender_node.h - a node's archive and its sender, with sinks that log their calls */
#pragma once

#include "tests/unit/heard.h"
#include "tests/unit/tree.h"

#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "archive/archive.h"
#include "base/clock.h"
#include "send/feed.h"
#include "send/feed_deliver.h"

#define HEADER "$hpcperfstats 1.0.2\n$hostname n1\n$agent nodometer " PACKAGE_VERSION "\n" \
	"!vm a,E\n!nodometer cpu bytes rows errors stalls\n"
#define GROUP(time) "\n" time " -\nvm - 1\nnodometer - 5 6 2 0 0\n"

/*
 * State of the sinks. They log their calls in .got, for example "10 11 | " for the records of
 * seconds 10 and 11 and a flush, and can end the sender.
 */
static struct scratch {
	struct buf got;
	int n, most;			/* records so far; the sender ends after .most */
	bool at_flush;			/* end the sender not in put(), but at the next flush */
	bool is_much;			/* put() asks for a flush at once */
	int refused;			/* number of records that the next flush refuses */
	int fails_after;	/* put() fails after this many records, and the sender ends */
	int bad_puts, bad_flushes;	/* how many of the next puts, or flushes, fail */
	struct node *rewrites;		/* the next flush replaces this node's last records */
} scratch;
static volatile int stop;

static int put(void *state, const struct record *g, struct buf *why)
{
	(void)state;
	if (scratch.fails_after && scratch.n == scratch.fails_after) {
		stop = 1;
		return -EAGAIN;
	}
	if (scratch.bad_puts > 0) {
		scratch.bad_puts--;
		buf_addf(why, "not now");
		return -EAGAIN;
	}
	buf_addf(&scratch.got, "%lld ", (long long)(g->usec / 1000000));
	if (++scratch.n >= scratch.most && !scratch.at_flush)
		stop = 1;
	return scratch.is_much;
}

static void rewrite(struct node *n, size_t left, struct str text);

static int flush(void *state, struct buf *why)
{
	(void)state;
	(void)why;
	if (scratch.bad_flushes > 0) {
		scratch.bad_flushes--;
		return -EIO;
	}
	buf_addf(&scratch.got, "| ");
	if (scratch.rewrites)
		rewrite(scratch.rewrites, strlen(HEADER GROUP("10") GROUP("11")),
			STR(GROUP("13") GROUP("14") GROUP("15") GROUP("16")));
	scratch.rewrites = NULL;
	if (scratch.n >= scratch.most)
		stop = 1;
	int refused = scratch.refused;
	scratch.refused = 0;
	return refused;
}

/* The position that the sender passed to open_refused(). */
static const struct sink_place *place;

static int open_refused(void *state, const struct sink_node *node, struct buf *why)
{
	(void)state;
	(void)why;
	place = node->place;
	return 0;
}

static int flush_refused(void *state, struct buf *why)
{
	(void)state;
	buf_addf(why, "out of bounds");
	buf_addf(&scratch.got, "| ");
	stop = place->tries >= 7;
	return -EBADMSG;
}

static int flush_until_last_try(void *state, struct buf *why)
{
	(void)state;
	buf_addf(why, "out of bounds");
	return (stop = place->last_try) ? 1 : -EBADMSG;
}

static const struct sink ages = { "ages", .open = open_refused, .put = put,
				  .flush = flush_until_last_try };
#define LONG_TEXT "01234567890123456789012345678901234567890123456789012345678901234567890123456789"
static int flush_with_long_reason(void *state, struct buf *why)
{
	(void)state;
	buf_addf(why, "https://h/write: POST answers 500 " LONG_TEXT LONG_TEXT LONG_TEXT " end");
	stop = 1;
	return -EREMOTEIO;
}

static const struct sink tells = { .name = "tells", .put = put, .flush = flush_with_long_reason };
static const struct sink refuses = { .name = "refuses", .open = open_refused, .put = put,
				     .flush = flush_refused };
static const struct sink each = { .name = "each", .put = put, .flush = flush };
static const struct sink unfolds = { .name = "unfolds", .put = put, .flush = flush,
				     .unfolded = true };
static const struct sink last = { .name = "last", .put = put, .newest_only = true };

struct node {
	struct tree tree;
	struct config config;
	struct section section;
	struct feed_node node;
	struct cursor cursor;	/* contents of the cursor file, loaded by run() */
};

static void node_open(struct node *n, const struct sink *sink)
{
	*n = (struct node){ .section = { .sink = sink, .rate = 1000 } };
	tree_make(&n->tree);
	str_copy(n->section.name, sizeof(n->section.name), str_of(sink->name));
	snprintf(n->config.dir, sizeof(n->config.dir), "%s/archive", n->tree.path);
	snprintf(n->config.state_dir, sizeof(n->config.state_dir), "%s/state", n->tree.path);
	n->node = (struct feed_node){ .config = &n->config, .host = "n1", .stop = &stop };
	sigemptyset(&n->node.usual);
	scratch = (struct scratch){ .most = 1000 };
}

static void node_free(struct node *n)
{
	buf_free(&scratch.got);
	tree_free(&n->tree);
}

static void path_of(const struct node *n, const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/archive/n1/%s", n->tree.path, name);
}

/* Put a file into the archive of node n1. */
static void put_file(struct node *n, const char *epoch, struct str text)
{
	char path[600];
	snprintf(path, sizeof(path), "archive/n1/%s", epoch);
	tree_put(&n->tree, path, text);
}

static void make_current(struct node *n, const char *epoch)
{
	char from[256], to[256];
	path_of(n, epoch, from, sizeof(from));
	path_of(n, "current", to, sizeof(to));
	unlink(to);
	assert_int_equal(link(from, to), 0);
}

static void append(struct node *n, struct str text)
{
	char path[600];
	path_of(n, "current", path, sizeof(path));
	FILE *f = fopen(path, "a");
	assert_non_null(f);
	assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
	fclose(f);
}

/* Truncate "current" to `left` bytes, and append `text`. */
static void rewrite(struct node *n, size_t left, struct str text)
{
	char path[600];
	path_of(n, "current", path, sizeof(path));
	assert_int_equal(truncate(path, (off_t)left), 0);
	append(n, text);
}

/* Run the sender until the sink got `most` records. With 0, the sender only saves its position. */
static void run(struct node *n, int most)
{
	char path[600];
	scratch.got.n = 0;
	scratch.n = 0;
	scratch.most = most;
	stop = most == 0;
	assert_int_equal(feed_run(&n->section, &n->node), 0);
	snprintf(path, sizeof(path), "%s/n1/%s", n->config.state_dir, n->section.name);
	assert_int_equal(cursor_load(&n->cursor, path), 0);
}

static void assert_got(const char *want)
{
	assert_text(buf_str(&scratch.got), str_of(want));
}

/* Set up a node whose sender has its cursor after record 11 of file 10. */
static void node_begun(struct node *n, const struct sink *sink)
{
	node_open(n, sink);
	put_file(n, "10", STR(HEADER GROUP("10") GROUP("11")));
	make_current(n, "10");
	run(n, 0);
	assert_int_equal(n->cursor.epoch, 10);
}
