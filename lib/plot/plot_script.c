/* SPDX-License-Identifier: BSD-3-Clause */
/* plot_script.c - write a chart as a program for gnuplot that contains the data */
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/buf.h"

#define TICS 6	/* largest number of tics on the time axis */

/*
 * Colours of Okabe and Ito, which colour-blind people can distinguish. Dashes distinguish lines
 * that are printed without colours.
 */
static const struct line_style {
	const char *colour, *dash;
} lines[PLOT_LINES_MAX] = {
	{ "#000000", "1" },
	{ "#E69F00", "1" },
	{ "#0072B2", "1" },
	{ "#009E73", "'-'" },
	{ "#D55E00", "'.'" },
	{ "#56B4E9", "'-.'" },
	{ "#CC79A7", "'_'" },
	{ "#7F7F7F", "'-..'" },
};

/* geometry of the page: in characters for PLOT_TEXT, else in pixels */
struct script_layout {
	unsigned columns, rows;
	unsigned width, height;
	/* heights: of title and legend above all panels, of the time axis below all panels */
	unsigned top, bottom;
	unsigned left, right, above, below;	/* margins of a panel within its grid cell */
};

/* Return the height of a panel of a map in pixels: 12 for the row of each line, within limits. */
static unsigned script_map_height(size_t n_lines)
{
	size_t height = 34 + 12 * n_lines;
	return (unsigned)(height < 94 ? 94 : height > 600 ? 600 : height);
}

static struct script_layout script_lay_out(const struct plot_how *how, size_t n, size_t n_lines)
{
	struct script_layout l;
	bool text = how->form == PLOT_TEXT;

	l.columns = text ? (how->width >= 150 && n > 1 ? 2 : 1) : n > 3 ? 2 : 1;
	l.rows = (unsigned)((n + l.columns - 1) / l.columns);
	if (how->flops > 0) {
		l = (struct script_layout){ 1, 1, text ? how->width : 800, text ? 24 : 560, 4, 3,
					    74, 20, 26, 8 };
	} else if (how->map) {
		l = (struct script_layout){ 1, (unsigned)n, 1240, 0, 44, 44, 150, 130, 26, 8 };
		l.height = l.top + l.bottom + script_map_height(n_lines) * l.rows;
	} else if (text) {
		l = (struct script_layout){ l.columns, l.rows, how->width, 0, 4, 3, 9, 2, 1, 1 };
		l.height = l.top + l.bottom + 11 * l.rows;
	} else {
		l = (struct script_layout){ l.columns, l.rows, 1240, 0, 74, 44, 74, 20, 26, 8 };
		l.height = l.top + l.bottom + (n > 3 ? 150 : 220) * l.rows;
	}
	return l;
}

/* A chart and how to draw it. */
struct script_drawing {
	const struct chart *chart;
	const struct plot_how *how;
	struct script_layout page;
};

/* Append s in single quotes, with each quote in s doubled: gnuplot takes the rest literally. */
static void script_put_quoted(struct buf *b, struct str s)
{
	buf_add_quoted(b, s, '\'');
}

static void script_put_terminal(struct buf *b, const struct script_drawing *d)
{
	const struct script_layout *l = &d->page;

	switch (d->how->form) {
	case PLOT_PNG:
		buf_addf(b, "set terminal pngcairo noenhanced size %u,%u font 'sans,9' "
			 "background '#ffffff'\n", l->width, l->height);
		break;
	case PLOT_SVG:
		buf_addf(b, "set terminal svg noenhanced size %u,%u dynamic font 'sans,12' "
			 "background '#ffffff'\n", l->width, l->height);
		break;
	case PLOT_PDF:
		buf_addf(b, "set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'sans,9' "
			 "background '#ffffff'\n", l->width / 96., l->height / 96.);
		break;
	case PLOT_TEXT:
		buf_addf(b, "set terminal dumb size %u,%u %s noenhanced\n", l->width, l->height,
			 d->how->colour ? "ansi256" : "mono");
		break;
	}
}

static void script_put_title(struct buf *b, const struct script_drawing *d)
{
	const struct script_layout *l = &d->page;

	buf_addf(b, "set label 1 ");
	script_put_quoted(b, str_of(d->chart->title));
	if (d->how->form == PLOT_TEXT)
		buf_addf(b, " at character 1,%u left\n", l->height - 1);
	else
		buf_addf(b, " at screen %.4f,%.4f left font ',13'\n",
			 (double)(l->left - 40) / l->width, 1 - 20. / l->height);
}

/*
 * Convert microseconds since the epoch to seconds of local time, because gnuplot has no time zones.
 */
