/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.c - nodometer tcp graph: draw or print a .pm file like pmgraph of the PSC kernel monitor */
#include "tcp/graph.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/foreign.h"
#include "tcp/tcp.h"

enum {
	SHOW_B, SHOW_C, DEBUG, GAPS, SHOW_F, SHOW_FAIR, HELP, SHOW_HIWAT, SHOW_L, SHOW_M, MEMORY,
	SHOW_N, ONLY, BY_COLUMN, SHOW_R, SHOW_S, SCALE, SHOW_T, TEXT, SHOW_V, XGRAPH, COLUMN,
	OUTPUT, WINDOW, TERMINAL,
};
static const struct cli_option options[] = {
	[SHOW_B]     = { "snd-sb-cc",   NULL,  "show so_snd.sb_cc", 'b' },
	[SHOW_C]     = { "snd-cwnd",    NULL,  "show cwnd", 'c' },
	[DEBUG]      = { "debug",       NULL,  "print verbose debugging information", 'd' },
	[GAPS]       = { "gaps",        NULL,  "output gaps in the data to stdout", 'D' },
	[SHOW_F]     = { "snd-fack",    NULL,  "show snd_fack", 'f' },
	[SHOW_FAIR]  = { "hiwat-fair-share", NULL, "show hiwat_fair_share", 'F' },
	[HELP]       = { "usage",       NULL,  "print this help message", 'h' },
	[SHOW_HIWAT] = { "sb-hiwat",    NULL,  "show so_snd.sb_hiwat", 'H' },
	[SHOW_L]     = { "location",    NULL,  "show calling location", 'l' },
	[SHOW_M]     = { "m-clused",    NULL,  "show mbuf clusters in use (in bytes)", 'm' },
	[MEMORY]     = { "memory",      NULL,  "print maximum amount of system memory used in "
			 "trace", 'M' },
	[SHOW_N]     = { "sb-net-target", NULL, "show so_snd.sb_net_target", 'n' },
	[ONLY]       = { "ports",       "L.R", "only include connections of this local and remote "
			 "port; may be repeated", 'p' },
	[BY_COLUMN]  = { "by-parameter", NULL, "show graphs of one parameter for all connections",
			 'P' },
	[SHOW_R]     = { "rcv-sb-cc",   NULL,  "show so_rcv.sb_cc", 'r' },
	[SHOW_S]     = { "snd-max",     NULL,  "show snd_max", 's' },
	[SCALE]      = { "scale",       "#c",  "scale option c by floating point #", 'S' },
	[SHOW_T]     = { "sb-mem-target", NULL, "show so_snd.sb_mem_target", 't' },
	[TEXT]       = { "text",        NULL,  "do not graph, but convert the file to text", 'T' },
	[SHOW_V]     = { "callvalue",   NULL,  "show calling values", 'v' },
	[XGRAPH]     = { "xgraph",      NULL,  "produce xgraph files without calling a program",
			 'x' },
	[COLUMN]     = { "column",      "NAME", "show this column; may be repeated" },
	[OUTPUT]     = { "output",      "FILE", "NAME.png, .svg; .gp, \"-\": for gnuplot" },
	[WINDOW]     = { "window",      NULL,  "draw in windows (default if $DISPLAY is set)" },
	[TERMINAL]   = { "terminal",    NULL,  "draw with characters (default without $DISPLAY)" },
};
static const struct cli cli = {
	.command = "tcp graph", .operands = "FILE", CLI_OPTIONS(options),
	.page = "nodometer-tcp(1)",
	.about = "Draws or prints each TCP connection in a .pm file, like pmgraph.\n"
		 "Without an option that selects columns, all are shown.",
};

struct graph_request {
	struct graph g;
	double scale[128];	/* factor of each column, indexed by option letter; 0: none */
	/* names of the requested columns, in the order in which they are shown */
	const char **name;
	size_t n_names, cap_names;
	bool text, gaps, memory, debug, window, terminal, shows;
};

/* Parse the argument of -S, such as "1000l": a factor and the option letter of a column. */
static void graph_set_scale(struct graph_request *q, const char *arg)
{
	char *end;
	size_t n = strspn(arg, "0123456789.");
	double by = n ? strtod(arg, &end) : 0;

	if (n == 0 || end != arg + n || !(by > 0) || !arg[n] || arg[n + 1] ||
	    !pm_known_letter(arg[n]))
		cli_wrong(&cli, "-S %s: write a number and one of the letters bcfFHlmnrstv, such "
			  "as 1000l", arg);
	q->scale[(unsigned char)arg[n]] = by;
	q->g.scaled = true;
}

