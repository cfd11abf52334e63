/* SPDX-License-Identifier: BSD-3-Clause */
/* cli.c - parse the command line of a program and print its --help */
#include "base/cli.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/when.h"
#include "base/wrapped.h"

#define OPTIONS_MAX 64	/* limit of options of a command, including the common ones */

/*
 * Options of every program, in the order of the bits CLI_ROOT and so on. Programs that read files
 * ignore the three options with arguments.
 */
static const struct cli_option common[] = {
	{ "root",    "DIR",  "directory that collectors see as / (default /)", '\0', false },
	{ "config",  "FILE", "configuration file to read instead of the default", '\0', false },
	{ "dir",     "DIR",  "archive to use instead of the configured one", '\0', false },
	{ "help",    NULL,   "print this text and exit", 'h', false },
	{ "version", NULL,   "print the version and exit", '\0', false },
};
enum { ASK_HELP = 3, ASK_VERSION };	/* indices in common[] */
static const size_t common_values[] = {
	offsetof(struct cli_common, root), offsetof(struct cli_common, config),
	offsetof(struct cli_common, dir),
};

static const char *first_name(const struct cli *c)
{
	return c->program ? c->program : "nodometer";
}

/* How users call the program: "nodometer cat", or "nodometerd". */
#define CALLED_FMT "%s%s%s"
#define CALLED(c) first_name(c), (c)->command ? " " : "", (c)->command ? (c)->command : ""

PRINTF(2, 0)
static int misused(const struct cli *c, const char *fmt, va_list ap)
{
	fprintf(stderr, CALLED_FMT ": ", CALLED(c));
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\nTry \"" CALLED_FMT " --help\".\n", CALLED(c));
	return CLI_WRONG;
}

int cli_help(const struct cli *c)
{
	static char help_option[] = "--help", name[] = "nodometer";
	const char *arg;
	optind = 0;
	int shown = cli_take(c, 2, (char *[]){ name, help_option, NULL }, &arg);
	return shown == CLI_SHOWN ? CLI_OK : CLI_WRONG;
}

int cli_misused(const struct cli *c, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	misused(c, fmt, ap);
	va_end(ap);
	return CLI_WRONG;
}

void cli_wrong(const struct cli *c, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	exit(misused(c, fmt, ap));
}

static int cli_index_of(const struct cli *c, int letter)
{
	for (size_t i = 0; letter && i < c->n_options; i++)
		if (c->option[i].letter == letter)
			return (int)i;
	return -1;
}

void cli_print_row(FILE *to, int column, const char *left, const char *text)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	size_t n = strlen(left);
	wrapped_put(&b, column, str_of(text));
	if (n + 2 < (size_t)column)
		memcpy(b.p + 2, left, n);
	else
		fprintf(to, "  %s\n", left);
	fwrite(b.p, 1, b.n, to);
}

static void print_option(const struct cli_option *o)
{
	char left[80], letter[8] = "";
	if (!o->help)
		return;
	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s%s", letter, o->name,
		 !o->arg ? "" : o->optional ? " [" : " ", o->arg ? o->arg : "",
		 o->arg && o->optional ? "]" : "");
	cli_print_row(stdout, 21, left, o->help);
}

static void print_help(const struct cli *c)
{
	printf("usage: " CALLED_FMT " [OPTIONS]%s%s\n%s\n\n", CALLED(c), *c->operands ? " " : "",
	       c->operands, c->about);
	for (size_t i = 0; i < c->n_options; i++)
		print_option(&c->option[i]);
	for (size_t i = 0; i < ARRAY_SIZE(common); i++) {
		struct cli_option o = common[i];
		if (i < ASK_HELP && !(c->common & 1u << i))
			continue;
		if (cli_index_of(c, o.letter) >= 0)
			/* the command uses this letter for another option */
			o.letter = '\0';
		print_option(&o);
	}
	if (c->more)
		c->more();
	if (c->page)
		printf("\nMore in %s.\n", c->page);
	else
		printf("\nMore in nodometer-%s(1).\n", c->command);
}

static int do_common(const struct cli *c, size_t which)
{
	if (which < ASK_HELP)
		return CLI_COMMON - (int)which;
	if (which == ASK_HELP)
		print_help(c);
	else
		printf("%s %s\n", first_name(c), PACKAGE_VERSION);
	if (fflush(stdout) == 0)
		return CLI_SHOWN;
	fprintf(stderr, CALLED_FMT ": %s\n", CALLED(c), strerror(errno));
	return CLI_MISUSED;
}

/*
 * Make the string of short options for getopt(3), such as ":p:o:". A leading "+" makes getopt(3)
 * stop at the first operand.
 */
