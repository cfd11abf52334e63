/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-xrootd.c - receive XRootD's detailed monitoring as events, transfers or sums */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "xrootd/lines/osg_summary.h"
#include "xrootd/counts_page.h"
#include "xrootd/program.h"
#include "xrootd/receiver.h"
#include "xrootd/state/written.h"
#include "xrootd/lines/xrd_events.h"
#include "xrootd/input/xrd_input.h"

/* how long a slow disk may delay saving the state at the end, in milliseconds */
#define SAVE_MS 10000

static const struct cli_option options[] = {
	[PORT]      = { "port",      "PORT", "UDP port to listen on; may be repeated", 'p' },
	[BIND]      = { "bind",      "ADDR", "listen on this address only", '\0' },
	[ALLOW]     = { "allow",     "NET",  "accept only this network, A.B.C.D/24,...", '\0' },
	[MAP]       = { "map",       "NET=HOST", "report servers of this network as this name or "
			"address", '\0' },
	[MESSAGES]  = { "messages",  "URL",  "read the shoveler's messages from standard input, or "
			"from amqps://USER@HOST", '\0', true },
	[QUEUE]     = { "queue",     "NAME", "queue of --messages amqps://", '\0' },
	[PASSWORD_FILE] = { "password-file", "FILE", "file of USER's password", '\0' },
	[CA_FILE]   = { "ca-file",   "FILE", "file of trusted certificates for amqps://", '\0' },
	[READ]      = { "read",      "FILE", "read this capture, not a port", '\0' },
	[OUTPUT]    = { "output",    "FILE", "append outputs without a FILE to this FILE", 'o' },
	[STATE]     = { "state",     "FILE", "keep open accesses in FILE over a restart", '\0' },
	[FINAL]     = { "final",     NULL,   "at the end, print open accesses as ended", '\0' },
	[TRANSFERS] = { "transfers", "FILE", "print a line for each access (default)", '\0',
			true },
	[SESSIONS]  = { "sessions",  "FILE", "print a line for each session, login to disconnect",
			'\0', true },
	[FORMAT]    = { "format",    "nodometer|osg|wlcg",
			"format of the last --transfers, --cache or --copies", '\0' },
	[VO]        = { "vo",        "NAME,...",
			"last --transfers: only users of these organisations", '\0' },
	[PREFIX]    = { "path",      "PREFIX,...",
			"last output: only files whose path starts with PREFIX",
			'\0' },
	[REST]      = { "rest",      NULL,   "last output: only lines that no other --vo or --path "
			"takes", '\0' },
	[FIREFLIES] = { "fireflies", "PORT", "also receive fireflies of SciTags on this UDP "
			"port (10514)", '\0' },
	[OPEN]      = { "open",      NULL,   "last --transfers: add a line for each report of an "
			"open file", '\0' },
	[CACHE]     = { "cache",     "FILE", "print a message for each file of a cache", '\0',
			true },
	[COPIES]    = { "copies",    "FILE", "print a message for each third-party copy", '\0',
			true },
	[CONNECTIONS] = { "connections", "FILE", "print a message for each TCP connection", '\0',
			  true },
	[SUMMARIES] = { "summaries", "FILE", "print a message for each summary packet", '\0',
			true },
	[SHOVEL]    = { "shovel",    "FILE", "print each datagram in the shoveler's format", '\0',
			true },
	[EVENTS]    = { "events",    "FILE", "print one line for each event", '\0', true },
	[CSV]       = { "csv",       NULL,   "print events as CSV, not as JSON", '\0' },
	[RAW]       = { "raw",       "FILE", "write sums by server and minute as records", '\0',
			true },
	[NAMES]     = { "names",     NULL,   "look up the names of clients", '\0' },
	[FORWARD]   = { "forward",   "HOST:PORT",
			"forward datagrams with their source address", '\0' },
	[LISTEN]    = { "listen",    "ADDRESS:PORT", "serve the receiver's counts at /metrics",
			'\0' },
	[PLAIN]     = { "plain",     NULL,   "allow --listen at an address of other hosts", '\0' },
	[RETAIN]    = { "retain-days", "N",  "remove files after N days (default 90)", '\0' },
	[MEMORY]    = { "memory",    "MB",
			"memory for users and open files (default 256)", '\0' },
	[BUFFER]    = { "buffer",    "MB",   "receive buffer of the socket (default 64)", '\0' },
};

