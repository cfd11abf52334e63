/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-top.c - nodometer top: show this node, its jobs and its devices live */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/system/privileges.h"
#include "archive/host.h"
#include "recorder/live.h"
#include "recorder/options.h"
#include "screen/screen.h"
#include "top/view.h"

#define DEADLINE_NS 1000000000
#define DELAY_US    2000000
#define DELAY_MAX_US INT64_C(3600000000)

enum { BATCH, COUNT, DELAY, FILTER, AS_JSON };
static const struct cli_option table[] = {
	[BATCH]  = { "batch",  NULL,   "print pages one after another, without a terminal" },
	[COUNT]  = { "count",  "N",    "exit after N pages" },
	[DELAY]  = { "delay",  "S",    "seconds between pages (default 2)" },
	[FILTER] = { "filter", "TEXT", "only devices and jobs whose names contain TEXT" },
	[AS_JSON] = { "json",  NULL,
		      "print an object per line: share/nodometer/schemas/top-1.json" },
};
static const struct cli cli = {
	.command = "top", .operands = "", .common = CLI_ALL, CLI_OPTIONS(table),
	.about = "Shows live values of this node, its jobs and its devices.\n"
		 "Without a terminal, prints one page.",
};

struct top {
	struct config config;
	struct sampler sampler;
	struct live live;
	struct host host;
	struct top_agent agent;
	struct top_moment moment[2];
	size_t newest;
	struct top_view view;
	struct page page;
	struct buf out;
	bool batch, json, terminal;
	uint64_t count;		/* number of pages, or 0 for no limit */
	uint64_t needs;		/* capabilities that this process needs to take a sample */
	int64_t delay_us;
	size_t scroll;
};

static void wrong(const char *option, const char *arg, const char *want)
{
	cli_wrong(&cli, "--%s: \"%s\" is not %s", option, arg, want);
}

static void top_take_number(struct top *t, int option, const char *arg)
{
	struct str text = str_of(arg);
	if (option == COUNT) {
		if (!str_is_u64(text) || !str_take_u64(&text, &t->count) || t->count == 0)
			wrong("count", arg, "a whole number of at least 1");
		return;
	}
	if (!str_take_time(&text, &t->delay_us) || text.n || t->delay_us < 100000 ||
	    t->delay_us > DELAY_MAX_US)
		wrong("delay", arg, "a number of seconds from 0.1 to 3600");
}

static void top_take_option(struct top *t, int option, const char *arg)
{
	switch (option) {
	case BATCH:   t->batch = true; break;
	case AS_JSON: t->json = true; break;
	case FILTER:
		if (!str_copy(t->view.filter, sizeof(t->view.filter), str_of(arg)))
			wrong("filter", arg, "a text of at most 31 bytes");
		break;
	default: top_take_number(t, option, arg); break;
	}
}

static void top_take_options(struct top *t, int argc, char **argv)
{
	struct options o = { 0 };
	const char *arg;
	int r;
	while ((r = options_next(&o, &cli, argc, argv, &arg)) >= 0)
		top_take_option(t, r, arg);
	if (r != CLI_END)
		exit(r == CLI_SHOWN ? CLI_OK : CLI_WRONG);
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		exit(CLI_WRONG);
	if (options_configure(&o, &t->config) < 0)
		exit(CLI_WRONG);
}

/*
 * If this process is root, become the owner of the archive, because the agent answers that user. If
 * root owns the archive, become nobody.
 */
static void top_leave_root(struct top *t)
{
	for (size_t i = 0; i < n_collectors; i++)
		if (top_type_find(collectors[i]->type->name))
			t->needs |= collector_needs(collectors[i]);
	t->needs = privileges_here(t->needs);
	int r = privileges_leave_root(t->config.dir, t->needs);
	if (r < 0)
		log_warning("cannot drop root privileges, continuing as root: %s", strerror(-r));
}

/* Take a sample in this process, because the agent gave none. */
static void top_sample(struct top *t)
{
	/* on failure, go on without the capabilities: the sample then has fewer values */
	(void)!privileges_use(t->needs);
	sampler_collect(&t->sampler);
	privileges_rest();
}

static int top_start(struct top *t)
{
	struct buf unknown CLEANUP(buf_free) = { 0 };
	enum type_use *use = xrealloc(NULL, n_collectors * sizeof(*use));
	for (size_t i = 0; i < n_collectors; i++) {
		const char *name = collectors[i]->type->name;
		use[i] = !top_type_find(name) ? USE_OFF : collectors[i]->type->isolate ?
			 USE_ISOLATE : USE_ON;
	}
	int r = sampler_init(&t->sampler, t->config.root, use, DEADLINE_NS);
	free(use);
	if (r < 0) {
		log_error("%s: %s", t->config.root, strerror(-r));
		return r;
	}
	users_add_local(&t->sampler.shared.job_owners, str_of(t->config.scheduler_users),
			&unknown);
	host_identify(&t->host, &t->sampler.root, t->config.hostname);
	t->view.host = t->host.name;
	t->view.agent = &t->agent;
	t->agent.cpus = t->agent.rss = NAN;
	return 0;
}

