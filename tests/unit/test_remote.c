/* SPDX-License-Identifier: BSD-3-Clause */
/* test_remote.c - list and read an archive at a URL, or report why that is impossible */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "archive/index.h"
#include "archive/input.h"
#include "archive/remote.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/system/frame.h"
#include "base/system/program.h"

/*
 * The linker option -Wl,--wrap= sends calls of program_find() here, so that this test also runs as
 * nodometer-remote.
 */
static bool is_missing, cannot_start;
int __wrap_program_find(const char *name, char path[PROGRAM_PATH_MAX]);

int __wrap_program_find(const char *name, char path[PROGRAM_PATH_MAX])
{
	assert_string_equal(name, "remote");
	str_copy(path, PROGRAM_PATH_MAX, cannot_start ? STR("/dev/null") : STR("/proc/self/exe"));
	return is_missing ? -ENOENT : 0;
}

#define HEAD     "$hpcperfstats 1.0.2\n$hostname n1\n!vm pgpgin,E\n"
#define TEN      HEAD "\n10 7\nvm - 1\n"
#define RECORDS  "records 1 10000000 10000000\n"
#define INDEX    RECORDS "job 7 10000000 10000000 1 - -\n"
#define FAR(url) "https://a.example.org/" url

/* Requests (a kind and a text), and the frames that answer each of them. */
static const struct reply {
	const char *request;
	struct frame {
		char kind;
		const char *text;
	} frame[12];
} replies[] = {
	{ "L" FAR("all/"), {
		{ REMOTE_FILE, "49 n1/10" }, { REMOTE_FILE, "80 n1/20.zst" },
		{ REMOTE_FILE, "80 n1/current" }, { REMOTE_FILE, "0 n1/lock" },
		{ REMOTE_FILE, "70 n2/current" }, { REMOTE_FILE, "9 n3/current" },
		{ REMOTE_FILE, "5 notes" }, { REMOTE_FILE, "84 jobs.index" },
		{ REMOTE_END, "" } } },
	{ "R0 " FAR("all/n2/current"), { { REMOTE_FIRST, "0" }, { REMOTE_DATA, HEAD },
		{ REMOTE_DATA, "\n20 7\nvm - 1\n\n21 7\nvm - 2\n" }, { REMOTE_END, "" } } },
	{ "R0 " FAR("all/n3/current"), { { REMOTE_DATA, "no records" }, { REMOTE_END, "" } } },
	{ "R0 " FAR("all/jobs.index"), { { REMOTE_DATA, RECORDS "file n1/10 49\n" INDEX
		"file n1/20.zst 79\n" INDEX "file n9/1 2\n" INDEX "file n2\n" },
		{ REMOTE_END, "" } } },
	{ "L" FAR("host"), { { REMOTE_FILE, "10 20" }, { REMOTE_FILE, "11 x/10" },
		{ REMOTE_FILE, "12 10.gz" }, { REMOTE_FILE, "3 jobs.index" },
		{ REMOTE_END, "" } } },
	{ "R0 " FAR("host/jobs.index"), { { REMOTE_DATA, "\x1f\x8b\x08" }, { REMOTE_END, "" } } },
	{ "R0 " FAR("host/20"), { { REMOTE_DATA, "too short" }, { REMOTE_END, "" } } },
	{ "L" FAR("none"), { { REMOTE_END, "" } } },
	{ "L" FAR("closed"), { { REMOTE_FILE, "1 n1/10" }, { REMOTE_ERROR, "HTTP 403" } } },
	{ "L" FAR("nonsense"), { { REMOTE_FILE, "x" }, { REMOTE_FILE, "1 n1/10" },
		{ REMOTE_ERROR, "HTTP 404" } } },
	{ "L" FAR("nameless"), { { REMOTE_FILE, "1 " }, { REMOTE_END, "" } } },
	{ "L" FAR("joined"), { { REMOTE_FILE, "1n1/10" }, { REMOTE_END, "" } } },
	{ "L" FAR("data"), { { REMOTE_DATA, "1 n1/10" }, { REMOTE_END, "" } } },
	{ "L" FAR("ends"), { { REMOTE_FILE, "1 n1/10" } } },
	{ "R0 " FAR("list"), { { REMOTE_FILE, "1 n1/10" }, { REMOTE_END, "" } } },
	{ "R0 " FAR("nowhere"), { { REMOTE_FIRST, "x" }, { REMOTE_END, "" } } },
	{ "R0 " FAR("text.zst"), { { REMOTE_DATA, TEN }, { REMOTE_END, "" } } },
	{ "R0 " FAR("gone.zst"), { { REMOTE_ERROR, "HTTP 404" } } },
	{ "R0 s3://b/10", { { REMOTE_DATA, TEN }, { REMOTE_END, "" } } },
};

static int send_frame(char kind, struct str text)
{
	return frame_send(STDIN_FILENO, kind, text, monotonic_ns() + 60000000000);
}

