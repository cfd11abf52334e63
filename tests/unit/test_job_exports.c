/* SPDX-License-Identifier: BSD-3-Clause */
/* test_job_exports.c - write files that show other programs which job has which GPU */
#include "tests/unit/tree.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include "figures/allocation.h"
#include "recorder/job_exports.h"

#define ROW(job) "{\"job\":\"" job "\",\"user\":\"ann\"}\n"

struct node {
	struct tree tree;
	struct config config;
};

static void node_open(struct node *n)
{
	tree_make(&n->tree);
	config_init(&n->config);
	assert_int_equal(mkdirat(n->tree.fd, "gpu", 0755), 0);
	assert_int_equal(mkdirat(n->tree.fd, "dcgm", 0755), 0);
	assert_int_equal(mkdirat(n->tree.fd, "done", 0755), 0);
	snprintf(n->config.gpu_job_dir, CONFIG_TEXT_MAX, "%s/gpu", n->tree.path);
	snprintf(n->config.dcgm_job_dir, CONFIG_TEXT_MAX, "%s/dcgm", n->tree.path);
	snprintf(n->config.summary_dir, CONFIG_TEXT_MAX, "%s/done", n->tree.path);
}

static void node_free(struct node *n)
{
	config_free(&n->config);
	tree_free(&n->tree);
}

static void begin(struct node *n, const char *id, const char *attributes)
{
	struct attributes known;
	assert_true(attributes_read(str_of(attributes), &known));
	job_exports_begin(&n->config, NULL, str_of(id), &known);
}

static void end(struct node *n, const char *id)
{
	struct job job = { .user = "\\141nn" };	/* the name has escapes as in a mark */
	struct buf summary CLEANUP(buf_free) = { 0 };
	str_copy(job.id, sizeof(job.id), str_of(id));
	buf_addf(&summary, "{\"job\":\"%s\"}", id);
	job_exports_end(&n->config, NULL, &job, "n1", buf_str(&summary));
}

static bool is_there(const struct node *n, const char *path)
{
	return faccessat(n->tree.fd, path, F_OK, 0) == 0;
}

TEST(list_of_gpus_has_numbers_and_ranges)
{
	static const struct {
		const char *text, *want; /* .want is NULL if the text is not a list of GPUs */
	} cases[] = {
		{ "0", "0" }, { "0,1,3", "0 1 3" }, { "0-3", "0 1 2 3" }, { "7,0-1", "0 1 7" },
		{ "255", "255" }, { "5-5", "5" }, { "1,1", "1" },
		{ "", NULL }, { ",", NULL }, { "1,", NULL }, { "3-1", NULL }, { "256", NULL },
		{ "0-256", NULL }, { "0-18446744073709551615", NULL }, { "-1", NULL },
		{ "1-", NULL }, { "1--2", NULL }, { "a", NULL }, { "1 2", NULL }, { " 1", NULL },
		{ "1, 2", NULL }, { "GPU-265a219d", NULL }, { "99999999999999999999", NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf got CLEANUP(buf_free) = { 0 };
		bool has[GPUS_MAX];
		int r = gpu_list(str_of(cases[i].text), has);
		assert_int_equal(r, cases[i].want ? 0 : -EINVAL);
		for (unsigned g = 0; r == 0 && g < GPUS_MAX; g++)
			if (has[g])
				buf_addf(&got, "%s%u", got.n ? " " : "", g);
		if (r == 0)
			assert_text(buf_str(&got), str_of(cases[i].want));
	}
}

TEST(each_gpu_of_a_job_has_its_file_until_the_job_ends)
{
	struct node n CLEANUP(node_free);
	struct stat st;
	char next[64];
	node_open(&n);
	umask(077);
	begin(&n, "7", " user=ann uid=1000 gpus=0,2-3");
	assert_file(&n.tree, "gpu/0", STR("7 1000\n"));
	assert_file(&n.tree, "gpu/3", STR("7 1000\n"));
	assert_file(&n.tree, "dcgm/2", STR("7\n"));
	assert_false(is_there(&n, "gpu/1"));
	snprintf(next, sizeof(next), "gpu/0.%d.new", (int)getpid());
	assert_false(is_there(&n, next));
	assert_int_equal(fstatat(n.tree.fd, "dcgm/2", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	end(&n, "7");
	assert_false(is_there(&n, "gpu/0"));
	assert_false(is_there(&n, "gpu/3"));
	assert_false(is_there(&n, "dcgm/2"));
	assert_file(&n.tree, "done/n1.jsonl", STR(ROW("7")));
}

TEST(jobs_share_a_gpu_file_of_dcgm_but_not_of_gpustat)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin(&n, "7", "gpus=0");
	begin(&n, "8", "gpus=0,1");
	begin(&n, "8", "gpus=0,1");	/* the begin mark is repeated */
	begin(&n, "77", "gpus=0");
	assert_file(&n.tree, "gpu/0", STR("77\n"));
	assert_file(&n.tree, "gpu/1", STR("8\n"));
	assert_file(&n.tree, "dcgm/0", STR("7\n8\n77\n"));
	end(&n, "7");
	assert_file(&n.tree, "gpu/0", STR("77\n"));
	assert_file(&n.tree, "dcgm/0", STR("8\n77\n"));
	end(&n, "8");
	assert_file(&n.tree, "dcgm/0", STR("77\n"));
	assert_false(is_there(&n, "gpu/1"));
	end(&n, "77");
	assert_false(is_there(&n, "dcgm/0"));
	assert_file(&n.tree, "done/n1.jsonl", STR(ROW("7") ROW("8") ROW("77")));
}

TEST(files_of_other_programs_stay)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	tree_put(&n.tree, "gpu/README", STR("7\n"));
	tree_put(&n.tree, "gpu/5", STR("6 1\n"));
	tree_put(&n.tree, "dcgm/5", STR(""));
	begin(&n, "7", "gpus=0");
	end(&n, "7");
	assert_file(&n.tree, "gpu/README", STR("7\n"));
	assert_file(&n.tree, "gpu/5", STR("6 1\n"));
	assert_file(&n.tree, "dcgm/5", STR(""));
}

TEST(nothing_is_written_if_no_gpu_is_known_or_configured)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin(&n, "7", "user=ann");
	begin(&n, "7", "gpus=GPU-265a219d");
	assert_false(is_there(&n, "gpu/0"));
	n.config.gpu_job_dir[0] = n.config.summary_dir[0] = '\0';
	begin(&n, "7", "gpus=0");
	assert_false(is_there(&n, "gpu/0"));
	assert_true(is_there(&n, "dcgm/0"));
	end(&n, "7");
	assert_false(is_there(&n, "done/n1.jsonl"));
}