static const struct cli cli = {
	.command = "xrootd",
	.operands = "-p PORT | --messages | --read FILE [-p PORT]",
	.about = "Receives the detailed monitoring of XRootD servers (xrootd.monitor), and prints\n"
		 "lines of JSON or writes sums as records.",
	.option = options,
	.n_options = ARRAY_SIZE(options),
};

static void xrootd_on_transfer(void *arg, const struct xrd_transfer *t)
{
	struct xrootd_program *p = arg;
	if (p->sums)
		xrd_sums_transfer(p->sums, t);
	if (p->page)
		counts_page_transfer(p->page, t);
	if (!t->unwritten)
		fan_out_transfer(p, t);
}

static void xrootd_on_open(void *arg, const struct xrd_transfer *t)
{
	fan_out_transfer(arg, t);
}

static void xrootd_on_session(void *arg, const struct xrd_session_end *e)
{
	fan_out_session(arg, e);
}

static void xrootd_on_event(void *arg, const struct xrd_event *e)
{
	struct xrootd_program *p = arg;
	struct xrootd_output *o = &p->to[TO_EVENTS];
	if (p->sums)
		xrd_sums_event(p->sums, e);
	if (p->sums && p->recorder.reports)
		xrd_reports_event(p->recorder.reports, p->sums, e);
	fan_out_event(p, e);
	size_t before = o->text.n;
	if (o->on && p->csv)
		xrd_event_csv(&o->text, e);
	else if (o->on)
		xrd_event_put(&o->text, e);
	output_keep(o, before);
}

/*
 * Write one record group. The recorder reports the errors of an archive; for a single file,
 * outputs_no_records() handles the error.
 */
static void xrootd_on_minute(void *arg, int64_t usec, const struct xrd_sums *s)
{
	struct xrootd_program *p = arg;
	int r = xrd_recorder_minute(&p->recorder, usec, s);
	if (r < 0 && !p->recorder.dir)
		outputs_no_records(p, -r);
	else if (r == 0)
		p->to[TO_RAW].waits = false;
	p->group_failed = r < 0;
	p->group_made = true;
}

static int xrootd_open_capture(struct xrootd_program *p)
{
	p->capture = xrd_open_capture(p->read);
	if (!p->capture)
		log_error("%s: %s", p->read, strerror(errno));
	return p->capture ? 0 : -1;
}

static int xrootd_read_file(struct xrootd_program *p)
{
	const struct xrd_datagrams to = { program_take, p };
	struct xrd_capture c = { .port = p->port[0] };
	outputs_confine(p);
	int r = xrd_take_capture(p->capture, &c, &to);
	program_finish(p);
	if (r == 0 || xrd_join_counts(p->join)->datagrams)
		program_say_counts(p, 0);
	if (c.packets)
		log_notice("%llu packets, %llu datagrams of others, %llu damaged headers, "
			   "%llu datagrams without all fragments", (unsigned long long)c.packets,
			   (unsigned long long)c.others, (unsigned long long)c.damaged,
			   (unsigned long long)c.fragments_lost);
	if (r == 0)
		program_say_messages(p->read, c.messages, c.bad_messages);
	if (r < 0)
		log_error("%s: %s", p->read, c.why);
	return r < 0 || p->group_failed ? CLI_FAILED : CLI_OK;
}

static void xrootd_add_port(struct xrootd_program *p, const char *arg)
{
	if (p->n_ports == DATAGRAM_PORTS_MAX)
		cli_wrong(&cli, "--port %s: too many ports", arg);
	p->port[p->n_ports++] = (uint16_t)cli_number(&cli, "port", arg, 1, 65535);
}

