/* SPDX-License-Identifier: BSD-3-Clause */
/* test_runtime_dir.c - find the runtime directory in hooks as the full configuration reader does */
#include "tests/unit/tree.h"

#include <string.h>
#include "recorder/runtime_dir.h"

#define LINES_MAX 4
#define SET_LEAST 100	/* minimum number of trials that set the key; some 600 do */
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
	assert_true(refused > 0);	/* a rare line such as "runtime-dir: /e" */
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

int main(void)
{
	RUN(cmocka_unit_test(takes_the_value_that_the_full_reader_takes),
	    cmocka_unit_test(refuses_a_value_that_is_too_long));
}
