/* SPDX-License-Identifier: BSD-3-Clause */
/* test_server.c - the agent's control socket and its users, with a real event loop */
#include "tests/unit/recorder_node.h"

#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include "agent/control.h"
#include "agent/daemon.h"
#include "agent/refusals.h"
#include "agent/trusted.h"
#include "base/clock.h"

static int64_t ahead_s;		/* seconds that the agent's clock is ahead of the kernel's timers */

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	static struct timespec start;
	if (!start.tv_sec)	/* the clock stands still */
		(void)__real_clock_gettime(CLOCK_MONOTONIC, &start);
	(void)clock;
	*t = (struct timespec){ start.tv_sec + ahead_s, start.tv_nsec };
	return 0;
}

static bool is_pipe(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/*
 * After a lookup has ended, the descriptor number of its pipe may belong to any other file of the
 * agent: here to the timer for the next lookup.
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

/* Connect n times as an unprivileged user, from a child process. */
static pid_t flood(const char *runtime_dir, int n)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	if (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0)
		_exit(1);
	for (int i = 0; i < n; i++)
		close(control_connect(runtime_dir, 10000));
	_exit(0);
}

/* Handle the events of an agent until the process has ended. */
static void run_until_end(struct daemon *d, pid_t pid)
{
	int status = 1;
	while (waitpid(pid, &status, WNOHANG) == 0)
		assert_true(sd_event_run(d->event, 1000) >= 0);
	assert_int_equal(status, 0);
}

/* Send a request to the agent, and run its event loop until the reply has arrived. */
static void assert_reply(struct daemon *d, const char *request, struct str want)
{
	char reply[256];
	ssize_t n = -1;
	int fd CLEANUP(close_fd) = control_connect(d->config.runtime_dir, 1000);
	assert_true(fd >= 0);
	assert_int_equal(send(fd, request, strlen(request), 0), (ssize_t)strlen(request));
	for (int i = 0; i < 100 && n < 0; i++) {
		assert_true(sd_event_run(d->event, 1000) >= 0);
		n = recv(fd, reply, sizeof(reply), MSG_DONTWAIT);
	}
	assert_text((struct str){ reply, n < 0 ? 0 : (size_t)n }, want);
}

static void daemon_begin(struct daemon *d)
{
	assert_true(sd_event_new(&d->event) >= 0);
	d->trusted = trusted_new(d->event);
	d->refusals = refusals_new(d->event);
	assert_int_equal(server_start(d), 0);
}

static void daemon_end(struct daemon *d)
{
	server_stop(d);
	refusals_free(d->refusals);
	trusted_stop(d->trusted);
	free(d->trusted);
	sd_event_unref(d->event);
}

/*
 * A flood of connections closes the socket of all users for the rest of a period, here for an hour.
 * Root's hooks have a socket of their own.
 */
TEST(root_is_served_while_other_users_have_to_wait)
{
	static struct daemon d;
	struct tree t CLEANUP(tree_free);
	if (geteuid() != 0)
		skip();
	tree_make(&t);
	assert_int_equal(fchmod(t.fd, 0755), 0);
	ahead_s = 3600;
	str_copy(d.config.runtime_dir, CONFIG_TEXT_MAX, str_of(t.path));
	daemon_begin(&d);
	run_until_end(&d, flood(t.path, 1100));

	assert_reply(&d, "x", STR("error unknown request"));
	daemon_end(&d);
}

/*
 * Samples at short intervals are written in batches. Before a report on a running job reads the
 * archive, it asks the agent to write its batch.
 */
TEST(recent_sample_is_in_the_archive_when_a_report_asks_for_it)
{
	static struct daemon d;
	struct node n CLEANUP(node_free);
	struct buf want CLEANUP(buf_free) = { 0 };
	char error[768];
	ahead_s = 0;
	node_open(&n, false);
	n.config.interval_us = 1000000;
	d.config = n.config;
	assert_int_equal(recorder_open(&d.recorder, &d.config, NULL, error, sizeof(error)), 0);
	d.recorder.to.keep = true;
	assert_int_equal(recorder_serve(&d.recorder, 1000), 0);
	daemon_begin(&d);
	assert_int_equal(recorder_begin(&d.recorder, STR("7")), 0);
	ahead_s = 1;
	assert_int_equal(recorder_tick(&d.recorder, realtime_us(), 0), 0);
	assert_int_equal(groups(&n), 1);
	buf_add(&want, STR("ok "));
	buf_add_time(&want, realtime_us());
	assert_reply(&d, "fresh 99999999999 7", buf_str(&want));
	assert_int_equal(groups(&n), 2);
	assert_last(&n, "7");
	assert_int_equal(d.recorder.persistent.samples, 2);
	daemon_end(&d);
	recorder_close(&d.recorder);
}

int main(void)
{
	RUN(cmocka_unit_test(pipe_of_a_lookup_of_users_is_closed_once),
	    cmocka_unit_test(root_is_served_while_other_users_have_to_wait),
	    cmocka_unit_test(recent_sample_is_in_the_archive_when_a_report_asks_for_it));
}