static void xrootd_add_net(struct xrootd_program *p, const char *arg)
{
	int r = net_list_add(&p->allow, arg);
	if (r < 0)
		cli_wrong(&cli, "--allow %s: %s", arg,
			  r == -E2BIG ? "too many networks" : "not a network such as 192.0.2.0/24");
}

static void xrootd_add_mapping(struct xrootd_program *p, const char *arg)
{
	int r = address_map_add(&p->map, arg);
	if (r < 0)
		cli_wrong(&cli, "--map %s: %s", arg, r == -E2BIG ? "too many networks" :
			  "write NET=HOST, such as 10.42.0.0/16=origin.example.org");
}

static void xrootd_parse_format(struct xrootd_program *p, const char *arg)
{
	enum line_format f = FORMAT_NODOMETER;
	while (f <= FORMAT_WLCG && strcmp(arg, line_format_names[f]) != 0)
		f++;
	if (f > FORMAT_WLCG)
		cli_wrong(&cli, "--format %s: unknown format; use nodometer, osg or wlcg", arg);
	p->last_added->format = f;
}

static enum output_kind xrootd_output_kind(int o)
{
	switch (o) {
	case SESSIONS:    return KIND_SESSIONS;
	case CACHE:       return KIND_CACHE;
	case COPIES:      return KIND_COPIES;
	case CONNECTIONS: return KIND_CONNECTIONS;
	case SUMMARIES:   return KIND_SUMMARIES;
	case SHOVEL:      return KIND_DATAGRAMS;
	case EVENTS:      return KIND_EVENTS;
	case RAW:         return KIND_RAW;
	default:          return KIND_TRANSFERS;
	}
}

/* Add an output. Events and records may have only one output each. */
static void xrootd_add_output(struct xrootd_program *p, int o, const char *arg)
{
	enum output_kind kind = xrootd_output_kind(o);
	bool one = kind == KIND_EVENTS || kind == KIND_RAW;
	struct xrootd_output *to = &p->to[kind == KIND_EVENTS ? TO_EVENTS : TO_RAW];
	if (one && to->on && (to->path || arg))
		cli_wrong(&cli, "--%s is given twice", options[o].name);
	to = outputs_add(p, kind);
	if (!to)
		cli_wrong(&cli, "--%s: too many outputs", options[o].name);
	to->path = arg;
	p->last_added = one ? p->last_added : to;
}

static void xrootd_set_option(struct xrootd_program *p, int o, const char *arg)
{
	switch (o) {
	case PORT:   xrootd_add_port(p, arg); break;
	case ALLOW:  xrootd_add_net(p, arg); break;
	case MAP:    xrootd_add_mapping(p, arg); break;
	case STATE:  p->keeper.path = arg; break;
	case FINAL:  p->final = true; break;
	case MESSAGES:
		p->take_messages = true;
		p->queue.url = arg;
		break;
	case QUEUE:  p->queue.name = arg; break;
	case PASSWORD_FILE: p->queue.password_file = arg; break;
	case CA_FILE: p->queue.ca_file = arg; break;
	case NAMES:  p->ask_names = true; break;
	case BIND:   p->bind = arg; break;
	case READ:   p->read = arg; break;
	case OUTPUT: p->output = arg; break;
	case FORMAT: xrootd_parse_format(p, arg); break;
	case VO:     p->last_added->filter.vos = str_of(arg); break;
	case PREFIX: p->last_added->filter.paths = str_of(arg); break;
	case REST:   p->last_added->filter.rest = true; break;
	case OPEN:   p->last_added->open = true; break;
	case FIREFLIES:
		p->flow_port = (uint16_t)cli_number(&cli, "fireflies", arg, 1, 65535);
		break;
	case FORWARD: p->forward_to = arg; break;
	case LISTEN: p->listen = arg; break;
	case PLAIN:  p->plain = true; break;
	case TRANSFERS:
	case SESSIONS:
	case CACHE:
	case COPIES:
	case CONNECTIONS:
	case SUMMARIES:
	case SHOVEL:
	case EVENTS:
	case RAW:    xrootd_add_output(p, o, arg); break;
	case CSV:    p->csv = true; break;
	case RETAIN:
		p->retain_days = (int64_t)cli_number(&cli, "retain-days", arg, 0, 36500);
		break;
	case MEMORY: p->memory = cli_number(&cli, "memory", arg, 1, 1u << 20); break;
	default:     p->buffer = cli_number(&cli, "buffer", arg, 1, 1024); break;
	}
}

