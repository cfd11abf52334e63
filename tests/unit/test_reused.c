/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_reused.c - a reply contains nothing of another user's run that gets the job id during the
 * reply
 *
 * The id is used again within a second. Each try has its own archive, which grows between two reads
 * of the program, sometimes by only a part of a record group. ANSWER_TRIES sets the number of
 * tries; a long run has 100000.
 */
#include "tests/unit/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include "answer/reply.h"
#include "base/clock.h"
#include "base/system/frame.h"

enum { USERS = 2, GROUPS_MAX = 64, TAIL = 64, RUNS_MAX = 4 * (GROUPS_MAX + TAIL) };
static const char *const users[USERS] = { "ann", "ben" };
#define UID(user) (2000 + (user))
#define HEADER "$hpcperfstats 1.0.2\n$hostname n1\n$agent nodometer 1\n!job x\n!proc Uid\n" \
	"!vm pgpgin,E\n!nodometer rows\n"

/* How marks name the user of a run: at its begin, later, or never. */
enum said { AT_ONCE, LATER, NEVER, SAIDS };

/* The history of job id 7 on the node: its runs, their marks, and the raw file. */
static struct life {
	uint32_t seed;
	bool seconds;		/* whether times are whole seconds, as in files of tacc_stats */
	int64_t usec;
	struct { int user; enum said said; } run[RUNS_MAX];
	int n_runs;
	int now;		/* index in .run of the latest begin mark's run, or -1 */
	int next;		/* index in .run of a run with marks still in the spool, or -1 */
	int64_t ended_us;	/* end of run .now if .next is set */
	/* for each record group, the users that may see it, one bit per user */
	unsigned may[GROUPS_MAX + TAIL];
	int n_groups, opened;
	struct buf text, half;	/* the file, and the rest of a record group that is being written */
	char path[300];
} life;

static uint32_t draw(uint32_t n)
{
	life.seed = life.seed * 1664525 + 1013904223;
	return (life.seed >> 8) % n;
}

static int new_run(void)
{
	int user = life.n_runs ? (life.run[life.n_runs - 1].user + 1) % USERS : (int)draw(USERS);
	life.run[life.n_runs].user = user;
	life.run[life.n_runs].said = (enum said)draw(SAIDS);
	return life.n_runs++;
}

static void put_at(struct buf *marks, int64_t at)
{
	if (!at)
		return;
	buf_add(marks, STR(" at="));
	buf_add_time(marks, at);
}

static unsigned user_of(int run)
{
	return 1u << life.run[run].user;
}

/*
 * Append the begin mark of a run. Returns the users that may see the record group because of this
 * mark.
 */
static unsigned begin(struct buf *marks, int run, int64_t at)
{
	int user = life.run[run].user;
	buf_addf(marks, "%%begin 7 source=hook");
	if (life.run[run].said == AT_ONCE)
		buf_addf(marks, " uid=%d user=%s", UID(user), users[user]);
	buf_addf(marks, " name=of_%d.", run);
	put_at(marks, at);
	buf_add_char(marks, '\n');
	life.now = run;
	return user_of(run);
}

static unsigned end(struct buf *marks, int64_t at)
{
	int run = life.now;
	buf_addf(marks, "%%end 7 source=hook name=of_%d.", run);
	put_at(marks, at);
	buf_add_char(marks, '\n');
	life.now = -1;
	return user_of(run);
}

/*
 * Append to marks one of these at random: the end mark of the current run, the begin mark of
 * another user's run, both marks, both marks twice, or no marks. In the last case, a later call of
 * live() appends both marks. Returns the users that may see the record group because of the marks.
 */
static unsigned change(struct buf *marks)
{
	unsigned may = 0;
	switch (draw(5)) {
	case 0:		/* leave the marks in the spool */
		if (life.next < 0) {
			life.next = new_run();
			life.ended_us = life.usec - 1;
		}
		return 0;
	case 1:		/* lose the end mark */
		return begin(marks, new_run(), 0);
	case 2:		/* end this run and the next one in this record */
		may = end(marks, 0) | begin(marks, new_run(), 0);
		return may | end(marks, 0) | begin(marks, new_run(), 0);
	case 3:
		may = end(marks, 0);
		return may | begin(marks, new_run(), 0);
	default:
		return end(marks, 0);
	}
}

