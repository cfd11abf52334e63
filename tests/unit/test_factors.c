/* SPDX-License-Identifier: BSD-3-Clause */
/* test_factors.c - compute the cost of energy from a site's configuration and its grid's file */
#include "tests/unit/heard.h"
#include "tests/unit/tree.h"

#include "base/base.h"
#include "schema/factors.h"

#define HOUR INT64_C(3600000000)
#define KWH  3.6e6
#define GRID "# a day\n\n@3600 100\n@7200 400\n@10800 0\n"

struct site {
	struct tree tree;
	struct heard heard;
	struct listener listener;
	struct factors factors;
	char path[256];
};

static void site_open(struct site *s)
{
	*s = (struct site){ .listener = { .hear = hear_line } };
	tree_make(&s->tree);
	s->listener.arg = &s->heard;
	snprintf(s->path, sizeof(s->path), "%s/advice", s->tree.path);
}

static void site_free(struct site *s)
{
	factors_free(&s->factors);
	tree_free(&s->tree);
}

static void assert_near(double got, double want)
{
	if (!(got > want - 1e-9 && got < want + 1e-9))
		fail_msg("%.12g, not %.12g", got, want);
}

/* Return the grams of CO2 for 1 kWh used evenly from start to end. */
static double grams_between(const struct factors *f, int64_t start, int64_t end)
{
	return factors_cost(f, KWH, start, end).grams;
}

TEST(grams_are_the_grids_mean_over_the_time)
{
	struct site s CLEANUP(site_free);
	site_open(&s);
	struct factors *f = &s.factors;
	assert_int_equal(factors_take_grid(f, "grid", STR(GRID), &s.listener), 0);
	assert_near(grams_between(f, HOUR, 2 * HOUR), 100);
	assert_near(grams_between(f, 2 * HOUR, 3 * HOUR), 400);
	assert_near(grams_between(f, HOUR, 3 * HOUR), 250);
	assert_near(grams_between(f, HOUR + HOUR / 2, 2 * HOUR + HOUR / 2), 250);
	assert_near(grams_between(f, 2 * HOUR, 2 * HOUR), 400);
	assert_near(grams_between(f, 3 * HOUR, 2 * HOUR), 400);	/* the clock was set back */
	assert_true(grams_between(f, HOUR - 1, 2 * HOUR) < 0);
	assert_true(grams_between(f, HOUR, 3 * HOUR + 1) < 0);
	assert_true(grams_between(f, 2 * HOUR, 0) < 0);
}

TEST(bill_includes_the_building_and_omits_unset_factors)
{
	struct factors f CLEANUP(factors_free) = { .pue = 0 };
	assert_false(factors_are_set(&f));
	struct bill c = factors_cost(&f, 2 * KWH, 0, HOUR);
	assert_near(c.kwh, 2);
	assert_true(c.grams < 0 && c.price < 0);
	assert_true(factors_take(&f, STR("pue = 1.5")));
	assert_true(factors_take(&f, STR(" price=0.2 ")));
	assert_true(factors_take(&f, STR("carbon = 300")));
	assert_true(factors_are_set(&f));
	c = factors_cost(&f, 2 * KWH, 0, HOUR);
	assert_near(c.kwh, 3);
	assert_near(c.grams, 900);
	assert_near(c.price, 0.6);
	assert_true(factors_take(&f, STR("carbon = 10"))); /* this line replaces the value 300 */
	assert_near(factors_cost(&f, KWH, 0, HOUR).grams, 15);
}

TEST(invalid_factor_is_refused)
{
	static const char *const bad[] = {
		"pue = 0.9", "pue = x", "pue", "price = -1", "price = nan", "price = 1e18",
		"price = 1 ", "price =", "carbon = x", "carbon = -2", "co2 = 3",
	};
	struct factors f CLEANUP(factors_free) = { .pue = 0 };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (factors_take(&f, str_of(bad[i])) != (strcmp(bad[i], "price = 1 ") == 0))
			fail_msg("\"%s\"", bad[i]);
	assert_true(factors_take(&f, STR("pue = 1")));
}

TEST(bad_line_of_the_grid_is_named)
{
	static const struct {
		const char *text, *at;
	} cases[] = {
		{ "@3600 100\n@3600 100\n", "grid:2: " },
		{ "@3600 100\n\n@60 100\n", "grid:3: " },
		{ "yesterday? 100\n", "grid:1: " },
		{ "@3600\n", "grid:1: " },
		{ "@3600 much\n", "grid:1: " },
	};
	struct site s CLEANUP(site_free);
	site_open(&s);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(factors_take_grid(&s.factors, "grid", str_of(cases[i].text),
						   &s.listener), -EINVAL);
		assert_lines(&s.heard, 0, 0, cases[i].at);
	}
}

