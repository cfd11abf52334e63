/* SPDX-License-Identifier: BSD-3-Clause */
/* test_runtime_dir.c - find the runtime directory in hooks as the full configuration reader does */
#include "tests/unit/tree.h"

#include <string.h>
#include <time.h>
#include "recorder/runtime_dir.h"

#define LINES_MAX 4
#define SET_LEAST 100	/* minimum number of trials that set the key; in fact, some 600 do */
#define TRIALS    20000

static const char *const lines[] = {
	"[agent]", "[agent]", "[agent]", " [agent] ", "[agent] ; ours", "[agent]x", "[ agent ]",
	"\xEF\xBB\xBF[agent]", "[types]", "[send]", "[sink a]", "[counters]",
	"runtime-dir = /a", "runtime-dir=/b", "  runtime-dir   =   /c d  ", "runtime-dir: /e",
	"runtime-dir = /f ; a comment", "runtime-dir = /g;h", "runtime-dir = /i # no comment",
	"runtime-dir =", "runtime-dir = relative", "runtime-dir", "runtime-dir-x = /j",
	"# runtime-dir = /k", "; runtime-dir = /l", "runtime-dir = /m\r", "x runtime-dir = /n",
	"", " ", "dir = /o", "cpu = on", "interval = 1s", "[send", "state-dir = /p",
};

static void put_random_text(struct buf *b)
{
	for (int i = rand() % (LINES_MAX + 1); i > 0; i--)
		buf_addf(b, "%s\n", lines[rand() % (int)ARRAY_SIZE(lines)]);
}

/* Only valid configurations are compared, because an agent does not start with any other. */
TEST(takes_the_value_that_the_full_reader_takes)
{
	struct tree t CLEANUP(tree_free);
	struct buf text CLEANUP(buf_free) = { 0 }, errors CLEANUP(buf_free) = { 0 };
	char path[128], dir[CONFIG_TEXT_MAX];
	unsigned set = 0, refused = 0;

	tree_make(&t);
	snprintf(path, sizeof(path), "%s/c", t.path);
	srand(48);
	for (int i = 0; i < TRIALS; i++) {
		struct config c;
		text.n = errors.n = 0;
		put_random_text(&text);
		tree_put(&t, "c", buf_str(&text));
		config_init(&c);
		str_copy(dir, sizeof(dir), str_of(c.runtime_dir));
		bool valid = config_read(&c, path, &errors) == 0;
		bool taken = runtime_dir_take(buf_str(&text), dir);
		if (valid && taken)
			assert_string_equal(dir, c.runtime_dir);
		set += valid && taken && strcmp(dir, CONFIG_RUNTIME_DIR) != 0;
		refused += valid && !taken;
		config_free(&c);
	}
	assert_true(set > SET_LEAST);
	assert_true(refused > 0);  /* only the full reader takes "runtime-dir: /e", for example */
}

TEST(refuses_a_value_that_is_too_long)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	char dir[CONFIG_TEXT_MAX] = "/before";
	buf_add(&text, STR("[agent]\nruntime-dir = /"));
	for (int i = 0; i < CONFIG_TEXT_MAX; i++)
		buf_add_char(&text, 'x');
	assert_false(runtime_dir_take(buf_str(&text), dir));
	assert_false(runtime_dir_take((struct str){ "[agent]\n\0", 9 }, dir));
}

/* A configuration file c, and run/CONFIG_READ, the list of files that the agent has read. */
struct pair {
	struct tree t;
	char config[128], run[128];
};

static void pair_make(struct pair *p)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	tree_make(&p->t);
	snprintf(p->config, sizeof(p->config), "%s/c", p->t.path);
	snprintf(p->run, sizeof(p->run), "%s/run", p->t.path);
	buf_addf(&text, "[agent]\nruntime-dir = %s\n", p->run);
	tree_put(&p->t, "c", buf_str(&text));
	tree_put(&p->t, "run/" CONFIG_READ, str_of(p->config));
}

static void pair_free(struct pair *p)
{
	tree_free(&p->t);
}

/*
 * Simulate an agent that read the files this long after their last change. Returns true if a hook
 * finds the directory.
 */
static bool finds(const struct pair *p, int64_t later_ns)
{
	struct stat st;
	char dir[CONFIG_TEXT_MAX];
	assert_int_equal(fstatat(p->t.fd, "c", &st, 0), 0);
	int64_t ns = (int64_t)st.st_ctim.tv_sec * 1000000000 + st.st_ctim.tv_nsec + later_ns;
	const struct timespec read = { ns / 1000000000, ns % 1000000000 };
	const struct timespec times[2] = { read, read };
	assert_int_equal(utimensat(p->t.fd, "run/" CONFIG_READ, times, 0), 0);
	bool found = runtime_dir_find(p->config, dir);
	if (found)
		assert_string_equal(dir, p->run);
	return found;
}

TEST(finds_the_directory_if_the_agent_has_read_the_files_since_their_change)
{
	struct pair p CLEANUP(pair_free);
	pair_make(&p);
	assert_true(finds(&p, 1));
	assert_true(finds(&p, 2000000000));
	assert_false(finds(&p, 0));
	assert_false(finds(&p, -1));
	assert_false(finds(&p, -2000000000));
	tree_put(&p.t, "run/" CONFIG_READ, STR("/other"));
	assert_false(finds(&p, 1));
	assert_int_equal(unlinkat(p.t.fd, "run/" CONFIG_READ, 0), 0);
	tree_put(&p.t, "run/list", str_of(p.config));
	assert_int_equal(symlinkat("list", p.t.fd, "run/" CONFIG_READ), 0);
	assert_false(finds(&p, 1));
}