static void xrootd_make_join(struct xrootd_program *p)
{
	const struct xrd_sums_listener minutes = { xrootd_on_minute, p };
	bool events = p->to[TO_EVENTS].on || p->to[TO_RAW].on || fan_out_has(p, KIND_CACHE) ||
		      fan_out_has(p, KIND_COPIES) || fan_out_has(p, KIND_CONNECTIONS);
	const struct xrd_listener to = {
		xrootd_on_transfer, events ? xrootd_on_event : NULL, p,
		p->names ? fan_out_login : NULL,
		fan_out_has_open(p) ? xrootd_on_open : NULL,
		fan_out_has(p, KIND_SESSIONS) ? xrootd_on_session : NULL,
	};
	p->join = xrd_join_new(&to, (size_t)p->memory << 20);
	if (p->to[TO_RAW].on)
		p->sums = xrd_sums_new(&minutes, xrd_join_servers(p->join));
}

static void xrootd_make_reports(struct xrootd_program *p)
{
	p->recorder.reports = xrd_reports_new(p->read ? 0 : realtime_us());
}

/*
 * Restart the sums at 0 if the earlier run wrote record groups after saving its state, for example
 * because it was killed.
 */
static void xrootd_resume_records(struct xrootd_program *p, const struct saved_output *o)
{
	int64_t until_us;
	if (!o->begun || xrd_recorder_resume(&p->recorder, o->last_us, o->size, &until_us))
		return;
	xrd_sums_rebase(p->sums, until_us);
	xrd_reports_forget(p->recorder.reports, until_us ? until_us : INT64_MAX);
}

/*
 * Restore the unwritten lines of each output whose file has not changed since the state was saved.
 */
static void xrootd_resume_lines(struct xrootd_program *p, const struct saved_output *o, bool good)
{
	for (size_t i = 0; i < SAVED_LINES; i++)
		if (!good || !p->to[i].on || output_size(&p->to[i]) != o->lines[i].size)
			p->to[i].text.n = 0;
}

/*
 * Handle a state that cannot be used. Keep the file if it could not be read, because it may be
 * good.
 */
static void xrootd_refuse_state(struct xrootd_program *p, int error)
{
	const char *path = p->keeper.path;
	if (error == -ENOENT)
		return;
	if (error == -EINVAL) {	/* saving the state would replace this file */
		log_error("%s: not a regular file (name another file with --state)", path);
		exit(CLI_FAILED);
	}
	if (error == -EBADMSG || error == -EPROTO) {
		log_warning("%s: %s; the saved state is ignored", path,
			    error == -EBADMSG ? "damaged" : "of another version");
		return;
	}
	log_error("cannot read state %s: %s; the file is kept, and open files will not be saved "
		  "(name another file with --state)", path, strerror(-error));
	keeper_leave(&p->keeper);
}

/*
 * Continue after the earlier run was killed: remove accesses from the state if that run has written
 * their lines after saving the state. A file that has become smaller was rotated, so all of its
 * lines are newer than the state. With a broker, no datagrams are missing, because it delivers
 * again all messages that came after the state was saved.
 */