/* Send a reply. A reply without a final frame simulates a remote program that died. */
static int send_reply(const struct reply *r)
{
	const struct frame *f = r->frame;
	int e = 0;
	for (; e == 0 && f->kind; f++)
		e = send_frame(f->kind, str_of(f->text));
	return e < 0 ? e : f[-1].kind == REMOTE_END || f[-1].kind == REMOTE_ERROR ? 0 : -EPIPE;
}

/* Make a file whose index is longer than the first block that a reader fetches. */
static void put_indexed(struct buf *b)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	buf_addf(&text, RECORDS);
	for (int i = 0; i < 3000; i++)
		buf_addf(&text, "job 1%04d 10000000 10000000 1 - -\n", i);
	for (int i = 0; i < 100; i++)
		buf_add_char(b, 'x');
	index_put_frame(b, buf_str(&text), 100, "xxxxxxxx");
}

/*
 * Send the file of put_indexed() from this offset on. The list of files states 100,000 bytes, but
 * the file has grown since it was listed.
 */
static int send_indexed(struct str from)
{
	struct buf b CLEANUP(buf_free) = { 0 }, first CLEANUP(buf_free) = { 0 };
	uint64_t at;
	put_indexed(&b);
	if (!str_take_u64(&from, &at) || at > b.n)
		return -EBADMSG;
	buf_addf(&first, "%llu", (unsigned long long)at);
	int e = send_frame(REMOTE_FIRST, buf_str(&first));
	struct str rest = str_skip(buf_str(&b), (size_t)at);
	if (e == 0)
		e = frame_send_all(STDIN_FILENO, REMOTE_DATA, rest, monotonic_ns() + 60000000000);
	return e < 0 ? e : send_frame(REMOTE_END, STR(""));
}

static int answer(struct str request)
{
	if (str_eq(request, STR("L" FAR("indexed")))) {
		int e = send_frame(REMOTE_FILE, STR("100000 n1/10.zst"));
		return e < 0 ? e : send_frame(REMOTE_END, STR(""));
	}
	if (str_take_prefix(&request, STR("R")) && str_ends(request, STR("indexed/n1/10.zst")))
		return send_indexed(request);
	return -ENOENT;
}

/*
 * Answer requests as nodometer-remote does. A request that is not in replies ends the program
 * without an answer.
 */
static int serve(void)
{
	struct buf b CLEANUP(buf_free) = { 0 }, request CLEANUP(buf_free) = { 0 };
	int64_t deadline = monotonic_ns() + 60000000000;
	char kind;
	while (frame_receive(STDIN_FILENO, &kind, &b, FRAME_MAX, deadline) == 0) {
		const struct reply *r = replies;
		request.n = 0;
		buf_addf(&request, "%c" STR_FMT, kind, STR_ARG(buf_str(&b)));
		while (r < replies + ARRAY_SIZE(replies) &&
		       !str_eq(buf_str(&request), str_of(r->request)))
			r++;
		bool known = r < replies + ARRAY_SIZE(replies);
		if ((known ? send_reply(r) : answer(buf_str(&request))) < 0)
			break;
	}
	return 0;
}

static void expect_list(const char *url, const char *want)
{
	struct buf got CLEANUP(buf_free) = { 0 };
	struct archive_file *file;
	size_t n;
	assert_int_equal(archive_list(url, &file, &n, NULL), 0);
	for (size_t i = 0; i < n; i++)
		buf_addf(&got, "%s %lld %s\n", file[i].host, (long long)file[i].epoch,
			 file[i].path);
	buf_add_char(&got, '\0');
	assert_string_equal(got.p, want);
	archive_list_free(file, n);
}

/*
 * "current" is listed if it has records, unless another file of its host has the same size: the two
 * may be names of one file.
 */
TEST(hosts_and_files_are_those_of_the_list)
{
	expect_list(FAR("all/"), "n1 10 " FAR("all/n1/10") "\nn1 20 " FAR("all/n1/20.zst") "\n"
				 "n2 20 " FAR("all/n2/current") "\n");
	assert_int_equal(remote_size(FAR("all/n1/10")), 49);
	assert_int_equal(remote_size(FAR("all/n1/30")), 0);
	expect_list(FAR("host"), "host 10 " FAR("host/10.gz") "\nhost 20 " FAR("host/20") "\n");
	expect_list(FAR("none"), "");
}

/* An index entry is ignored if its file has another size now. */
TEST(one_index_describes_all_files)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	assert_int_equal(index_read(FAR("all/n1/10"), &b, &text), 0);
	assert_true(str_eq(text, (struct str){ INDEX, sizeof(INDEX) - 2 }));
	assert_true(index_excludes(FAR("all/n1/10"), STR("8")));
	assert_false(index_excludes(FAR("all/n1/10"), STR("7")));
	assert_int_equal(index_read(FAR("all/n2/current"), &b, &text), -ENOENT);
	assert_false(index_excludes(FAR("all/n2/current"), STR("8")));
}

