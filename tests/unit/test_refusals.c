/* SPDX-License-Identifier: BSD-3-Clause */
/* test_refusals.c - log refused requests of users at most once a minute, and count all of them */
#include "tests/unit/tree.h"

#include <string.h>
#include "agent/refusals.h"
#include "base/log.h"

static struct {
	sd_event_time_handler_t on_time;	/* NULL: no timer runs */
	void *arg;
} timer;

int __wrap_sd_event_add_time(sd_event *event, sd_event_source **ret, clockid_t clock,
			     uint64_t usec, uint64_t accuracy, sd_event_time_handler_t on_time,
			     void *arg);
int __wrap_sd_event_add_time(sd_event *event, sd_event_source **ret, clockid_t clock,
			     uint64_t usec, uint64_t accuracy, sd_event_time_handler_t on_time,
			     void *arg)
{
	(void)event;
	(void)clock;
	(void)usec;
	(void)accuracy;
	*ret = NULL;
	timer.on_time = on_time;
	timer.arg = arg;
	return 0;
}

sd_event_source *__wrap_sd_event_source_unref(sd_event_source *source);
sd_event_source *__wrap_sd_event_source_unref(sd_event_source *source)
{
	assert_null(source);
	return NULL;
}

/* Simulate that a minute has passed. */
static void pass_minute(void)
{
	sd_event_time_handler_t on_time = timer.on_time;
	timer.on_time = NULL;
	if (on_time)
		assert_int_equal(on_time(NULL, 0, timer.arg), 0);
}

static struct tree tree;
static int own_stderr;

/* Send the log to a file. */
static void log_begin(void)
{
	tree_make(&tree);
	timer.on_time = NULL;
	tree_put(&tree, "log", STR(""));
	int fd CLEANUP(close_fd) = openat(tree.fd, "log", O_WRONLY | O_APPEND | O_CLOEXEC);
	own_stderr = dup(STDERR_FILENO);
	assert_true(fd >= 0 && own_stderr >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	log_open("test", LOG_LEVEL_INFO);
}

/* Check the lines that were logged since the last call. */
static void assert_log(const char *want)
{
	assert_file(&tree, "log", str_of(want));
	tree_put(&tree, "log", STR(""));
}

static void log_end(void)
{
	assert_true(dup2(own_stderr, STDERR_FILENO) >= 0);
	close(own_stderr);
	tree_free(&tree);
}

static void assert_status(const struct refusals *r, const char *want)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	refusals_put(r, &b);
	assert_text(buf_str(&b), str_of(want));
}

#define REFUSED(uid) "test: user " uid " may not mark; see \"users\" in the configuration\n"

TEST(further_requests_of_a_user_are_one_line_a_minute)
{
	log_begin();
	struct refusals *r = refusals_new(NULL);
	refusals_note(r, 1000, "mark");
	refusals_note(r, 4000000000, "mark");
	assert_log(REFUSED("1000") REFUSED("4000000000"));
	refusals_note(r, 1000, "mark");
	refusals_note(r, 1000, "begin");
	assert_log("");
	assert_status(r, "denied 4\ndenied_to user 1000: 3\ndenied_to user 4000000000: 1\n");
	pass_minute();
	assert_log("test: user 1000: 2 more requests were refused\n");
	assert_status(r, "denied 4\ndenied_to user 1000: 3\n");
	refusals_note(r, 4000000000, "mark"); /* the refusal is logged again after a quiet minute */
	assert_log(REFUSED("4000000000"));
	pass_minute();
	assert_log("");
	assert_null(timer.on_time);	/* an idle agent is not woken */
	refusals_note(r, 1000, "mark");
	refusals_note(r, 1000, "mark");
	assert_non_null(timer.on_time);
	assert_log(REFUSED("1000"));
	refusals_free(r);
	assert_log("test: user 1000: 1 more requests were refused\n");
	log_end();
}

/*
 * In a user namespace, one user can make requests with 65,536 user ids, so only 16 ids get a count
 * of their own.
 */
TEST(users_above_16_share_one_count)
{
	log_begin();
	struct refusals *r = refusals_new(NULL);
	for (uid_t uid = 1; uid <= 16; uid++)
		refusals_note(r, uid, "mark");
	tree_put(&tree, "log", STR(""));
	for (uid_t uid = 17; uid <= 20; uid++)
		refusals_note(r, uid, "mark");
	refusals_note(r, 16, "mark");
	assert_log("");
	pass_minute();
	assert_log("test: user 16: 1 more requests were refused\n"
		   "test: other users: 4 more requests were refused\n");
	refusals_note(r, 16, "mark");
	pass_minute();
	assert_log("test: user 16: 1 more requests were refused\n");
	assert_status(r, "denied 22\ndenied_to user 16: 3\n");
	refusals_free(r);
	assert_log("");
	log_end();
}

int main(void)
{
	RUN(cmocka_unit_test(further_requests_of_a_user_are_one_line_a_minute),
	    cmocka_unit_test(users_above_16_share_one_count));
}
