/* SPDX-License-Identifier: BSD-3-Clause */
/* test_reply.c - answer a user with the user's own runs, and say if the answer is complete */
#include "tests/unit/tree.h"

#include <sys/socket.h>
#include "answer/reply.h"
#include "archive/pack.h"
#include "base/clock.h"
#include "base/system/frame.h"

#define HEADER "$hpcperfstats 1.0.2\n$hostname n1\n!vm a,E\n!job x\n" \
	"!nodometer cpu bytes rows errors stalls\n"
#define OWN "nodometer - 1 2 2 0 0\n"
#define RECORDS HEADER \
	"\n100 7\n%begin 7 uid=2000\njob 7 1\n" OWN \
	"\n110 7,8\n%begin 8 user=ben uid=2001\njob 7 2\njob 8 3\nnodometer - 1 2 3 0 0\n" \
	"\n120 7,8\n%end 7\njob 8 4\n" OWN \
	"\n130 8\n%end 8\njob 8 5\n" OWN "\n"

#define A_MINUTE INT64_C(60000000000)

/* An answer: the data of all its frames, the final frame, and the number of hosts. */
struct answer {
	struct buf data, end;
	size_t hosts;
};

static void answer_free(struct answer *a)
{
	buf_free(&a->data);
	buf_free(&a->end);
}

static void take_answer(int fd, struct answer *a)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char kind = 0;
	while (kind != ANSWER_END) {
		b.n = 0;
		assert_int_equal(frame_receive(fd, &kind, &b, FRAME_MAX,
					       monotonic_ns() + A_MINUTE), 0);
		a->hosts += kind == ANSWER_HOST;
		if (kind == ANSWER_DATA || kind == ANSWER_END)
			buf_add(kind == ANSWER_DATA ? &a->data : &a->end, buf_str(&b));
	}
}

