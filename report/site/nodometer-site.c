/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-site.c - main program of nodometer site: write static pages of an archive */
#include <stdlib.h>
#include "base/cli.h"
#include "base/log.h"
#include "plot/html.h"
#include "report/advice.h"
#include "report/fleet/fleet.h"
#include "report/fleet/print_fleet.h"
#include "report/search.h"
#include "report/site/tables.h"

enum { DIR_, OUT, SINCE };
static const struct cli_option options[] = {
	[DIR_]  = { "dir",   "DIR",  "archive (" DIR_DEFAULT ")" },
	[OUT]   = { "out",   "DIR",  "folder of the pages" },
	[SINCE] = { "since", "TIME", "only runs that ran at or after TIME" },
};
static const struct cli cli = {
	.command = "site", .operands = "", CLI_OPTIONS(options),
	.about = "Writes static HTML pages about each run, user, account, node and week.\n"
		 CLI_TIME,
};

static void write_fleet(struct site *s)
{
	struct fleet f = FLEET_NOW(s->of.dir);
	struct buf text CLEANUP(buf_free) = { 0 }, page CLEANUP(buf_free) = { 0 };

	if (fleet_look(&f, &log_listener) == 0) {
		fleet_put_text(&text, &f);
		buf_add_char(&text, '\0');
		html_begin(&page, "Nodes that need attention");
		html_put_element(&page, "pre", text.p);
		html_end(&page);
		site_write(s, s->all, "fleet.html", buf_str(&page));
	} else {
		s->failed = true;
	}
	fleet_free(&f);
}

static double unused_hours(void *arg, const struct run_row *row)
{
	(void)arg;
	return row->used.known ? row->used.unused : -1;
}

static bool write_all(struct site *s, const char *out)
{
	const struct run_pages pages = { site_wants, site_make, s };
	if (site_open(s, out) < 0)
		return false;
	s->of.used = s->of.keep = true;
	s->of.rank = unused_hours;
	s->of.pages = &pages;
	if (!listing_read(&s->of))
		return false;
	site_note(s);
	tables_write(s);
	write_fleet(s);
	return !s->failed && !s->of.failed;
}

int main(int argc, char **argv)
{
	struct advice advice;
	struct site s = { .of = LISTING_ALL, .out = -1, .users = -1, .all = -1 };
	const char *arg, *out = NULL;

	log_open("nodometer site", LOG_LEVEL_INFO);
	advice_begin(&advice);
	s.of.advice = &advice;
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; )
		switch (o) {
		case DIR_:  s.of.dir = arg; break;
		case OUT:   out = arg; break;
		case SINCE: s.of.since = cli_time(&cli, arg); break;
		}
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		exit(CLI_WRONG);
	if (!out)
		cli_wrong(&cli, "missing --out FOLDER, the folder for the pages");
	bool good = advice_read(NULL, &advice) && write_all(&s, out);
	site_close(&s);
	listing_free(&s.of);
	advice_end(&advice);
	return good ? CLI_OK : CLI_FAILED;
}
