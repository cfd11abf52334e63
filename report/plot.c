/* SPDX-License-Identifier: BSD-3-Clause */
/* plot.c - nodometer plot: draw the figures of a job or of hosts over time, as a page of panels */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "plot/gnuplot.h"
#include "report/draw.h"
#include "report/roofline.h"
#include "schema/foreign.h"

enum { OUTPUT = SEARCH_OPTIONS, BY_DEVICE, MAP, SUM, ROOFLINE };
static const struct cli_option options[] = {
	SEARCH_ROWS,
	[OUTPUT] = { "output", "FILE", "write .png, .svg, .pdf; .gp or \"-\": commands for gnuplot",
		     'o' },
	[BY_DEVICE] = { "by-device", NULL, "draw a line per device of the TYPEs, not per node" },
	[SUM] = { "sum", NULL, "draw one line for all nodes, and lines for the largest jobs" },
	[MAP] = { "map", NULL, "draw a row of colours for each line; needs --output" },
	[ROOFLINE] = { "roofline", NULL,
			"draw operations against operations per byte, with the peaks" },
};
static const struct cli cli = {
	.command = "plot",
	.operands = "JOB | --host HOST [TYPE[:KEY]...]",
	.about = "Draws charts of the resources that a job or hosts used over time.\n"
		 "Without --output, draws with characters on the terminal.\n"
		 CLI_TIME,
	.option = options,
	.n_options = ARRAY_SIZE(options),
};

static const struct ending {
	const char *name;
	enum plot_form form;
	bool program;
} endings[] = {
	{ ".png", PLOT_PNG, false },
	{ ".svg", PLOT_SVG, false },
	{ ".pdf", PLOT_PDF, false },
	{ ".gp",  PLOT_PNG, true  },
};

struct plot_request {
	struct search search;
	const char *output;	/* path of the output; NULL for standard output */
	struct ending as;
	struct wanted *wanted;
	size_t n_wanted;
	bool by_device, map, sum, roofline;
};

static void take_output(struct plot_request *q, const char *name)
{
	if (!name) {
		q->as.form = PLOT_TEXT;
		return;
	}
	if (strcmp(name, "-") == 0) {
		q->as.program = true;
		return;
	}
	q->output = name;
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		q->as = endings[i];
		if (str_ends(str_of(name), str_of(q->as.name)))
			return;
	}
	cli_wrong(&cli, "%s: the name must end in .png, .svg, .pdf or .gp", name);
}

/* Check whether a file name has one of the endings[]. */
static bool plot_is_drawing(const char *name)
{
	bool drawing = false;
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		drawing |= str_ends(str_of(name), str_of(endings[i].name));
	return drawing;
}

static void take_wanted(struct plot_request *q, const char *word)
{
	struct wanted w = { .key = str_of(word) };

	if (plot_is_drawing(word))
		cli_wrong(&cli, "%s is not a TYPE; use \"-o %s\" to draw into this file",
			  word, word);
	if (!str_take_until(&w.key, ':', &w.type))
		w = (struct wanted){ .type = str_of(word) };
	else if (w.key.n == 0)
		cli_wrong(&cli, "%s: missing key after the colon", word);
	if (derived_find(word) < n_derived)
		w.derived = &derived[derived_find(word)];
	if (w.type.n == 0)
		cli_wrong(&cli, "%s: write TYPE:KEY or TYPE", word);
	w.type = foreign_type(w.type);
	q->wanted = xrealloc(q->wanted, (q->n_wanted + 1) * sizeof(w));
	q->wanted[q->n_wanted++] = w;
}

static bool has_type(const struct plot_request *q)
{
	bool has = false;
	for (size_t i = 0; i < q->n_wanted; i++)
		has |= !q->wanted[i].derived;
	return has;
}

/* Request the two figures of a roofline, which must be the first two panels. */
static void want_roofline(struct plot_request *q)
{
	if (q->n_wanted || q->map || q->sum || q->by_device)
		cli_wrong(&cli, "--roofline cannot be used with a TYPE, --map, --sum or "
			  "--by-device");
	take_wanted(q, "gflops64");
	take_wanted(q, "memory");
}