/* Ask as this user about all runs or one job. The answer fits into the socket's buffer. */
static void ask_since(const struct tree *t, uid_t uid, const char *user, const char *job,
		      int64_t since, int64_t left_ns, struct answer *a)
{
	const struct asker asker = { uid, str_of(user), false };
	const struct answer_request q = { true, since, INT64_MAX, str_of(job) };
	int fd[2];
	*a = (struct answer){ .hosts = 0 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	assert_int_equal(reply_send(fd[1], t->path, &asker, &q, monotonic_ns() + left_ns), 0);
	take_answer(fd[0], a);
	close(fd[0]);
	close(fd[1]);
}

static void ask(const struct tree *t, uid_t uid, const char *user, const char *job, int64_t left_ns,
		struct answer *a)
{
	ask_since(t, uid, user, job, INT64_MIN, left_ns, a);
}

static bool has(const struct answer *a, const char *text)
{
	return a->data.n && memmem(a->data.p, a->data.n, text, strlen(text));
}

/*
 * Make an archive. If packed, its file is compressed and has an index with user names but no uids.
 */
static void make_archive(struct tree *t, bool packed)
{
	tree_make(t);
	tree_put(t, "n1/100", STR(RECORDS));
	int fd CLEANUP(close_fd) = openat(t->fd, "n1", O_RDONLY | O_DIRECTORY);
	int r = packed ? pack_file(fd, "100") : 0;
	if (r == -EOPNOTSUPP)
		skip();
	assert_int_equal(r, 0);
}

static void has_own_runs(bool packed)
{
	struct tree t CLEANUP(tree_free);
	struct answer a CLEANUP(answer_free);
	make_archive(&t, packed);
	ask(&t, 2000, "ann", "", A_MINUTE, &a);
	assert_int_equal(a.hosts, 1);
	assert_true(has(&a, "%begin 7 uid=2000\njob 7 1\n"));
	assert_true(has(&a, "\n110 7,others\njob 7 2\n"));
	assert_true(has(&a, "\n120 7,others\n%end 7\n"));
	assert_false(has(&a, "ben") || has(&a, "job 8"));
	assert_text(buf_str(&a.end), STR("ok 2 rows of other jobs and users, 1 marks of other "
					 "jobs"));
}

/* The run's begin mark has only the uid of the user, not the user's name. */
TEST(run_that_a_number_gives_to_a_user_is_answered)
{
	has_own_runs(false);
}

TEST(run_that_a_number_gives_to_a_user_is_found_in_a_compressed_file)
{
	has_own_runs(true);
}

TEST(another_user_gets_nothing)
{
	struct tree t CLEANUP(tree_free);
	make_archive(&t, false);
	for (int i = 0; i < 2; i++) {
		struct answer a CLEANUP(answer_free);
		ask(&t, 2002, "cem", i ? "7" : "", A_MINUTE, &a);
		assert_int_equal(a.hosts, 0);
		assert_int_equal(a.data.n, 0);
		assert_text(buf_str(&a.end), STR("ok "));
	}
}

/* An answer must stop 5 s before its deadline, and this answer has 4.9 s. */
TEST(answer_that_takes_too_long_ends_with_an_error)
{
	struct tree t CLEANUP(tree_free);
	struct answer a CLEANUP(answer_free);
	make_archive(&t, false);
	ask(&t, 2000, "ann", "", INT64_C(4900000000), &a);
	assert_true(str_starts(buf_str(&a.end), STR("error the answer takes too long")));
}

/* Reading /proc/self/mem fails like reading a disk with bad blocks. */
TEST(files_that_cannot_be_read_are_counted)
{
	struct tree t CLEANUP(tree_free);
	struct answer a CLEANUP(answer_free);
	make_archive(&t, false);
	assert_int_equal(symlinkat("/proc/self/mem", t.fd, "n1/200"), 0);
	ask(&t, 2000, "ann", "", A_MINUTE, &a);
	assert_true(has(&a, "%begin 7 uid=2000"));
	assert_true(str_ends(buf_str(&a.end), STR(", 1 files that cannot be read")));
}

/* If the second file is skipped, nothing shows whether the third file continues the same run. */
TEST(a_run_does_not_go_on_over_a_file_that_is_left_out)
{
	struct tree t CLEANUP(tree_free);
	struct answer a CLEANUP(answer_free);
	tree_make(&t);
	tree_put(&t, "n1/100", STR(HEADER "\n100 7\n%begin 7 uid=2000\njob 7 1\n" OWN "\n"));
	tree_put(&t, "n1/200", STR(HEADER "\n200 9\n%begin 9 user=ben uid=2001\njob 9 2\n" OWN
				   "\n210 9\n%end 9\njob 9 3\n" OWN "\n"));
	tree_put(&t, "n1/300", STR(HEADER "\n300 7\njob 7 4\n" OWN "\n"));
	int fd CLEANUP(close_fd) = openat(t.fd, "n1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (pack_file(fd, "200") == -EOPNOTSUPP)
		skip();
	ask(&t, 2000, "ann", "7", A_MINUTE, &a);
	assert_true(has(&a, "job 7 1"));
	assert_false(has(&a, "job 7 4"));
}

/*
 * The first file is damaged at its end, so nothing shows whether the second file continues the same
 * run. The reply's second pass over the files reads only the records that its first pass read, and
 * meets no damage.
 */
TEST(a_run_does_not_go_on_after_a_damaged_file)
{
	struct tree t CLEANUP(tree_free);
	struct answer a CLEANUP(answer_free);
	struct buf text CLEANUP(buf_free) = { 0 };
	tree_make(&t);
	buf_addf(&text, HEADER "\n100 7,9\n%%begin 7 uid=2000\njob 7 1\n" OWN);
	for (int i = 1; i <= 6000; i++)	/* more bytes than are decompressed at once */
		buf_addf(&text, "\n%d 7,9\njob 9 %d\n", 100 + i, i);
	tree_put(&t, "n1/100", buf_str(&text));
	tree_put(&t, "n1/7000", STR(HEADER "\n7000 7\njob 7 4\n" OWN "\n"));
	int dir CLEANUP(close_fd) = openat(t.fd, "n1", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (pack_file(dir, "100") == -EOPNOTSUPP)
		skip();
	int fd CLEANUP(close_fd) = openat(dir, "100.zst", O_WRONLY | O_APPEND | O_CLOEXEC);
	assert_int_equal(write(fd, "damaged", 7), 7);
	ask(&t, 2000, "ann", "7", A_MINUTE, &a);
	assert_true(has(&a, "job 7 1"));
	assert_false(has(&a, "job 7 4"));
	assert_true(str_ends(buf_str(&a.end), STR("1 files that cannot be read")));
}

/* The begin mark, which names the user, is 30 days before the requested time. */
TEST(a_run_that_began_long_before_is_answered)
{
	const int64_t begin = 1000, later = begin + INT64_C(30) * 86400;
	struct tree t CLEANUP(tree_free);
	struct answer a CLEANUP(answer_free);
	struct buf text CLEANUP(buf_free) = { 0 };
	char name[32];
	tree_make(&t);
	tree_put(&t, "n1/1000", STR(HEADER "\n1000 7\n%begin 7 uid=2000\njob 7 1\n" OWN "\n"));
	tree_put(&t, "n1/2000", STR(HEADER "\n2000 7\njob 7 2\n" OWN "\n"));
	buf_addf(&text, HEADER "\n%lld 7\njob 7 3\n" OWN "\n", (long long)later);
	snprintf(name, sizeof(name), "n1/%lld", (long long)later);
	tree_put(&t, name, buf_str(&text));
	ask_since(&t, 2000, "ann", "7", later * 1000000, A_MINUTE, &a);
	assert_true(has(&a, "job 7 3"));
}

int main(void)
{
	RUN(cmocka_unit_test(a_run_does_not_go_on_after_a_damaged_file),
	    cmocka_unit_test(a_run_that_began_long_before_is_answered),
	    cmocka_unit_test(run_that_a_number_gives_to_a_user_is_answered),
	    cmocka_unit_test(run_that_a_number_gives_to_a_user_is_found_in_a_compressed_file),
	    cmocka_unit_test(another_user_gets_nothing),
	    cmocka_unit_test(answer_that_takes_too_long_ends_with_an_error),
	    cmocka_unit_test(a_run_does_not_go_on_over_a_file_that_is_left_out),
	    cmocka_unit_test(files_that_cannot_be_read_are_counted));
}
