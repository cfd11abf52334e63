/* SPDX-License-Identifier: BSD-3-Clause */
/* test_spread.c - take all results of parallel processes in order, each one once */
#include "tests/unit/test.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "report/spread.h"

#define PIECES 100

struct taken {
	size_t next;
	pid_t parent;
	size_t elsewhere;	/* number of pieces that other processes did */
	bool dies;
};

static void work(void *arg, size_t i, struct buf *out)
{
	const struct taken *t = arg;
	if (t->dies && getpid() != t->parent && i % 10 == 7)
		raise(SIGKILL);
	buf_addf(out, "%zu %d", i, getpid() != t->parent);
	while (i % 3 == 0 && out->n < 300000)	/* write more than a pipe holds */
		buf_add_char(out, 'x');
}

static void take(void *arg, size_t i, struct str result)
{
	struct taken *t = arg;
	uint64_t piece = 0, elsewhere = 0;
	assert_true(str_take_u64(&result, &piece) && str_take_u64(&result, &elsewhere));
	assert_int_equal(i, t->next);
	assert_int_equal(i, piece);
	assert_int_equal(result.n > 1000, i % 3 == 0);
	t->elsewhere += elsewhere;
	t->next++;
}

static size_t done_elsewhere(unsigned processes, bool dies)
{
	struct taken t = { .next = 3, .parent = getpid(), .dies = dies };
	const struct spread s = { work, take, &t };
	spread_run(&s, 3, PIECES, processes);
	assert_int_equal(t.next, PIECES);
	return t.elsewhere;
}

TEST(all_pieces_are_taken_in_order)
{
	assert_int_equal(done_elsewhere(1, false), 0);
	assert_int_equal(done_elsewhere(3, false), PIECES - 3);
	assert_int_equal(done_elsewhere(1000, false), PIECES - 3);
	assert_true(spread_cpus() >= 1);
}

TEST(pieces_that_a_dead_process_left_are_done)
{
	size_t n = done_elsewhere(3, true);
	assert_true(n > 0 && n < PIECES - 3);
}

static void work_for_ever(void *arg, size_t i, struct buf *out)
{
	const int *fd = arg;
	(void)i;
	(void)out;
	if (write(*fd, "", 1) == 1)
		for (;;)
			pause();
}

/* The pipe's write end stays open as long as any worker lives. */
TEST(workers_end_with_the_process_that_started_them)
{
	struct pollfd end = { .events = POLLIN };
	int ends[2];
	char byte;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		const struct spread s = { work_for_ever, take, &ends[1] };
		spread_run(&s, 0, 2, 2);
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	end.fd = ends[0];
	while (poll(&end, 1, 20000) == 1 && read(ends[0], &byte, 1) == 1)
		;
	assert_true(end.revents & POLLHUP);
	close(ends[0]);
}

int main(void)
{
	RUN(cmocka_unit_test(all_pieces_are_taken_in_order),
	    cmocka_unit_test(pieces_that_a_dead_process_left_are_done),
	    cmocka_unit_test(workers_end_with_the_process_that_started_them));
}
