/* SPDX-License-Identifier: BSD-3-Clause */
/* test_feed.c - send each record once and in order, whatever fails, stops or is removed */
#include "tests/unit/clock_ahead.h"
#include "tests/unit/sender_node.h"

TEST(sender_without_a_cursor_starts_with_new_records)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	append(&n, STR(GROUP("12") GROUP("13")));
	run(&n, 2);
	assert_got("12 13 | ");
	assert_int_equal(n.cursor.usec, 13000000);
	assert_int_equal(n.cursor.groups, 2);
}

TEST(sink_with_enough_records_is_flushed_at_once)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	append(&n, STR(GROUP("12") GROUP("13")));
	scratch.is_much = true;
	run(&n, 2);
	assert_got("12 | 13 | ");
}

TEST(refused_records_are_not_counted_as_delivered)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	append(&n, STR(GROUP("12") GROUP("13") GROUP("14")));
	scratch.refused = 2;
	run(&n, 3);
	assert_got("12 13 14 | ");
	assert_int_equal(n.cursor.groups, 1);
	assert_int_equal(n.cursor.refused, 2);
}

TEST(records_older_than_max_age_are_dropped_and_counted)
{
	struct node n CLEANUP(node_free);
	char now[160], want[32];
	long long s = realtime_us() / 1000000;
	node_begun(&n, &each);
	n.section.max_age_us = 3600 * INT64_C(1000000);
	append(&n, STR(GROUP("12") GROUP("13")));
	snprintf(now, sizeof(now), GROUP("%lld"), s);
	append(&n, str_of(now));
	run(&n, 1);
	snprintf(want, sizeof(want), "%lld | ", s);	/* the other records are from 1970 */
	assert_got(want);
	assert_int_equal(n.cursor.too_old, 2);
	assert_int_equal(n.cursor.groups, 1);
}

TEST(refused_records_are_dropped_at_max_age)
{
	struct node n CLEANUP(node_free);
	char now[160];
	node_begun(&n, &ages);
	n.section.max_age_us = 1000000;
	snprintf(now, sizeof(now), GROUP("%lld"), (long long)(realtime_us() / 1000000));
	append(&n, str_of(now));
	run(&n, 1000);
	assert_int_equal(n.cursor.refused, 1);
}

static void keep_warning(void *arg, enum log_level level, const char *line)
{
	if (level == LOG_LEVEL_WARNING)
		str_copy(arg, 1024, str_of(line));
}

TEST(long_reason_is_logged_whole_and_shown_without_its_url)
{
	struct node n CLEANUP(node_free);
	char warning[1024] = "";
	const struct listener listener = { keep_warning, warning };
	node_begun(&n, &tells);
	n.node.sink.listener = &listener;
	append(&n, STR(GROUP("12")));
	run(&n, 1000);
	assert_string_equal(warning, "[sink tells] https://h/write: POST answers 500 " LONG_TEXT
			    LONG_TEXT LONG_TEXT " end; retrying");
	assert_true(str_starts(str_of(n.cursor.why), STR("POST answers 500 0123")));
}

TEST(records_written_during_a_stop_are_sent)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	append(&n, STR(GROUP("12")));
	put_file(&n, "20", STR(HEADER GROUP("20") GROUP("21")));
	put_file(&n, "30", STR(HEADER GROUP("30")));
	make_current(&n, "30");
	run(&n, 4);
	assert_got("12 | 20 21 | 30 | ");
	append(&n, STR(GROUP("31")));
	run(&n, 1);
	assert_got("31 | ");
}

TEST(compressed_file_is_the_same_file)
{
#ifdef HAVE_ZLIB
	struct node n CLEANUP(node_free);
	char command[300];
	node_begun(&n, &each);
	append(&n, STR(GROUP("12")));
	put_file(&n, "20", STR(HEADER GROUP("20")));
	make_current(&n, "20");
	snprintf(command, sizeof(command), "gzip %s/archive/n1/10", n.tree.path);
	if (system(command) != 0)
		skip();
	run(&n, 2);
	assert_got("12 | 20 | ");
#else
	skip();
#endif
}