static void check_request(const struct plot_request *q)
{
	if (q->map && q->as.form == PLOT_TEXT)
		cli_wrong(&cli, "--map draws a picture: use -o FILE.png");
	if (q->sum && (q->map || q->by_device))
		cli_wrong(&cli, "--sum cannot be used with --map or --by-device");
	if (q->by_device && !has_type(q))
		cli_wrong(&cli, "--by-device needs a TYPE");
}

static void take_request(struct plot_request *q, int argc, char **argv)
{
	const char *arg, *output = NULL;

	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		search_option(&cli, &q->search, o, arg);
		switch (o) {
		case OUTPUT:    output = arg; break;
		case BY_DEVICE: q->by_device = true; break;
		case MAP:       q->map = true; break;
		case SUM:       q->sum = true; break;
		case ROOFLINE:  q->roofline = true; break;
		}
	}
	cli_check_times(&cli, q->search.ask.since, q->search.ask.until);
	search_operand(&cli, &q->search, argc, argv);
	for (; optind < argc; optind++)
		take_wanted(q, argv[optind]);
	if (q->roofline)
		want_roofline(q);
	take_output(q, output);
	check_request(q);
}

static int draw(const struct plot_request *q, const struct report *r, struct survey *y)
{
	struct buf program CLEANUP(buf_free) = { 0 }, drawing CLEANUP(buf_free) = { 0 };
	struct buf causes CLEANUP(buf_free) = { 0 };

	struct plot_how how = {
		.form = q->as.form,
		.map = q->map,
		.width = gnuplot_columns(),
		.colour = cli_has_colour(),
	};
	struct roofline roof;
	if (q->roofline && !roofline_of(r, &roof)) {
		log_error("no roofline: peaks, operations or memory are not known; see \"nodometer "
			  "peak\"");
		return CLI_FAILED;
	}
	if (q->roofline) {
		how.flops = roof.flops / 1e9;
		how.bandwidth = roof.bandwidth / 1e9;
	}
	/* standard output receives the gnuplot program, so print nothing else there */
	bool only = q->as.program && !q->output;
	if (!draw_program(&program, NULL, q->sum && !only ? &causes : NULL, &q->search, r, y, &how,
			  &log_listener))
		return CLI_FAILED;
	struct str text = buf_str(&program);
	if (!q->as.program) {
		bool characters = how.form == PLOT_TEXT;
		if ((characters ? gnuplot_run_text : gnuplot_draw)(text, &drawing,
								   &log_listener) < 0)
			return CLI_FAILED;
		text = buf_str(&drawing);
	}
	int status = cli_publish(q->output, text);
	return status == CLI_OK ? cli_publish(NULL, buf_str(&causes)) : status;
}

int main(int argc, char **argv)
{
	struct plot_request q = { .search = SEARCH_ALL };
	int status = CLI_FAILED;

	log_open("nodometer plot", LOG_LEVEL_INFO);
	take_request(&q, argc, argv);
	struct survey survey = { .wanted = q.wanted, .n_wanted = q.n_wanted,
				 .by_device = q.by_device, .sum = q.sum,
				 .device = q.search.ask.device };
	struct report report = { 0 };

	q.search.ask.on_sample = survey_sample;
	q.search.ask.arg = &survey;
	if (search_all(&q.search, &report)) {
		/*
		 * The survey made during the search covered all runs with this job id, and did not
		 * know the nodes' indexes. Repeat the survey if there are several runs, to cover
		 * only the chosen run, or to find the devices of each node.
		 */
		if (report.n_others > 0 || q.by_device)
			draw_survey(&survey, &q.search, &report);
		survey_end(&survey);
		status = draw(&q, &report, &survey);
	}
	survey_free(&survey);
	report_free(&report);
	search_free(&q.search);
	free(q.wanted);
	return status;
}
