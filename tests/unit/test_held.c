/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_held.c - compute the idle time and the use of a job's GPUs, and read their list in its mark
 */
#include "tests/unit/tree.h"

#include <errno.h>
#include <string.h>
#include "base/base.h"
#include "figures/allocation.h"
#include "figures/held.h"

#define SECOND INT64_C(1000000)
#define ROWS_MAX 4

static const struct record_key processes = {
	.name = "processes", .unit = "", .kind = GAUGE, .bits = 64, .scale = 1, .unit_name = "",
};
static const struct record_type gpu_job = { "gpu_job", &processes, 1 };

/*
 * Take a sample at this second. rows: devices of type gpu_job and their numbers of processes, for
 * example "nvidia/0@7 2 nvidia/1 0".
 */
static void take(struct held *h, int64_t second, const char *rows)
{
	static uint64_t value[ROWS_MAX];
	struct record_row row[ROWS_MAX];
	struct str text = str_of(rows), device;
	size_t n = 0;
	while (str_take_word(&text, &device)) {
		assert_true(n < ROWS_MAX && str_take_u64(&text, &value[n]));
		row[n] = (struct record_row){ .device = device, .value = &value[n] };
		n++;
	}
	const struct record_rows of = { &gpu_job, row, n };
	const struct record r = { .usec = second * SECOND, .rows = &of, .n_types = n > 0,
				  .n_rows = n };
	held_take(h, &r, STR("7"));
}

static int64_t longest(const struct held *h)
{
	uint32_t n = 0;
	return held_longest(h, 0, &n)->longest / SECOND;
}