static double script_local_seconds(const struct script_drawing *d, double usec)
{
	time_t start = (time_t)(d->chart->start / 1000000);
	struct tm tm;
	return usec / 1e6 + (localtime_r(&start, &tm) ? (double)tm.tm_gmtoff : 0);
}

static double script_tic_step(double seconds)
{
	static const double steps[] = { .1, .2, .5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900,
					1800, 3600, 7200, 10800, 21600, 43200, 86400 };
	size_t i = 0;
	while (i + 1 < ARRAY_SIZE(steps) && seconds / steps[i] > TICS)
		i++;
	return steps[i] * fmax(1, ceil(seconds / steps[i] / TICS));
}

static void script_put_time_axis(struct buf *b, const struct script_drawing *d)
{
	double from = script_local_seconds(d, (double)d->chart->start);
	double to = script_local_seconds(d, (double)d->chart->end);
	double pad = to > from ? (to - from) / 100 : 1, step = script_tic_step(to - from);
	bool days = floor(from / 86400) < floor(to / 86400);

	buf_addf(b, "set xrange [%.3f:%.3f]\nset xtics %.3f,%.3f scale 0.5\n", from - pad, to + pad,
		 ceil(from / step) * step, step);
	buf_addf(b, "time_format = '%s'\n", step < 60 ? "%H:%M:%S" : step >= 86400 ? "%m-%d" :
		 days ? "%m-%d %H:%M" : "%H:%M");
}

static void script_put_marks(struct buf *b, const struct script_drawing *d)
{
	for (size_t i = 0; i < d->chart->n_marks; i++) {
		double x = script_local_seconds(d, (double)d->chart->mark[i]);
		buf_addf(b, "set arrow from first %.3f,graph 0 to first %.3f,graph %s nohead back "
			 "lt 99\n", x, x, d->how->form == PLOT_TEXT ? "0.9" : "1");
	}
}

static void script_put_styles(struct buf *b, const struct script_drawing *d)
{
	buf_addf(b, "set tics nomirror\nset border 3\n");
	if (d->how->form == PLOT_TEXT)
		return;
	for (size_t i = 0; i < PLOT_LINES_MAX; i++)
		buf_addf(b, "set linetype %zu lc rgb '%s' dt %s lw 1.4\n", i + 1, lines[i].colour,
			 lines[i].dash);
	if (d->how->map)
		buf_addf(b, "set palette defined (0 '#440154', 0.25 '#3b528b', 0.5 '#21918c', "
			 "0.75 '#5ec962', 1 '#fde725')\n");
	buf_addf(b, "set linetype 99 lc rgb '#999999' dt 1 lw 1\n"
		 "set border 3 lc rgb '#555555'\n"
		 "set grid y lt 1 lc rgb '#dddddd' lw 0.5\n");
}

/*
 * A curve of a panel with many lines: name in the legend, style, and columns of the data block.
 * Column 1 is the time, 2 to 6 are minimum to maximum.
 */
struct script_curve {
	const char *name, *with;
	const char *columns;
};
static const struct script_curve curves[] = {
	{ "least and largest", "lines lc rgb '#56B4E9' dt 1 lw 0.8",         "1:2" },
	{ NULL,                "lines lc rgb '#56B4E9' dt 1 lw 0.8",         "1:6" },
	{ "quartiles",         "filledcurves fc rgb '#A6CEE3' fs solid noborder", "1:3:5" },
	{ "median",            "lines lc rgb '#000000' dt 1 lw 1.6",         "1:4" },
};
static const struct script_curve text_curves[] = {
	{ "least",             "lines lt 2", "1:2" },
	{ "largest",           "lines lt 3", "1:6" },
	{ "median",            "lines lt 1", "1:4" },
};

/* Add an entry to the legend, which is that of all panels, as a curve without data (NaN). */
static void script_put_name(struct buf *b, bool legend, const char *name, const char *with,
			    bool *more)
{
	if (!legend || !name)
		return;
	buf_addf(b, "%s NaN with %s title ", *more ? "," : "plot", with);
	script_put_quoted(b, str_of(name));
	*more = true;
}

static void script_put_lines(struct buf *b, const struct chart *c, size_t panel, bool legend)
{
	bool more = false;
	char with[32];

	for (size_t i = 0; i < c->n_lines; i++) {
		snprintf(with, sizeof(with), "lines lt %zu", i + 1);
		script_put_name(b, legend && c->n_lines > 1, c->line[i].name, with, &more);
		if (!chart_has_data(c, i, panel))
			continue;
		buf_addf(b, "%s $p%zun%zu with %s notitle", more ? "," : "plot", panel, i, with);
		more = true;
	}
	buf_addf(b, "%s", more ? "\n" : "plot NaN notitle\n");
}