/*
 * Ask the agent for a sample. Returns false without asking if the user gave another root directory,
 * since the agent reads only /, or wants pages more often than each second, the limit of the agent.
 */
static bool top_ask(struct top *t, const struct top_moment *before, struct top_moment *now)
{
	return t->delay_us >= 1000000 && strcmp(t->config.root, "/") == 0 &&
	       top_agent_sample(&t->agent, t->config.runtime_dir, before, now);
}

static void top_look(struct top *t)
{
	const struct top_moment *before = &t->moment[t->newest];
	struct top_moment *now = &t->moment[1 - t->newest];
	t->agent.samples = top_ask(t, before, now);
	if (!t->agent.samples) {
		top_sample(t);
		live_fill(&t->live, &t->sampler, realtime_us(), STR("-"), STR(""));
		top_moment_take(now, before, &t->live.record);
	}
	top_agent_look(&t->agent, t->config.runtime_dir, &t->sampler.root);
	t->newest = 1 - t->newest;
	t->view.now = now;
}

/* Print a page. Returns 0 or -errno. Logs errors except -EPIPE. */
static int top_print(struct top *t)
{
	t->out.n = 0;
	if (t->json) {
		top_view_put_json(&t->view, &t->out);
	} else {
		top_view_make(&t->view, &t->page);
		page_put(&t->page, &t->out);
	}
	int e = files_write(STDOUT_FILENO, buf_str(&t->out));
	if (e < 0 && e != -EPIPE)
		log_error("standard output: %s", strerror(-e));
	return e;
}

static void top_draw(struct top *t)
{
	top_view_make(&t->view, &t->page);
	if (t->scroll >= t->page.n)
		t->scroll = t->page.n ? t->page.n - 1 : 0;
	screen_draw(&t->page, t->scroll, "q quit  h help  s sort  / filter  arrows");
}

/* Handle a key. Returns false to quit. */
static bool top_obey(struct top *t, enum screen_key key)
{
	switch (key) {
	case SCREEN_QUIT:
		return false;
	case SCREEN_HELP:
		t->view.help = !t->view.help;
		t->scroll = 0;
		break;
	case SCREEN_SORT:
		t->view.order = (t->view.order + 1) % TOP_ORDERS;
		break;
	case SCREEN_FILTER:
		screen_ask("/", t->view.filter, sizeof(t->view.filter));
		break;
	default:
		screen_scroll(key, &t->scroll);
		break;
	}
	return true;
}

/* Show a page until the next sample is due. Returns false to quit. */
static bool top_show(struct top *t, int64_t until_ns)
{
	int64_t left;
	do {
		top_draw(t);
		left = (until_ns - monotonic_ns()) / 1000000;
		if (!top_obey(t, screen_wait(left > 0 ? left : 0)))
			return false;
	} while (monotonic_ns() < until_ns);
	return true;
}

static int top_run(struct top *t)
{
	int64_t due = monotonic_ns();
	top_look(t);	/* rates need a second sample */
	for (uint64_t n = 0; !t->count || n < t->count; n++) {
		due += t->delay_us * 1000;
		/* after a suspend, the due time is in the past: start again from now */
		if (due < monotonic_ns())
			due = monotonic_ns();
		if (t->terminal ? !top_show(t, due) :
		    screen_wait((due - monotonic_ns()) / 1000000) == SCREEN_QUIT)
			return CLI_OK;
		top_look(t);
		int e = t->terminal ? 0 : top_print(t);
		if (e < 0)
			return e == -EPIPE ? CLI_OK : CLI_FAILED;
	}
	return CLI_OK;
}

int main(int argc, char **argv)
{
	static struct top t;
	t.delay_us = DELAY_US;
	log_open("nodometer top", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	top_take_options(&t, argc, argv);
	top_leave_root(&t);
	if (top_start(&t) < 0)
		return CLI_FAILED;
	screen_signals();
	t.terminal = !t.batch && !t.json && screen_open() == 0;
	if (!t.terminal && !t.batch && !t.count)
		t.count = 1;
	int status = top_run(&t);
	if (t.terminal)
		screen_close();
	for (size_t i = 0; i < 2; i++)
		top_moment_free(&t.moment[i]);
	top_agent_free(&t.agent);
	live_free(&t.live);
	sampler_free(&t.sampler);
	page_free(&t.page);
	buf_free(&t.out);
	config_free(&t.config);
	return status;
}
