/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_unwritten.c - keep record groups that wait to be written: the newest, in order, each after
 * the header that it needs
 */
#include "tests/unit/tree.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include "archive/unwritten.h"

static void unwritten_free(struct unwritten **p)
{
	unwritten_clear(*p);
	free(*p);
}

static struct unwritten *unwritten_new(void)
{
	struct unwritten *p = xrealloc(NULL, sizeof(*p));
	memset(p, 0, sizeof(*p));
	return p;
}

static void add(struct unwritten *p, const char *header, const char *group)
{
	assert_int_equal(unwritten_add(p, 7, str_of(header), str_of(group), false), 0);
}

/* Add a record group of n bytes that begins with this text. */
static int add_large(struct unwritten *p, const char *header, const char *text, size_t n)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_add(&b, str_of(text));
	while (b.n < n)
		buf_add_char(&b, '.');
	return unwritten_add(p, 8, str_of(header), buf_str(&b), false);
}

TEST(groups_wait_in_their_order)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	add(p, "H1", "a");
	add(p, "", "b");
	add(p, "H2", "c");
	assert_int_equal(p->n, 3);
	assert_int_equal(p->part[0].usec, 7);
	assert_text(buf_str(&p->text), STR("H1abH2c"));

	unwritten_clear(p);
	assert_int_equal(p->n, 0);
	add(p, "H3", "d");
	assert_text(buf_str(&p->text), STR("H3d"));
	assert_int_equal(p->lost, 0);
}

TEST(the_oldest_group_makes_room_and_its_header_stays)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	assert_int_equal(add_large(p, "H1", "a", UNWRITTEN_BYTES_MAX - 10), 0);
	add(p, "", "b");
	add(p, "", "c");
	assert_int_equal(p->lost, 0);
	add(p, "", "0123456789");
	assert_int_equal(p->lost, 1);
	assert_text(buf_str(&p->text), STR("H1bc0123456789"));
}

TEST(a_header_that_no_group_needs_any_more_goes)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	assert_int_equal(add_large(p, "H1", "a", UNWRITTEN_BYTES_MAX - 10), 0);
	add(p, "H2", "b");
	add(p, "", "0123456789");
	assert_text(buf_str(&p->text), STR("H2b0123456789"));

	assert_int_equal(add_large(p, "H3", "x", UNWRITTEN_BYTES_MAX - 2), 0);
	assert_int_equal(p->n, 1);
	assert_int_equal(p->lost, 3);
	assert_true(str_starts(buf_str(&p->text), STR("H3x..")));
	assert_int_equal(p->part[0].usec, 8);
}

TEST(groups_that_are_written_leave_the_others_their_header)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	add(p, "H1", "a");
	add(p, "", "b");
	add(p, "H2", "c");
	add(p, "", "d");
	unwritten_done(p, 1);
	assert_text(buf_str(&p->text), STR("H1bH2cd"));
	unwritten_done(p, 1);	/* the next record has a header of its own */
	assert_text(buf_str(&p->text), STR("H2cd"));
	assert_int_equal(p->part[0].header, 2);
	unwritten_done(p, 1);
	assert_text(buf_str(&p->text), STR("H2d"));
}

TEST(the_number_of_groups_is_bounded)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	add(p, "H", "a");
	for (size_t i = 0; i < UNWRITTEN_GROUPS_MAX; i++)
		add(p, "", "b");
	assert_int_equal(p->n, UNWRITTEN_GROUPS_MAX);
	assert_int_equal(p->lost, 1);
	assert_int_equal(p->text.n, UNWRITTEN_GROUPS_MAX + 1);
	assert_true(str_starts(buf_str(&p->text), STR("Hbb")));
}

TEST(a_group_that_is_too_large_is_lost_alone)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	add(p, "H1", "a");
	assert_int_equal(add_large(p, "", "b", UNWRITTEN_BYTES_MAX + 1), -ENOSPC);
	add(p, "", "c");
	assert_int_equal(p->lost, 1);
	assert_text(buf_str(&p->text), STR("H1ac"));
}

TEST(no_group_follows_the_schema_of_another)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	add(p, "H1", "a");
	assert_int_equal(add_large(p, "H2", "b", UNWRITTEN_BYTES_MAX), -ENOSPC);
	assert_int_equal(p->lost, 1);
	assert_int_equal(unwritten_add(p, 9, STR(""), STR("c"), false), -EAGAIN);
	add(p, "H2", "c");
	assert_text(buf_str(&p->text), STR("H1aH2c"));
	assert_int_equal(p->lost, 1);
}