TEST(missing_folder_does_no_harm)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	assert_int_equal(unlinkat(n.tree.fd, "gpu", AT_REMOVEDIR), 0);
	assert_int_equal(unlinkat(n.tree.fd, "done", AT_REMOVEDIR), 0);
	begin(&n, "7", "gpus=0");
	assert_file(&n.tree, "dcgm/0", STR("7\n"));
	end(&n, "7");
	assert_false(is_there(&n, "dcgm/0"));
}

/*
 * Somebody may have put links to other files in place of an exported file and its temporary file.
 */
TEST(links_are_not_followed)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	char next[64];
	tree_put(&n.tree, "secret", STR("s"));
	snprintf(next, sizeof(next), "gpu/0.%d.new", (int)getpid());
	assert_int_equal(symlinkat("../secret", n.tree.fd, next), 0);
	assert_int_equal(symlinkat("../secret", n.tree.fd, "done/n1.jsonl"), 0);
	begin(&n, "7", "gpus=0");
	end(&n, "7");
	assert_file(&n.tree, "secret", STR("s"));
}

/*
 * While job 8 ends, a limit of the file size cuts off its line, as a full disk does. The part that
 * was written must be removed.
 */
TEST(summary_that_a_full_disk_cuts_short_spoils_no_other_line)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	end(&n, "7");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ sizeof(ROW("7")) + 5,
								   RLIM_INFINITY }), 0);
	end(&n, "8");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ RLIM_INFINITY,
								   RLIM_INFINITY }), 0);
	end(&n, "9");
	assert_file(&n.tree, "done/n1.jsonl", STR(ROW("7") ROW("9")));
}

int main(void)
{
	RUN(cmocka_unit_test(list_of_gpus_has_numbers_and_ranges),
	    cmocka_unit_test(each_gpu_of_a_job_has_its_file_until_the_job_ends),
	    cmocka_unit_test(jobs_share_a_gpu_file_of_dcgm_but_not_of_gpustat),
	    cmocka_unit_test(files_of_other_programs_stay),
	    cmocka_unit_test(nothing_is_written_if_no_gpu_is_known_or_configured),
	    cmocka_unit_test(missing_folder_does_no_harm),
	    cmocka_unit_test(links_are_not_followed),
	    cmocka_unit_test(summary_that_a_full_disk_cuts_short_spoils_no_other_line));
}
