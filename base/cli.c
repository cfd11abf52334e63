/* SPDX-License-Identifier: BSD-3-Clause */
/* cli.c - the command line of a reader's program */
#include "base/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/str.h"

#define OPTIONS_MAX 32

/* Every command takes these; a reader of files has no use for the three with arguments. */
static const struct cli_option common[] = {
	{ "root",    "DIR",  NULL },
	{ "config",  "FILE", NULL },
	{ "dir",     "DIR",  NULL },
	{ "help",    NULL,   "this text"   },
	{ "version", NULL,   "the version" },
};
enum { ASK_HELP = 3, ASK_VERSION };	/* places in the table */

void cli_wrong(const struct cli *c, const char *fmt, ...)
{
	va_list ap;
	fprintf(stderr, "nodometer %s: ", c->command);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\nTry \"nodometer %s --help\".\n", c->command);
	exit(CLI_WRONG);
}

static void print_option(const struct cli_option *o)
{
	if (!o->help)
		return;
	char letter[8] = "";
	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	int n = printf("  %s--%s%s%s", letter, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
	printf("%*s%s\n", n < 20 ? 20 - n : 1, "", o->help);
}

static void print_help(const struct cli *c)
{
	printf("usage: nodometer %s [OPTIONS] %s\n%s\n\n", c->command, c->operands, c->about);
	for (size_t i = 0; i < c->n_options; i++)
		print_option(&c->option[i]);
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		print_option(&common[i]);
}

static void do_common(const struct cli *c, size_t which)
{
	if (which == ASK_HELP)
		print_help(c);
	if (which == ASK_VERSION)
		printf("nodometer %s\n", PACKAGE_VERSION);
	if (which == ASK_HELP || which == ASK_VERSION)
		exit(fflush(stdout) == 0 ? CLI_OK : CLI_FAILED);
}

/* ":p:o:", as getopt(3) has them. */
static void put_letters(const struct cli *c, char letters[2 * OPTIONS_MAX])
{
	*letters++ = ':';
	for (size_t i = 0; i < c->n_options && i < OPTIONS_MAX - 2; i++) {
		if (!c->option[i].letter)
			continue;
		*letters++ = c->option[i].letter;
		if (c->option[i].arg)
			*letters++ = ':';
	}
	*letters = '\0';
}

static int place_of(const struct cli *c, int letter)
{
	for (size_t i = 0; i < c->n_options; i++)
		if (c->option[i].letter == letter)
			return (int)i;
	return -1;
}

static struct option as_getopt(const struct cli_option *o)
{
	return (struct option){ o->name, o->arg ? required_argument : no_argument, NULL, 0 };
}

int cli_next(const struct cli *c, int argc, char **argv, const char **arg)
{
	struct option table[OPTIONS_MAX] = { 0 };
	size_t n = 0;
	for (size_t i = 0; i < c->n_options && n < OPTIONS_MAX - ARRAY_SIZE(common) - 1; i++)
		table[n++] = as_getopt(&c->option[i]);
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		table[n++] = as_getopt(&common[i]);

	char letters[2 * OPTIONS_MAX];
	int at = 0, r;
	opterr = 0;
	put_letters(c, letters);
	while ((r = getopt_long(argc, argv, letters, table, &at)) != -1 && r != ':' && r != '?') {
		*arg = optarg;
		if (r)
			return place_of(c, r);
		if ((size_t)at < c->n_options)
			return at;
		do_common(c, (size_t)at - c->n_options);
	}
	if (r == ':')
		cli_wrong(c, "%s needs an argument", argv[optind - 1]);
	if (r != -1 && optopt)
		cli_wrong(c, "unknown option -%c", optopt);
	if (r != -1)
		cli_wrong(c, "unknown option %s", argv[optind - 1]);
	return -1;
}

/* Exactly so many digits. */
static bool take_digits(struct str *s, size_t n, int *ret)
{
	struct str head = { s->p, n };
	uint64_t v;
	if (s->n < n || str_peek(head) == ' ' || !str_take_u64(&head, &v) || head.n)
		return false;
	*ret = (int)v;
	*s = str_skip(*s, n);
	return true;
}

static bool take_clock(struct str *s, struct tm *tm)
{
	if (!str_take_prefix(s, STR("T")) && !str_take_prefix(s, STR(" ")))
		return false;
	if (!take_digits(s, 2, &tm->tm_hour) || !str_take_prefix(s, STR(":")) ||
	    !take_digits(s, 2, &tm->tm_min))
		return false;
	return !str_take_prefix(s, STR(":")) || take_digits(s, 2, &tm->tm_sec);
}

static bool take_date(struct str *s, struct tm *tm)
{
	return take_digits(s, 4, &tm->tm_year) && str_take_prefix(s, STR("-")) &&
	       take_digits(s, 2, &tm->tm_mon) && str_take_prefix(s, STR("-")) &&
	       take_digits(s, 2, &tm->tm_mday);
}

/* mktime(3) would make the 1st of March of a 30th of February. */
static int local_time(struct tm tm, time_t *ret)
{
	struct tm asked = tm;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	time_t t = mktime(&tm);
	if (t == -1 || tm.tm_mday != asked.tm_mday || tm.tm_mon != asked.tm_mon - 1 ||
	    asked.tm_hour > 23 || asked.tm_min > 59 || asked.tm_sec > 60)
		return -EINVAL;
	*ret = t;
	return 0;
}

int cli_time(const char *text, int64_t *usec)
{
	struct str s = str_of(text);
	struct tm tm = { .tm_isdst = -1 };
	int64_t v;
	time_t t;
	if (str_take_time(&s, &v) && s.n == 0) {
		*usec = v;
		return 0;
	}
	s = str_of(text);
	if (!take_date(&s, &tm) || (s.n && !take_clock(&s, &tm)) || s.n)
		return -EINVAL;
	int r = local_time(tm, &t);
	if (r < 0)
		return r;
	*usec = (int64_t)t * 1000000;
	return 0;
}