static void script_put_panel_curves(struct buf *b, const struct script_drawing *d, size_t panel,
				    bool legend)
{
	bool more = false, text = d->how->form == PLOT_TEXT;
	const struct script_curve *c = text ? text_curves : curves;
	size_t n = text ? ARRAY_SIZE(text_curves) : ARRAY_SIZE(curves);

	if (d->chart->n_lines <= PLOT_LINES_MAX) {
		script_put_lines(b, d->chart, panel, legend);
		return;
	}
	bool data = false;
	for (size_t i = 0; i < d->chart->n_lines && !data; i++)
		data = chart_has_data(d->chart, i, panel);
	for (size_t i = 0; i < n; i++)
		script_put_name(b, legend, c[i].name, c[i].with, &more);
	for (size_t i = 0; i < n && data; i++) {
		buf_addf(b, "%s $p%zu using %s with %s notitle", more ? "," : "plot", panel,
			 c[i].columns, c[i].with);
		more = true;
	}
	buf_addf(b, "%s", more ? "\n" : "plot NaN notitle\n");
}

static void script_put_margins(struct buf *b, const struct script_layout *l, size_t panel)
{
	unsigned column = (unsigned)panel % l->columns, row = (unsigned)panel / l->columns;
	double width = (double)l->width / l->columns;
	double height = (double)(l->height - l->top - l->bottom) / l->rows;
	double x = column * width, y = l->height - l->top - row * height;

	buf_addf(b, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
		 "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
		 (x + l->left) / l->width, (x + width - l->right) / l->width,
		 (y - l->above) / l->height, (y - height + l->below) / l->height);
}

/*
 * Set the range of the value axis, and the distance of its tics: 1, 2 or 5 times a power of ten, so
 * that there are about five tics.
 */
static void script_put_value_axis(struct buf *b, const struct script_drawing *d,
				  const struct chart_panel *p)
{
	double top = p->axis_top > 0 ? p->axis_top : p->largest;
	double size = (top - p->least) * p->by / (d->how->form == PLOT_TEXT ? 4 : 5);
	double step = size > 0 ? pow(10, floor(log10(size))) : .5;

	if (size > 0)
		step *= size <= step ? 1 : size <= 2 * step ? 2 : size <= 5 * step ? 5 : 10;
	buf_addf(b, "set ytics %.6g\n", step);
	if (p->axis_top > 0)
		buf_addf(b, "set yrange [0:%.6g]\n", fmax(p->axis_top, p->largest) * p->by);
	else
		buf_addf(b, "set yrange [%s:%s]\n", p->least < 0 ? "*" : "0",
			 p->least < 0 || p->largest > 0 ? "*" : "1");
}

static void script_put_zone(struct buf *b, const struct script_drawing *d)
{
	time_t start = (time_t)(d->chart->start / 1000000);
	struct tm tm;
	char zone[48] = "";

	if (localtime_r(&start, &tm) && strftime(zone, sizeof(zone), "%Z", &tm) == 0)
		zone[0] = '\0';
	script_put_quoted(b, str_of(zone));
}

static void script_put_panel(struct buf *b, const struct script_drawing *d, size_t i)
{
	const struct chart_panel *p = &d->chart->panel[i];
	bool last = i + d->page.columns >= d->chart->n_panels;

	script_put_margins(b, &d->page, i);
	buf_addf(b, "set label 2 ");
	struct buf t CLEANUP(buf_free) = { 0 };
	buf_addf(&t, p->unit[0] ? "%s, %s" : "%s%s", p->title, p->unit);
	script_put_quoted(b, buf_str(&t));
	buf_addf(b, d->how->form == PLOT_TEXT ? " at graph 0,graph 1 offset 0,1 left\n" :
		 " at graph 0,graph 1 offset 0,0.7 left font ',10'\n");
	if (!d->how->map)
		script_put_value_axis(b, d, p);
	if (last) {
		buf_addf(b, "set format x time_format time\nset xlabel ");
		script_put_zone(b, d);
		buf_addf(b, "%s\n", d->how->form == PLOT_TEXT ? "" : " offset 0,0.5");
	} else {
		buf_addf(b, "set format x ''\nunset xlabel\n");
	}
	if (d->how->map)
		plot_put_map(b, d->chart, i, script_map_height(d->chart->n_lines) - 34,
			     script_local_seconds(d, 0));
	else
		script_put_panel_curves(b, d, i, i == 0);
	if (i == 0)
		buf_addf(b, "unset key\nunset label 1\n");
}

