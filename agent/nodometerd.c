/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometerd.c - start the agent */
#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include "agent/daemon.h"
#include "recorder/options.h"
#include "base/log.h"

enum { FOREGROUND, CHECK };

static const struct cli_option table[] = {
	[FOREGROUND] = { "foreground", NULL, "log to the terminal (it never forks)" },
	[CHECK]      = { "check",      NULL, "report the mistakes in the configuration and exit" },
};
static const struct cli cli = {
	.program = "nodometerd", .operands = "", .common = CLI_ALL, CLI_OPTIONS(table),
	.about = "The agent: samples this node on a timer and at the start and end of jobs.",
	.page = "nodometerd(8) and nodometer.conf(5)",
};

/*
 * Return true if a restart cannot help, because the configuration is invalid or the agent lacks the
 * permission to write the archive.
 */
static bool nodometerd_restart_is_useless(int r)
{
	return r == -EINVAL || r == -EROFS || r == -EACCES || r == -ENOTDIR;
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	const char *arg;
	bool check = false;
	int id;

	log_open("nodometerd", LOG_LEVEL_INFO);
	while ((id = options_next(&o, &cli, argc, argv, &arg)) >= 0)
		check |= id == CHECK;
	if (id != CLI_END)
		return id == CLI_SHOWN ? CLI_OK : CLI_WRONG;
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		return CLI_WRONG;
	if (check)
		return options_check(&o, config_resolve);
	/*
	 * set glibc's threshold to a fixed value: otherwise glibc would raise it to twice the
	 * largest freed block, and the agent would keep that much free memory
	 */
	mallopt(M_TRIM_THRESHOLD, 1 << 17);
	int r = daemon_run(&o);
	if (r < 0)
		sd_notifyf(0, "STATUS=%s", strerror(-r));
	return nodometerd_restart_is_useless(r) ? 2 : r < 0 ? 1 : 0;
}
