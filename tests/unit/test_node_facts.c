/* SPDX-License-Identifier: BSD-3-Clause */
/* test_node_facts.c - find the job of a GPU, and write the series from which jobstats reads it */
#include "tests/unit/test.h"

#include <string.h>
#include "formats/line/exposition.h"
#include "formats/line/node_facts.h"

static const struct record_key key = {
	.name = "utilization", .unit = "", .kind = GAUGE, .bits = 64, .scale = 1, .unit_name = "",
};
static const struct record_type owners = { "gpu_job", &key, 1 }, gpus = { "nvidia_gpu", &key, 1 };
static const uint64_t one = 1;

/* Return the job of GPU 1 according to these rows of type gpu_job, or "" if there is none. */
static struct str owner_of(const char *const *device, size_t n)
{
	struct record_row row[4];
	struct str job;
	for (size_t i = 0; i < n; i++)
		row[i] = (struct record_row){ .device = str_of(device[i]), .value = &one };
	const struct record_rows rows = { &owners, row, n };
	const struct record r = { .rows = &rows, .n_types = 1, .job = &STR("node"), .n_jobs = 1 };
	return gpu_job_of(&r, STR("1"), &job) ? job : STR("");
}

#define OWNER(...) owner_of((const char *const[]){ __VA_ARGS__ }, \
			    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

TEST(gpu_belongs_to_the_only_job_with_processes_on_it)
{
	assert_true(str_eq(OWNER("nvidia/1", "nvidia/1@77"), STR("77")));
	assert_true(str_eq(OWNER("nvidia/1/5/2@77", "nvidia/1/6/3@77"), STR("77")));
	assert_true(str_eq(OWNER("nvidia/1@77", "nvidia/1@-"), STR("77")));
	assert_true(str_eq(OWNER("nvidia/1@77", "nvidia/1@78"), STR("")));
	assert_true(str_eq(OWNER("nvidia/1"), STR("")));
	assert_true(str_eq(OWNER("nvidia/11@77", "amdgpu/1@78", "nvidia/0@79"), STR("")));
}

TEST(gpu_belongs_to_the_only_job_of_the_node_if_nothing_else_is_known)
{
	const struct str jobs[] = { STR("7"), STR("8") };
	struct str job;
	assert_true(gpu_job_of(&(struct record){ .job = jobs, .n_jobs = 1 }, STR("0"), &job));
	assert_true(str_eq(job, STR("7")));
	assert_false(gpu_job_of(&(struct record){ .job = jobs, .n_jobs = 2 }, STR("0"), &job));
	assert_false(gpu_job_of(&(struct record){ .n_jobs = 0 }, STR("0"), &job));
}

/* Write the metrics page of a node with GPU 0 and this job. */
static void put_gpu(struct buf *text, const char *job)
{
	const struct record_row row = { .device = STR("0"), .value = &one };
	const struct record_rows rows = { &gpus, &row, 1 };
	const struct str id = str_of(job);
	const struct record whole = { .rows = &rows, .n_types = 1, .job = &id, .n_jobs = 1 };
	const struct record part = { .rows = &rows, .n_types = 1 };
	const struct line_node node = { .host = STR("n1"), .around = &whole };
	exposition_put(text, &node, &part, (struct exposition_form){ .openmetrics = false });
}

TEST(jobstats_finds_a_gpu_by_the_number_of_its_job)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	put_gpu(&text, "77");
	assert_true(str_has_line(buf_str(&text), STR(
		"nvidia_gpu_duty_cycle{host=\"n1\",jobid=\"77\",minor_number=\"0\"} 1")));
	assert_true(str_has_line(buf_str(&text), STR(
		"nvidia_gpu_jobId{host=\"n1\",jobid=\"77\",minor_number=\"0\"} 77")));
}

TEST(job_id_that_is_no_number_is_only_a_label)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	put_gpu(&text, "77.server");
	assert_true(str_has_line(buf_str(&text), STR(
		"nvidia_gpu_duty_cycle{host=\"n1\",jobid=\"77.server\",minor_number=\"0\"} 1")));
	assert_null(memmem(text.p, text.n, "jobId", strlen("jobId")));
}

/*
 * Write the memory of two NUMA nodes; the second has no value unless has_both is true. Returns true
 * if the page has this line.
 */
static bool has_sum(bool has_both, const char *want)
{
	static const struct record_key total = { "MemTotal", "KB", GAUGE, 64, 1, "KB", false };
	static const struct record_type mem = { "mem", &total, 1 };
	struct buf text CLEANUP(buf_free) = { 0 };
	const uint64_t value[] = { 3, 4 }, present = has_both;
	const struct record_row row[] = { { .device = STR("0"), .value = &value[0] },
					  { .device = STR("1"), .value = &value[1],
					    .present = &present } };
	const struct record_rows rows = { &mem, row, 2 };
	const struct record r = { .rows = &rows, .n_types = 1 };
	const struct line_node node = { .host = STR("n1") };
	exposition_put(&text, &node, &r, (struct exposition_form){ .openmetrics = false });
	return str_has_line(buf_str(&text), str_of(want));
}

TEST(a_sum_over_devices_is_left_out_if_a_device_has_no_value)
{
	assert_true(has_sum(true, "node_memory_MemTotal_bytes{host=\"n1\"} 7168"));
	assert_false(has_sum(false, "node_memory_MemTotal_bytes{host=\"n1\"} 3072"));
}

int main(void)
{
	RUN(cmocka_unit_test(gpu_belongs_to_the_only_job_with_processes_on_it),
	    cmocka_unit_test(gpu_belongs_to_the_only_job_of_the_node_if_nothing_else_is_known),
	    cmocka_unit_test(jobstats_finds_a_gpu_by_the_number_of_its_job),
	    cmocka_unit_test(job_id_that_is_no_number_is_only_a_label),
	    cmocka_unit_test(a_sum_over_devices_is_left_out_if_a_device_has_no_value));
}