TEST(device_names_its_gpu_part_and_job)
{
	static const struct {
		const char *device, *job;
		bool good;
		uint64_t gpu;
	} cases[] = {
		{ "nvidia/3", NULL, true, 3 }, { "nvidia/3@77", "77", true, 3 },
		{ "nvidia/1/5/2@77", "77", true, 1 }, { "nvidia/1/5/2", NULL, true, 1 },
		{ "amdgpu/12@a@b", "a@b", true, 12 }, { "nvidia/1@", "", true, 1 },
		{ "nvidia", NULL, false, 0 }, { "nvidia/x", NULL, false, 0 },
		{ "nvidia/1x@7", NULL, false, 0 }, { "nvidia/@7", NULL, false, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str job;
		uint64_t gpu;
		bool good = held_take_device(str_of(cases[i].device), &gpu, &job);
		if (good != cases[i].good || (good && gpu != cases[i].gpu))
			fail_msg("%s", cases[i].device);
		if (!good)
			continue;
		assert_int_equal(job.p != NULL, cases[i].job != NULL);
		assert_text(job, str_of(cases[i].job ? cases[i].job : ""));
	}
}

/* A job with processes on a part of a GPU (MIG instance) uses the GPU. */
TEST(part_of_a_gpu_counts_as_the_whole_gpu)
{
	struct held h = { .n = 0 };
	held_give(&h, STR("1"));
	take(&h, 10, "nvidia/1 1 nvidia/1/5/2@7 1");
	take(&h, 20, "nvidia/1 1 nvidia/1/5/2@7 1");
	assert_int_equal(h.gpu[0].used, 20 * SECOND);
	assert_int_equal(longest(&h), 0);
	take(&h, 30, "nvidia/1 1 nvidia/1/5/2@7 0");	/* the part has no process now */
	take(&h, 45, "nvidia/1 1 nvidia/1/6/2@8 1");	/* another job uses another part */
	assert_int_equal(longest(&h), 15);
	take(&h, 50, "nvidia/1/6/2 1");
	assert_true(h.gpu[0].known);
	assert_int_equal(longest(&h), 20);
}

TEST(idle_time_counts_only_between_near_samples_with_the_gpu)
{
	struct held h = { .n = 0 };
	held_give(&h, STR("0"));
	take(&h, 100, "nvidia/0 0");
	/* a gap of an hour between samples does not end the idle time */
	take(&h, 3700, "nvidia/0 0");
	assert_int_equal(longest(&h), 3600);
	take(&h, 7301, "nvidia/0 0");		/* a gap of 3601 s ends it */
	take(&h, 7311, "nvidia/0 0");
	assert_int_equal(longest(&h), 3600);
	assert_int_equal(h.gpu[0].since, 7301 * SECOND);
	take(&h, 7400, "nvidia/2 0");		/* the GPU is missing in this sample */
	assert_false(h.gpu[0].known);
	assert_int_equal(h.gpu[0].since, 0);
	take(&h, 7410, "nvidia/0 0");
	assert_int_equal(h.gpu[0].since, 7410 * SECOND);
	take(&h, 7000, "nvidia/0 0");		/* the clock was set back */
	assert_int_equal(h.gpu[0].since, 7000 * SECOND);
	assert_int_equal(longest(&h), 3600);
}

/* A mark of a job adds a second record at the time of a sample. */
TEST(records_at_the_same_time_are_one_sample)
{
	struct held h = { .n = 0 };
	held_give(&h, STR("0"));
	take(&h, 10, "nvidia/0 0");
	take(&h, 20, "nvidia/0 0 nvidia/0@7 1");
	/* The job's process was seen in the previous record, which has the same time. */
	take(&h, 20, "nvidia/0 0");
	assert_int_equal(h.gpu[0].since, 0);
	take(&h, 30, "");
	take(&h, 30, "nvidia/0 0");
	assert_true(h.gpu[0].known);
	assert_int_equal(h.gpu[0].since, 30 * SECOND);
	take(&h, 40, "nvidia/0 0");
	assert_int_equal(longest(&h), 10);
}

TEST(gpus_idle_for_at_least_a_time_are_counted)
{
	struct held h = { .n = 0 };
	uint32_t n = 0;
	assert_null(held_longest(&h, 0, &n));
	held_give(&h, STR("0-1"));
	held_give(&h, STR("5"));	/* only the first list counts */
	assert_int_equal(h.n, 2);
	take(&h, 10, "nvidia/0 0 nvidia/1 0 nvidia/1@7 1");
	take(&h, 20, "nvidia/0 0 nvidia/1 0");
	take(&h, 30, "nvidia/0 0 nvidia/1 0");
	assert_int_equal(held_longest(&h, 10e6, &n)->number, 0);
	assert_int_equal(n, 2);		/* GPU 1 was idle for exactly 10 s */
	n = 0;
	held_longest(&h, 10e6 + 1, &n);
	assert_int_equal(n, 1);
}

TEST(list_of_gpus_has_only_numbers_below_256)
{
	static const struct {
		const char *text;
		int r;
		size_t n;
	} cases[] = {
		{ "0", 0, 1 }, { "0,1,3", 0, 3 }, { "0-3", 0, 4 }, { "2-2,2", 0, 1 },
		{ "255", 0, 1 }, { "256", -EINVAL, 0 }, { "250-256", -EINVAL, 0 },
		{ "3-2", -EINVAL, 0 }, { "", -EINVAL, 0 }, { "0,", -EINVAL, 0 },
		{ "0, 1", -EINVAL, 0 }, { "0-", -EINVAL, 0 }, { "0x", -EINVAL, 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool has[GPUS_MAX];
		size_t n = 0;
		int r = gpu_list(str_of(cases[i].text), has);
		for (size_t k = 0; r == 0 && k < GPUS_MAX; k++)
			n += has[k];
		if (r != cases[i].r || n != cases[i].n)
			fail_msg("\"%s\": %d, %zu", cases[i].text, r, n);
	}
}

TEST(marks_fill_in_only_unknown_facts_of_another_node)
{
	const struct mark marks[] = {
		mark_parse(STR("begin 7 uid=1000 cpus=4 mem=1024 limit=60 gpus=0-1 name=a "
			       "account=acc partition=long")),
		mark_parse(STR("begin 8 uid=1001 cpus=99")),
		mark_parse(STR("end 7 exit=0:9 state=FAILED cpus=4x")),
	};
	const struct record r = { .mark = marks, .n_marks = ARRAY_SIZE(marks) };
	struct allocation a = { .uid = 0 }, other = { .uid = 5, .gpus_known = true, .gpus = 1 };
	allocation_take(&a, &r, STR("7"));
	assert_int_equal(a.uid, 1000);
	assert_int_equal(a.mem, 1024);
	assert_int_equal(a.limit, 60);
	assert_int_equal(a.gpus, 2);
	assert_true(a.gpus_known);
	assert_string_equal(a.partition, "long");
	assert_string_equal(a.exit, "0:9");
	assert_string_equal(a.state, "FAILED");
	str_copy(other.name, sizeof(other.name), STR("b"));
	allocation_add(&other, &a);
	assert_int_equal(other.uid, 5);
	assert_int_equal(other.gpus, 1);
	assert_string_equal(other.name, "b");
	assert_int_equal(other.limit, 60);
	assert_string_equal(other.account, "acc");
}

/* Hooks of PBS, LSF and Grid Engine give a queue, those of Slurm a partition. */
TEST(partition_is_named_by_itself_or_by_the_queue)
{
	static const struct {
		const char *mark, *partition;
	} cases[] = {
		{ "begin 7 queue=batch", "batch" },
		{ "begin 7 partition=long", "long" },
		{ "begin 7 queue=batch partition=long", "long" },
		{ "begin 7 partition=long queue=batch", "long" },
		{ "begin 8 queue=batch", "" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mark mark = mark_parse(str_of(cases[i].mark));
		struct allocation a = { .uid = 0 };
		allocation_take(&a, &(struct record){ .mark = &mark, .n_marks = 1 }, STR("7"));
		assert_string_equal(a.partition, cases[i].partition);
	}
}

/* Take a sample of one GPU: its utilization in percent and its used memory in bytes. */
static void take_use(struct gpus *g, int64_t second, const char *device, uint64_t busy,
		     uint64_t used)
{
	static const struct record_key keys[] = {
		{ "utilization", "", GAUGE, 64, 1, "", false },
		{ "memused", "B", GAUGE, 64, 1, "B", false },
		{ "memtotal", "B", GAUGE, 64, 1, "B", false },
	};
	static const struct record_type gpu = { "nvidia_gpu", keys, 3 };
	const uint64_t value[] = { busy, used, 1000 };
	const struct record_row row = { .device = str_of(device), .value = value };
	const struct record_rows of = { &gpu, &row, 1 };
	const struct record r = { .usec = second * SECOND, .rows = &of, .n_types = 1,
				  .n_rows = 1 };
	gpus_take(g, &r);
}

TEST(use_of_a_gpu_is_its_mean_between_samples)
{
	struct gpus g = { .gpu = { { 0 } } }, more = g;
	struct held none = { .n = 0 }, given = none;
	double busy;
	take_use(&g, 10, "0", 100, 5);
	assert_false(gpu_was_used(&g, &none, false, 0, &busy));	/* a single sample covers no time */
	take_use(&g, 20, "0", 50, 9);
	take_use(&g, 25, "0", 101, 2);	/* impossible values are ignored */
	take_use(&g, 25, "0", 0, 1001);
	take_use(&g, 50, "0", 50, 3);
	assert_true(gpu_was_used(&g, &none, false, 0, &busy));
	assert_true(busy > 56.24 && busy < 56.26);	/* 75 % for 10 s, 50 % for 30 s */
	assert_int_equal(g.gpu[0].used, 9);
	take_use(&g, 60, "16", 100, 5);		/* a GPU number above the limit */
	take_use(&g, 60, "1/5/2", 100, 5);	/* a part does not report the GPU's utilization */
	assert_false(gpu_was_used(&g, &none, false, 1, &busy));

	assert_false(gpu_was_used(&g, &none, true, 0, &busy));
	held_give(&given, STR("1"));
	assert_false(gpu_was_used(&g, &given, false, 0, &busy));
	held_give(&none, STR("0"));
	assert_true(gpu_was_used(&g, &none, true, 0, &busy));

	take_use(&more, 70, "0", 0, 20);
	take_use(&more, 110, "0", 0, 7);
	gpus_add(&g, &more);
	assert_true(gpu_was_used(&g, &none, true, 0, &busy));
	assert_true(busy > 28.12 && busy < 28.13);
	assert_int_equal(g.gpu[0].used, 20);
	assert_int_equal(g.gpu[0].total, 1000);
}

int main(void)
{
	RUN(cmocka_unit_test(device_names_its_gpu_part_and_job),
	    cmocka_unit_test(part_of_a_gpu_counts_as_the_whole_gpu),
	    cmocka_unit_test(idle_time_counts_only_between_near_samples_with_the_gpu),
	    cmocka_unit_test(records_at_the_same_time_are_one_sample),
	    cmocka_unit_test(gpus_idle_for_at_least_a_time_are_counted),
	    cmocka_unit_test(list_of_gpus_has_only_numbers_below_256),
	    cmocka_unit_test(marks_fill_in_only_unknown_facts_of_another_node),
	    cmocka_unit_test(partition_is_named_by_itself_or_by_the_queue),
	    cmocka_unit_test(use_of_a_gpu_is_its_mean_between_samples));
}
