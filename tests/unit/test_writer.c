/* SPDX-License-Identifier: BSD-3-Clause */
/* test_writer.c - run the process that writes the archive: its signals, descriptors and end */
#include "tests/unit/heard.h"
#include "tests/unit/tree.h"

#include <signal.h>
#include <sys/wait.h>
#include "archive/writer.h"
#include "base/names.h"

#define HEADER "$hpcperfstats 1.0.2\n$hostname n1\n$agent nodometer " PACKAGE_VERSION "\n" \
	"$boot_id b1\n!nodometer cpu\n"
#define GROUP(time) "\n" time " -\nnodometer - 1\n"

struct desk {
	struct tree tree;
	struct store like;
	struct writer writer;
};

static void desk_open(struct desk *d)
{
	*d = (struct desk){ .writer = { .fd = -1 } };
	tree_make(&d->tree);
	d->like = (struct store){ .place = { .dir = d->tree.path, .host = "n1",
					     .boot_id = "b1", .version = "1.0.2" },
				  .lock_ms = 1000 };
}

static void desk_free(struct desk *d)
{
	writer_stop(&d->writer);
	tree_free(&d->tree);
}

/*
 * Write a record group. On a busy machine the writer may need longer than the timeout of its reply.
 */
static void put(struct desk *d, int64_t usec, const char *group, bool fresh)
{
	const struct store_piece p = { .usec = usec, .fresh = fresh, .group = str_of(group),
				       .header = fresh ? STR("") : STR(HEADER) };
	struct stored got = { .e = 1 };
	int r = writer_put(&d->writer, &d->like, &p, &got);
	for (int i = 0; r == -EINPROGRESS && i < 6000; i++) {
		usleep(10000);
		r = writer_answer(&d->writer, false, &got);
	}
	assert_int_equal(r, 0);
	assert_int_equal(got.e, 0);
}

/* Check the end of "current", which the next writer may have started. */
static void assert_newest(const struct desk *d, const char *group)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	tree_get(&d->tree, "n1/current", &text);
	assert_true(str_ends(buf_str(&text), str_of(group)));
}

/*
 * systemd sends SIGTERM to all processes of a service, after which the agent writes the last record
 * groups.
 */
TEST(writer_outlives_signals_that_end_the_agent)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	struct desk d CLEANUP(desk_free);
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	desk_open(&d);
	d.like.place.listener = &listener;
	put(&d, 10000000, HEADER GROUP("10"), true);
	pid_t writer = d.writer.pid;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		assert_int_equal(kill(writer, signals[i]), 0);
	put(&d, 20000000, GROUP("20"), false);
	assert_int_equal(d.writer.pid, writer);
	assert_lines(&heard, 0, 0, "");
	assert_file(&d.tree, "n1/10", STR(HEADER GROUP("10") GROUP("20")));
}

/*
 * If the writer inherited a socket or lock of the agent, the socket or lock would stay open after
 * the agent has closed it.
 */
TEST(writer_keeps_no_descriptor_of_the_agent)
{
	struct desk d CLEANUP(desk_free);
	char path[64];
	desk_open(&d);
	int pipes[2];
	assert_int_equal(pipe(pipes), 0);
	put(&d, 10000000, HEADER GROUP("10"), true);
	close(pipes[1]);
	/* end of file: no other process holds the other end */
	assert_int_equal(read(pipes[0], path, sizeof(path)), 0);
	close(pipes[0]);
}

TEST(writer_that_dies_is_replaced_and_the_group_is_written)
{
	struct desk d CLEANUP(desk_free);
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	desk_open(&d);
	d.like.place.listener = &listener;
	put(&d, 10000000, HEADER GROUP("10"), true);
	pid_t writer = d.writer.pid;
	assert_int_equal(kill(writer, SIGKILL), 0);
	put(&d, 20000000, GROUP("20"), false);
	assert_true(d.writer.pid != writer && d.writer.pid > 0);
	assert_newest(&d, GROUP("20"));
	assert_int_equal(kill(writer, 0), -1);	/* the process was reaped */
}

TEST(writer_that_is_stopped_ends_and_the_next_one_continues)
{
	struct desk d CLEANUP(desk_free);
	desk_open(&d);
	put(&d, 10000000, HEADER GROUP("10"), true);
	pid_t writer = d.writer.pid;
	assert_false(writer_hangs(&d.writer));
	writer_stop(&d.writer);
	assert_int_equal(d.writer.pid, 0);
	assert_int_equal(d.writer.fd, -1);
	assert_int_equal(kill(writer, 0), -1);
	put(&d, 20000000, GROUP("20"), false);
	assert_newest(&d, GROUP("20"));
}

/* A writer that waits for the disk ends long after it was killed. */
TEST(writer_that_ended_late_is_reaped_with_the_next_piece)
{
	struct desk d CLEANUP(desk_free);
	siginfo_t info;
	desk_open(&d);
	pid_t late = fork();
	if (late == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)late, &info, WEXITED | WNOWAIT), 0);
	d.writer.killed[0] = late;
	put(&d, 10000000, HEADER GROUP("10"), true);
	assert_int_equal(d.writer.killed[0], 0);
	assert_int_equal(kill(late, 0), -1);
}

/* Some pieces are larger than the buffer that the writer reuses from one request to the next. */
TEST(piece_of_any_size_arrives_whole)
{
	static const size_t sizes[] = { 70000, 300000, 100 };
	struct desk d CLEANUP(desk_free);
	struct buf want CLEANUP(buf_free) = { 0 };
	desk_open(&d);
	put(&d, 10000000, HEADER GROUP("10"), true);
	buf_add(&want, STR(HEADER GROUP("10")));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct buf group CLEANUP(buf_free) = { 0 };
		buf_addf(&group, "\n%zu -\n%%mark ", 20 + i);
		for (size_t k = 0; k < sizes[i]; k++)
			buf_add_char(&group, (char)('a' + k % 26));
		buf_add(&group, STR("\nnodometer - 1\n"));
		buf_add(&want, buf_str(&group));
		buf_add_char(&group, '\0');
		put(&d, 20000000 + (int64_t)i * 1000000, group.p, false);
	}
	assert_file(&d.tree, "n1/10", buf_str(&want));
}

int main(void)
{
	RUN(cmocka_unit_test(writer_outlives_signals_that_end_the_agent),
	    cmocka_unit_test(writer_keeps_no_descriptor_of_the_agent),
	    cmocka_unit_test(writer_that_dies_is_replaced_and_the_group_is_written),
	    cmocka_unit_test(writer_that_ended_late_is_reaped_with_the_next_piece),
	    cmocka_unit_test(writer_that_is_stopped_ends_and_the_next_one_continues),
	    cmocka_unit_test(piece_of_any_size_arrives_whole));
}