static unsigned live(struct buf *marks)
{
	unsigned may = 0;
	if (life.next >= 0) {
		if (draw(2))
			return 0;
		may = end(marks, life.ended_us);
		may |= begin(marks, life.next, life.ended_us);
		life.next = -1;
		return may;
	}
	if (life.now < 0)
		return begin(marks, new_run(), 0);
	if (life.run[life.now].said == LATER)
		buf_addf(marks, "%%attributes 7 source=hook uid=%d name=of_%d.\n",
			 UID(life.run[life.now].user), life.now);
	may = user_of(life.now);
	if (draw(3) == 0) {
		unsigned more = change(marks);
		may = life.next >= 0 ? 0 : may | more;
	}
	return may;
}

/*
 * The job's rows come from its cgroup, so they belong to the run that exists at that moment, even
 * if its begin mark is still in the spool.
 */
static void put_group(struct buf *to)
{
	struct buf marks CLEANUP(buf_free) = { 0 };
	int before = life.now;
	life.usec += draw(4) * 100000 + 1;
	unsigned may = live(&marks);
	int run = life.next >= 0 ? life.next : life.now >= 0 ? life.now : before;
	buf_add_char(to, '\n');
	buf_add_time(to, life.seconds ? life.usec - life.usec % 1000000 : life.usec);
	buf_addf(to, " 7,8\n" STR_FMT "job 7 %d\nproc of_%d. %d\nvm - %d\nnodometer - 4\n",
		 STR_ARG(buf_str(&marks)), run, run, UID(life.run[run].user), life.n_groups);
	life.may[life.n_groups++] = may;
}

static void append(struct str text)
{
	FILE *f = fopen(life.path, "a");
	assert_non_null(f);
	assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
	assert_int_equal(fclose(f), 0);
}

static void grow(uint32_t most)
{
	struct buf more CLEANUP(buf_free) = { 0 };
	buf_add(&more, buf_str(&life.half));
	life.half.n = 0;
	for (uint32_t n = draw(most); n > 0 && life.n_groups < GROUPS_MAX; n--)
		put_group(&more);
	while (life.next >= 0)	/* write the marks that are still in the spool */
		put_group(&more);
	if (draw(2) && life.n_groups < GROUPS_MAX)
		put_group(&life.half);
	size_t some = life.half.n ? draw((uint32_t)life.half.n) : 0;
	buf_add(&more, (struct str){ life.half.p, some });
	append(buf_str(&more));
	if (some)
		memmove(life.half.p, life.half.p + some, life.half.n - some);
	life.half.n -= some;
}