TEST(record_is_sent_once_it_is_whole)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	append(&n, STR(GROUP("12") "\n13 -\nvm - 1\n"));
	run(&n, 1);
	assert_got("12 | ");
	append(&n, STR("nodometer - 5 6 2 0 0\n"));
	run(&n, 1);
	assert_got("13 | ");
}

TEST(failed_records_come_again_in_order)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	append(&n, STR(GROUP("12") GROUP("13")));
	scratch.bad_puts = scratch.bad_flushes = 1;
	scratch.at_flush = true;
	run(&n, 2);
	assert_got("12 13 | ");
	assert_int_equal(n.cursor.errors, 2);
	assert_string_equal(n.cursor.why, "");
}

TEST(undelivered_records_come_again_after_a_restart)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	append(&n, STR(GROUP("12") GROUP("13")));
	scratch.bad_flushes = 1000;
	run(&n, 2);
	assert_got("12 13 ");
	assert_int_equal(n.cursor.groups, 0);
	assert_string_equal(n.cursor.why, "Input/output error");
	scratch.bad_flushes = 0;
	run(&n, 2);
	assert_got("12 13 | ");
}

TEST(record_not_put_before_a_stop_comes_after_a_restart)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	append(&n, STR(GROUP("12") GROUP("13") GROUP("14")));
	scratch.fails_after = 1;
	run(&n, 1000);
	assert_got("12 | ");
	scratch.fails_after = 0;
	run(&n, 1);
	assert_got("13 | ");
}

TEST(sender_continues_at_the_oldest_file_if_its_file_is_gone)
{
	struct node n CLEANUP(node_free);
	char path[600];
	node_begun(&n, &each);
	path_of(&n, "10", path, sizeof(path));
	assert_int_equal(unlink(path), 0);
	put_file(&n, "20", STR(HEADER GROUP("20")));
	put_file(&n, "30", STR(HEADER GROUP("30")));
	make_current(&n, "30");
	run(&n, 2);
	assert_got("20 | 30 | ");
	assert_int_equal(n.cursor.lost_files, 1);
}

TEST(clock_step_back_hides_no_file)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	put_file(&n, "5", STR(HEADER GROUP("5")));
	make_current(&n, "5");
	run(&n, 1);
	assert_got("5 | ");
}

TEST(file_from_a_clock_step_back_during_a_stop_is_read)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	put_file(&n, "20", STR(HEADER GROUP("20")));
	make_current(&n, "20");
	run(&n, 1);
	assert_got("20 | ");
	put_file(&n, "15", STR(HEADER GROUP("15")));
	put_file(&n, "30", STR(HEADER GROUP("30")));
	make_current(&n, "30");
	run(&n, 3);
	assert_got("15 | 20 | 30 | ");
	run(&n, 0);
	assert_got("");
}

TEST(another_file_of_the_same_name_is_read_from_its_start)
{
	struct node n CLEANUP(node_free);
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	node_begun(&n, &each);
	n.node.sink.listener = &listener;
	put_file(&n, "10", STR(HEADER GROUP("9")));
	make_current(&n, "10");
	run(&n, 1);
	assert_got("9 | ");
	assert_lines(&heard, 1, 0, "file 10 is shorter than the ");
}

TEST(records_that_replace_a_truncated_one_are_sent)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	append(&n, STR(GROUP("12")));
	scratch.rewrites = &n;
	run(&n, 4);
	assert_got("12 | 13 14 15 | ");
	rewrite(&n, strlen(HEADER GROUP("10") GROUP("11") GROUP("13")),
		STR(GROUP("17") GROUP("18") GROUP("19")));
	run(&n, 6);
	/* the record at the saved position is another one now, so all records are sent again */
	assert_got("10 11 13 17 18 19 | ");
	run(&n, 0);
	append(&n, STR(GROUP("20")));
	run(&n, 1);
	assert_got("20 | ");
}

TEST(newest_only_sink_gets_the_newest_record)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &last);
	append(&n, STR(GROUP("12") GROUP("13")));
	put_file(&n, "20", STR(HEADER GROUP("20") GROUP("21")));
	make_current(&n, "20");
	run(&n, 1);
	assert_got("21 ");
	assert_int_equal(n.cursor.epoch, 20);
	assert_int_equal(n.cursor.usec, 21000000);
}