static void xrootd_resume_killed(struct xrootd_program *p, const struct saved_output *o)
{
	bool written = false, is_queue = queue_is_used(&p->queue);
	enum written_which which = is_queue ? WRITTEN_CLOSED : WRITTEN_ALL;
	for (size_t i = 0; i < SAVED_LINES; i++) {
		const struct xrootd_output *out = &p->to[i];
		uint64_t size = output_size(out), n = 0;
		bool readable = out->path && strcmp(out->path, "-") != 0;
		if (size == o->lines[i].size)
			continue;
		written = true;
		if (!readable || out->kind != KIND_TRANSFERS || out->format != FORMAT_NODOMETER)
			continue;
		/*
		 * open by descriptor, because the path may be in a folder that only root can search
		 */
		char path[32];
		snprintf(path, sizeof(path), "/proc/self/fd/%d", out->fd);
		int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
		int e = fd < 0 ? -errno : written_remove(fd, size < o->lines[i].size ? 0 :
							 o->lines[i].size, p->join, which, &n);
		if (e < 0)
			log_warning("%s: %s; accesses in it may be written again", out->path,
				    strerror(-e));
		else if (n)
			log_notice("%s has the ends of %llu accesses that were open when the "
				   "state was saved", out->path, (unsigned long long)n);
	}
	if (!is_queue)
		xrd_join_resume(p->join, written);
}

static void xrootd_load_state(struct xrootd_program *p)
{
	struct saved_output o = program_saved_output(p);
	xrootd_make_join(p);
	if (!p->keeper.path)
		return;
	int r = keeper_load(&p->keeper, p->join, p->sums, &o);
	xrootd_resume_lines(p, &o, r == 0);
	if (r == 0 && !o.ended)
		xrootd_resume_killed(p, &o);
	if (r == 0) {
		p->bytes = p->recorder.bytes_recorded = o.bytes;
		if (p->sums)
			xrootd_resume_records(p, &o);
		return;
	}
	xrootd_refuse_state(p, r);
	xrd_join_abandon(p->join);
	xrd_join_free(p->join);
	if (p->sums) {
		xrd_sums_free(p->sums);
		xrd_reports_free(p->recorder.reports);
		xrootd_make_reports(p);
	}
	xrootd_make_join(p);
}

static void xrootd_open_records(struct xrootd_program *p)
{
	p->recorder.bytes = &p->bytes;
	p->recorder.retain = (struct tidy_limits){ p->retain_days, 0, TIDY_FLOOR, TIDY_PACKS };
	p->recorder.live = p->recorder.dir && !p->read;
	xrootd_make_reports(p);
	int r = xrd_recorder_open(&p->recorder);
	if (r < 0) {
		log_error("%s: %s%s", p->recorder.dir ? p->recorder.dir : "/", strerror(-r),
			  r == -EACCES ? ": a receiver that root started has become another user, "
			  "who must be able to write there: nodometer-xrootd(1), SECURITY" : "");
		exit(CLI_FAILED);
	}
}

static void xrootd_close_records(struct xrootd_program *p)
{
	xrd_sums_free(p->sums);
	xrd_recorder_close(&p->recorder);
	xrd_reports_free(p->recorder.reports);
}

static void xrootd_check_input(const struct xrootd_program *p)
{
	if (!p->n_ports && !p->take_messages && !p->read && !getenv("LISTEN_FDS"))
		cli_wrong(&cli, "missing --port, --messages or --read");
	if (!queue_is_used(&p->queue) &&
	    (p->queue.name || p->queue.password_file || p->queue.ca_file))
		cli_wrong(&cli, "--queue, --password-file and --ca-file need --messages "
			  "amqps://USER@HOST");
	if (p->read && p->take_messages)
		cli_wrong(&cli, "--messages cannot be used with --read");
	if (p->read && (p->bind || p->n_ports > 1))
		cli_wrong(&cli, "--bind and a second --port cannot be used with --read");
}

static void xrootd_check_listen(const struct xrootd_program *p)
{
	const char *wrong = p->listen ? counts_page_check(p->listen, p->plain) : NULL;
	if (p->plain && !p->listen)
		cli_wrong(&cli, "--plain needs --listen");
	if (p->listen && p->read)
		cli_wrong(&cli, "--listen cannot be used with --read, which ends with its file");
	if (wrong)
		cli_wrong(&cli, "--listen %s: %s", p->listen, wrong);
}

