/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_answer.c - whatever is asked, and whatever a file holds, no user gets a begin mark of
 * another user
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "answer/visible.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/system/frame.h"
#include "tests/fuzz/records_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/*
 * Check that a request that was accepted still names the same job after it was written and read
 * again.
 */
static void try_request(struct str text)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct answer_request q, again;
	if (answer_take_request(text, &q) < 0)
		return;
	must(!str_has(q.job, '\n') && q.job.n <= ANSWER_JOB_MAX);
	answer_put_request(&b, &q);
	must(answer_take_request(buf_str(&b), &again) == 0 && str_eq(again.job, q.job));
}

static void try_answer(struct str text)
{
	struct str rest;
	int64_t epoch;
	bool whole;
	if (answer_take_host(text, &epoch, &rest) == 0)
		must(epoch >= 0 && rest.n && *rest.p != '.' && !str_has(rest, '/'));
	if (answer_take_end(text, &whole, &rest) == 0)
		must(rest.p + rest.n == text.p + text.n);
}

static void try_frames(struct str bytes)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	int fd[2];
	char kind;
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0);
	bytes.n = bytes.n < 4096 ? bytes.n : 4096;
	must(write(fd[0], bytes.p, bytes.n) == (ssize_t)bytes.n);
	close_fd(&fd[0]);
	while (frame_receive(fd[1], &kind, &b, ANSWER_REQUEST_MAX, monotonic_ns()) == 0)
		must(b.n <= ANSWER_REQUEST_MAX);
	close_fd(&fd[1]);
}

static void filter(struct visible *own, struct str text, struct buf *out)
{
	const struct record *r;
	struct record_source source = records_in(&text);
	visible_file(own, 0);
	while (record_next(&source, &r) > 0) {
		if (own->second_pass)
			visible_put(own, &source, r, out);
		else
			visible_look(own, &source, r);
	}
	record_source_end(&source);
}

static void try_records(struct str text)
{
	struct buf out CLEANUP(buf_free) = { 0 };
	static const struct asker asker = { 7, { "ann", 3 }, false };
	static const struct answer_request all = { true, INT64_MIN, INT64_MAX, { "", 0 } };
	struct visible own = { .asker = &asker, .wanted = &all };
	struct str line, word;

	filter(&own, text, &out);
	if (visible_turn(&own))
		filter(&own, text, &out);
	visible_free(&own);
	struct str rest = buf_str(&out);
	while (str_take_line(&rest, &line)) {
		if (!str_take_prefix(&line, STR("%begin ")))
			continue;
		while (str_take_word(&line, &word))
			must(!str_starts(word, STR("user=")) || str_eq(word, STR("user=ann")));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	if (size == 0)
		return 0;
	try_request(text);
	try_answer(text);
	try_frames(text);
	try_records(text);
	return 0;
}