TEST(an_index_is_read_from_the_end_of_a_file_that_has_grown)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	expect_list(FAR("indexed"), "n1 10 " FAR("indexed/n1/10.zst") "\n");
	assert_int_equal(index_read(FAR("indexed/n1/10.zst"), &b, &text), 0);
	assert_true(str_starts(text, STR(RECORDS "job 10000 ")));
	assert_true(str_ends(text, STR("\njob 12999 10000000 10000000 1 - -\n")));
	assert_int_equal(index_read(FAR("text.zst"), &b, &text), -ENOENT);
	assert_int_equal(index_read(FAR("gone.zst"), &b, &text), -EREMOTEIO);
	assert_string_equal(remote_why(), "HTTP 404");
}

TEST(a_file_comes_whole_or_not_at_all)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	char got[sizeof(TEN)] = "";
	struct input *in;
	assert_int_equal(input_open("s3://b/10", &in), 0);
	assert_int_equal(input_plain_size(in), sizeof(TEN) - 1);
	const struct byte_source s = input_bytes(in);
	assert_int_equal(s.read(s.arg, got, sizeof(got)), sizeof(TEN) - 1);
	assert_string_equal(got, TEN);
	input_free(in);
	assert_int_equal(input_open(FAR("host/20"), &in), -EREMOTEIO);
	input_explain(&why, FAR("host/20"), -EREMOTEIO);
	assert_true(str_eq(buf_str(&why), STR("it is shorter than in the list of files")));
}

static void expect_why(const char *url, const char *want)
{
	struct buf why CLEANUP(buf_free) = { 0 }, both CLEANUP(buf_free) = { 0 };
	struct archive_file *file;
	size_t n;
	assert_int_equal(archive_list(url, &file, &n, &why), -EREMOTEIO);
	buf_addf(&both, "%s: %s", url, want);
	assert_true(str_starts(buf_str(&why), buf_str(&both)));
}

/* The request after each failure must be answered. */
TEST(an_answer_that_is_no_list_is_reported)
{
	static const char no_answer[] =
		"nodometer-remote ended before its answer was complete: exit status 0";
	static const char other[] = "nodometer-remote sent an unexpected answer";
	static const struct {
		const char *url, *why;
	} cases[] = {
		{ FAR("closed"), "HTTP 403" }, { FAR("nonsense"), other },
		{ FAR("nameless"), other }, { FAR("joined"), other }, { FAR("data"), other },
		{ FAR("ends"), no_answer }, { FAR("unknown"), no_answer },
	};
	char longest[REMOTE_REQUEST_MAX + 100] = FAR("");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		expect_why(cases[i].url, cases[i].why);
		expect_list(FAR("none"), "");
	}
	memset(longest + strlen(longest), 'x', REMOTE_REQUEST_MAX);
	expect_why(longest, "the URL is too long");
}

TEST(an_answer_that_is_no_file_is_reported)
{
	static const char *const urls[] = { FAR("list"), FAR("nowhere") };
	struct input *in;
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		assert_int_equal(input_open(urls[i], &in), -EREMOTEIO);
		assert_string_equal(remote_why(), "nodometer-remote sent an unexpected answer");
	}
	assert_int_equal(input_open(FAR("unknown"), &in), -EREMOTEIO);
	assert_string_equal(remote_why(), "nodometer-remote ended before its answer was complete: "
			    "exit status 0");
}

TEST(a_remote_program_that_cannot_run_is_reported)
{
	is_missing = true;
	expect_why(FAR("none"), "the program that reads URLs is not installed: it is in package "
		   "nodometer-send");
	is_missing = false;
	cannot_start = true;
	expect_why(FAR("none"), "nodometer-remote ended before its answer was complete: "
		   "exit status 1");
	cannot_start = false;
	expect_list(FAR("none"), "");
}

/* Two processes that read from the same socket would take each other's answers. */
TEST(a_forked_process_starts_its_own_remote_program)
{
	struct archive_file *file;
	size_t n = 0;
	int status;
	expect_list(FAR("none"), "");
	pid_t pid = fork();
	if (pid == 0) {
		is_missing = true;
		_exit(archive_list(FAR("host"), &file, &n, NULL) != -EREMOTEIO);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	expect_list(FAR("none"), "");
}

int main(int argc, char **argv)
{
	(void)argc;
	if (strcmp(argv[0], "nodometer-remote") == 0)
		return serve();
	RUN(KEEPS_DESCRIPTORS(hosts_and_files_are_those_of_the_list),
	    cmocka_unit_test(one_index_describes_all_files),
	    cmocka_unit_test(an_index_is_read_from_the_end_of_a_file_that_has_grown),
	    cmocka_unit_test(a_file_comes_whole_or_not_at_all),
	    cmocka_unit_test(an_answer_that_is_no_list_is_reported),
	    cmocka_unit_test(an_answer_that_is_no_file_is_reported),
	    KEEPS_DESCRIPTORS(a_remote_program_that_cannot_run_is_reported),
	    cmocka_unit_test(a_forked_process_starts_its_own_remote_program));
}
