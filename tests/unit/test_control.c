/* SPDX-License-Identifier: BSD-3-Clause */
/* test_control.c - send requests to the control socket, and handle each kind of answer */
#include "tests/unit/tree.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "agent/control.h"

TEST(request_is_a_verb_a_time_and_perhaps_an_argument)
{
	static const struct {
		struct str text;
		enum control_verb verb;
		int64_t expires;
		const char *argument;
	} cases[] = {
		{ STR("begin 12 1981063"), CONTROL_BEGIN, 12, "1981063" },
		{ STR("end 9223372036854775807 7"), CONTROL_END, INT64_MAX, "7" },
		{ STR("mark 0 two words"), CONTROL_MARK, 0, "two words" },
		{ STR("mark 1  blanks \n"), CONTROL_MARK, 1, "blanks" },
		{ STR("collect 3"), CONTROL_COLLECT, 3, "" },
		{ STR("rotate 3"), CONTROL_ROTATE, 3, "" },
		{ STR("summary 3 7 exit=0"), CONTROL_SUMMARY, 3, "7 exit=0" },
		{ STR("reload 3 "), CONTROL_RELOAD, 3, "" },
		{ STR("status 3"), CONTROL_STATUS, 3, "" },
		{ STR("release 3 7"), CONTROL_RELEASE, 3, "7" },
		{ STR("acquire 3"), CONTROL_ACQUIRE, 3, "" },
		{ STR("yield 3"), CONTROL_YIELD, 3, "" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct control_request q;
		assert_int_equal(control_parse(cases[i].text, &q), 0);
		assert_int_equal(q.verb, cases[i].verb);
		assert_int_equal(q.expires_ms, cases[i].expires);
		assert_text(q.argument, str_of(cases[i].argument));
	}
}

TEST(malformed_request_is_refused)
{
	static const struct str cases[] = {
		STR(""), STR(" "), STR("\n"), STR("begin"), STR("begin "), STR("begin 7x"),
		STR("begin x 7"), STR("begin -1 7"), STR("begin 9223372036854775808 7"),
		STR("begin 99999999999999999999 7"), STR("Begin 1 7"), STR("beginn 1 7"),
		STR("beg 1 7"), STR("1 begin"), STR("begin\n1 7"), STR("begin\0 1 7"),
		STR("begin 1\0 7"), STR("begin 1\n7"), STR("\xff\xff 1"),
	};
	struct control_request q = { .expires_ms = 42 };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(control_parse(cases[i], &q), -EBADMSG);
	assert_int_equal(q.expires_ms, 42);
}

/*
 * Fork an agent that reads one request and answers with text, or not at all if text is NULL.
 * Returns its pid.
 */
static pid_t agent_that_says(int listen_fd, const char *text)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	char request[CONTROL_REQUEST_MAX + 1];
	int flags = fcntl(listen_fd, F_GETFL);
	if (flags < 0 || fcntl(listen_fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		_exit(1);
	int fd = accept(listen_fd, NULL, NULL);
	ssize_t n = recv(fd, request, sizeof(request), 0);
	if (n > 0 && text && send(fd, text, strlen(text), 0) < 0)
		_exit(1);
	_exit(0);
}

static int ask(const struct tree *t, struct str argument, struct buf *reply)
{
	return control_ask(t->path, CONTROL_BEGIN, argument, 500, reply);
}

/*
 * Fork an agent that refuses a connection: it answers a request that it has not read, and closes
 * the connection before the client receives the answer.
 */
static pid_t agent_that_refuses(int listen_fd, const char *text)
{
	struct pollfd p = { .fd = listen_fd, .events = POLLIN };
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	if (poll(&p, 1, -1) < 0)
		_exit(1);
	p.fd = accept(listen_fd, NULL, NULL);
	bool failed = poll(&p, 1, -1) < 0 || kill(getppid(), SIGSTOP) < 0 ||
		      send(p.fd, text, strlen(text), 0) < 0;
	close(p.fd);
	_exit(kill(getppid(), SIGCONT) < 0 || failed);
}

TEST(client_that_is_refused_gets_the_reason)
{
	struct tree t CLEANUP(tree_free);
	struct buf reply CLEANUP(buf_free) = { 0 };
	tree_make(&t);
	int fd CLEANUP(close_fd) = control_listen(t.path, false);
	assert_true(fd >= 0);
	pid_t pid = agent_that_refuses(fd, "error too many connections from this user: try again");
	assert_int_equal(ask(&t, STR("7"), &reply), -EREMOTEIO);
	assert_text(buf_str(&reply), STR("too many connections from this user: try again"));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(client_gets_the_agents_answer)
{
	static const struct {
		const char *says;
		int want;
		const char *reply;
	} cases[] = {
		{ "ok 12.5", 0, "12.5" },
		{ "ok ", 0, "" },
		{ "waits it waits in memory", CONTROL_WAITS, "it waits in memory" },
		{ "error no such job", -EREMOTEIO, "no such job" },
		{ "okay", -EBADMSG, "okay" },
		/* the agent closes the connection without an answer */
		{ "", -ETIMEDOUT, "" },
	};
	struct tree t CLEANUP(tree_free);
	tree_make(&t);
	int fd CLEANUP(close_fd) = control_listen(t.path, false);
	assert_true(fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf reply CLEANUP(buf_free) = { 0 };
		pid_t pid = agent_that_says(fd, cases[i].says[0] ? cases[i].says : NULL);
		assert_int_equal(ask(&t, STR("7"), &reply), cases[i].want);
		assert_text(buf_str(&reply), str_of(cases[i].reply));
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
}

TEST(client_without_an_agent_fails_in_time)
{
	struct tree t CLEANUP(tree_free);
	struct buf reply CLEANUP(buf_free) = { 0 };
	char large[CONTROL_REQUEST_MAX], path[200];
	tree_make(&t);
	assert_int_equal(ask(&t, STR("7"), &reply), -ENOENT);

	int fd = control_listen(t.path, false);
	assert_true(fd >= 0);
	assert_int_equal(control_ask(t.path, CONTROL_BEGIN, STR("7"), 20, &reply), -ETIMEDOUT);
	memset(large, 'x', sizeof(large));
	assert_int_equal(ask(&t, (struct str){ large, sizeof(large) }, &reply), -EMSGSIZE);
	close(fd);
	assert_int_equal(ask(&t, STR("7"), &reply), -ECONNREFUSED);

	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(control_ask(path, CONTROL_END, STR("7"), 20, &reply), -ENAMETOOLONG);
	assert_int_equal(control_listen(path, false), -ENAMETOOLONG);
}

/*
 * Ask as an unprivileged user, in a child process, because root may use any socket. Returns the
 * result.
 */
static int ask_as_nobody(const struct tree *t)
{
	struct buf reply CLEANUP(buf_free) = { 0 };
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setuid(65534) < 0))
			_exit(1);
		_exit(-ask(t, STR("7"), &reply));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

TEST(client_that_cannot_use_the_reserved_socket_uses_the_other)
{
	enum { MISSING, REFUSES, NOT_PERMITTED };
	for (int i = MISSING; i <= NOT_PERMITTED; i++) {
		struct tree t CLEANUP(tree_free);
		tree_make(&t);
		assert_int_equal(fchmod(t.fd, 0755), 0);
		int reserved CLEANUP(close_fd) = control_listen(t.path, true);
		int fd CLEANUP(close_fd) = control_listen(t.path, false);
		assert_true(reserved >= 0 && fd >= 0);
		if (i == MISSING)
			assert_int_equal(unlinkat(t.fd, "control.reserved", 0), 0);
		if (i == REFUSES)
			assert_int_equal(shutdown(reserved, SHUT_RDWR), 0);
		if (i == NOT_PERMITTED)
			assert_int_equal(fchmodat(t.fd, "control.reserved", 0, 0), 0);
		pid_t pid = agent_that_says(fd, "ok 12.5");
		int r = ask_as_nobody(&t);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_int_equal(r, 0);
	}
}

TEST(result_of_a_request_is_reported)
{
	static const struct {
		enum control_verb verb;
		const char *argument;
		int e;
		bool done;
		const char *text;
	} cases[] = {
		{ CONTROL_BEGIN, "7", 0, true, "" },
		{ CONTROL_BEGIN, "7", -EEXIST, true,
		  "job 7 owns this node already; a sample was taken" },
		{ CONTROL_BEGIN, "7", -EOVERFLOW, false,
		  "job 7 is not marked: too many jobs own this node; list them with "
		  "\"nodometer status\", and end those that are over with \"nodometer end\"" },
		{ CONTROL_END, "7", -ENOENT, true, "job 7 was not begun here; its end is marked" },
		{ CONTROL_END, "7", -EIO, false, "job 7 is not marked: Input/output error" },
		{ CONTROL_MARK, "x", -EIO, false, "x is not marked: Input/output error" },
		{ CONTROL_COLLECT, "", -EIO, false, "no sample was taken: Input/output error" },
		{ CONTROL_SAMPLE, "cpu,mem", -EAGAIN, false,
		  "another user has just requested other types; try again" },
		{ CONTROL_SAMPLE, "cpu,mem", -ENODATA, false,
		  "no sample was taken: No data available" },
		{ CONTROL_SAMPLE, "none", -EINVAL, false,
		  "\"none\": expected types that you may see, separated by commas" },
		{ CONTROL_RELEASE, "7", -ENOENT, false,
		  "job 7 does not own this node: run \"nodometer begin\" first" },
		{ CONTROL_RELEASE, "7", -EALREADY, true,
		  "job 7 has the hardware counters already" },
		{ CONTROL_YIELD, "7", -ENOENT, false,
		  "job 7 is your job, but was not begun on this node" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		assert_int_equal(control_explain(&b, cases[i].verb, str_of(cases[i].argument),
						 cases[i].e), cases[i].done);
		assert_text(buf_str(&b), str_of(cases[i].text));
	}
}

TEST(socket_of_an_earlier_agent_is_replaced)
{
	struct tree t CLEANUP(tree_free);
	struct stat st;
	tree_make(&t);
	for (int i = 0; i < 2; i++) {
		int fd CLEANUP(close_fd) = control_listen(t.path, false);
		assert_true(fd >= 0);
	}
	assert_int_equal(fstatat(t.fd, "control", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
}

int main(void)
{
	RUN(cmocka_unit_test(request_is_a_verb_a_time_and_perhaps_an_argument),
	    cmocka_unit_test(malformed_request_is_refused),
	    cmocka_unit_test(client_gets_the_agents_answer),
	    cmocka_unit_test(client_that_is_refused_gets_the_reason),
	    cmocka_unit_test(client_without_an_agent_fails_in_time),
	    cmocka_unit_test(client_that_cannot_use_the_reserved_socket_uses_the_other),
	    cmocka_unit_test(result_of_a_request_is_reported),
	    cmocka_unit_test(socket_of_an_earlier_agent_is_replaced));
}