TEST(damaged_cursor_skips_nothing)
{
	struct node n CLEANUP(node_free);
	static const char *const texts[] = {
		"", "x\n", "nodometer cursor 1\nfile 10\noffset 3\n",
		"nodometer cursor 1\nfile ten\nend\n", "nodometer cursor 1\nodd 1\nend\n",
		"nodometer cursor 1\nfile 18446744073709551615\nend\n",
		"nodometer cursor 1\nend\nmore\n",
	};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct cursor c = { .epoch = 7 };
		char path[600];
		node_begun(&n, &each);
		append(&n, STR(GROUP("12")));
		put_file(&n, "20", STR(HEADER GROUP("20")));
		make_current(&n, "20");
		tree_put(&n.tree, "state/n1/each", str_of(texts[i]));
		snprintf(path, sizeof(path), "%s/n1/each", n.config.state_dir);
		assert_int_equal(cursor_load(&c, path), -EBADMSG);
		assert_int_equal(c.epoch, 7);
		run(&n, 4);
		assert_got("10 11 12 | 20 | ");
		assert_int_equal(n.cursor.errors, 1);
		if (i + 1 < ARRAY_SIZE(texts))
			node_free(&n);
	}
}

TEST(damaged_cursor_keeps_the_loss_counters)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	tree_put(&n.tree, "state/n1/each", STR("nodometer cursor 1\nfile 1x0\noffset 900\n"
					       "time_us 11000000\ngroups 8\nrefused 2\n"
					       "errors 5\nlost_files 3\nend\n"));
	run(&n, 2);
	assert_got("10 11 | ");
	assert_int_equal(n.cursor.groups, 10);
	assert_int_equal(n.cursor.refused, 2);
	assert_int_equal(n.cursor.errors, 6);
	assert_int_equal(n.cursor.lost_files, 3);
}

TEST(sender_stopped_while_waiting_still_starts_at_the_first_record)
{
	struct node n CLEANUP(node_free);
	char path[600];
	for (int folder = 0; folder < 2; folder++) {
		node_open(&n, &each);
		path_of(&n, "", path, sizeof(path));
		if (folder)
			assert_int_equal(archive_make_dirs(path), 0);
		run(&n, 0);
		assert_int_equal(n.cursor.epoch, 0);
		put_file(&n, "10", STR(HEADER GROUP("10")));
		put_file(&n, "20", STR(HEADER GROUP("20")));
		make_current(&n, "20");
		run(&n, 2);
		assert_got("10 | 20 | ");
		if (!folder)
			node_free(&n);
	}
}

TEST(counters_continue_over_restarts_and_files)
{
	struct node n CLEANUP(node_free);
	char path[600];
	node_begun(&n, &unfolds);
	snprintf(path, sizeof(path), "%s/state/n1/.unfolds.counters.10", n.tree.path);
	assert_int_equal(access(path, R_OK), 0);
	append(&n, STR(GROUP("12")));
	put_file(&n, "20", STR(HEADER GROUP("20")));
	make_current(&n, "20");
	run(&n, 2);
	assert_got("12 | 20 | ");
	assert_int_equal(access(path, R_OK), -1);
	snprintf(path, sizeof(path), "%s/state/n1/.unfolds.counters.20", n.tree.path);
	assert_int_equal(access(path, R_OK), 0);
	append(&n, STR(GROUP("21")));
	run(&n, 1);
	assert_got("21 | ");
}