TEST(site_is_read_from_its_section)
{
	struct site s CLEANUP(site_free);
	struct buf text CLEANUP(buf_free) = { 0 };
	site_open(&s);
	assert_int_equal(factors_read_site(&s.factors, s.path, &s.listener), 0);
	assert_false(factors_are_set(&s.factors));
	tree_put(&s.tree, "grid", STR(GRID));
	buf_addf(&text, "rule = text\n[site]\n# a comment\n\npue = 1.25\n carbon = %s/grid\n",
		 s.tree.path);
	tree_put(&s.tree, "advice", buf_str(&text));
	assert_int_equal(factors_read_site(&s.factors, s.path, &s.listener), 0);
	assert_near(s.factors.pue, 1.25);
	assert_near(grams_between(&s.factors, HOUR, 2 * HOUR), 125);
}

/*
 * A user's file of advice is read after the site's. A grid file named by "carbon" is loaded only
 * after both, and must not replace a number that came later.
 */
TEST(last_value_of_carbon_counts_be_it_a_number_or_a_file)
{
	struct site s CLEANUP(site_free);
	struct buf line CLEANUP(buf_free) = { 0 };
	site_open(&s);
	tree_put(&s.tree, "grid", STR(GRID));
	buf_addf(&line, "carbon = %s/grid", s.tree.path);
	assert_true(factors_take(&s.factors, buf_str(&line)));
	assert_true(factors_take(&s.factors, STR("carbon = 300")));
	assert_int_equal(factors_load(&s.factors, &s.listener), 0);
	assert_near(grams_between(&s.factors, HOUR, 2 * HOUR), 300);
	assert_true(factors_take(&s.factors, buf_str(&line)));
	assert_int_equal(factors_load(&s.factors, &s.listener), 0);
	assert_near(grams_between(&s.factors, HOUR, 2 * HOUR), 100);
}

/* A half-read site configuration would give wrong costs. */
TEST(unreadable_site_sets_nothing)
{
	static const struct {
		const char *text, *at;
	} cases[] = {
		{ "[site]\nprice = 2\nco2 = 1\n", "/advice:3: expected carbon, price or pue" },
		{ "[site]\nprice = 2\ncarbon = /nowhere/grid\n", "/nowhere/grid: No such file" },
	};
	struct site s CLEANUP(site_free);
	site_open(&s);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_put(&s.tree, "advice", str_of(cases[i].text));
		assert_true(factors_read_site(&s.factors, s.path, &s.listener) < 0);
		assert_lines(&s.heard, 0, 0, cases[i].at);
		assert_false(factors_are_set(&s.factors));
		assert_string_equal(s.factors.file, "");
	}
	assert_true(factors_read_site(&s.factors, s.tree.path, &s.listener) < 0);
	assert_lines(&s.heard, 0, 0, "Is a directory");
}

TEST(bills_add_up_if_all_parts_are_known)
{
	struct bill sum = { 0, 0, 0 };
	cost_add(&sum, &(struct bill){ 1, 100, -1 });
	assert_near(sum.grams, 100);
	assert_true(sum.price < 0);
	cost_add(&sum, &(struct bill){ 2, -1, 3 });
	cost_add(&sum, &(struct bill){ 2, 20, 4 });
	assert_near(sum.kwh, 5);
	assert_near(sum.grams, 120);
	assert_near(sum.price, 7);
}

TEST(bill_is_written_as_words_and_as_json)
{
	const struct factors f = { .pue = 1.5 };
	struct buf b CLEANUP(buf_free) = { 0 };
	cost_put_text(&b, &f, &(struct bill){ 3, 900, 0.6 }, ">=");
	assert_text(buf_str(&b), STR(">=3 kWh with PUE 1.5, >=900 g CO2, price >=0.6"));
	b.n = 0;
	cost_put_text(&b, &(struct factors){ .pue = 0 }, &(struct bill){ 3, -1, -1 }, "");
	assert_text(buf_str(&b), STR("3 kWh"));
	b.n = 0;
	cost_put_json(&b, &(struct bill){ 3, 0, 0 });
	assert_text(buf_str(&b), STR("\"kwh\":3,\"co2_grams\":0,\"price\":0"));
	b.n = 0;
	cost_put_json(&b, &(struct bill){ 3, -1, -1 });
	assert_text(buf_str(&b), STR("\"kwh\":3"));
}

int main(void)
{
	RUN(cmocka_unit_test(grams_are_the_grids_mean_over_the_time),
	    cmocka_unit_test(bill_includes_the_building_and_omits_unset_factors),
	    cmocka_unit_test(invalid_factor_is_refused),
	    cmocka_unit_test(bad_line_of_the_grid_is_named),
	    cmocka_unit_test(site_is_read_from_its_section),
	    cmocka_unit_test(last_value_of_carbon_counts_be_it_a_number_or_a_file),
	    cmocka_unit_test(unreadable_site_sets_nothing),
	    cmocka_unit_test(bills_add_up_if_all_parts_are_known),
	    cmocka_unit_test(bill_is_written_as_words_and_as_json));
}
