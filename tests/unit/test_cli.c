/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cli.c - find every option of a long table, and wrap the rows of --help */
#include "tests/unit/test.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/cli.h"

#define MANY 50

TEST(last_of_many_options_is_found)
{
	static char name[MANY][16];
	static struct cli_option options[MANY];
	static const struct cli cli = {
		.command = "many", .operands = "", .about = "", .option = options,
		.n_options = MANY,
	};
	for (int i = 0; i < MANY; i++) {
		snprintf(name[i], sizeof(name[i]), "number-%02d", i);
		options[i] = (struct cli_option){ name[i], i % 2 ? "N" : NULL, "", '\0' };
	}
	options[MANY - 1].letter = 'z';
	for (int i = 0; i < MANY; i++) {
		char word[24];
		snprintf(word, sizeof(word), "--%s%s", name[i], i % 2 ? "=7" : "");
		char *argv[] = { "many", word, NULL };
		const char *arg = NULL;
		optind = 0;
		assert_int_equal(cli_take(&cli, 2, argv, &arg), i);
		if (i % 2)
			assert_string_equal(arg, "7");
		assert_int_equal(cli_take(&cli, 2, argv, &arg), CLI_END);
	}
	char *argv[] = { "many", "-z", "9", NULL };
	const char *arg = NULL;
	optind = 0;
	assert_int_equal(cli_take(&cli, 3, argv, &arg), MANY - 1);
	assert_string_equal(arg, "9");
}

TEST(rows_of_help_are_wrapped_below_80_columns)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	cli_print_row(to, 10, "--dir", "archive");
	cli_print_row(to, 10, "--sort NAME", "order");
	cli_print_row(to, 10, "--all", "print one line for each absent type, with the reason, not "
				       "for each reason");
	fclose(to);
	assert_string_equal(text, "  --dir   archive\n"
				  "  --sort NAME\n"
				  "          order\n"
				  "  --all   print one line for each absent type, with the "
				  "reason, not for each\n"
				  "          reason\n");
	free(text);
}

TEST(common_options_are_moved_from_any_place_before_the_end_of_options)
{
	char *argv[] = {
		"x", "--dir", "/a", "word", "--root=/r", "--directory", "--config", "/c",
		"--", "--dir=/b",
	};
	struct cli_common given = { 0 };
	assert_int_equal(cli_take_common(&given, ARRAY_SIZE(argv), argv), 5);
	assert_string_equal(given.dir, "/a");
	assert_string_equal(given.root, "/r");
	assert_string_equal(given.config, "/c");
	const char *left[] = { "x", "word", "--directory", "--", "--dir=/b" };
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		assert_string_equal(argv[i], left[i]);
	char *words[CLI_COMMON_WORDS_MAX];
	assert_int_equal(cli_put_common(&given, CLI_ROOT | CLI_DIR, words), 4);
	assert_string_equal(words[0], "--root");
	assert_string_equal(words[1], "/r");
	assert_string_equal(words[2], "--dir");
	assert_string_equal(words[3], "/a");
}

int main(void)
{
	RUN(cmocka_unit_test(common_options_are_moved_from_any_place_before_the_end_of_options),
	    cmocka_unit_test(last_of_many_options_is_found),
	    cmocka_unit_test(rows_of_help_are_wrapped_below_80_columns));
}
