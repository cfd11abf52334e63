/* SPDX-License-Identifier: BSD-3-Clause */
/* test_archiver.c - write record groups into an archive, for the agent and other programs */
#include "tests/unit/heard.h"
#include "tests/unit/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include "archive/archiver.h"
#include "archive/tidy.h"
#include "base/clock.h"

#define OTHER_LINES "$hostname n1\n$agent nodometer " PACKAGE_VERSION "\n" \
	"!cpu user,E idle,E\n!nodometer cpu bytes rows errors stalls\n"
#define HEADER "$hpcperfstats 1.0.2\n" OTHER_LINES
#define GROUP(time) "\n" time " -\ncpu 0 1 2\nnodometer - 5 6 2 0 0\n"

struct node {
	struct tree tree;
	struct archiver *a;	/* allocated, because it is too large for the stack */
};

static void put_header(void *arg, struct buf *b)
{
	(void)arg;
	buf_add(b, STR(HEADER));
}

/* A caller that writes headers and no marks. */
static const struct archiver_maker maker = { .put_header = put_header };

static void node_open(struct node *n, bool keep, bool replay)
{
	*n = (struct node){ .a = xrealloc(NULL, sizeof(*n->a)) };
	*n->a = (struct archiver){ .maker = &maker, .keep = keep };
	tree_make(&n->tree);
	archiver_open(n->a, &(struct store_place){
		.dir = n->tree.path, .host = "n1", .boot_id = "", .version = "1.0.2",
		.replay = replay,
	});
}

static void node_free(struct node *n)
{
	archiver_close(n->a);
	free(n->a);
	tree_free(&n->tree);
}

static void make_full(struct node *n, bool full)
{
	n->a->store.place.free_floor = full ? INT64_MAX : 0;
	n->a->store.archive.floor_checked_ns = 0;
}

/*
 * nodometer-xrootd opens the folder long before it writes, so only its first write finds an
 * incomplete last record (torn tail).
 */
TEST(reports_a_torn_tail_in_a_folder_that_is_open_already)
{
	struct node n CLEANUP(node_free);
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	node_open(&n, false, true);
	assert_int_equal(archiver_put(n.a, 10000000, STR(GROUP("10")), false), 0);
	archiver_close(n.a);
	tree_put(&n.tree, "n1/10", STR(HEADER GROUP("10") "\n11 -\ncpu 0 1"));

	archiver_open(n.a, &(struct store_place){
		.dir = n.tree.path, .host = "n1", .boot_id = "", .version = "1.0.2",
		.replay = true, .listener = &listener,
	});
	assert_int_equal(archive_open(&n.a->store.archive, n.tree.path, "n1"), 0);
	assert_int_equal(archiver_put(n.a, 12000000, STR(GROUP("12")), false), 0);
	assert_lines(&heard, 1, 0, "are cut off and kept in the file");
}

TEST(groups_follow_one_header)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false, true);
	assert_int_equal(archiver_put(n.a, 10000000, STR(GROUP("10")), false), 0);
	assert_int_equal(archiver_put(n.a, 11000000, STR(GROUP("11")), false), 0);
	assert_file(&n.tree, "n1/10", STR(HEADER GROUP("10") GROUP("11")));
	assert_true(n.a->new_file);
}

static void count_header(void *arg, struct buf *b)
{
	*(int *)arg += 1;
	buf_add(b, STR(HEADER));
}

