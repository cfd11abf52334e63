/* SPDX-License-Identifier: BSD-3-Clause */
/* test_status_check.c - print one line for a monitoring system, and choose the exit status */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "cli/status_check.h"

/*
 * An agent that samples every 10 s: the age of its last sample in seconds, and further lines of its
 * status.
 */
struct agent {
	int age_s;
	const char *more;
	int error;
	struct status_limits limits;
	struct status_sinks sinks;
};

/* Check the exit status, and that the line contains this text. */
static void check(const struct agent *a, int status, const char *want)
{
	struct buf out CLEANUP(buf_free) = { 0 };
	char reply[512];
	snprintf(reply, sizeof(reply), "interval 10\nlast %lld\n%s",
		 (long long)(realtime_us() / 1000000 - a->age_s), a->more ? a->more : "");
	int got = status_check(&out, str_of(reply), a->error, &a->limits, &a->sinks);
	buf_add_char(&out, '\0');
	if (got != status || !strstr(out.p, want))
		fail_msg("status %d, not %d, or no \"%s\": %s", got, status, want, out.p);
}

TEST(the_age_of_the_last_sample_decides)
{
	check(&(struct agent){ .age_s = 1 }, STATUS_OK, "0 groups waiting, 0 lost |");
	check(&(struct agent){ .age_s = 60 }, STATUS_OK, "OK");
	check(&(struct agent){ .age_s = 80 }, STATUS_WARNING, "the last sample is too old");
	check(&(struct agent){ .age_s = 300 }, STATUS_WARNING, ";70.000;310.000;0");
	check(&(struct agent){ .age_s = 320 }, STATUS_CRITICAL, "the last sample is too old");
	check(&(struct agent){ .age_s = -100 }, STATUS_OK, "last sample 0.0 s ago");
}

TEST(limits_may_be_given)
{
	struct agent a = { .age_s = 20, .limits = { .warning_us = 10000000 } };
	check(&a, STATUS_WARNING, ";10.000;310.000;0");
	a.limits.critical_us = 15000000;
	check(&a, STATUS_CRITICAL, ";10.000;15.000;0");
	a.limits = (struct status_limits){ .warning_us = 100000000, .critical_us = 200000000 };
	check(&a, STATUS_OK, "OK");
}

TEST(each_fault_has_its_status_and_the_worst_one_decides)
{
	static const struct {
		const char *more, *want;
		int status;
	} cases[] = {
		{ "marks_lost 0\n", "OK", STATUS_OK },
		{ "marks_lost 2\n", "marks lost: 2", STATUS_CRITICAL },
		{ "stopped no space\n", "nothing is written: no space", STATUS_CRITICAL },
		{ "live_stopped why\n", "no live samples: why", STATUS_WARNING },
		{ "refused line 7\n", "the last reload was refused: line 7", STATUS_WARNING },
		{ "error ib no such device\n", "cannot read type ib", STATUS_WARNING },
		{ "error ib x\nerror llite y\n", "errors=2", STATUS_WARNING },
		{ "error ib x\nstopped full\n", "cannot read type ib, nothing is written: full",
		  STATUS_CRITICAL },
		{ "stopped full\nerror ib x\n", "nothing is written: full, cannot read type ib",
		  STATUS_CRITICAL },
		{ "waiting 3\n", "groups wait in memory", STATUS_WARNING },
		{ "waiting 3\nlost 4\n", "waiting=3;;;0 lost=4c", STATUS_WARNING },
		{ "lost 4\n", "0 groups waiting, 4 lost", STATUS_OK },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check(&(struct agent){ .more = cases[i].more }, cases[i].status, cases[i].want);
}

TEST(a_folder_that_was_removed_is_told_for_a_day)
{
	for (int hours = 23; hours <= 25; hours += 2) {
		char more[64];
		snprintf(more, sizeof(more), "removed %lld\n",
			 (long long)(realtime_us() / 1000000 - hours * 3600));
		check(&(struct agent){ .more = more }, hours < 24 ? STATUS_WARNING : STATUS_OK,
		      hours < 24 ? "the folder of the archive was removed" : "OK");
	}
}

TEST(an_agent_that_does_not_answer_is_critical_unless_it_may_not_be_asked)
{
	check(&(struct agent){ .error = -ENOENT }, STATUS_CRITICAL, "the agent does not run");
	check(&(struct agent){ .error = -ETIMEDOUT }, STATUS_CRITICAL, "does not answer");
	check(&(struct agent){ .error = -ECONNREFUSED }, STATUS_CRITICAL, "does not run");
	check(&(struct agent){ .error = -EACCES }, STATUS_UNKNOWN, "cannot be queried");
	check(&(struct agent){ .error = -ECONNRESET }, STATUS_UNKNOWN, "cannot be queried");
	check(&(struct agent){ .error = -EREMOTEIO }, STATUS_UNKNOWN, "it refused the request");
}

TEST(a_sink_is_told_if_it_failed_and_lags_or_refuses_many_records)
{
	static const struct {
		int64_t lag_us;
		const char *why, *want;
		uint64_t refused_share;
		int status;
	} cases[] = {
		{ -1, "", "OK", 0, STATUS_OK },
		{ 1000000000, "", "'lag x'=1000.000s", 0, STATUS_OK },
		{ 60000000, "no", "OK", 0, STATUS_OK },
		{ 80000000, "no", "sink x lags by 80 s: no", 0, STATUS_WARNING },
		{ -1, "no", "sink x has delivered nothing: no", 0, STATUS_WARNING },
		{ 0, "no", "OK", 50, STATUS_OK },
		{ 0, "no", "sink x refuses 5.1 % of the records: no", 51, STATUS_WARNING },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[] = "x";
		struct status_sink one = { .name = name, .lag_us = cases[i].lag_us };
		struct agent a = { .sinks = { .one = &one, .n = 1, .runs = true } };
		one.cursor.refused_share = cases[i].refused_share;
		str_copy(one.cursor.why, sizeof(one.cursor.why), str_of(cases[i].why));
		check(&a, cases[i].status, cases[i].want);
		a.sinks.runs = false;
		check(&a, STATUS_WARNING, "nodometer-send does not run");
	}
}

int main(void)
{
	RUN(cmocka_unit_test(the_age_of_the_last_sample_decides),
	    cmocka_unit_test(limits_may_be_given),
	    cmocka_unit_test(each_fault_has_its_status_and_the_worst_one_decides),
	    cmocka_unit_test(a_folder_that_was_removed_is_told_for_a_day),
	    cmocka_unit_test(an_agent_that_does_not_answer_is_critical_unless_it_may_not_be_asked),
	    cmocka_unit_test(a_sink_is_told_if_it_failed_and_lags_or_refuses_many_records));
}
