/* SPDX-License-Identifier: BSD-3-Clause */
/* test_counters.c - release hardware counters to jobs, and mark the gaps in the records */
#include "tests/unit/test.h"

#include <stdarg.h>
#include <stdio.h>
#include "recorder/requests.h"
#include "recorder/job_sources.h"
#include "tests/unit/mark_line.h"
#include "tests/unit/perf_script.h"

#define CORE 11		/* number of counters of type intel_8pmc3 per CPU */

/* An agent on a Skylake server with two CPUs and a scripted perf subsystem. */
struct agent {
	struct node node;
	struct config config;
	struct recorder *r;
	struct buf text;
};

static void use_only(struct config *c, const char *a, const char *b)
{
	for (size_t i = 0; i < n_collectors; i++) {
		const char *name = types[i]->name;
		c->use[i] = strcmp(name, a) == 0 || strcmp(name, b) == 0 ? USE_ON : USE_OFF;
	}
}

static void start(struct agent *a, bool keep)
{
	char error[768];
	a->r = xrealloc(NULL, sizeof(*a->r));
	assert_int_equal(recorder_open(a->r, &a->config, NULL, error, sizeof(error)), 0);
	a->r->to.keep = keep;
	for (size_t i = 0; i < n_collectors; i++)	/* treat the tree as live */
		a->r->sampler.type[i].source.files.in_root = false;
	a->r->sampler.shared.files.in_root = false;
	a->r->sampler.root.in_root = false;
}

static void stop(struct agent *a)
{
	recorder_close(a->r);
	free(a->r);
	assert_int_equal(script_open(), 0);
}

static void put_path(char *to, const struct tree *t, const char *leaf)
{
	snprintf(to, CONFIG_TEXT_MAX, "%s/%s", t->path, leaf);
}

static void agent_begin(struct agent *a)
{
	*a = (struct agent){ .r = NULL };
	node_make(&a->node, "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
			    "stepping\t: 4\n");
	node_put(&a->node, STR("0-1\n"), CPU_FOLDER "/online");
	node_put(&a->node, STR("0\n"), CPU_FOLDER "/cpu0/topology/thread_siblings_list");
	node_put(&a->node, STR("1\n"), CPU_FOLDER "/cpu1/topology/thread_siblings_list");
	node_pmu(&a->node, "cpu", "4\n", NULL);
	node_pmu(&a->node, "software", "1\n", NULL);
	config_init(&a->config);
	put_path(a->config.root, &a->node.tree, "");
	put_path(a->config.dir, &a->node.tree, "archive");
	put_path(a->config.runtime_dir, &a->node.tree, "run");
	put_path(a->config.job_file, &a->node.tree, "job");
	str_copy(a->config.hostname, CONFIG_TEXT_MAX, STR("n1"));
	a->config.retain.free_floor = 0;
	use_only(&a->config, "intel_8pmc3", "perf_sw");
	start(a, true);
	assert_int_equal(recorder_sample(a->r, 0), 0);
}

static void agent_free(struct agent *a)
{
	stop(a);
	config_free(&a->config);
	buf_free(&a->text);
	node_free(&a->node);
}

static struct recorder *later(struct agent *a)
{
	script.enabled += 1000;
	script.running += 1000;
	return a->r;
}

/* Take a sample, with a new search for devices. */
static int pass(struct agent *a)
{
	a->r->sampler.scanned_ns = 0;
	return recorder_sample(later(a), 0);
}

static size_t open_on_hardware(void)
{
	size_t n = 0;
	for (int i = 0; i < script.n; i++)
		n += script.fd[i].open && script.fd[i].type == 4;
	return n;
}

/* Check the marks of the last record group, each followed by ";". */
static void assert_marks(struct agent *a, const char *want)
{
	struct buf got CLEANUP(buf_free) = { 0 };
	struct str text = buf_str(&a->r->group), line;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, STR("%"))) {
			put_mark_line(&got, line);
			buf_add_char(&got, ';');
		}
	assert_text(buf_str(&got), str_of(want));
}

static size_t rows(struct agent *a, const char *type)
{
	struct str text = buf_str(&a->r->group), line, word;
	size_t n = 0;
	while (str_take_line(&text, &line))
		n += str_take_word(&line, &word) && str_eq(word, str_of(type));
	return n;
}

