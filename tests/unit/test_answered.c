/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_answered.c - use the records that another process sends only if each host's file is complete
 */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "archive/answered.h"
#include "archive/from.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/system/frame.h"
#include "base/system/program.h"

/*
 * The linker option -Wl,--wrap= redirects program_find() and program_run() to these functions. The
 * test program also acts as nodometer-fetch, see serve().
 */
static bool is_missing;
int __wrap_program_find(const char *name, char path[PROGRAM_PATH_MAX]);
int __wrap_program_run(const char *name, char **argv);

int __wrap_program_find(const char *name, char path[PROGRAM_PATH_MAX])
{
	assert_string_equal(name, "fetch");
	path[0] = '\0';
	return is_missing ? -ENOENT : 0;
}

int __wrap_program_run(const char *name, char **argv)
{
	(void)name;
	execv("/proc/self/exe", argv);
	return -errno;
}

#define DIR_ "/var/archive"
#define HEAD "$hpcperfstats 1.0.2\n$hostname n1\n"

struct frame {
	char kind;
	const char *text;
};

static const struct answer_request all = { true, INT64_MIN, INT64_MAX, { "", 0 } };

/*
 * Call answered_ask() with a peer that sends these frames and then closes the connection. The list
 * ends with a frame without a kind.
 */
static int ask(struct answered *a, const struct frame *f)
{
	int fd[2];
	int64_t soon = monotonic_ns() + 60000000000;
	*a = (struct answered){ .of = DIR_, .data = -1 };
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	for (; f->kind; f++)
		assert_int_equal(frame_send(fd[1], f->kind, str_of(f->text), soon), 0);
	assert_int_equal(shutdown(fd[1], SHUT_WR), 0);
	int r = answered_ask(a, fd[0], &all, soon);
	close_fd(&fd[0]);
	close_fd(&fd[1]);
	return r;
}

static void assert_str(struct buf *got, const char *want)
{
	buf_add_char(got, '\0');
	assert_string_equal(got->p, want);
}

static void assert_content(const char *path, const char *want)
{
	char got[256] = "";
	struct input *in;
	assert_int_equal(input_open(path, &in), 0);
	const struct byte_source s = input_bytes(in);
	assert_int_equal(s.read(s.arg, got, sizeof(got) - 1), strlen(want));
	assert_string_equal(got, want);
	input_free(in);
}

TEST(answer_becomes_one_file_for_each_host)
{
	static const struct frame frames[] = {
		{ ANSWER_ARCHIVE, DIR_ "//" }, { ANSWER_HOST, "20 n2" }, { ANSWER_DATA, HEAD "2" },
		{ ANSWER_HOST, "10 n1" }, { ANSWER_DATA, HEAD }, { ANSWER_DATA, "1" },
		{ ANSWER_END, "ok of n3 nothing" }, { 0, NULL },
	};
	struct answered a CLEANUP(answered_free);
	assert_int_equal(ask(&a, frames), 0);
	assert_int_equal(a.n, 2);
	assert_string_equal(a.file[0].host, "n1");
	assert_int_equal(a.file[0].epoch, 10);
	assert_content(a.file[0].path, HEAD "1");
	assert_string_equal(a.file[1].host, "n2");
	assert_content(a.file[1].path, HEAD "2");
	assert_str(&a.left_out, "of n3 nothing");
}

TEST(answer_without_hosts_is_whole)
{
	static const struct frame frames[] = {
		{ ANSWER_ARCHIVE, DIR_ }, { ANSWER_END, "ok " }, { 0, NULL },
	};
	struct answered a CLEANUP(answered_free);
	assert_int_equal(ask(&a, frames), 0);
	assert_int_equal(a.n + a.left_out.n + a.why.n, 0);
}