/* The sender forgets counters of a device that has no rows any more, to keep its state small. */
TEST(counters_of_a_device_are_forgotten_a_file_later)
{
	static const char *const epochs[] = { "20", "30" };
	struct node n CLEANUP(node_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	node_begun(&n, &unfolds);
	append(&n, STR("\n12 -\nvm - 1\nvm gone 1\nnodometer - 5 6 3 0 0\n"));
	for (size_t i = 0; i < ARRAY_SIZE(epochs); i++) {
		char path[600], group[400];
		struct str text;
		snprintf(group, sizeof(group), HEADER GROUP("%s"), epochs[i]);
		put_file(&n, epochs[i], str_of(group));
		make_current(&n, epochs[i]);
		run(&n, i == 0 ? 2 : 1);
		snprintf(path, sizeof(path), "%s/state/n1/.unfolds.counters.%s", n.tree.path,
			 epochs[i]);
		int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
		assert_int_equal(files_read_fd(fd, FILE_TO_END, &b, &text), 0);
		assert_int_equal(memmem(text.p, text.n, "gone", 4) != NULL, i == 0);
	}
}

/* End any pause of the sender: advance the clock by the longest pause, 128 s. */
static void on_alarm(int which)
{
	(void)which;
	later_s += 128;
}

/* Refused records are kept even when the sender stops. */
TEST(refused_records_are_kept_without_limit)
{
	static const struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never;
	struct node n CLEANUP(node_free);
	node_begun(&n, &refuses);
	append(&n, STR(GROUP("12") GROUP("13")));
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	run(&n, 3);
	setitimer(ITIMER_REAL, &never, NULL);
	/* flushes: at once, after each pause of 2, 4, ... 128 s, and when the sender ends */
	assert_got("12 13 | | | | | | | | | ");
	assert_int_equal(n.cursor.refused, 0);
	assert_int_equal(n.cursor.groups, 0);
	assert_int_equal(n.cursor.errors, 9);
	assert_int_equal(n.cursor.success_us, 0);
	assert_int_equal(n.cursor.refused_share, 1000);
	assert_string_equal(n.cursor.why, "out of bounds");
	assert_int_equal(n.cursor.usec, 0);
}

TEST(records_are_limited_by_the_rate)
{
	struct node n CLEANUP(node_free);
	struct timespec begin, end;
	node_begun(&n, &each);
	n.section.rate = 1;
	append(&n, STR(GROUP("12") GROUP("13") GROUP("14")));
	clock_gettime(CLOCK_MONOTONIC, &begin);
	run(&n, 3);
	clock_gettime(CLOCK_MONOTONIC, &end);
	assert_got("12 13 14 | ");
	assert_true(end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9 > 1.9);
}

/* Put a file of live samples, and link it as "current". */
static void put_live(struct node *n, const char *epoch, struct str text)
{
	char from[600], to[600];
	snprintf(from, sizeof(from), "run/live/n1/%s", epoch);
	tree_put(&n->tree, from, text);
	snprintf(from, sizeof(from), "%s/run/live/n1/%s", n->tree.path, epoch);
	snprintf(to, sizeof(to), "%s/run/live/n1/current", n->tree.path);
	unlink(to);
	assert_int_equal(link(from, to), 0);
}

TEST(live_samples_are_merged_with_the_archive)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	snprintf(n.config.runtime_dir, sizeof(n.config.runtime_dir), "%s/run", n.tree.path);
	n.config.live_us = 1000000;
	n.section.live = true;
	put_live(&n, "11", STR(HEADER GROUP("11") GROUP("11.5") GROUP("12.5") GROUP("13")));
	append(&n, STR(GROUP("12")));
	run(&n, 3);
	assert_got("12 | 12 13 | ");	/* records older than those already sent are left out */

	/* After a restart, the sender repeats nothing, and continues with the next file. */
	put_live(&n, "14", STR(HEADER GROUP("14") GROUP("15")));
	run(&n, 2);
	assert_got("14 15 | ");
}

/*
 * The sink shows only the newest values, so a live sample that is 1,000 s old is left out and the
 * one of now is sent.
 */
TEST(newest_only_sink_gets_no_live_sample_that_has_waited)
{
	struct node n CLEANUP(node_free);
	struct buf samples CLEANUP(buf_free) = { 0 };
	char want[64];
	long long now = (long long)time(NULL);
	node_begun(&n, &last);
	snprintf(n.config.runtime_dir, sizeof(n.config.runtime_dir), "%s/run", n.tree.path);
	n.config.live_us = 300 * INT64_C(1000000);
	n.section.live = true;
	buf_addf(&samples, HEADER GROUP("12.5") GROUP("%lld") GROUP("%lld"), now - 1000, now);
	put_live(&n, "12", buf_str(&samples));
	append(&n, STR(GROUP("12")));
	run(&n, 2);
	snprintf(want, sizeof(want), "12 %lld ", now);
	assert_got(want);
}