static const struct type_state *type_of(struct agent *a, const char *name)
{
	for (size_t i = 0; i < n_collectors; i++)
		if (strcmp(types[i]->name, name) == 0)
			return &a->r->sampler.type[i];
	fail();
	return NULL;
}

TEST(marks_name_the_counters_that_were_opened)
{
	struct agent a CLEANUP(agent_free);
	agent_begin(&a);
	assert_int_equal(open_on_hardware(), 2 * CORE);
	assert_marks(&a, "counters_restart intel_8pmc3;counters_restart perf_sw;");
	assert_int_equal(pass(&a), 0);
	assert_marks(&a, "");
	assert_int_equal(rows(&a, "intel_8pmc3"), 2);

	node_put(&a.node, STR("1-2\n"), CPU_FOLDER "/online");
	assert_int_equal(pass(&a), 0);
	assert_marks(&a, "counters_restart intel_8pmc3 2;counters_restart perf_sw 2;");
}

TEST(release_closes_only_hardware_counters)
{
	struct agent a CLEANUP(agent_free);
	agent_begin(&a);
	assert_int_equal(recorder_begin(later(&a), STR("7")), 0);
	int software = script_open() - (int)open_on_hardware();
	assert_int_equal(recorder_release(later(&a), STR("7")), 0);
	assert_int_equal(open_on_hardware(), 0);
	assert_int_equal(script_open(), software);
	assert_marks(&a, "counters_release 7;");
	/* the record group of the release still has rows */
	assert_int_equal(rows(&a, "intel_8pmc3"), 2);
	assert_string_equal(type_of(&a, "intel_8pmc3")->source.why,
			    "counters released to job 7");
	assert_int_equal(recorder_release(later(&a), STR("7")), -EALREADY);

	int ever = script.n;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pass(&a), 0);
	assert_int_equal(script.n, ever);
	assert_int_equal(rows(&a, "intel_8pmc3"), 0);
	assert_int_equal(rows(&a, "perf_sw"), 2);
	assert_marks(&a, "");
}

TEST(counters_return_with_a_restart_mark)
{
	struct agent a CLEANUP(agent_free);
	agent_begin(&a);
	assert_int_equal(recorder_acquire(later(&a), STR("")), -ENOENT);
	assert_int_equal(recorder_begin(later(&a), STR("7")), 0);
	assert_int_equal(recorder_release(later(&a), STR("7")), 0);
	assert_int_equal(recorder_acquire(later(&a), STR("8")), -ENOENT);
	assert_int_equal(recorder_acquire(later(&a), STR("a,b")), -EINVAL);
	assert_int_equal(open_on_hardware(), 0);
	assert_int_equal(recorder_acquire(later(&a), STR("7")), 0);
	assert_int_equal(open_on_hardware(), 2 * CORE);
	assert_marks(&a, "counters_acquire 7;counters_restart intel_8pmc3;");
	assert_int_equal(rows(&a, "intel_8pmc3"), 2);
	assert_int_equal(recorder_acquire(later(&a), STR("7")), -ENOENT);
}

TEST(counters_return_after_the_last_job_that_has_them)
{
	struct agent a CLEANUP(agent_free);
	agent_begin(&a);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(recorder_begin(later(&a), str_of(&"7\0" "8\0" "9"[2 * i])), 0);
		assert_int_equal(recorder_release(later(&a), str_of(&"7\0" "8\0" "9"[2 * i])), 0);
	}
	assert_int_equal(recorder_end(later(&a), STR("8")), 0);
	assert_marks(&a, "end 8 source=hook;counters_acquire 8;");
	assert_int_equal(open_on_hardware(), 0);
	assert_string_equal(type_of(&a, "intel_8pmc3")->source.why,
			    "counters released to job 7,9");
	assert_int_equal(recorder_acquire(later(&a), STR("9")), 0);
	assert_int_equal(open_on_hardware(), 0);
	assert_int_equal(recorder_end(later(&a), STR("9")), 0);
	assert_marks(&a, "end 9 source=hook;");
	assert_int_equal(recorder_end(later(&a), STR("7")), 0);
	assert_int_equal(open_on_hardware(), 2 * CORE);
}