TEST(incomplete_answer_is_an_error_with_its_reason)
{
	static const struct {
		struct frame frame[4];
		int want;
		const char *why;
	} cases[] = {
		{ { { 0, NULL } }, -EPIPE, "it ended without an answer" },
		{ { { ANSWER_ARCHIVE, DIR_ }, { ANSWER_HOST, "1 n1" } }, -EPIPE,
		  "its answer was incomplete and is not used: try again" },
		{ { { ANSWER_ARCHIVE, "/var/other" } }, -ENOENT, "No such file or directory" },
		{ { { ANSWER_HOST, "1 n1" } }, -EBADMSG, "it sent an invalid answer" },
		{ { { ANSWER_ARCHIVE, DIR_ }, { ANSWER_ARCHIVE, DIR_ } }, -EBADMSG,
		  "it sent an invalid answer" },
		{ { { ANSWER_ARCHIVE, DIR_ }, { ANSWER_HOST, "1 ../n1" } }, -EBADMSG,
		  "it sent an invalid answer" },
		{ { { ANSWER_ARCHIVE, DIR_ }, { ANSWER_DATA, HEAD } }, -EBADMSG,
		  "it sent an invalid answer" },
		{ { { ANSWER_ARCHIVE, DIR_ }, { 'X', "" } }, -EBADMSG,
		  "it sent an invalid answer" },
		{ { { ANSWER_ARCHIVE, DIR_ }, { ANSWER_END, "okay" } }, -EBADMSG,
		  "it sent an invalid answer" },
		{ { { ANSWER_ARCHIVE, DIR_ }, { ANSWER_END, "error it takes too long" } },
		  -EREMOTEIO, "it takes too long" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct answered a CLEANUP(answered_free);
		assert_int_equal(ask(&a, cases[i].frame), cases[i].want);
		assert_str(&a.why, cases[i].why);
	}
}

TEST(answer_above_the_size_limit_is_refused)
{
	static const char data[] = HEAD;
	struct answered a CLEANUP(answered_free) = {
		.of = DIR_, .data = -1, .bytes = ANSWER_BYTES_MAX - sizeof(data) + 1,
	};
	int fd[2];
	int64_t soon = monotonic_ns() + 60000000000;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	assert_int_equal(frame_send(fd[1], ANSWER_ARCHIVE, STR(DIR_), soon), 0);
	assert_int_equal(frame_send(fd[1], ANSWER_HOST, STR("1 n1"), soon), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(frame_send(fd[1], ANSWER_DATA, str_of(data), soon), 0);
	assert_int_equal(answered_ask(&a, fd[0], &all, soon), -EBADMSG);
	assert_content(a.file[0].path, HEAD);
	close_fd(&fd[0]);
	close_fd(&fd[1]);
}

/*
 * Call ask() with a limit of 7 descriptors, of which 3 to 6 are free; the process may raise the
 * limit to `hard`. Exit with 0 if ask() returns `want`.
 */
static _Noreturn void ask_with_few(const struct frame *frames, rlim_t hard, int want)
{
	struct answered a;
	struct rlimit few = { 7, hard };
	for (int fd = 3; fd < 100; fd++)
		close(fd);
	_exit(setrlimit(RLIMIT_NOFILE, &few) < 0 || ask(&a, frames) != want);
}

/*
 * Each host's file needs a descriptor. A process may raise its soft limit (1024 by default) up to
 * the hard limit.
 */
TEST(more_hosts_than_descriptors_raise_the_limit)
{
	static const struct frame frames[] = {
		{ ANSWER_ARCHIVE, DIR_ }, { ANSWER_HOST, "1 n1" }, { ANSWER_HOST, "1 n2" },
		{ ANSWER_HOST, "1 n3" }, { ANSWER_END, "ok " }, { 0, NULL },
	};
	static const struct {
		rlim_t hard;
		int want;
	} cases[] = { { 100, 0 }, { 7, -EMFILE } };
	int status;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pid_t pid = fork();
		if (pid == 0)
			ask_with_few(frames, cases[i].hard, cases[i].want);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

/* Act as nodometer-fetch: send back the arguments, then the request. */
static int serve(int argc, char **argv)
{
	struct buf b CLEANUP(buf_free) = { 0 }, end CLEANUP(buf_free) = { 0 };
	int64_t soon = monotonic_ns() + 60000000000;
	char kind;
	bool whole = strcmp(argv[argc - 1], "https://no.example.org") != 0;
	if (frame_receive(STDIN_FILENO, &kind, &b, ANSWER_REQUEST_MAX, soon) < 0 ||
	    frame_send(STDIN_FILENO, ANSWER_ARCHIVE, str_of(argv[argc - 1]), soon) < 0 ||
	    frame_send(STDIN_FILENO, ANSWER_HOST, STR("1 n1"), soon) < 0)
		return 1;
	buf_addf(&end, "%s", whole ? "ok" : "error");
	for (int i = 1; i < argc; i++)
		buf_addf(&end, " %s", argv[i]);
	buf_addf(&end, " %c " STR_FMT, kind, STR_ARG(buf_str(&b)));
	return frame_send(STDIN_FILENO, ANSWER_END, buf_str(&end), soon) < 0;
}

static int fetch(const struct from *f, const char *host, struct buf *left_out, struct buf *why)
{
	const struct answer_request q = { false, 10000000, INT64_MAX, STR("7") };
	struct archive_file *file = NULL;
	size_t n = 0;
	int r = archive_from(f, NULL, &q, host, &file, &n, left_out, why);
	assert_int_equal(n, r == 0);
	archive_list_free(file, n);
	return r;
}

TEST(records_of_a_database_come_through_nodometer_fetch)
{
	struct from f = { .url = "https://ch.example.org", .login = "/etc/who" };
	struct buf said CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	assert_int_equal(fetch(&f, "n*", &said, &why), 0);
	assert_str(&said, "--login /etc/who --host n* -- https://ch.example.org Q "
		   "runs 10000000 - 7");
	f.login = NULL;
	said.n = 0;
	assert_int_equal(fetch(&f, NULL, &said, &why), 0);
	assert_str(&said, "-- https://ch.example.org Q runs 10000000 - 7");
	f.url = "https://no.example.org";
	said.n = 0;
	assert_int_equal(fetch(&f, NULL, &said, &why), -EREMOTEIO);
	assert_str(&why, "https://no.example.org: -- https://no.example.org Q "
		   "runs 10000000 - 7");
	assert_int_equal(said.n, 0);
	is_missing = true;
	why.n = 0;
	assert_int_equal(fetch(&f, NULL, &said, &why), -ENOENT);
	assert_str(&why, "https://no.example.org: nodometer-fetch is not installed: it is in the "
		   "package nodometer-send");
	is_missing = false;
}

int main(int argc, char **argv)
{
	if (strcmp(argv[0], "nodometer-fetch") == 0)
		return serve(argc, argv);
	RUN(KEEPS_DESCRIPTORS(answer_becomes_one_file_for_each_host),
	    cmocka_unit_test(answer_without_hosts_is_whole),
	    KEEPS_DESCRIPTORS(incomplete_answer_is_an_error_with_its_reason),
	    KEEPS_DESCRIPTORS(answer_above_the_size_limit_is_refused),
	    cmocka_unit_test(more_hosts_than_descriptors_raise_the_limit),
	    KEEPS_DESCRIPTORS(records_of_a_database_come_through_nodometer_fetch));
}