TEST(groups_in_flight_share_a_header)
{
	static const struct archiver_maker counting = { .put_header = count_header };
	struct node n CLEANUP(node_free);
	int headers = 0;
	node_open(&n, true, true);
	n.a->maker = &counting;
	n.a->arg = &headers;
	n.a->uses_writer = n.a->no_wait = true;
	assert_int_equal(writer_start(&n.a->writer, &n.a->store), 0);
	assert_int_equal(archiver_put(n.a, 10000000, STR(GROUP("10")), false), 0);
	assert_int_equal(archiver_put(n.a, 11000000, STR(GROUP("11")), false), 0);
	assert_int_equal(archiver_settle(n.a), 0);
	assert_int_equal(archiver_put(n.a, 12000000, STR(GROUP("12")), false), 0);
	assert_int_equal(archiver_settle(n.a), 0);
	assert_int_equal(headers, 1);
	n.a->new_schema = true;
	assert_int_equal(archiver_put(n.a, 13000000, STR(GROUP("13")), false), 0);
	assert_int_equal(archiver_settle(n.a), 0);
	assert_int_equal(headers, 2);
	/*
	 * a record group written without the writer process needs no new header for the same schema
	 */
	n.a->uses_writer = false;
	n.a->new_schema = true;
	assert_int_equal(archiver_put(n.a, 14000000, STR(GROUP("14")), false), 0);
	assert_int_equal(headers, 3);
	assert_int_equal(archiver_put(n.a, 15000000, STR(GROUP("15")), false), 0);
	assert_int_equal(headers, 3);
	assert_file(&n.tree, "n1/10",
		    STR(HEADER GROUP("10") GROUP("11") GROUP("12") GROUP("13") GROUP("14")
			GROUP("15")));
}

TEST(batch_is_sent_once_its_oldest_group_has_waited_long_enough)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true, true);
	n.a->uses_writer = n.a->no_wait = true;
	n.a->batch_us = 10000000;
	assert_int_equal(writer_start(&n.a->writer, &n.a->store), 0);
	assert_int_equal(archiver_put(n.a, 10000000, STR(GROUP("10")), false), 0);
	assert_int_equal(archiver_put(n.a, 11000000, STR(GROUP("11")), false), 0);
	assert_int_equal(n.a->unwritten.in_flight, 0);
	assert_int_equal(archiver_put(n.a, 20000000, STR(GROUP("20")), false), 0);
	assert_int_equal(n.a->unwritten.in_flight, 2);
	assert_int_equal(n.a->sent_us, 20000000);	/* the next batch begins now */
	assert_int_equal(archiver_settle(n.a), 0);
	assert_int_equal(archiver_put(n.a, 21000000, STR(GROUP("21")), false), 0);
	assert_int_equal(n.a->unwritten.in_flight, 0);
	assert_int_equal(n.a->unwritten.n, 1);
}

TEST(replayed_groups_keep_their_times_in_order)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false, true);
	assert_int_equal(archiver_put(n.a, 10000000, STR(GROUP("10")), false), 0);
	assert_int_equal(archiver_put(n.a, 9000000, STR(GROUP("9")), false), 0);
	assert_file(&n.tree, "n1/10", STR(HEADER GROUP("10") GROUP("10.000001")));
	assert_int_equal(n.a->store.archive.last_us, 10000001);
}

#define SET_BACK(by) "\n$hpcperfstats 1.0.2\n$clock_set -" by "\n" OTHER_LINES

TEST(header_says_how_far_the_clock_was_set_back)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true, true);
	assert_int_equal(archiver_put(n.a, 9000000000, STR(GROUP("9000")), false), 0);
	assert_int_equal(archiver_put(n.a, 4000500000, STR(GROUP("4000.5")), false), 0);
	assert_int_equal(archiver_put(n.a, 4001000000, STR(GROUP("4001")), false), 0);
	assert_file(&n.tree, "n1/9000", STR(HEADER GROUP("9000") SET_BACK("4999.5")
					    GROUP("4000.5") GROUP("4001")));
	make_full(&n, true);
	assert_int_equal(archiver_put(n.a, 8000000000, STR(GROUP("8000")), false), 0);
	assert_int_equal(archiver_put(n.a, 7999230000, STR(GROUP("7999.23")), true), 0);
	assert_int_equal(archiver_put(n.a, 8001000000, STR(GROUP("8001")), false), 0);
	make_full(&n, false);
	assert_int_equal(archiver_settle(n.a), 0);
	assert_file(&n.tree, "n1/8000", STR(HEADER GROUP("8000") SET_BACK("0.77")
					    GROUP("7999.23") GROUP("8001")));
}

