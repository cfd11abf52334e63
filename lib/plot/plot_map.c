/* SPDX-License-Identifier: BSD-3-Clause */
/* plot_map.c - draw each line of a panel as a row of coloured cells over time */
#include "plot/plot.h"

#include <math.h>

#define NAME_HEIGHT 11	/* height of a line's name, in points */
/* written for an unknown value, because gnuplot rejects NaN in a matrix */
#define NOT_KNOWN   "-1e30"

void plot_put_map_data(struct buf *b, const struct chart *c, size_t panel)
{
	int64_t from, to;

	buf_addf(b, "$p%zu << EOD\n", panel);
	for (size_t line = 0; line < c->n_lines; line++) {
		const float *v = chart_values(c, line, panel);
		for (size_t i = 0; chart_slot(c, panel, i, &from, &to); i++) {
			if (isnan(v[i]))
				buf_addf(b, "%s" NOT_KNOWN, i ? " " : "");
			else
				buf_addf(b, "%s%.5g", i ? " " : "",
					 (double)v[i] * c->panel[panel].by);
		}
		buf_add_char(b, '\n');
	}
	buf_addf(b, "EOD\n");
}

/*
 * Write the names of the lines. If there is no room for all names, write every second or third
 * name, and so on, from the top.
 */
static void map_put_names(struct buf *b, const struct chart *c, unsigned height)
{
	size_t room = height / NAME_HEIGHT, step = room ? (c->n_lines + room - 1) / room : 1;

	buf_addf(b, "set ytics scale 0 (");
	for (size_t i = 0; i < c->n_lines; i += step) {
		buf_add(b, str_of(i ? ", " : ""));
		buf_add_quoted(b, str_of(c->line[i].name), '\'');
		buf_addf(b, " %zu", i);
	}
	buf_addf(b, ")\nset yrange [%zu-0.5:-0.5]\n", c->n_lines);
}

void plot_put_map(struct buf *b, const struct chart *c, size_t panel, unsigned height, double shift)
{
	const struct chart_panel *p = &c->panel[panel];
	double start = (double)c->edge[0], wide = (double)(c->edge[1] - c->edge[0]);
	double top = fmax(p->axis_top, p->largest) * p->by;

	map_put_names(b, c, height);
	buf_addf(b, "set cbrange [%.6g:%.6g]\n", p->least * p->by, top > 0 ? top : 1);
	buf_addf(b, "plot $p%zu matrix using (%.3f+%.6f*($1+.5)):2:($3 > " NOT_KNOWN " ? $3 : NaN) "
		 "with image notitle\n", panel, start / 1e6 + shift, wide / 1e6);
}
