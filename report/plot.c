/* SPDX-License-Identifier: BSD-3-Clause */
/* plot.c - nodometer plot: what a job's nodes, or hosts, did over time, as one page of panels */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/log.h"
#include "plot/gnuplot.h"
#include "plot/plot.h"
#include "report/search.h"
#include "report/series.h"
#include "schema/foreign.h"

enum { OUTPUT = SEARCH_OPTIONS };
static const struct cli_option options[] = {
	SEARCH_ROWS,
	[OUTPUT] = { "output", "FILE", "write .png, .svg, .pdf; .gp or \"-\": commands for gnuplot",
		     'o' },
};
static const struct cli cli = {
	.command = "plot",
	.operands = "JOB | --host HOST [TYPE[:KEY]...]",
	.about = "Draws what a job used, or what hosts did, over time, as one page of panels.\n"
		 "Without --output it draws with characters. TIME is epoch seconds or local\n"
		 "\"YYYY-MM-DD HH:MM[:SS]\".",
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
	const char *output;	/* NULL: standard output */
	struct ending as;
	struct wanted *wanted;
	size_t n_wanted;
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

static void take_wanted(struct plot_request *q, const char *word)
{
	struct wanted w = { .key = str_of(word) };

	if (!str_take_until(&w.key, ':', &w.type))
		w = (struct wanted){ .type = str_of(word) };
	else if (w.key.n == 0)
		cli_wrong(&cli, "%s: no key after the colon", word);
	if (w.type.n == 0)
		cli_wrong(&cli, "%s: TYPE:KEY or TYPE is wanted", word);
	w.type = foreign_type(w.type);
	q->wanted = xrealloc(q->wanted, (q->n_wanted + 1) * sizeof(w));
	q->wanted[q->n_wanted++] = w;
}

static void take_request(struct plot_request *q, int argc, char **argv)
{
	const char *arg, *output = NULL;

	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		search_option(&cli, &q->search, o, arg);
		if (o == OUTPUT)
			output = arg;
	}
	search_operand(&cli, &q->search, argc, argv);
	for (; optind < argc; optind++)
		take_wanted(q, argv[optind]);
	take_output(q, output);
}

/* Panels that have something to show. False, and said why. */
static bool choose_panels(struct panels *p, const struct plot_request *q, const struct survey *y,
			  const struct report *r)
{
	for (size_t i = 0; i < y->n_wanted; i++) {
		const struct wanted *w = &y->wanted[i];
		if (w->found)
			continue;
		log_error("no records of " STR_FMT "%s" STR_FMT " among them", STR_ARG(w->type),
			  w->key.n ? ":" : "", STR_ARG(w->key));
		return false;
	}
	if (q->n_wanted > 0)
		panels_named(p, y->key, y->n_keys);
	else
		panels_usual(p, r);
	if (p->left_out > 0)
		log_warning("%zu panels left out: a page has %d at most", p->left_out, PANELS_MAX);
	if (p->n == 0)
		log_error("nothing to draw: no record of the usual types in more than one sample");
	return p->n > 0;
}

static void fill(struct series *s, const struct search *q, const struct report *all)
{
	for (size_t i = 0; i < all->n; i++) {
		series_begin(s, i, &all->node[i]);
		search_node(q, &all->node[i], panels_table(s->panels), series_taken, s);
		series_end(s);
	}
}

static unsigned terminal_width(void)
{
	struct winsize w;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) < 0 || w.ws_col < 40)
		return 80;
	return w.ws_col > 400 ? 400 : w.ws_col;
}

/* 0, or -errno; what gnuplot says of it is said already. */
static int draw_to(int fd, const struct plot_request *q, struct str program, bool *reported)
{
	if (q->as.program)
		return files_write(fd, program);
	struct buf text CLEANUP(buf_free) = { 0 };
	bool characters = q->as.form == PLOT_TEXT;
	int r = characters ? gnuplot_run_text(program, &text, &log_listener) :
			     gnuplot_run(program, fd, &log_listener);
	*reported = r < 0;
	return r < 0 || !characters ? r : files_write(fd, buf_str(&text));
}

/* The file appears whole or not at all. */
static int draw_file(const struct plot_request *q, struct str program, bool *reported)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	mode_t mask = umask(0);

	umask(mask);
	buf_addf(&name, "%s.XXXXXX%c", q->output, '\0');
	int fd CLEANUP(close_fd) = mkostemp(name.p, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = draw_to(fd, q, program, reported);
	if (r == 0 && (fchmod(fd, 0666 & ~mask) < 0 || rename(name.p, q->output) < 0))
		r = -errno;
	if (r < 0)
		unlink(name.p);
	return r;
}

static int draw(const struct plot_request *q, const struct chart *c)
{
	const char *no_color = getenv("NO_COLOR");
	struct buf program CLEANUP(buf_free) = { 0 };
	bool reported = false;

	struct plot_how how = {
		.form = q->as.form,
		.width = terminal_width(),
		.colour = isatty(STDOUT_FILENO) && !(no_color && *no_color),
	};
	plot_put_script(&program, c, &how);
	int r = q->output ? draw_file(q, buf_str(&program), &reported) :
			    draw_to(STDOUT_FILENO, q, buf_str(&program), &reported);
	if (r < 0 && !reported)
		log_error("%s: %s", q->output ? q->output : "standard output", strerror(-r));
	return r < 0 ? CLI_FAILED : CLI_OK;
}

/* Only what was chosen: the first look was at all that has the job's id. */
static void survey_again(struct survey *y, const struct plot_request *q, const struct report *all)
{
	survey_free(y);
	*y = (struct survey){ .wanted = q->wanted, .n_wanted = q->n_wanted };
	for (size_t i = 0; i < y->n_wanted; i++)
		y->wanted[i].found = false;
	for (size_t i = 0; i < all->n; i++)
		search_node(&q->search, &all->node[i], (struct figures){ 0 }, survey_taken, y);
}

static int plot(const struct plot_request *q, const struct report *r, const struct survey *y)
{
	struct panels panels = { .n = 0 };
	int status = CLI_FAILED;

	if (choose_panels(&panels, q, y, r)) {
		struct series series;
		series_init(&series, &panels, y, r);
		fill(&series, &q->search, r);
		series_name(&series, y, r);
		status = draw(q, &series.chart);
		series_free(&series);
	}
	panels_free(&panels);
	return status;
}

int main(int argc, char **argv)
{
	struct plot_request q = { .search = SEARCH_ALL };
	int status = CLI_FAILED;

	log_open("nodometer plot", LOG_LEVEL_INFO);
	take_request(&q, argc, argv);
	struct survey survey = { .wanted = q.wanted, .n_wanted = q.n_wanted };
	struct report report = { 0 };

	q.search.ask.taken = survey_taken;
	q.search.ask.arg = &survey;
	if (search_all(&q.search, &report)) {
		if (report.n_others > 0)
			survey_again(&survey, &q, &report);
		survey_end(&survey);
		status = plot(&q, &report, &survey);
	}
	survey_free(&survey);
	report_free(&report);
	search_free(&q.search);
	free(q.wanted);
	return status;
}