static void put_letters(const struct cli *c, char letters[2 * OPTIONS_MAX])
{
	if (c->until_word)
		*letters++ = '+';
	*letters++ = ':';
	for (size_t i = 0; i < c->n_options; i++) {
		if (!c->option[i].letter)
			continue;
		*letters++ = c->option[i].letter;
		if (c->option[i].arg)
			*letters++ = ':';
	}
	if (cli_index_of(c, 'h') < 0)
		*letters++ = 'h';
	*letters = '\0';
}

static struct option as_getopt(const struct cli_option *o)
{
	return (struct option){ o->name, !o->arg ? no_argument : o->optional ? optional_argument :
				required_argument, NULL, 0 };
}

static void try_names(struct nearest *n, const char *word, const struct cli_option *o, size_t n_o)
{
	for (size_t i = 0; i < n_o; i++)
		nearest_try(n, word, o[i].name);
}

/* Report a wrong option, for which getopt_long(3) returned r, and suggest the nearest option. */
static int complain(const struct cli *c, const char *word, int r)
{
	size_t from = c->common ? 0 : ASK_HELP;
	struct nearest n = { NULL, 0 };
	char name[64];
	if (r == ':') {
		cli_misused(c, "%s needs an argument", word);
		return CLI_MISUSED;
	}
	/*
	 * for a short option, do not show `word`: if more letters follow the wrong one, `word` is
	 * the word before
	 */
	if (optopt) {
		cli_misused(c, "unknown option -%c", optopt);
		return CLI_MISUSED;
	}
	if (strncmp(word, "--", 2) == 0) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
		try_names(&n, name, c->option, c->n_options);
		try_names(&n, name, common + from, ARRAY_SIZE(common) - from);
	}
	if (n.best && n.distance == 0)
		cli_misused(c, "--%s takes no argument", n.best);
	else if (n.best)
		cli_misused(c, "unknown option %s; did you mean --%s?", word, n.best);
	else
		cli_misused(c, "unknown option %s", word);
	return CLI_MISUSED;
}

/*
 * Take the next word as the optional argument of an option: getopt_long(3) accepts only
 * "--name=ARG".
 */
static const char *next_word(char **argv)
{
	const char *word = argv[optind];
	if (!word || (word[0] == '-' && word[1]))
		return NULL;
	optind++;
	return word;
}

static void make_table(const struct cli *c, struct option table[OPTIONS_MAX])
{
	size_t n = 0;
	assert(c->n_options + ARRAY_SIZE(common) < OPTIONS_MAX);
	for (size_t i = 0; i < c->n_options; i++)
		table[n++] = as_getopt(&c->option[i]);
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		table[n++] = as_getopt(&common[i]);
}

int cli_take(const struct cli *c, int argc, char **argv, const char **arg)
{
	struct option table[OPTIONS_MAX] = { 0 };
	char letters[2 * OPTIONS_MAX];
	int at = 0;
	opterr = 0;
	make_table(c, table);
	put_letters(c, letters);
	int r = getopt_long(argc, argv, letters, table, &at);
	if (r == -1)
		return CLI_END;
	if (r == ':' || r == '?')
		return complain(c, argv[optind - 1], r);
	*arg = optarg;
	if (r) {
		at = cli_index_of(c, r);
		return at >= 0 ? at : do_common(c, ASK_HELP);
	}
	if ((size_t)at >= c->n_options)
		return do_common(c, (size_t)at - c->n_options);
	if (c->option[at].optional && !optarg)
		*arg = next_word(argv);
	return at;
}

static const char **cli_value_of(const struct cli_common *values, size_t which)
{
	return (const char **)((char *)values + common_values[which]);
}

void cli_set_common(struct cli_common *to, int result, const char *arg)
{
	*cli_value_of(to, (size_t)(CLI_COMMON - result)) = arg;
}

/* Take --NAME VALUE or --NAME=VALUE at argv[*i]. */
static bool cli_take_one_common(struct cli_common *to, int argc, char **argv, int *i)
{
	const char *word = argv[*i];
	for (size_t which = 0; which < ASK_HELP; which++) {
		size_t n = strlen(common[which].name);
		if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, common[which].name, n) != 0)
			continue;
		if (word[2 + n] == '=')
			*cli_value_of(to, which) = word + n + 3;
		else if (word[2 + n] == '\0' && *i + 1 < argc)
			*cli_value_of(to, which) = argv[++*i];
		else
			continue;
		return true;
	}
	return false;
}

int cli_take_common(struct cli_common *to, int argc, char **argv)
{
	int n = 1;
	bool operands = false;
	for (int i = 1; i < argc; i++) {
		operands |= strcmp(argv[i], "--") == 0;
		if (operands || !cli_take_one_common(to, argc, argv, &i))
			argv[n++] = argv[i];
	}
	return n;
}

char *cli_put_name(char to[CLI_NAME_MAX], const struct cli_option *o)
{
	snprintf(to, CLI_NAME_MAX, "--%s", o->name);
	return to;
}