/* A file that mv(1) or cp -p puts into place keeps an old modification time. */
TEST(notices_a_configuration_with_an_old_modification_time)
{
	static const struct timespec old[2] = { { 1000000000, 0 }, { 1000000000, 0 } };
	struct pair p CLEANUP(pair_free);
	pair_make(&p);
	assert_int_equal(utimensat(p.t.fd, "c", old, 0), 0);
	assert_false(finds(&p, -1));
	assert_true(finds(&p, 1));
}

TEST(finds_no_directory_if_a_file_is_too_large_or_missing)
{
	static char comment[65536];
	struct pair p CLEANUP(pair_free);
	char dir[CONFIG_TEXT_MAX];
	pair_make(&p);
	struct buf text CLEANUP(buf_free) = { 0 };
	tree_get(&p.t, "c", &text);
	memset(comment, '#', sizeof(comment));
	buf_add(&text, (struct str){ comment, sizeof(comment) - 1 - text.n });
	tree_put(&p.t, "c", buf_str(&text));
	assert_true(finds(&p, 1));
	buf_add_char(&text, '#');
	tree_put(&p.t, "c", buf_str(&text));
	assert_false(finds(&p, 1));
	assert_int_equal(unlinkat(p.t.fd, "c", 0), 0);
	assert_false(runtime_dir_find(p.config, dir));
	assert_int_equal(mkdirat(p.t.fd, "c", 0755), 0);
	assert_false(runtime_dir_find(p.config, dir));
}

/* Write the list as if the agent had read these files a minute from now. */
static void put_list(const struct pair *p, const char *const *files)
{
	const struct timespec soon = { time(NULL) + 60, 0 }, times[2] = { soon, soon };
	struct buf list CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; files[i]; i++)
		buf_addf(&list, "%setc/nodometer/%s", i ? ", " : "", files[i]);
	tree_put(&p->t, "run/" CONFIG_READ, buf_str(&list));
	assert_int_equal(utimensat(p->t.fd, "run/" CONFIG_READ, times, 0), 0);
}

/*
 * This program is built with the relative path SYSCONFDIR=etc, so the test changes to the parent
 * folder of etc.
 */
TEST(reads_the_files_of_conf_d_in_their_order)
{
	static const struct {
		const char *files[4];
		bool found;
	} cases[] = {
		{ { "nodometer.conf", "conf.d/1.conf", "conf.d/2.conf" }, true },
		{ { "nodometer.conf", "conf.d/2.conf", "conf.d/1.conf" }, false },
		{ { "nodometer.conf", "conf.d/1.conf" }, false },
		{ { "conf.d/1.conf", "conf.d/2.conf" }, false },
	};
	struct pair p CLEANUP(pair_free);
	struct buf text CLEANUP(buf_free) = { 0 };
	char dir[CONFIG_TEXT_MAX];
	pair_make(&p);
	assert_int_equal(chdir(p.t.path), 0);
	tree_get(&p.t, "c", &text);
	assert_false(runtime_dir_find(NULL, dir));
	tree_put(&p.t, "etc/nodometer/nodometer.conf", buf_str(&text));
	put_list(&p, (const char *const[]){ "nodometer.conf", NULL });
	assert_true(runtime_dir_find(NULL, dir));	/* there is no folder conf.d */
	tree_put(&p.t, "etc/nodometer/conf.d/.3.conf", STR("runtime-dir = /hidden\n"));
	tree_put(&p.t, "etc/nodometer/conf.d/4.conf.old", STR("runtime-dir = /old\n"));
	assert_true(runtime_dir_find(NULL, dir));
	tree_put(&p.t, "etc/nodometer/nodometer.conf", STR("[types]\n"));
	tree_put(&p.t, "etc/nodometer/conf.d/1.conf", buf_str(&text));
	tree_put(&p.t, "etc/nodometer/conf.d/2.conf", STR("[types]\n"));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_list(&p, cases[i].files);
		assert_int_equal(runtime_dir_find(NULL, dir), cases[i].found);
	}
	assert_int_equal(unlinkat(p.t.fd, "etc/nodometer/nodometer.conf", 0), 0);
	put_list(&p, cases[3].files);
	assert_true(runtime_dir_find(NULL, dir));
	assert_string_equal(dir, p.run);
	tree_put(&p.t, "etc/nodometer/conf.d/2.conf", STR("runtime-dir = /no/section\n"));
	put_list(&p, cases[3].files);
	assert_false(runtime_dir_find(NULL, dir));
	assert_int_equal(chdir("/"), 0);
}

int main(void)
{
	RUN(cmocka_unit_test(takes_the_value_that_the_full_reader_takes),
	    cmocka_unit_test(
		    finds_the_directory_if_the_agent_has_read_the_files_since_their_change),
	    cmocka_unit_test(notices_a_configuration_with_an_old_modification_time),
	    cmocka_unit_test(finds_no_directory_if_a_file_is_too_large_or_missing),
	    cmocka_unit_test(reads_the_files_of_conf_d_in_their_order),
	    cmocka_unit_test(refuses_a_value_that_is_too_long));
}