TEST(groups_with_marks_stay_longest)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	assert_int_equal(unwritten_add(p, 1, STR("H"), STR("m1"), true), 0);
	assert_int_equal(add_large(p, "", "a", UNWRITTEN_BYTES_MAX / 2), 0);
	assert_int_equal(add_large(p, "", "b", UNWRITTEN_BYTES_MAX / 2 - 5), 0);
	assert_int_equal(unwritten_add(p, 2, STR(""), STR("m2"), true), 0);
	assert_int_equal(unwritten_add(p, 3, STR(""), STR("m3"), true), 0);
	assert_int_equal(p->n, 4);
	assert_int_equal(p->lost, 1);
	assert_int_equal(add_large(p, "", "c", UNWRITTEN_BYTES_MAX - 7), 0);
	assert_text((struct str){ p->text.p, 7 }, STR("Hm1m2m3"));
	assert_int_equal(p->lost, 2);
	assert_int_equal(add_large(p, "", "d", UNWRITTEN_BYTES_MAX - 6), -ENOSPC);
	assert_int_equal(p->n, 3);
}

/* Append the marks of a record group, which are its first two bytes in these tests. */
static void put_two(struct buf *b, struct str group)
{
	buf_add(b, (struct str){ group.p, group.n < 2 ? group.n : 2 });
}

static int add_marked(struct unwritten *p, const char *text, size_t n)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_add(&b, str_of(text));
	while (b.n < n)
		buf_add_char(&b, '.');
	return unwritten_add(p, 8, p->n ? STR("") : STR("H"), buf_str(&b), true);
}

TEST(samples_make_room_for_marks_the_oldest_first)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	p->put_marks = put_two;
	assert_int_equal(add_marked(p, "m1", UNWRITTEN_BYTES_MAX / 2), 0);
	assert_int_equal(add_large(p, "", "a", UNWRITTEN_BYTES_MAX / 4), 0);
	assert_int_equal(add_marked(p, "m2", UNWRITTEN_BYTES_MAX / 2), 0);
	assert_int_equal(p->n, 2);
	assert_int_equal(p->lost, 2);	/* record group "a" and the sample of "m1" */
	assert_text((struct str){ p->text.p, 6 }, STR("Hm1m2."));
	p->in_flight = 2;			/* the writer holds both record groups */
	assert_int_equal(add_marked(p, "m3", UNWRITTEN_BYTES_MAX / 2), 0);
	assert_int_equal(p->part[1].group, UNWRITTEN_BYTES_MAX / 2);
	p->in_flight = 0;
	assert_int_equal(add_marked(p, "m4", UNWRITTEN_BYTES_MAX + 1), 0);
	assert_int_equal(add_marked(p, "m5", UNWRITTEN_BYTES_MAX - 9), 0);
	assert_int_equal(p->n, 5);
	assert_text((struct str){ p->text.p, 10 }, STR("Hm1m2m3m4m"));
	assert_int_equal(p->lost, 5);
	assert_int_equal(add_marked(p, "m6", UNWRITTEN_BYTES_MAX / 2), 0);
	assert_text((struct str){ p->text.p, 14 }, STR("Hm1m2m3m4m5m6."));
	assert_int_equal(p->text.n, UNWRITTEN_BYTES_MAX / 2 + 11);
}

TEST(no_mark_makes_room_for_another)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	p->put_marks = put_two;
	for (size_t i = 0; i < UNWRITTEN_GROUPS_MAX; i++)
		assert_int_equal(add_marked(p, "m1", 4), 0);
	assert_int_equal(add_marked(p, "m2", 4), -ENOSPC);
	assert_int_equal(p->n, UNWRITTEN_GROUPS_MAX);
	/*
	 * all samples are kept, because dropping them would not make room for another record group
	 */
	assert_int_equal(p->text.n, 4 * UNWRITTEN_GROUPS_MAX + 1);
	assert_int_equal(p->lost, 1);
}

/* Record groups that were handed to the writer may be in the archive already. */
TEST(groups_that_are_being_written_make_no_room)
{
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	assert_int_equal(add_large(p, "H", "a", UNWRITTEN_BYTES_MAX - 4), 0);
	p->in_flight = 1;
	add(p, "", "b");
	assert_int_equal(unwritten_add(p, 9, STR(""), STR("12345"), true), -ENOSPC);
	assert_int_equal(p->n, 1);
	unwritten_done(p, 1);
	add(p, "H", "c");
	assert_text(buf_str(&p->text), STR("Hc"));
}

#define HEADER     "\n$hpcperfstats 1.0.2\n"
#define GROUP(sec) "\n" sec " -\nnodometer - 1 2 1 0 0\n"

