/* SPDX-License-Identifier: BSD-3-Clause */
/* test_trace_recorder.c - record how many operations a recording has lost */
#include "tests/unit/test.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "filetrace/event_read.h"
#include "filetrace/recorder.h"

static struct trace_recorder r;
static int file;
static const struct trace_recorder_form csv = { .put = event_put_csv };

static void on_failure(int error)
{
	(void)error;
}

static void begin(const struct trace_recorder_form *form)
{
	char path[] = "/tmp/test_trace_recorder.XXXXXX";
	file = mkstemp(path);
	assert_true(file >= 0);
	unlink(path);
	assert_int_equal(trace_recorder_start(&r, file, form, on_failure), 0);
}

static void put(struct str path)
{
	struct buf line = { 0 };
	const struct event e = { .op = OP_STAT, .path = path };
	event_put_csv(&line, &e, false);
	trace_recorder_put(&r, buf_str(&line));
	buf_free(&line);
}

struct found {
	size_t lines, statements;
	uint64_t lost, calls32;
	bool at_end;
};

static off_t length(void)
{
	return lseek(file, 0, SEEK_END);
}

static struct found found(void)
{
	struct found f = { 0 };
	struct buf b = { 0 };
	struct event_line l = { 0 };
	size_t size = (size_t)length();
	buf_reserve(&b, size + 1);
	assert_int_equal(pread(file, b.p, size, 0), size);
	struct str text = { b.p, size };
	while (text.n) {
		assert_int_equal(event_parse(&text, true, &l), 0);
		f.at_end = l.e.op == OP_LOST;
		f.lines++;
		f.statements += f.at_end;
		f.lost += l.e.lost;
		f.calls32 += l.e.calls32;
	}
	event_line_free(&l);
	buf_free(&b);
	close_fd(&file);
	return f;
}

TEST(a_recording_that_lost_nothing_has_its_records_alone)
{
	begin(&csv);
	put(STR("/a"));
	assert_int_equal(trace_recorder_end(&r), 0);
	struct found f = found();
	assert_int_equal(f.lines, 1);
	assert_int_equal(f.statements, 0);
	assert_int_equal(r.lines, 1);
}

TEST(nothing_is_stated_if_nothing_is_recorded)
{
	begin(NULL);
	assert_int_equal(trace_recorder_end(&r), 0);
	assert_int_equal(found().lines, 0);
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

TEST(operations_that_never_came_are_stated_before_the_end)
{
	begin(&csv);
	trace_recorder_missed(&r, 5, 0);
	r.stated_at -= 2000000000;	/* simulates that 2 s have passed */
	trace_recorder_missed(&r, 7, 2);
	for (int i = 0; i < 6000 && length() == 0; i++)
		sleep_ms(10);
	assert_true(length() > 0);	/* the loss is stated even if the recorder is killed now */
	trace_recorder_missed(&r, 9, 2);
	assert_int_equal(trace_recorder_end(&r), 0);
	struct found f = found();
	assert_int_equal(f.statements, 2);
	assert_int_equal(f.lost, 9);
	assert_int_equal(f.calls32, 2);
}

/* Limit the size of the file, as a full disk does, and then lift the limit. */
TEST(operations_lost_on_a_full_disk_are_stated_once_there_is_room)
{
	struct rlimit before, small;
	struct str path = { memset(malloc(100000), 'x', 100000), 100000 };
	size_t n = 0;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 1000000, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	begin(&csv);
	for (; r.lost < 10; n++)	/* put() counts the lost records in this thread */
		put(path);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(trace_recorder_end(&r), 10);
	struct found f = found();
	assert_int_equal(f.lost, 10);
	assert_int_equal(f.lines, n - 10 + f.statements);
	assert_int_equal(r.lines, n - 10);	/* statements of loss do not count as records */
	assert_true(f.at_end);
	free((char *)path.p);
}

/* The disk stays full until the end: some records were dropped, and others still waited. */
TEST(only_records_in_the_file_count_as_written)
{
	struct rlimit before, small;
	struct str path = { memset(malloc(100000), 'x', 100000), 100000 };
	size_t n = 0;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 1000000, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	begin(&csv);
	for (; r.lost < 100; n++)
		put(path);
	uint64_t lost = trace_recorder_end(&r);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(r.lines, found().lines);
	assert_int_equal(r.lines + lost, n);
	free((char *)path.p);
}

int main(void)
{
	RUN(cmocka_unit_test(a_recording_that_lost_nothing_has_its_records_alone),
	    cmocka_unit_test(nothing_is_stated_if_nothing_is_recorded),
	    cmocka_unit_test(operations_that_never_came_are_stated_before_the_end),
	    cmocka_unit_test(operations_lost_on_a_full_disk_are_stated_once_there_is_room),
	    cmocka_unit_test(only_records_in_the_file_count_as_written));
}
