/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job_groups.c - start and end jobs with their cgroups, without a hook */
#include "tests/unit/recorder_node.h"

#define GROUPLESS_US INT64_C(600000000)

static int see(struct node *n, const char *id, bool is_new)
{
	struct job_cgroup g = { .is_new = is_new };
	str_copy(g.id, sizeof(g.id), str_of(id));
	return recorder_groups(n->r, &g, 1);
}

static int see_none(struct node *n)
{
	return recorder_groups(n->r, NULL, 0);
}

static struct job *job_of(struct node *n, const char *id)
{
	return jobs_get(&n->r->jobs, str_of(id));
}

static void assert_state_says(struct node *n, const char *text, bool says)
{
	tree_get(&n->tree, "run/jobs", &n->text);
	buf_add_char(&n->text, '\0');
	if (!strstr(n->text.p, text) == says)
		fail_msg("\"%s\" in %s", text, n->text.p);
}

TEST(job_starts_and_ends_with_its_group)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(see(&n, "7", true), 1);
	assert_last(&n, "7 %begin 7 source=cgroup");
	assert_int_equal(see(&n, "7", false), 0);
	assert_int_equal(groups(&n), 1);
	assert_int_equal(see_none(&n), 1);
	assert_last(&n, "7 %end 7 source=cgroup");
	assert_int_equal(see_none(&n), 0);
}

/* A cgroup that has disappeared is listed one more time, with the time when it disappeared. */
TEST(job_ends_when_its_group_disappeared)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(see(&n, "7", true), 1);
	struct job_cgroup gone = { .gone_us = 5000000 };
	str_copy(gone.id, sizeof(gone.id), STR("7"));
	assert_int_equal(recorder_groups(n.r, &gone, 1), 1);
	assert_last(&n, "7 %end 7 source=cgroup at=5");
	assert_null(job_of(&n, "7"));
}

/*
 * The agent waits ten minutes for the hook of a job whose cgroup is gone. A job that never had a
 * cgroup ends only by its hook.
 */
TEST(job_of_a_hook_ends_ten_minutes_after_its_group)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_int_equal(recorder_begin(n.r, STR("8")), 0);
	assert_int_equal(see(&n, "7", true), 0);	/* the job runs already */
	assert_state_says(&n, "grouped", true);
	assert_int_equal(see_none(&n), 0);
	assert_true(job_of(&n, "7")->gone_us > 0);
	job_of(&n, "7")->gone_us -= GROUPLESS_US / 2;
	assert_int_equal(see_none(&n), 0);
	assert_int_equal(see(&n, "7", true), 0);	/* cgroup of the job's next step */
	assert_int_equal(job_of(&n, "7")->gone_us, 0);
	assert_int_equal(see_none(&n), 0);
	job_of(&n, "7")->gone_us -= GROUPLESS_US;
	assert_int_equal(see_none(&n), 1);
	assert_last(&n, "7,8 %end 7 source=cgroup");
	assert_non_null(job_of(&n, "8"));
}

TEST(group_that_outlives_its_job_does_not_start_it_again)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(recorder_begin(n.r, STR("7")), 0);
	assert_int_equal(see(&n, "7", true), 0);
	assert_int_equal(recorder_end(n.r, STR("7")), 0);
	assert_state_says(&n, "7 ", true);
	assert_state_says(&n, "ended grouped", true);
	assert_int_equal(see(&n, "7", true), 0); /* a restarted agent sees the cgroup as new */
	assert_null(job_of(&n, "7"));
	assert_int_equal(see_none(&n), 0);
	assert_state_says(&n, "ended grouped", false);
	assert_int_equal(see(&n, "7", true), 1);	/* a new cgroup starts the next run */
	assert_non_null(job_of(&n, "7"));
}

TEST(group_without_a_job_id_starts_no_job)
{
	struct node n CLEANUP(node_free);
	node_open(&n, false);
	assert_int_equal(see(&n, "a,b", true), 0);
	assert_int_equal(see(&n, "7", false), 0);	/* the cgroup is older than the agent */
	assert_int_equal(n.r->jobs.n, 0);
}

int main(void)
{
	RUN(cmocka_unit_test(job_starts_and_ends_with_its_group),
	    cmocka_unit_test(job_ends_when_its_group_disappeared),
	    cmocka_unit_test(job_of_a_hook_ends_ten_minutes_after_its_group),
	    cmocka_unit_test(group_that_outlives_its_job_does_not_start_it_again),
	    cmocka_unit_test(group_without_a_job_id_starts_no_job));
}