TEST(counters_return_when_a_job_of_the_job_file_ends)
{
	struct agent a CLEANUP(agent_free);
	agent_begin(&a);
	tree_put(&a.node.tree, "job", STR("7\n"));
	assert_int_equal(recorder_job_file(later(&a)), 1);
	assert_int_equal(recorder_release(later(&a), STR("7")), 0);
	tree_put(&a.node.tree, "job", STR("8\n"));
	assert_int_equal(recorder_job_file(later(&a)), 1);
	assert_marks(&a, "end 7 source=file;counters_acquire 7;"
		     "begin 8 source=file;counters_restart intel_8pmc3;");
	assert_int_equal(open_on_hardware(), 2 * CORE);
}

TEST(release_outlives_the_agent_and_ends_with_its_job)
{
	struct agent a CLEANUP(agent_free);
	agent_begin(&a);
	assert_int_equal(recorder_begin(later(&a), STR("7")), 0);
	assert_int_equal(recorder_release(later(&a), STR("7")), 0);
	for (int keep = 0; keep < 2; keep++) {
		stop(&a);
		start(&a, keep);
		int ever = script.n;
		assert_int_equal(pass(&a), 0);
		assert_int_equal(pass(&a), 0);
		for (int i = ever; i < script.n; i++)
			assert_int_not_equal(script.fd[i].type, 4);
	}
	assert_int_equal(recorder_end(later(&a), STR("7")), 0);
	assert_int_equal(open_on_hardware(), 2 * CORE);
	assert_marks(&a, "end 7 source=hook;counters_acquire 7;counters_restart intel_8pmc3;");
}

TEST(only_a_known_job_gets_the_counters)
{
	struct agent a CLEANUP(agent_free);
	agent_begin(&a);
	uint64_t samples = a.r->persistent.samples;
	assert_int_equal(recorder_release(later(&a), STR("7")), -ENOENT);
	assert_int_equal(recorder_release(later(&a), STR("")), -EINVAL);
	assert_int_equal(recorder_release(later(&a), STR("a,b")), -EINVAL);
	assert_int_equal(recorder_mark(a.r, STR("counters_release 7")), -EINVAL);
	assert_int_equal(a.r->persistent.samples, samples);
	assert_int_equal(open_on_hardware(), 2 * CORE);
}

TEST(single_sample_opens_no_counters)
{
	struct agent a CLEANUP(agent_free);
	agent_begin(&a);
	stop(&a);
	start(&a, false);
	int ever = script.n;
	assert_int_equal(pass(&a), 0);
	assert_int_equal(script.n, ever);
	assert_marks(&a, "");
	assert_int_equal(rows(&a, "perf_sw"), 0);

	struct buf printed CLEANUP(buf_free) = { 0 };
	recorder_print(a.r, &printed);		/* printing a sample opens the counters */
	assert_int_equal(rows(&a, "perf_sw"), 2);
}

TEST(worker_process_ends_with_the_release)
{
	struct agent a CLEANUP(agent_free);
	agent_begin(&a);
	stop(&a);
	for (size_t i = 0; i < n_collectors; i++)
		if (a.config.use[i] == USE_ON)
			a.config.use[i] = USE_ISOLATE;
	start(&a, true);
	assert_int_equal(recorder_begin(later(&a), STR("7")), 0);
	assert_marks(&a, "begin 7 source=hook;counters_restart intel_8pmc3;"
		     "counters_restart perf_sw;");
	assert_true(type_of(&a, "intel_8pmc3")->worker.pid > 0);
	assert_int_equal(recorder_release(later(&a), STR("7")), 0);
	assert_int_equal(type_of(&a, "intel_8pmc3")->worker.pid, 0);
	assert_true(type_of(&a, "perf_sw")->worker.pid > 0);
}

int main(void)
{
	RUN(cmocka_unit_test(marks_name_the_counters_that_were_opened),
	    cmocka_unit_test(release_closes_only_hardware_counters),
	    cmocka_unit_test(counters_return_with_a_restart_mark),
	    cmocka_unit_test(counters_return_after_the_last_job_that_has_them),
	    cmocka_unit_test(counters_return_when_a_job_of_the_job_file_ends),
	    cmocka_unit_test(release_outlives_the_agent_and_ends_with_its_job),
	    cmocka_unit_test(only_a_known_job_gets_the_counters),
	    cmocka_unit_test(single_sample_opens_no_counters),
	    cmocka_unit_test(worker_process_ends_with_the_release));
}
