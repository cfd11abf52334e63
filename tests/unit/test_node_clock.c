/* SPDX-License-Identifier: BSD-3-Clause */
/* test_node_clock.c - find boots of a node and steps of its clock in its records */
#include "tests/unit/test.h"

#include <string.h>
#include "base/base.h"
#include "schema/node_clock.h"

#define SECOND INT64_C(1000000)

/* A record, the header lines before it, and the agent's own row (type nodometer). */
struct moment {
	int64_t s;			/* time of the record, in seconds */
	const char *id, *uptime;	/* header lines before the record, or NULL */
	int64_t boottime_us;		/* clock since boot in the agent's row; 0: none */
	bool goes_on;			/* the record follows another one without a header */
	int64_t us;			/* microseconds that are added to .s */
};

static struct str property(const void *arg, const char *name)
{
	const struct moment *m = arg;
	if (strcmp(name, "boot_id") == 0)
		return m->id ? str_of(m->id) : STR("");
	if (strcmp(name, "uptime") == 0)
		return m->uptime ? str_of(m->uptime) : STR("");
	if (strcmp(name, "topology") == 0)
		return STR("sockets=2 cores=16 cpus=0-31");
	return strcmp(name, "peak") == 0 ? STR("cycle=32 clock=2100000000 flops=x bandwidth=7") :
					   STR("");
}

static struct node_moment take(struct node_clock *c, const struct moment *m)
{
	static const struct record_key keys[] = { { .name = "cpu" }, { .name = "boottime" } };
	static const struct record_type type = { "nodometer", keys, 2 };
	const uint64_t value[] = { 1, (uint64_t)m->boottime_us };
	const struct record_row row = { .device = STR("-"), .value = value };
	const struct record_rows rows = { &type, &row, 1 };
	const struct record r = { .usec = m->s * SECOND + m->us, .restart = !m->goes_on,
				  .rows = &rows, .n_types = 1, .n_rows = 1 };
	const struct record_source source = { .property = property, .arg = (void *)m };
	return node_clock_take(c, &r, &source);
}

TEST(a_boot_shows_in_the_header_after_it)
{
	static const struct {
		const char *what;
		struct moment before, now;
		bool booted;
	} cases[] = {
		{ "no header follows", { 1000, "a", "500" },
		  { 1100, "b", "5", .goes_on = true }, false },
		{ "one boot has one id", { 1000, "a", "500" }, { 1100, "a", "5" }, false },
		{ "up no longer than since", { 1000, "a", "500" }, { 1100, "b", "100" }, true },
		{ "another id of a container", { 1000, "a", "500" }, { 1100, "b", "101" }, false },
		{ "up for an unknown time", { 1000, "a", "500" }, { 1100, "b", NULL }, false },
		{ "up for no number", { 1000, "a", "500" }, { 1100, "b", "x" }, false },
		{ "the clock went back", { 1000, "a", "500" }, { 900, "b", "499" }, true },
		{ "the clock went back, in a container", { 1000, "a", "500" }, { 900, "b", "500" },
		  false },
		{ "no ids, up for less than before", { 1000, NULL, "500" }, { 5000, NULL, "499" },
		  true },
		{ "no ids, up for longer than can be", { 1000, NULL, "9999999999999999" },
		  { 1005, NULL, "50" }, false },
		{ "no ids, booted at once", { 1000, NULL, "5" }, { 1100, NULL, "98" }, true },
		{ "no ids, rounded", { 1000, NULL, "5" }, { 1100, NULL, "99" }, false },
		{ "no ids, up since before", { 1000, NULL, "5" }, { 1100, NULL, "105" }, false },
		{ "one id", { 1000, NULL, "5" }, { 1100, "b", "4" }, true },
		{ "the record's own clock, not the header's", { 1000, "a", "500" },
		  { 1100, "b", "500", 7 * SECOND }, true },
		{ "a clock that no node has", { 1000, "a", "500" },
		  { 1100, "b", "500", RECORD_USEC_MAX + 1 }, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct node_clock c CLEANUP(node_clock_end) = { .cores = 0 };
		struct node_moment first = take(&c, &cases[i].before);
		assert_false(first.booted);
		assert_int_equal(first.before, 0);
		struct node_moment m = take(&c, &cases[i].now);
		if (m.booted != cases[i].booted)
			fail_msg("%s: booted %d", cases[i].what, m.booted);
		assert_int_equal(m.before, cases[i].before.s * SECOND);
	}
}

TEST(a_step_is_the_difference_of_the_two_clocks)
{
	static const struct {
		struct moment now;
		int64_t step;
	} cases[] = {
		{ { 1010, "a", "1", 110 * SECOND }, 0 },
		{ { 1010, "a", "1", 110 * SECOND, .us = 499999 }, 0 },
		{ { 1010, "a", "1", 110 * SECOND, .us = 500000 }, 500000 },
		{ { 1010, "a", "1", 110 * SECOND, .us = -500000 }, -500000 },
		{ { 1010, "a", "1", 110 * SECOND, .us = -499999 }, 0 },
		{ { 400, "a", "1", 110 * SECOND }, -610 * SECOND },
		{ { 1010, "a", "1", 0, .us = 9 * SECOND }, 0 },		/* the row has no clock */
		{ { 5000, "b", "1", 3 * SECOND }, 0 },			/* the node was booted */
		/* the boot id changes, but the node was not booted */
		{ { 1010, "b", "1", 50 * SECOND }, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct node_clock c CLEANUP(node_clock_end) = { .cores = 0 };
		take(&c, &(struct moment){ 1000, "a", "1", 100 * SECOND });
		assert_int_equal(take(&c, &cases[i].now).step, cases[i].step);
	}
}

/* A clock step is computed since the newest record with both wall clock and boot clock. */
TEST(a_record_without_a_clock_hides_no_step)
{
	struct node_clock c CLEANUP(node_clock_end) = { .cores = 0 };
	take(&c, &(struct moment){ 1000, "a", "1", 100 * SECOND });
	assert_int_equal(take(&c, &(struct moment){ 1005, "a", "1" }).step, 0);
	assert_int_equal(take(&c, &(struct moment){ 1013, "a", "1", 110 * SECOND }).step,
			 3 * SECOND);
	assert_int_equal(take(&c, &(struct moment){ 1023, "a", "1", 120 * SECOND }).step, 0);
}

TEST(a_header_has_the_cores_and_the_peak)
{
	struct node_clock c CLEANUP(node_clock_end) = { .cores = 0 };
	struct node_moment m = take(&c, &(struct moment){ 1000, "a", "1", .goes_on = true });
	assert_int_equal(m.cores, 0);
	m = take(&c, &(struct moment){ 1000, "a", "1" });
	assert_int_equal(m.cores, 16);
	assert_int_equal(m.peaks.cycle, 32);
	assert_int_equal(m.peaks.clock, 2100000000);
	assert_int_equal(m.peaks.flops, 0);
	assert_int_equal(m.peaks.bandwidth, 7);
}

int main(void)
{
	RUN(cmocka_unit_test(a_boot_shows_in_the_header_after_it),
	    cmocka_unit_test(a_step_is_the_difference_of_the_two_clocks),
	    cmocka_unit_test(a_record_without_a_clock_hides_no_step),
	    cmocka_unit_test(a_header_has_the_cores_and_the_peak));
}
