/* SPDX-License-Identifier: BSD-3-Clause */
/* sink_user.h - open a sink by its name and keys, send it records and check its messages */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sinks/sink.h"
#include "tests/unit/test.h"

struct user {
	const struct sink *sink;
	void *state;
	struct sink_node node;
	struct sink_place place;
	uint64_t sent, retry_after_s;
	struct buf why;
};

static inline void user_set(struct user *u, const char *name, const char *value)
{
	const struct key *k = key_find(u->sink->keys, u->sink->n_keys, name);
	assert_non_null(k);
	assert_true(key_set(k, u->state, value, &u->why));
}

/* Set up a sink with its default keys and `keys`: names and values in turn, then NULL. */
static inline void user_make(struct user *u, const char *sink, const char *const *keys)
{
	*u = (struct user){ .sink = sink_find(str_of(sink)) };
	assert_non_null(u->sink);
	u->state = calloc(1, u->sink->size);
	assert_non_null(u->state);
	for (size_t i = 0; i < u->sink->n_keys; i++)
		if (u->sink->keys[i].usual)
			user_set(u, u->sink->keys[i].name, u->sink->keys[i].usual);
	for (; *keys; keys += 2)
		user_set(u, keys[0], keys[1]);
}

static inline void user_drop(struct user *u)
{
	free(u->state);
	buf_free(&u->why);
}

/* Open the sink. dir: folder for both the node's archive and the state, or NULL for none. */
static inline int user_try_open(struct user *u, const char *dir)
{
	u->node = (struct sink_node){ .host = "n1", .types = "", .drop = "", .labels = "",
				      .live_types = "", .sent = &u->sent,
				      .retry_after_s = &u->retry_after_s,
				      .dir = dir, .state_dir = dir, .place = &u->place };
	return u->sink->open(u->state, &u->node, &u->why);
}

static inline void user_open(struct user *u, const char *dir)
{
	assert_int_equal(user_try_open(u, dir), 0);
}

/*
 * Open a sink with these keys. Returns false if the sink refuses the keys, for example because a
 * library is missing.
 */
static inline bool user_begin(struct user *u, const char *sink, const char *const *keys)
{
	user_make(u, sink, keys);
	if (u->sink->check(u->state, &u->why) < 0) {
		printf("skipped: " STR_FMT "\n", STR_ARG(buf_str(&u->why)));
		user_drop(u);
		return false;
	}
	user_open(u, NULL);
	return true;
}

static inline int user_put(struct user *u)
{
	static const struct record_key key[] = {
		{ .name = "user", .unit = "cs", .kind = COUNTER, .bits = 64, .scale = 1,
		  .unit_name = "cs" },
	};
	static const struct record_type type = { "cpu", key, ARRAY_SIZE(key) };
	static const uint64_t value = 7;
	const struct record_row row = { .device = STR("0"), .value = &value };
	const struct record_rows rows = { &type, &row, 1 };
	const struct str job[] = { STR("7") };
	const struct mark mark[] = { { .text = STR("begin 7") } };
	const struct record r = { .usec = 1700000000000000, .job = job, .n_jobs = 1,
				  .mark = mark, .n_marks = 1, .rows = &rows, .n_types = 1,
				  .n_rows = 1 };
	u->why.n = 0;
	return u->sink->put(u->state, &r, &u->why);
}

static inline int user_flush(struct user *u)
{
	u->why.n = 0;
	return u->sink->flush(u->state, &u->why);
}

static inline void user_end(struct user *u)
{
	u->sink->close(u->state);
	user_drop(u);
}

/* Check that the sink's last message contains the text. */
static inline void assert_why(const struct user *u, const char *text)
{
	if (!memmem(u->why.p ? u->why.p : "", u->why.n, text, strlen(text)))
		fail_msg("want \"%s\", got \"" STR_FMT "\"", text, STR_ARG(buf_str(&u->why)));
}