static int open_groups(const struct tree *t)
{
	int fd = openat(t->fd, "groups", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

/* Check the record groups in the file, which stay there if the process is killed. */
static void assert_kept(const struct tree *t, const char *want)
{
	struct buf got CLEANUP(buf_free) = { 0 };
	int fd CLEANUP(close_fd) = open_groups(t);
	unwritten_read(fd, &got);
	assert_text(buf_str(&got), str_of(want));
}

TEST(the_file_has_the_waiting_groups_at_any_time)
{
	struct tree tree CLEANUP(tree_free);
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	tree_make(&tree);
	assert_int_equal(unwritten_open(p, open_groups(&tree)), 0);
	assert_kept(&tree, "");
	add(p, HEADER, GROUP("1"));
	add(p, "", GROUP("2"));
	assert_kept(&tree, HEADER GROUP("1") GROUP("2"));
	add(p, "", GROUP("3"));
	unwritten_done(p, 1);
	assert_kept(&tree, HEADER GROUP("2") GROUP("3"));
	add(p, HEADER, GROUP("4"));
	add(p, "", GROUP("5"));
	unwritten_done(p, 3);
	assert_kept(&tree, HEADER GROUP("5"));
	assert_int_equal(p->n, 1);
	assert_int_equal(p->part[0].header, strlen(HEADER));

	/* the next process reads the record groups from the file */
	unwritten_clear(p);
	assert_int_equal(unwritten_open(p, open_groups(&tree)), 0);
	assert_int_equal(p->n, 1);
	assert_false(p->mixed);
	assert_int_equal(p->part[0].usec, 5000000);
	assert_int_equal(unwritten_add(p, 6, STR(""), STR(GROUP("6")), false), -EAGAIN);
	add(p, HEADER, GROUP("6"));
	assert_kept(&tree, HEADER GROUP("5") HEADER GROUP("6"));
	assert_true(p->mixed);
	unwritten_clear(p);
	assert_int_equal(unwritten_open(p, open_groups(&tree)), 0);
	assert_true(p->mixed);
	assert_int_equal(p->n, 2);
	unwritten_done(p, 2);
	assert_kept(&tree, "");
	unwritten_clear(p);
}

TEST(groups_of_an_earlier_process_are_kept_apart)
{
	struct tree tree CLEANUP(tree_free);
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	tree_make(&tree);
	assert_int_equal(unwritten_open(p, open_groups(&tree)), 0);
	add(p, HEADER, GROUP("1"));
	add(p, "", "\n2 7\n%begin 7\nnodometer - 1 2 1 0 0\n");
	add(p, HEADER, GROUP("3"));
	unwritten_clear(p);

	assert_int_equal(unwritten_open(p, open_groups(&tree)), 0);
	assert_int_equal(p->n, 3);
	assert_true(p->mixed);
	assert_true(!p->part[0].marked && p->part[1].marked && !p->part[2].marked);
	assert_int_equal(p->last_us, 3000000);
	assert_int_equal(add_large(p, HEADER, "x", UNWRITTEN_BYTES_MAX - 100), 0);
	assert_int_equal(p->n, 2);
	assert_int_equal(p->part[0].usec, 2000000);
	assert_int_equal(p->part[0].header, strlen(HEADER));
	unwritten_done(p, 2);
	unwritten_clear(p);
}

TEST(a_file_is_used_by_one_process)
{
	struct tree tree CLEANUP(tree_free);
	struct unwritten *p CLEANUP(unwritten_free) = unwritten_new();
	int status;
	tree_make(&tree);
	assert_int_equal(unwritten_open(p, open_groups(&tree)), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct unwritten *other = unwritten_new();
		_exit(unwritten_open(other, open_groups(&tree)) != -EAGAIN);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	RUN(cmocka_unit_test(the_file_has_the_waiting_groups_at_any_time),
	    cmocka_unit_test(a_file_is_used_by_one_process),
	    cmocka_unit_test(groups_of_an_earlier_process_are_kept_apart),
	    cmocka_unit_test(groups_with_marks_stay_longest),
	    cmocka_unit_test(samples_make_room_for_marks_the_oldest_first),
	    cmocka_unit_test(no_mark_makes_room_for_another),
	    cmocka_unit_test(groups_that_are_being_written_make_no_room),
	    cmocka_unit_test(groups_wait_in_their_order),
	    cmocka_unit_test(the_oldest_group_makes_room_and_its_header_stays),
	    cmocka_unit_test(a_header_that_no_group_needs_any_more_goes),
	    cmocka_unit_test(groups_that_are_written_leave_the_others_their_header),
	    cmocka_unit_test(the_number_of_groups_is_bounded),
	    cmocka_unit_test(a_group_that_is_too_large_is_lost_alone),
	    cmocka_unit_test(no_group_follows_the_schema_of_another));
}