/*
 * All samples of a batch share one header, and a sample after the clock was set back needs a new
 * header.
 */
TEST(samples_after_a_clock_step_back_do_not_join_a_batch)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true, true);
	n.a->uses_writer = n.a->no_wait = true;
	n.a->batch_us = INT64_MAX;
	assert_int_equal(writer_start(&n.a->writer, &n.a->store), 0);
	assert_int_equal(archiver_put(n.a, 9000000000, STR(GROUP("9000")), false), 0);
	assert_int_equal(archiver_put(n.a, 9001000000, STR(GROUP("9001")), false), 0);
	assert_int_equal(n.a->unwritten.n, 1);
	assert_int_equal(archiver_put(n.a, 4000000000, STR(GROUP("4000")), false), 0);
	assert_int_equal(n.a->unwritten.n, 0);
	assert_int_equal(archiver_put(n.a, 4001000000, STR(GROUP("4001")), false), 0);
	assert_int_equal(n.a->unwritten.n, 1);
	assert_int_equal(archiver_settle(n.a), 0);
	assert_false(n.a->full);
	assert_file(&n.tree, "n1/9000", STR(HEADER GROUP("9000") GROUP("9001") SET_BACK("5001")
					    GROUP("4000") GROUP("4001")));
}

TEST(live_groups_have_the_current_time)
{
	struct node n CLEANUP(node_free);
	int64_t now = realtime_us();
	node_open(&n, false, false);
	assert_int_equal(archiver_put(n.a, 10000000, STR(GROUP("10")), false), 0);
	assert_int_equal(archiver_put(n.a, 9000000, STR(GROUP("9")), false), 0);
	assert_true(n.a->store.archive.last_us >= now);
}

TEST(kept_groups_are_written_after_a_full_disk)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true, true);
	make_full(&n, true);
	assert_int_equal(archiver_put(n.a, 10000000, STR(GROUP("10")), false), 0);
	assert_int_equal(archiver_put(n.a, 11000000, STR(GROUP("11")), false), 0);
	assert_true(n.a->full);
	assert_string_equal(n.a->why, "free space is below free-floor");
	assert_int_equal(n.a->unwritten.n, 2);

	make_full(&n, false);
	assert_int_equal(archiver_put(n.a, 12000000, STR(GROUP("12")), false), 0);
	assert_false(n.a->full);
	assert_file(&n.tree, "n1/10", STR(HEADER GROUP("10") GROUP("11")));
	assert_file(&n.tree, "n1/current", STR(HEADER GROUP("12")));
	assert_int_equal(archiver_take_failed(n.a), 2);
	assert_int_equal(archiver_take_failed(n.a), 0);
}

TEST(full_disk_is_an_error_without_keeping)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false, true);
	make_full(&n, true);
	assert_int_equal(archiver_put(n.a, 10000000, STR(GROUP("10")), false), -ENOSPC);
	assert_int_equal(n.a->unwritten.n, 0);
	assert_int_equal(archiver_take_failed(n.a), 1);
}

int main(void)
{
	RUN(cmocka_unit_test(reports_a_torn_tail_in_a_folder_that_is_open_already),
	    cmocka_unit_test(groups_follow_one_header),
	    cmocka_unit_test(groups_in_flight_share_a_header),
	    cmocka_unit_test(batch_is_sent_once_its_oldest_group_has_waited_long_enough),
	    cmocka_unit_test(replayed_groups_keep_their_times_in_order),
	    cmocka_unit_test(header_says_how_far_the_clock_was_set_back),
	    cmocka_unit_test(samples_after_a_clock_step_back_do_not_join_a_batch),
	    cmocka_unit_test(live_groups_have_the_current_time),
	    cmocka_unit_test(kept_groups_are_written_after_a_full_disk),
	    cmocka_unit_test(full_disk_is_an_error_without_keeping));
}
