/* SPDX-License-Identifier: BSD-3-Clause */
/* test_server.c - the agent's control socket and its users, with a real event loop */
#include "tests/unit/tree.h"

#include <signal.h>
#include "agent/trusted.h"

static bool is_pipe(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/*
 * After a lookup has ended, the number of its pipe may belong to any other file of the agent: here
 * to the timer for the next lookup.
 */
TEST(pipe_of_a_lookup_of_users_is_closed_once)
{
	sd_event *event = NULL;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, NULL), 0);
	assert_true(sd_event_new(&event) >= 0);
	struct trusted *t = trusted_new(event);
	int fd = dup(STDERR_FILENO);	/* the lookup gets this number, the lowest that is free */
	close(fd);
	trusted_start(t, "no-user-of-this-name");
	assert_true(is_pipe(fd));
	while (is_pipe(fd))
		assert_true(sd_event_run(event, UINT64_MAX) >= 0);
	assert_true(fcntl(fd, F_GETFD) >= 0 || dup(STDERR_FILENO) == fd);
	trusted_stop(t);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	free(t);
	sd_event_unref(event);
}

int main(void)
{
	RUN(cmocka_unit_test(pipe_of_a_lookup_of_users_is_closed_once));
}
