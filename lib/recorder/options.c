/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - parse the options common to all commands and read the configuration */
#include "recorder/options.h"

#include <errno.h>
#include <stdio.h>
#include "base/log.h"

int options_next(struct options *o, const struct cli *c, int argc, char **argv, const char **arg)
{
	int r;
	while ((r = cli_take(c, argc, argv, arg)) <= CLI_COMMON)
		cli_set_common(&o->given, r, *arg);
	return r;
}

static int options_use_text(char *to, const char *name, const char *value, struct buf *errors)
{
	if (!value || str_copy(to, CONFIG_TEXT_MAX, str_of(value)))
		return 0;
	buf_addf(errors, "--%s: longer than %d bytes\n", name, CONFIG_TEXT_MAX - 1);
	return -ENAMETOOLONG;
}

/* Check keys that depend on each other. */
static int options_check_together(const struct config *c, struct buf *errors)
{
	if (!c->live_us || c->live_us < c->interval_us)
		return 0;
	config_put_place(c, "agent", "live-interval", errors);
	buf_addf(errors, "live-interval is not shorter than interval, so live-interval has no "
		 "effect: remove or shorten it\n");
	return -EINVAL;
}

int options_read(const struct options *o, struct config *c, struct buf *errors)
{
	config_init(c);
	c->sinks = o->sinks;
	int r = o->given.config ? config_read(c, o->given.config, errors)
			  : config_read_all(c, config_default_path(), errors);
	if (r == 0)
		r = options_check_together(c, errors);
	int root = options_use_text(c->root, "root", o->given.root, errors);
	int dir = options_use_text(c->dir, "dir", o->given.dir, errors);
	return root < 0 ? root : dir < 0 ? dir : r;
}

void options_log(struct str errors, enum log_level level)
{
	struct str line;
	while (str_take_line(&errors, &line))
		log_at(level, STR_FMT, STR_ARG(line));
}

int options_configure(const struct options *o, struct config *c)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	int r = options_read(o, c, &errors);
	options_log(buf_str(&errors), LOG_LEVEL_ERROR);
	if (r < 0)
		config_free(c);
	return r;
}

/*
 * A file given by --config must exist: the default file may belong to the agent of another node,
 * which must not record this job.
 */
int options_configure_anyway(const struct options *o, struct config *c)
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	int r = options_read(o, c, &errors);
	bool goes_on = r == 0 || r == -EINVAL || (!o->given.config && r != -ENAMETOOLONG);
	options_log(buf_str(&errors), goes_on ? LOG_LEVEL_WARNING : LOG_LEVEL_ERROR);
	if (!goes_on)
		config_free(c);
	else if (r < 0)
		log_warning("continuing with the defaults of the wrong keys; correct them, then "
			    "run \"nodometer config check\"");
	return goes_on ? 0 : r;
}

int options_say_checked(const struct config *c, int r, struct str errors)
{
	fprintf(stderr, STR_FMT, STR_ARG(buf_str(&c->warnings)));
	if (r < 0)
		fprintf(stderr, STR_FMT, STR_ARG(errors));
	else if (c->files.n)
		printf(STR_FMT ": no errors\n", STR_ARG(buf_str(&c->files)));
	else
		printf("%s: does not exist, so all keys have their defaults; no errors\n",
		       config_default_path());
	return r < 0 ? 1 : 0;
}

int options_check(const struct options *o,
		  int (*resolve)(struct config *c, struct buf *errors))
{
	struct buf errors CLEANUP(buf_free) = { 0 };
	struct config c;
	int r = options_read(o, &c, &errors);
	int wrong = resolve(&c, &errors);
	config_look(&c);
	int status = options_say_checked(&c, r < 0 ? r : wrong, buf_str(&errors));
	config_free(&c);
	return status;
}