TEST(sink_without_live_samples_gets_none)
{
	struct node n CLEANUP(node_free);
	node_begun(&n, &each);
	snprintf(n.config.runtime_dir, sizeof(n.config.runtime_dir), "%s/run", n.tree.path);
	n.config.live_us = 1000000;
	put_live(&n, "11", STR(HEADER GROUP("12.5") GROUP("13")));
	append(&n, STR(GROUP("12")));
	run(&n, 1);
	assert_got("12 | ");
}

TEST(record_waits_for_its_hosts_delay)
{
	struct node n CLEANUP(node_free);
	struct buf record CLEANUP(buf_free) = { 0 };
	const int64_t most_us = 1900000, wait_us = feed_delay_us("n1", most_us);
	assert_true(wait_us > most_us / 10 && wait_us < most_us);
	node_begun(&n, &each);
	int64_t now = realtime_us();
	scratch.at_flush = true;
	n.section.delay_us = most_us;
	buf_addf(&record, "\n%lld.%06lld -\nvm - 1\nnodometer - 5 6 2 0 0\n",
		 (long long)(now / 1000000), (long long)(now % 1000000));
	append(&n, buf_str(&record));
	run(&n, 1);
	assert_true(realtime_us() >= now + wait_us);
	assert_int_equal(n.cursor.usec, now);	/* the cursor has the time of the sample */
}

int main(void)
{
	RUN(cmocka_unit_test(live_samples_are_merged_with_the_archive),
	    cmocka_unit_test(newest_only_sink_gets_no_live_sample_that_has_waited),
	    cmocka_unit_test(sink_without_live_samples_gets_none),
	    cmocka_unit_test(sender_without_a_cursor_starts_with_new_records),
	    cmocka_unit_test(sink_with_enough_records_is_flushed_at_once),
	    cmocka_unit_test(refused_records_are_not_counted_as_delivered),
	    cmocka_unit_test(records_older_than_max_age_are_dropped_and_counted),
	    cmocka_unit_test(refused_records_are_dropped_at_max_age),
	    cmocka_unit_test(long_reason_is_logged_whole_and_shown_without_its_url),
	    cmocka_unit_test(records_written_during_a_stop_are_sent),
	    cmocka_unit_test(compressed_file_is_the_same_file),
	    cmocka_unit_test(record_is_sent_once_it_is_whole),
	    cmocka_unit_test(failed_records_come_again_in_order),
	    cmocka_unit_test(undelivered_records_come_again_after_a_restart),
	    cmocka_unit_test(record_not_put_before_a_stop_comes_after_a_restart),
	    cmocka_unit_test(sender_continues_at_the_oldest_file_if_its_file_is_gone),
	    cmocka_unit_test(clock_step_back_hides_no_file),
	    cmocka_unit_test(
		file_from_a_clock_step_back_during_a_stop_is_read),
	    cmocka_unit_test(another_file_of_the_same_name_is_read_from_its_start),
	    cmocka_unit_test(records_that_replace_a_truncated_one_are_sent),
	    cmocka_unit_test(newest_only_sink_gets_the_newest_record),
	    cmocka_unit_test(damaged_cursor_skips_nothing),
	    cmocka_unit_test(damaged_cursor_keeps_the_loss_counters),
	    cmocka_unit_test(sender_stopped_while_waiting_still_starts_at_the_first_record),
	    cmocka_unit_test(counters_continue_over_restarts_and_files),
	    cmocka_unit_test(counters_of_a_device_are_forgotten_a_file_later),
	    cmocka_unit_test(refused_records_are_kept_without_limit),
	    cmocka_unit_test(record_waits_for_its_hosts_delay),
	    cmocka_unit_test(records_are_limited_by_the_rate));
}
