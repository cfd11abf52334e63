/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c - the options that all commands share */
#include "agent/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"

static void take_common(struct options *o, int id)
{
	if (id == OPTION_ROOT)
		o->root = optarg;
	if (id == OPTION_CONFIG)
		o->config = optarg;
	if (id == OPTION_DIR)
		o->dir = optarg;
}

int options_next(struct options *o, int argc, char **argv, const struct option_help *table,
		 size_t n)
{
	struct option longs[OPTIONS_MAX + 1] = { 0 };

	for (size_t i = 0; i < n && i < OPTIONS_MAX; i++)
		longs[i] = (struct option){
			.name = table[i].name, .val = table[i].id,
			.has_arg = table[i].arg ? required_argument : no_argument,
		};
	for (;;) {
		int id = getopt_long(argc, argv, "", longs, NULL);
		if (id != OPTION_ROOT && id != OPTION_CONFIG && id != OPTION_DIR)
			return id;
		take_common(o, id);
	}
}

void options_print(const struct option_help *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char left[40];
		snprintf(left, sizeof(left), "--%s%s%s", table[i].name, table[i].arg ? " " : "",
			 table[i].arg ? table[i].arg : "");
		printf("  %-20s %s\n", left, table[i].help);
	}
}

static int use_text(char *to, const char *name, const char *value)
{
	if (!value)
		return 0;
	if (str_copy(to, CONFIG_TEXT_MAX, str_of(value)))
		return 0;
	log_error("--%s: longer than %d bytes", name, CONFIG_TEXT_MAX - 1);
	return -EINVAL;
}

int options_configure(const struct options *o, struct config *c)
{
	char error[768];
	const char *path = o->config ? o->config : config_default_path();

	config_init(c);
	int r = config_read(c, path, error, sizeof(error));
	if (r == -ENOENT && !o->config)
		r = 0;		/* all defaults */
	else if (r < 0)
		log_error("%s", error);
	if (r == 0)
		r = use_text(c->root, "root", o->root);
	if (r == 0)
		r = use_text(c->dir, "dir", o->dir);
	if (r < 0)
		config_free(c);
	return r;
}