/* Replace the C library's open(): the file grows each time before it is read. */
int open(const char *path, int flags, ...)
{
	va_list more;
	va_start(more, flags);
	int mode = flags & O_CREAT ? va_arg(more, int) : 0;
	va_end(more);
	if (strcmp(path, life.path) == 0) {
		life.opened++;
		grow(6);
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* Ask as this user, and return the data of the reply and its last frame. */
static void ask(const char *dir, int user, int64_t seconds, struct buf *data, struct buf *last)
{
	const struct asker asker = { (uid_t)UID(user), str_of(users[user]), false };
	const struct answer_request q = { true, INT64_MIN, INT64_MAX,
					  draw(2) ? STR("7") : STR("") };
	int64_t deadline = monotonic_ns() + seconds * 1000000000;
	int pair[2];
	char kind = 0;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(reply_send(pair[0], dir, &asker, &q, deadline), 0);
	while (kind != ANSWER_END) {
		assert_int_equal(frame_receive(pair[1], &kind, last, FRAME_MAX, INT64_MAX), 0);
		if (kind == ANSWER_DATA)
			buf_add(data, buf_str(last));
	}
	close(pair[0]);
	close(pair[1]);
}

static void assert_run_is_own(int user, uint64_t run, struct str line)
{
	if (life.run[run].user != user)
		fail_msg("%s: a line of run %d, another's: " STR_FMT, users[user], (int)run,
			 STR_ARG(line));
}

static void assert_line_is_own(int user, struct str line)
{
	struct str rest = line;
	const char *at = memmem(line.p, line.n, "of_", 3);
	uint64_t n;
	if (at) {
		rest = str_skip(line, (size_t)(at - line.p) + 3);
		assert_true(str_take_u64(&rest, &n));
		if (!str_starts(line, STR("proc ")))
			assert_run_is_own(user, n, line);
	}
	if (str_take_prefix(&rest, STR("job 7 ")) && str_take_u64(&rest, &n))
		assert_run_is_own(user, n, line);
	rest = line;
	if (str_take_prefix(&rest, STR("vm - ")) && str_take_u64(&rest, &n) &&
	    !(life.may[n] & 1u << user))
		fail_msg("%s: record %d is of another's run", users[user], (int)n);
}

static void begin_life(uint32_t seed, const char *dir)
{
	life.seed = seed * 2654435761u;
	life.seconds = draw(2);
	life.usec = INT64_C(1700000000000000);
	life.n_runs = life.n_groups = life.opened = 0;
	life.now = life.next = -1;
	life.half.n = 0;
	snprintf(life.path, sizeof(life.path), "%s/n1/1700000000", dir);
	unlink(life.path);
	append(STR(HEADER));
	grow(20);
}

/*
 * Let the node live and one user ask, as drawn from this seed. Returns the number of records in the
 * reply.
 */
static size_t try(uint32_t seed, const char *dir)
{
	struct buf data CLEANUP(buf_free) = { 0 }, last CLEANUP(buf_free) = { 0 };
	int user = (int)(seed % USERS);
	size_t records = 0;
	begin_life(seed, dir);
	ask(dir, user, 60, &data, &last);
	assert_true(str_starts(buf_str(&last), STR("ok")));
	assert_null(memmem(last.p, last.n, "cannot be read", 14));
	assert_true(life.opened > 0);
	struct str text = buf_str(&data), line;
	while (str_take_line(&text, &line)) {
		assert_line_is_own(user, line);
		records += str_starts(line, STR("vm - "));
	}
	return records;
}

TEST(no_byte_of_another_users_run_is_in_a_reply)
{
	const char *text = getenv("ANSWER_TRIES");
	struct str s = str_of(text ? text : "2000");
	struct tree tree CLEANUP(tree_free);
	uint64_t tries = 0;
	size_t records = 0;
	tree_make(&tree);
	tree_put(&tree, "n1/1700000000", STR(""));
	assert_true(str_take_u64(&s, &tries));
	for (uint32_t seed = 1; seed <= tries; seed++)
		records += try(seed, tree.path);
	assert_true(records > tries);	/* the replies are not empty */
	buf_free(&life.half);
}

static void ends_with(const struct tree *tree, int64_t seconds, const char *want)
{
	struct buf data CLEANUP(buf_free) = { 0 }, last CLEANUP(buf_free) = { 0 };
	ask(tree->path, 0, seconds, &data, &last);
	buf_add_char(&last, '\0');
	if (!strstr(last.p, want))
		fail_msg("the last frame is \"%s\", without \"%s\"", last.p, want);
}

TEST(an_answer_that_is_not_whole_is_marked)
{
	struct tree tree CLEANUP(tree_free);
	tree_make(&tree);
	tree_put(&tree, "n1/1700000000", STR(""));
	begin_life(1, tree.path);
	ends_with(&tree, 3, "error the answer takes too long");
	tree_put(&tree, "n2/1700000000.gz", STR("\x1f\x8b\x08 this is not compressed"));
	ends_with(&tree, 60, "1 files that cannot be read");
	buf_free(&life.half);
}

int main(void)
{
	RUN(cmocka_unit_test(no_byte_of_another_users_run_is_in_a_reply),
	    cmocka_unit_test(an_answer_that_is_not_whole_is_marked));
}