/* Place the legend. */
static void script_put_key(struct buf *b, const struct script_drawing *d)
{
	const struct script_layout *l = &d->page;

	if (d->how->form == PLOT_TEXT)
		buf_addf(b, "set key at character %u,%u right top horizontal samplen 2 maxrows 2\n",
			 l->width - 1, l->height - 2);
	else
		buf_addf(b, "set key at screen %.4f,%.4f left top horizontal Left reverse "
			 "samplen 3 width 1 maxrows 1\n", (double)(l->left - 40) / l->width,
			 1 - 32. / l->height);
}

/*
 * Append the block $rLINE with a point for each time of a line in a roofline: the first panel's
 * value divided by the second panel's, and the first panel's value.
 */
static void script_put_roofline_data(struct buf *b, const struct chart *c, size_t line)
{
	const float *flops = chart_values(c, line, 0), *bytes = chart_values(c, line, 1);

	buf_addf(b, "$r%zu << EOD\n", line);
	for (size_t i = 0; i < c->n_edges; i++)
		if (flops[i] > 0 && bytes[i] > 0)
			buf_addf(b, "%.6g %.6g\n", (double)flops[i] / (double)bytes[i],
				 (double)flops[i]);
	buf_addf(b, "EOD\n");
}

static bool script_has_points(const struct chart *c, size_t line)
{
	const float *flops = chart_values(c, line, 0), *bytes = chart_values(c, line, 1);
	size_t i = 0;

	while (i < c->n_edges && !(flops[i] > 0 && bytes[i] > 0))
		i++;
	return i < c->n_edges;
}

static void script_put_roofline_points(struct buf *b, const struct chart *c)
{
	for (size_t i = 0; i < c->n_lines; i++) {
		if (!script_has_points(c, i))
			continue;
		buf_addf(b, ", $r%zu with points pt 7 lt %zu ", i,
			 i % PLOT_LINES_MAX + 1);
		if (c->n_lines <= PLOT_LINES_MAX) {
			buf_add(b, STR("title "));
			script_put_quoted(b, str_of(c->line[i].name));
		} else {
			buf_add(b, STR("notitle"));
		}
	}
	buf_add_char(b, '\n');
}

/*
 * Draw a roofline. The horizontal axis (operations per byte) extends from 1/100 to 10 times the
 * ridge, which is the peak of operations divided by the peak of memory bandwidth. The vertical axis
 * (operations per second) extends from 1/1000 to twice the peak of operations.
 */
static void script_put_roofline(struct buf *b, const struct script_drawing *d)
{
	const struct plot_how *how = d->how;
	double ridge = how->flops / how->bandwidth;
	bool text = how->form == PLOT_TEXT;

	script_put_title(b, d);
	buf_addf(b, "set logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
		 "set xlabel 'FLOP per byte of memory'\nset ylabel 'GF/s'\n"
		 "set tmargin %d\n%s", ridge / 100, ridge * 10, how->flops / 1000, how->flops * 2,
		 text ? 3 : 5, text ? "" : "set grid x y lt 1 lc rgb '#dddddd' lw 0.5\n");
	buf_addf(b, "set label 3 '%.4g GF/s' at %.6g,%.6g right offset 0,0.7\n"
		 "set label 4 '%.4g GB/s' at %.6g,%.6g right offset -1,0\n", how->flops,
		 ridge * 10, how->flops, how->bandwidth, ridge / 10, how->flops / 10);
	buf_addf(b, "set key right bottom\nset samples 400\n"
		 "plot (x < %.6g ? %.6g * x : %.6g) with lines lt 99 notitle", ridge,
		 how->bandwidth, how->flops);
	script_put_roofline_points(b, d->chart);
}

void plot_put_script(struct buf *b, const struct chart *c, const struct plot_how *how)
{
	const struct script_drawing d = { .chart = c, .how = how,
					  .page = script_lay_out(how, c->n_panels, c->n_lines) };

	script_put_terminal(b, &d);
	if (how->flops > 0) {
		for (size_t i = 0; i < c->n_lines; i++)
			script_put_roofline_data(b, c, i);
		script_put_styles(b, &d);
		script_put_roofline(b, &d);
		return;
	}
	for (size_t i = 0; i < c->n_panels; i++) {
		if (how->map)
			plot_put_map_data(b, c, i);
		else
			plot_put_data(b, c, i, script_local_seconds(&d, 0));
	}
	script_put_styles(b, &d);
	script_put_time_axis(b, &d);
	script_put_marks(b, &d);
	buf_addf(b, "set multiplot\n");
	script_put_title(b, &d);
	script_put_key(b, &d);
	for (size_t i = 0; i < c->n_panels; i++)
		script_put_panel(b, &d, i);
	buf_addf(b, "unset multiplot\n");
}
