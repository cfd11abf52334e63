/* SPDX-License-Identifier: BSD-3-Clause */
/* test_plot.c - write a chart as a program for gnuplot: axes, gaps, and values below 0 */
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "plot/plot.h"

#define START INT64_C(1700000000000000)
#define EDGES 4

/* Make a chart of one line and one panel, with a value each second. */
static void chart_of(struct chart *c, const float values[EDGES])
{
	chart_init(c, 1, 1, EDGES, true);
	c->start = START;
	c->end = START + (EDGES - 1) * 1000000;
	for (size_t i = 0; i < EDGES; i++) {
		c->edge[i] = START + (int64_t)i * 1000000;
		chart_values(c, 0, 0)[i] = values[i];
		c->joined[i] = i > 0;
	}
	chart_measure(c);
}

static bool has(const struct buf *b, const char *text)
{
	return memmem(b->p, b->n, text, strlen(text)) != NULL;
}

/*
 * .axis_top is the value to which the panel's axis must reach at least, or 0. .by is the factor by
 * which the plot multiplies the values and .axis_top. .range is the range that the plot must have.
 */
TEST(axis_fits_all_values)
{
	static const struct {
		float value[EDGES];
		double by, axis_top;
		const char *range;
	} cases[] = {
		{ { 0, 0, 0, 0 },       1, 0, "set yrange [0:1]\n" },
		{ { 1, 2, 3, 4 },       1, 0, "set yrange [0:*]\n" },
		{ { 1, -2, 3, 4 },      1, 0, "set yrange [*:*]\n" },
		{ { -1, -2, NAN, -4 },  1, 0, "set yrange [*:*]\n" },
		{ { 1, 2, 3, 4 },      10, 8, "set yrange [0:80]\n" },
		{ { 1, 2, 3, 16 },     10, 8, "set yrange [0:160]\n" },
	};
	const struct plot_how how = { .form = PLOT_SVG };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		struct chart c CLEANUP(chart_free);
		chart_of(&c, cases[i].value);
		c.panel[0].by = cases[i].by;
		c.panel[0].axis_top = cases[i].axis_top;
		plot_put_script(&b, &c, &how);
		if (!has(&b, cases[i].range))
			fail_msg("%zu: " STR_FMT, i, STR_ARG(buf_str(&b)));
	}
}

TEST(colours_of_a_map_fit_all_values)
{
	static const float value[EDGES] = { 1, -2, NAN, 3 };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct chart c CLEANUP(chart_free);
	chart_of(&c, value);
	c.panel[0].by = 10;
	plot_put_map_data(&b, &c, 0);
	plot_put_map(&b, &c, 0, 60, 0);
	assert_true(has(&b, "10 -20 -1e30 30\n"));
	assert_true(has(&b, "set cbrange [-20:30]\n"));
}

/* An empty line interrupts the curve; of equal values, only the first and the last are written. */
TEST(curve_has_gaps_and_the_ends_of_level_parts)
{
	static const struct {
		float value[EDGES];
		const char *data;
	} cases[] = {
		{ { 5, 5, 5, 5 }, "0.000 5\n3.000 5\nEOD\n" },
		{ { 5, 5, 6, 6 }, "0.000 5\n1.000 5\n2.000 6\n3.000 6\nEOD\n" },
		{ { 5, 5, NAN, 6 }, "0.000 5\n1.000 5\n\n3.000 6\nEOD\n" },
		{ { NAN, 5, NAN, 5 }, "1.000 5\n\n3.000 5\nEOD\n" },
		{ { 5, NAN, NAN, NAN }, "0.000 5\nEOD\n" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		struct chart c CLEANUP(chart_free);
		chart_of(&c, cases[i].value);
		plot_put_data(&b, &c, 0, -(double)START / 1e6);
		if (!has(&b, cases[i].data))
			fail_msg("%zu: " STR_FMT, i, STR_ARG(buf_str(&b)));
	}
}

/* No line has a value in the second sample, and a gap precedes the fourth sample of all lines. */
TEST(spread_of_many_lines_has_a_gap_if_no_line_goes_on)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct chart c CLEANUP(chart_free);
	chart_init(&c, PLOT_LINES_MAX + 1, 1, EDGES, true);
	for (size_t i = 0; i < EDGES; i++) {
		c.edge[i] = START + (int64_t)i * 1000000;
		for (size_t line = 0; line < c.n_lines; line++) {
			chart_values(&c, line, 0)[i] = i == 1 ? NAN : 5;
			c.joined[line * EDGES + i] = i == 1 || i == 2;
		}
	}
	plot_put_data(&b, &c, 0, -(double)START / 1e6);
	assert_true(has(&b, "0.000 5 5 5 5 5\n\n2.000 5 5 5 5 5\n\n3.000 5 5 5 5 5\nEOD\n"));
	b.n = 0;
	c.joined[3] = true;	/* one line has no gap there, so the spread has none */
	plot_put_data(&b, &c, 0, -(double)START / 1e6);
	assert_true(has(&b, "0.000 5 5 5 5 5\n\n2.000 5 5 5 5 5\n3.000 5 5 5 5 5\nEOD\n"));
}

/* Times are local times, because gnuplot knows no time zones. */
TEST(times_are_local)
{
	static const float value[EDGES] = { 1, 2, 3, 4 };
	const struct plot_how how = { .form = PLOT_SVG };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct chart c CLEANUP(chart_free);
	setenv("TZ", "CET-1", 1);
	tzset();
	chart_of(&c, value);
	plot_put_script(&b, &c, &how);
	setenv("TZ", "UTC", 1);
	tzset();
	assert_true(has(&b, "\n1700003600.000 1\n1700003601.000 2\n"));
	assert_true(has(&b, "set xlabel 'CET'"));
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	RUN(cmocka_unit_test(axis_fits_all_values),
	    cmocka_unit_test(colours_of_a_map_fit_all_values),
	    cmocka_unit_test(curve_has_gaps_and_the_ends_of_level_parts),
	    cmocka_unit_test(spread_of_many_lines_has_a_gap_if_no_line_goes_on),
	    cmocka_unit_test(times_are_local));
}
