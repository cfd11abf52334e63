/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometerd.c - the agent: a timer, a socket, a job file, and one recorder */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include "agent/daemon.h"
#include "agent/options.h"
#include "base/log.h"

enum { OPTION_FOREGROUND = 1 };

static const struct option_help table[] = {
	{ "foreground", NULL, "log to the terminal (it never forks)", OPTION_FOREGROUND },
	OPTIONS_COMMON
};

static int usage(int id)
{
	if (id == OPTION_VERSION) {
		puts("nodometerd " PACKAGE_VERSION);
		return 0;
	}
	if (id != OPTION_HELP) {
		fputs("usage: nodometerd [OPTIONS]\nTry \"nodometerd --help\".\n", stderr);
		return 2;
	}
	puts("usage: nodometerd [OPTIONS]\n\nThe agent: samples this node on a timer and at the "
	     "begin and end of jobs.\n");
	options_print(table, ARRAY_SIZE(table));
	puts("\nMore in nodometerd(8) and nodometer.conf(5).");
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { NULL };
	int id;

	log_open("nodometerd", LOG_LEVEL_INFO);
	while ((id = options_next(&o, argc, argv, table, ARRAY_SIZE(table))) != -1)
		if (id != OPTION_FOREGROUND)
			return usage(id);
	if (optind != argc)
		return usage('?');
	int r = daemon_run(&o);
	if (r < 0)
		sd_notifyf(0, "STATUS=%s", strerror(-r));
	return r == -EINVAL ? 2 : r < 0 ? 1 : 0;
}