static void graph_add_name(struct graph_request *q, const char *name)
{
	for (size_t i = 0; i < q->n_names; i++)
		if (strcmp(q->name[i], name) == 0)
			return;
	q->name = vec_reserve(q->name, &q->cap_names, q->n_names + 1, sizeof(*q->name));
	q->name[q->n_names++] = name;
}

static void graph_set_output(struct graph_request *q, const char *name)
{
	static const struct {
		const char *end;
		enum graph_form form;
	} endings[] = {
		{ ".png", GRAPH_PNG }, { ".svg", GRAPH_SVG }, { ".gp", GRAPH_PROGRAM },
	};

	q->g.form = GRAPH_PROGRAM;
	if (strcmp(name, "-") == 0)
		return;
	q->g.output = name;
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		q->g.form = endings[i].form;
		if (str_ends(str_of(name), str_of(endings[i].end)))
			return;
	}
	cli_wrong(&cli, "%s: the name must end in .png, .svg or .gp", name);
}

static void graph_set_option(struct graph_request *q, int o, const char *arg)
{
	const struct pm_known *shown = pm_known_letter(options[o].letter);

	if (shown)
		graph_add_name(q, shown->column.name);
	else if (o == COLUMN)
		graph_add_name(q, arg);
	else if (o == ONLY)
		ports_add(&q->g.capture.only, &cli, arg);
	else if (o == SCALE)
		graph_set_scale(q, arg);
	else if (o == OUTPUT)
		graph_set_output(q, arg);
	else if (o == HELP) {
		cli_help(&cli);
		exit(CLI_OK);
	}
	q->debug |= o == DEBUG;
	q->gaps |= o == GAPS;
	q->memory |= o == MEMORY;
	q->g.by_column |= o == BY_COLUMN;
	q->text |= o == TEXT;
	q->window |= o == WINDOW;
	q->terminal |= o == TERMINAL;
	q->shows |= o != MEMORY && o != DEBUG;
	if (o == XGRAPH)
		q->g.form = GRAPH_XGRAPH;
}

static bool graph_has_display(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	return (x && *x) || (wayland && *wayland);
}

static void graph_parse_arguments(struct graph_request *q, int argc, char **argv)
{
	const char *arg;

	q->g.form = graph_has_display() ? GRAPH_WINDOW : GRAPH_TERMINAL;
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		graph_set_option(q, o, arg);
	if (optind + 1 != argc)
		cli_wrong(&cli, "name one FILE");
	q->g.file = argv[optind];
	if (q->window || q->terminal)
		q->g.form = q->window ? GRAPH_WINDOW : GRAPH_TERMINAL;
	q->g.everything = q->n_names == 0;
}

static void graph_add_column(struct graph_request *q, const char *name, const struct pm_column *c)
{
	const struct pm_known *known = pm_known_column(name);
	struct graph *g = &q->g;
	double scale = known && known->letter ? q->scale[(unsigned char)known->letter] : 0;

	g->chosen = vec_reserve(g->chosen, &g->cap_chosen, g->n_chosen + 1, sizeof(*g->chosen));
	g->chosen[g->n_chosen++] = (struct graph_column){
		.column = c, .name = name, .unit = known ? known->unit : PM_UNIT_NUMBER,
		.scale = scale > 0 ? scale : 1,
	};
}

/* Return true if a line can be drawn from the column. */
static bool graph_is_drawable(const struct pm_column *c)
{
	const struct pm_known *known = pm_known_column(c->name);
	return c->flags <= PM_INT_NET && (c->length == 1 || c->length == 2 || c->length == 4 ||
		c->length == 8) && (!known || known->unit != PM_UNIT_NONE);
}

static bool graph_is_identity(const struct pm_column *c)
{
	return strcmp(c->name, "seq_no") == 0 || strcmp(c->name, "time") == 0 ||
	       strcmp(c->name, "lport") == 0 || strcmp(c->name, "rport") == 0;
}

static void graph_choose_all(struct graph_request *q)
{
	const struct pm_header *h = &q->g.capture.h;
	for (size_t i = 0; i < h->n_columns; i++) {
		const struct pm_column *c = &h->column[i];
		if (c->length && pm_is_relevant(h, c) && !graph_is_identity(c) &&
		    (q->text || graph_is_drawable(c)))
			graph_add_column(q, c->name, c);
	}
}