int cli_put_common(const struct cli_common *from, unsigned which, char **words)
{
	static char names[ASK_HELP][CLI_NAME_MAX];
	int n = 0;
	for (size_t i = 0; i < ASK_HELP; i++) {
		if (!(which & 1u << i) || !*cli_value_of(from, i))
			continue;
		words[n++] = cli_put_name(names[i], &common[i]);
		words[n++] = (char *)*cli_value_of(from, i);
	}
	return n;
}

int cli_refuse_common(const struct cli *c, const struct cli_common *given, unsigned which)
{
	for (size_t i = 0; i < ASK_HELP; i++)
		if (which & 1u << i && *cli_value_of(given, i))
			return cli_misused(c, "--%s has no effect on this command", common[i].name);
	return CLI_OK;
}

int cli_next(const struct cli *c, int argc, char **argv, const char **arg)
{
	int r;
	do
		r = cli_take(c, argc, argv, arg);
	while (r <= CLI_COMMON);
	if (r == CLI_SHOWN || r == CLI_MISUSED)
		exit(r == CLI_SHOWN ? CLI_OK : CLI_WRONG);
	return r;
}

int cli_refuse_operands(const struct cli *c, int argc, char **argv)
{
	if (optind == argc)
		return CLI_END;
	cli_misused(c, "unexpected argument \"%s\"%s%s", argv[optind], c->instead ? "; " : "",
		    c->instead ? c->instead : "");
	return CLI_MISUSED;
}

uint64_t cli_number(const struct cli *c, const char *option, const char *arg, uint64_t least,
		    uint64_t most)
{
	struct str s = str_of(arg);
	uint64_t v;
	if (!str_is_u64(s) || !str_take_u64(&s, &v) || v < least || v > most)
		cli_wrong(c, "--%s %s: not a number from %llu to %llu", option, arg,
			  (unsigned long long)least, (unsigned long long)most);
	return v;
}

/* Report the write error e, if e is not 0. Returns CLI_OK or CLI_FAILED. */
static int cli_written(const char *path, int e)
{
	if (e < 0)
		log_error("%s: %s", path ? path : "standard output", strerror(-e));
	return e < 0 ? CLI_FAILED : CLI_OK;
}

int cli_open_output(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0644);
	if (fd < 0)
		log_error("%s: %s", path, strerror(errno));
	return fd;
}

bool cli_is_file(const char *path)
{
	return path && strcmp(path, "-") != 0;
}

int cli_publish(const char *path, struct str text)
{
	return cli_written(path, path ? files_publish(path, text) :
			   files_write(STDOUT_FILENO, text));
}

bool cli_has_colour(void)
{
	const char *no_color = getenv("NO_COLOR");
	return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

int cli_print(struct buf *text)
{
	int e = files_print(STDOUT_FILENO, text);
	return cli_written(NULL, e == -EPIPE ? 0 : e);
}

int cli_flush(void)
{
	int e = fflush(stdout) != 0 ? -errno : 0;
	if (e < 0 || !ferror(stdout))
		return cli_written(NULL, e == -EPIPE ? 0 : e);
	log_error("standard output: cannot write all output");
	return CLI_FAILED;
}

int64_t cli_time(const struct cli *c, const char *text)
{
	bool by_clock;
	return cli_time_by_clock(c, text, &by_clock);
}

/* Exit with a message why the text is no time. */
static __attribute__((noreturn)) void cli_refuse_time(const struct cli *c, const char *text)
{
	const char *number = text + (*text == '-');
	int n = (int)strspn(number, "0123456789");
	if (n > 0 && strcmp(number + n, "m") == 0)
		cli_wrong(c, "\"%s\" is not a time: \"m\" may be minutes or months; write "
			  "-%.*smin or -%.*smonth", text, n, number, n, number);
	cli_wrong(c, "\"%s\" is not a time; write today, yesterday, -2h, -7d, -1week, "
		  "\"Tue 14:03\", YYYY-MM-DD, \"YYYY-MM-DD HH:MM\" or @EPOCH", text);
}

int64_t cli_time_by_clock(const struct cli *c, const char *text, bool *by_clock)
{
	int64_t usec;
	if (when_take_clock(text, clock_ns(CLOCK_REALTIME) / 1000, &usec, by_clock) < 0)
		cli_refuse_time(c, text);
	return usec;
}

void cli_check_times(const struct cli *c, int64_t since, int64_t until)
{
	if (since > until)
		cli_wrong(c, "--since (%s) is later than --until (%s)",
			  cli_moment(since).s, cli_moment(until).s);
}

struct cli_moment cli_moment(int64_t usec)
{
	struct cli_moment m;
	time_t t = (time_t)(usec / 1000000);
	struct tm tm;
	if (!localtime_r(&t, &tm) || !strftime(m.s, sizeof(m.s), "%Y-%m-%d %H:%M:%S", &tm))
		str_copy(m.s, sizeof(m.s), STR("?"));
	return m;
}