static void xrootd_check_usage(struct xrootd_program *p)
{
	char why[256];
	const char *wrong = outputs_settle(p, why, sizeof(why));
	xrootd_check_input(p);
	if (p->flow_port && !p->read && p->n_ports == DATAGRAM_PORTS_MAX)
		cli_wrong(&cli, "--fireflies: too many ports");
	if (p->flow_port && !p->read)
		p->port[p->n_ports++] = p->flow_port;
	if (wrong)
		cli_wrong(&cli, "%s", wrong);
	xrootd_check_listen(p);
	if (p->csv && !p->to[TO_EVENTS].on)
		cli_wrong(&cli, "--csv needs --events");
}

static void xrootd_open_forward(struct xrootd_program *p)
{
	const char *why;
	if (!p->forward_to)
		return;
	if (forward_open(&p->forward, p->forward_to, &why) < 0) {
		log_error("--forward %s: %s", p->forward_to, why);
		exit(CLI_FAILED);
	}
}

/* Refuse to forward to a port of this receiver, which systemd may have opened. */
static void xrootd_check_forward(const struct xrootd_program *p)
{
	uint16_t port[DATAGRAM_PORTS_MAX];
	for (size_t i = 0; i < p->in.n_ports; i++)
		port[i] = datagrams_port(&p->in, i);
	if (p->forward_to && forward_is_to(&p->forward, port, p->in.n_ports))
		cli_wrong(&cli, "--forward %s: this program itself receives there", p->forward_to);
}

static int xrootd_open_input(struct xrootd_program *p)
{
	if (p->read)
		return xrootd_open_capture(p);
	int r = program_open_ports(p);
	if (r >= 0)
		xrootd_check_forward(p);
	return r;
}

int main(int argc, char **argv)
{
	struct xrootd_program p = {
		.memory = 256, .buffer = 64, .retain_days = TIDY_DAYS, .forward.fd = -1,
		.recorder.listener = &log_listener,
		.keeper = { .listener = &log_listener, .limit_ms = SAVE_MS, .fd = -1 },
	};
	const char *arg;
	int o;

	log_open("nodometer-xrootd", LOG_LEVEL_INFO);
	p.last_added = &p.to[TO_TRANSFERS];
	while ((o = cli_next(&cli, argc, argv, &arg)) >= 0)
		xrootd_set_option(&p, o, arg);
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		return CLI_WRONG;
	xrootd_check_usage(&p);
	if (gethostname(p.host, sizeof(p.host) - 1) < 0)
		p.host[0] = '\0';
	xrootd_open_forward(&p);
	/* handle SIGHUP before the file exists: logrotate may send the signal at once */
	if (!p.read) {
		receiver_heed(SIGHUP);
		receiver_heed(SIGUSR1);
	}
	outputs_open(&p);
	receiver_heed(SIGINT);
	receiver_heed(SIGTERM);
	signal(SIGPIPE, SIG_IGN);
	outputs_name_state(&p);
	if (xrootd_open_input(&p) < 0)
		return CLI_FAILED;
	outputs_become(&p);
	p.names = p.ask_names ? sender_names_new(true) : NULL;
	if (p.to[TO_RAW].on)
		xrootd_open_records(&p);
	p.summaries = fan_out_has(&p, KIND_SUMMARIES) ? osg_summaries_new() : NULL;
	xrootd_load_state(&p);
	outputs_put_head(&p);
	int status = p.read ? xrootd_read_file(&p) : program_receive(&p);
	xrd_join_free(p.join);
	counts_page_close(p.page);
	if (p.sums)
		xrootd_close_records(&p);
	sender_names_free(p.names);
	buf_free(&p.state_path);
	messages_free(&p.messages);
	buf_free(&p.unwrapped);
	outputs_free(&p);
	flows_free(&p.flows);
	forward_close(&p.forward);
	osg_summaries_free(p.summaries);
	return status;
}