/* Add a column by name. Returns false and logs the reason if the column cannot be shown. */
static bool graph_choose_named(struct graph_request *q, const char *name)
{
	const struct pm_header *h = &q->g.capture.h;
	const struct pm_column *c = pm_column(h, name);

	if (!c)
		log_warning("%s: not in this file", name);
	else if (!pm_is_relevant(h, c))
		log_warning("%s: not in this kernel (mods %u)", name, h->mods);
	else if (!q->text && !graph_is_drawable(c))
		log_warning("%s: not a number, so it cannot be drawn", name);
	else
		return graph_add_column(q, name, c), true;
	if (q->text)
		graph_add_column(q, name, NULL);
	return false;
}

/* Choose the columns to show. Returns false and logs the reason if there are none. */
static bool graph_choose_columns(struct graph_request *q)
{
	size_t shown = 0;

	if (q->n_names == 0)
		graph_choose_all(q);
	for (size_t i = 0; i < q->n_names; i++)
		shown += graph_choose_named(q, q->name[i]);
	if (q->n_names == 0 ? q->g.n_chosen == 0 : shown == 0) {
		log_error("%s: nothing to show", q->g.file);
		return false;
	}
	if (!q->text && !q->g.capture.time) {
		log_error("%s: no time column, so nothing can be drawn", q->g.file);
		return false;
	}
	return true;
}

static void graph_find_start(struct graph *g)
{
	int64_t t;
	bool known = false;
	for (size_t i = 0; i < g->capture.n; i++)
		if (capture_time(&g->capture, i, &t) && (!known || t < g->start)) {
			g->start = t;
			known = true;
		}
}

static int graph_print_facts(struct graph_request *q)
{
	struct buf b CLEANUP(buf_free) = { 0 }, header CLEANUP(buf_free) = { 0 };

	if (q->debug) {
		graph_put_header(&header, &q->g);
		(void)!write(STDERR_FILENO, header.p, header.n);
	}
	if (q->memory && !pm_column(&q->g.capture.h, "m_clused"))
		log_warning("m_clused: not in this file");
	else if (q->memory)
		graph_put_memory(&b, &q->g);
	if (q->gaps)
		graph_put_gaps(&b, &q->g, q->text ? "# " : "");
	return cli_publish(NULL, buf_str(&b));
}

static int graph_show(struct graph_request *q)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct graph *g = &q->g;

	if (graph_print_facts(q) != CLI_OK)
		return CLI_FAILED;
	if (q->memory && !q->shows)
		return pm_column(&g->capture.h, "m_clused") ? CLI_OK : CLI_FAILED;
	if (g->capture.n == 0) {
		log_error("%s: %s", g->file, g->capture.n_moments ?
			  "no connection with these ports" : "no snapshots");
		return CLI_FAILED;
	}
	if (!graph_choose_columns(q))
		return CLI_FAILED;
	graph_find_start(g);
	if (!q->text)
		return graph_draw(g) < 0 ? CLI_FAILED : CLI_OK;
	graph_put_text(&b, g);
	return cli_publish(NULL, buf_str(&b));
}

/*
 * Give up the rights of root before the file is parsed, if all output goes to standard output.
 * gnuplot may still be run to draw there. The rights are kept for pictures, because they are new
 * files in the user's folder, and for windows, because they need the user's display.
 */
static void graph_leave_root(const struct graph_request *q)
{
	enum graph_form form = q->g.form;
	bool draws = !q->text;
	if (draws && (q->g.output || form == GRAPH_XGRAPH || form == GRAPH_WINDOW))
		return;
	foreign_confine(NULL, 0, draws ? MAY_RUN | MAY_SIGNAL : 0, &log_listener);
}

int tcp_graph_main(int argc, char **argv)
{
	struct graph_request q = { .text = false };
	int status = CLI_FAILED;

	graph_parse_arguments(&q, argc, argv);
	int fd CLEANUP(close_fd) = capture_open(q.g.file);
	graph_leave_root(&q);
	if (capture_load(&q.g.capture, q.g.file, fd) == 0)
		status = graph_show(&q);
	capture_free(&q.g.capture);
	free(q.g.chosen);
	free(q.g.capture.only.p);
	free(q.name);
	return status;
}
