/* SPDX-License-Identifier: BSD-3-Clause */
/* test_page.c - show the newest sample of each type on the metrics page, and no outdated sample */
#include "tests/unit/test.h"

#include "sinks/page.h"

#define SECOND INT64_C(1000000)

static const struct record_key key[] = {
	{ .name = "a", .unit = "", .kind = GAUGE, .bits = 64, .scale = 1, .unit_name = "" },
};
static const struct record_type one = { "one", key, 1 }, two = { "two", key, 1 };
static const struct line_node node = { STR("n1"), NULL, 0 };

/*
 * Give the page a record with these values of types one and two. A value of 0 leaves out its type.
 * live: the record is a live sample, taken between two samples of the archive; only type one is
 * sampled live.
 */
static void take(struct sample_page *p, int64_t second, const char *job, uint64_t of_one,
		 uint64_t of_two,
		 bool live)
{
	const struct record_row row[] = {
		{ .device = STR("-"), .value = &of_one }, { .device = STR("-"), .value = &of_two },
	};
	struct record_rows rows[2];
	const struct str id = str_of(job ? job : "");
	size_t n = 0;
	if (of_one)
		rows[n++] = (struct record_rows){ &one, &row[0], 1 };
	if (of_two)
		rows[n++] = (struct record_rows){ &two, &row[1], 1 };
	const struct record r = { .usec = second * SECOND, .rows = rows, .n_types = n, .n_rows = n,
				  .job = &id, .n_jobs = job != NULL };
	page_take(p, &node, &r, live, STR("one"));
}

/*
 * Check the series on the page at this second. want: their names and values without labels, for
 * example "nodometer_one_a 1 ".
 */
static void assert_page(const struct sample_page *p, int64_t second, const char *want)
{
	struct buf text CLEANUP(buf_free) = { 0 }, got CLEANUP(buf_free) = { 0 };
	struct str rest, line, name;
	page_put(p, second * SECOND, &text);
	for (rest = buf_str(&text); str_take_line(&rest, &line); ) {
		if (str_peek(line) == '#')
			continue;
		assert_true(str_take_until(&line, '{', &name));
		buf_add(&got, name);
		assert_true(str_take_until(&line, '}', &name));
		buf_addf(&got, STR_FMT " ", STR_ARG(line));
	}
	if (!str_eq(buf_str(&got), str_of(want)))
		fail_msg("want \"%s\", got \"" STR_FMT "\"", want, STR_ARG(buf_str(&got)));
}

TEST(a_live_sample_changes_its_own_types)
{
	struct sample_page p CLEANUP(page_free) = { 0 };
	assert_page(&p, 1, "");
	take(&p, 100, "7", 1, 2, false);
	assert_page(&p, 101, "nodometer_job_owns 1 node_time_seconds 100 "
		    "nodometer_one_a 1 nodometer_two_a 2 ");
	take(&p, 115, NULL, 3, 0, true);
	assert_page(&p, 116, "node_time_seconds 115 nodometer_one_a 3 nodometer_two_a 2 ");
}

TEST(a_type_that_a_sample_could_have_and_lacks_is_gone)
{
	struct sample_page p CLEANUP(page_free) = { 0 };
	take(&p, 100, NULL, 1, 2, false);
	take(&p, 115, NULL, 0, 0, true);
	assert_page(&p, 116, "node_time_seconds 115 nodometer_two_a 2 ");
	take(&p, 120, NULL, 4, 0, false);
	assert_page(&p, 121, "node_time_seconds 120 nodometer_one_a 4 ");
}

TEST(series_of_node_exporter_are_left_out_if_it_runs)
{
	static const char *const prefix[] = { "node_", "cgroup_", "nvidia_gpu_" };
	const struct record whole = { 0 };
	for (size_t i = 0; i < series_prometheus.n_known; i++) {
		const struct series_name *known = &series_prometheus.known[i];
		const struct record_key k = { .name = known->key, .unit = "", .kind = GAUGE,
					      .bits = 64, .scale = 1, .unit_name = "" };
		const struct record_type type = { known->type, &k, 1 };
		const struct record_row row = { .device = str_of(known->row ? known->row : "-"),
						.value = &(uint64_t){ 1 } };
		const struct record_rows rows = { &type, &row, 1 };
		struct buf text CLEANUP(buf_free) = { 0 };
		const struct line_node part = { .host = node.host, .around = &whole };
		exposition_put(&text, &part, &(struct record){ .rows = &rows, .n_types = 1 },
			       (struct exposition_form){ .beside = true });
		size_t by = 0;
		while (by < ARRAY_SIZE(prefix) &&
		       !str_starts(str_of(known->name), str_of(prefix[by])))
			by++;
		if (by == ARRAY_SIZE(prefix) || (text.n == 0) != (by == 0))
			fail_msg("%s: \"" STR_FMT "\"", known->name, STR_ARG(buf_str(&text)));
	}
}

TEST(samples_that_are_too_old_are_not_shown)
{
	struct sample_page p CLEANUP(page_free) = { 0 };
	take(&p, 1000, "7", 1, 2, false);
	assert_page(&p, 2799, "nodometer_job_owns 1 node_time_seconds 1000 "
		    "nodometer_one_a 1 nodometer_two_a 2 ");
	assert_page(&p, 2800, "");
	take(&p, 1010, NULL, 3, 0, true);	/* this sample expires after 5 min, the minimum */
	assert_page(&p, 1309, "node_time_seconds 1010 nodometer_one_a 3 nodometer_two_a 2 ");
	assert_page(&p, 1310, "nodometer_two_a 2 ");
	take(&p, 1600, NULL, 4, 5, false);	/* this sample expires after 30 min */
	assert_page(&p, 3369, "node_time_seconds 1600 nodometer_one_a 4 nodometer_two_a 5 ");
	assert_page(&p, 3400, "");
}

TEST(jobs_are_shown_as_long_as_the_samples_of_a_long_interval)
{
	struct sample_page p CLEANUP(page_free) = { 0 };
	take(&p, 10000, "7", 1, 2, false);
	take(&p, 13600, "7", 1, 2, false);	/* an hour after the first sample */
	assert_page(&p, 13600 + 10799, "nodometer_job_owns 1 node_time_seconds 13600 "
		    "nodometer_one_a 1 nodometer_two_a 2 ");
	assert_page(&p, 13600 + 10800, "");
}

int main(void)
{
	RUN(cmocka_unit_test(a_live_sample_changes_its_own_types),
	    cmocka_unit_test(jobs_are_shown_as_long_as_the_samples_of_a_long_interval),
	    cmocka_unit_test(a_type_that_a_sample_could_have_and_lacks_is_gone),
	    cmocka_unit_test(series_of_node_exporter_are_left_out_if_it_runs),
	    cmocka_unit_test(samples_that_are_too_old_are_not_shown));
}
