/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-fleet.c - main program of nodometer fleet: list the nodes that need attention */
#include <malloc.h>
#include <signal.h>
#include <unistd.h>
#include "archive/input.h"
#include "base/cli.h"
#include "base/keys.h"
#include "base/log.h"
#include "base/plugin.h"
#include "base/system/child.h"
#include "base/system/foreign.h"
#include "report/fleet/fleet.h"
#include "report/fleet/print_fleet.h"
#include "report/search.h"

#define HOUR_US 3600000000

enum { DIR_, NODES, SILENT, SSH, JSON, FROM, LOGIN };
static const struct cli_option options[] = {
	[DIR_]   = { "dir",    "DIR",  "central archive (" DIR_DEFAULT ")" },
	[NODES]  = { "nodes",  "FILE", "check these nodes, one name per line; \"-\" is "
				       "standard input" },
	[SILENT] = { "silent", "TIME", "warn if the last record of a node is older (2h)" },
	[SSH]    = { "ssh",    NULL,   "also run \"nodometer status --check\" on each node" },
	[JSON]   = { "json",   NULL,
		     "print one object: share/nodometer/schemas/fleet-1.json" },
	[FROM]   = FROM_ROW,
	[LOGIN]  = LOGIN_ROW,
};
static const struct cli cli = {
	.command = "fleet", .operands = "", CLI_OPTIONS(options),
	.about = "Lists the nodes of a central archive that need attention, and why.\n"
		 "Exit status as of Nagios plugins: 0 none, 1 some, 2 some deliver nothing, "
		 "3 unknown.",
};

struct question {
	struct fleet fleet;
	const char *nodes;	/* path of the list of nodes; NULL: all nodes of the archive */
	bool json;
};

#define NAMES_BYTES_MAX (16u << 20)

/* Read the list of nodes. Returns false, after logging why, if there are none. */
static bool fleet_read_nodes(struct fleet *f, const char *path)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	int r = input_read_all(path, NAMES_BYTES_MAX, &b);
	if (r == 0)
		fleet_expect(f, buf_str(&b));
	if (r < 0)
		log_error("%s: %s", path, input_why(r));
	else if (f->n == 0)
		log_error("%s: contains no node name", path);
	return f->n > 0;
}

static bool take_silent(struct fleet *f, const char *text)
{
	static const struct key_unit units[] = {
		{ "s", 1000000 }, { "min", 60000000 }, { "h", HOUR_US }, { "d", 24 * HOUR_US },
		{ NULL, 0 },
	};
	const struct key k = { .kind = KEY_NUMBER, .name = "--silent", .units = units,
			       .min = 1000000, .max = INT64_MAX };
	struct buf why CLEANUP(buf_free) = { 0 };
	if (key_set(&k, &f->silent_us, text, &why))
		return true;
	cli_misused(&cli, "--silent needs a time, such as 90min, 25h or 3d");
	return false;
}

/*
 * Parse the command line. Returns CLI_END, or the value of cli_take() that ends the program.
 * Reports wrong usage.
 */
static int fleet_take_options(struct question *q, int argc, char **argv)
{
	const char *arg;
	int o;
	while ((o = cli_take(&cli, argc, argv, &arg)) != CLI_END) {
		if (o == DIR_)
			q->fleet.dir = arg;
		else if (o == FROM)
			q->fleet.from.url = arg;
		else if (o == LOGIN)
			q->fleet.from.login = arg;
		else if (o == NODES)
			q->nodes = arg;
		else if (o == JSON)
			q->json = true;
		else if (o == SSH)
			q->fleet.ask = true;
		else if (o != SILENT)
			return o;
		else if (!take_silent(&q->fleet, arg))
			return CLI_MISUSED;
	}
	return cli_refuse_operands(&cli, argc, argv);
}

/* Examine the nodes and print the result. Returns the exit status. */
static int fleet_answer(struct question *q)
{
	struct buf out CLEANUP(buf_free) = { 0 };
	if (q->nodes && !fleet_read_nodes(&q->fleet, q->nodes))
		return STATUS_UNKNOWN;
	if (q->fleet.ask && child_find("ssh") < 0) {
		log_error("--ssh: cannot find ssh in PATH; install the OpenSSH client");
		return STATUS_UNKNOWN;
	}
	/* with --ssh, keep the rights of root, because ssh needs root's keys */
	if (!q->fleet.ask && archive_is_here(&q->fleet.from, q->fleet.dir))
		foreign_leave_root(&log_listener);
	if (fleet_look(&q->fleet, &log_listener) < 0)
		return STATUS_UNKNOWN;
	(q->json ? fleet_put_json : fleet_put_text)(&out, &q->fleet);
	return cli_print(&out) == CLI_OK ? fleet_status(&q->fleet) : STATUS_UNKNOWN;
}

int main(int argc, char **argv)
{
	struct question q = { .fleet = FLEET_NOW(DIR_DEFAULT) };

	log_open("nodometer fleet", LOG_LEVEL_INFO);
#ifdef M_TOP_PAD
	/* reuse memory for each node's buffers rather than fault in new pages */
	mallopt(M_TOP_PAD, 4 << 20);
#endif
	signal(SIGPIPE, SIG_IGN);
	int o = fleet_take_options(&q, argc, argv);
	int status = o == CLI_END ? fleet_answer(&q) : o == CLI_SHOWN ? STATUS_OK : STATUS_UNKNOWN;
	fleet_free(&q.fleet);
	return status;
}
