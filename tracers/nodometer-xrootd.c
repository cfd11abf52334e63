/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-xrootd.c - receives XRootD's detailed monitoring: events, transfers, or sums of both */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "tracers/datagrams.h"
#include "tracers/receiver.h"
#include "tracers/xrd_events.h"
#include "tracers/xrd_input.h"
#include "tracers/xrd_record.h"
#include "tracers/xrd_transfer.h"

#define OUT_BYTES 65536

enum option { PORT, BIND, READ, OUTPUT, TRANSFERS, EVENTS, RAW, CSV, RETAIN, MEMORY, BUFFER };

static const struct cli_option options[] = {
	[PORT]      = { "port",      "PORT", "receive on this UDP port", 'p' },
	[BIND]      = { "bind",      "ADDR", "of this address only", '\0' },
	[READ]      = { "read",      "FILE", "read what tcpdump, or a test, kept in a file", '\0' },
	[OUTPUT]    = { "output",    "FILE", "append there; --raw: or to an archive, DIR/", 'o' },
	[TRANSFERS] = { "transfers", NULL,   "one line for each access to a file (default)", '\0' },
	[EVENTS]    = { "events",    NULL,   "one line for each event", '\0' },
	[RAW]       = { "raw",       NULL,   "sums by server and minute as records", '\0' },
	[CSV]       = { "csv",       NULL,   "events as CSV, not JSON", '\0' },
	[RETAIN]    = { "retain-days", "N",  "of an archive; 0: for ever (default 90)", '\0' },
	[MEMORY]    = { "memory",    "MB",   "for users and open files (default 256)", '\0' },
	[BUFFER]    = { "buffer",    "MB",   "of the socket (default 64)", '\0' },
};

static const struct cli cli = {
	.command = "xrootd",
	.operands = "-p PORT | --read FILE [-p PORT]",
	.about = "Receives the detailed monitoring of XRootD servers (xrootd.monitor) and\n"
		 "prints it as lines of JSON, or keeps sums of it as records.",
	.option = options,
	.n_options = ARRAY_SIZE(options),
};

struct program {
	const char *bind, *read, *output;
	uint16_t port;
	uint64_t memory, buffer;	/* MB */
	int64_t retain_days;
	enum option mode;		/* TRANSFERS, EVENTS or RAW */
	bool csv;
	int fd;
	struct buf out;
	struct xrd_join *join;
	struct xrd_sums *sums;		/* RAW: or NULL */
	struct xrd_recorder recorder;
	uint64_t bytes;			/* of datagrams */
	uint64_t told_lost;
	bool failed;
};

static void write_out(struct program *p);

static void on_transfer(void *arg, const struct xrd_transfer *t)
{
	struct program *p = arg;
	if (p->sums)
		xrd_sums_transfer(p->sums, t);
	else if (p->mode == TRANSFERS)
		xrd_transfer_put(&p->out, t);
	if (p->out.n >= OUT_BYTES)	/* a million may end at once */
		write_out(p);
}

static void on_event(void *arg, const struct xrd_event *e)
{
	struct program *p = arg;
	if (p->sums)
		xrd_sums_event(p->sums, e);
	else if (p->csv)
		xrd_event_csv(&p->out, e);
	else
		xrd_event_put(&p->out, e);
}

/* Nobody takes what it prints. */
static void end_unread(const struct program *p, int error)
{
	log_error("%s: %s", p->output ? p->output : "standard output", strerror(error));
	exit(CLI_FAILED);
}

/* An archive on a full disk is waited for. */
static void on_minute(void *arg, int64_t usec, const struct xrd_sums *s)
{
	struct program *p = arg;
	int r = xrd_recorder_minute(&p->recorder, usec, s);
	if (r < 0 && !p->recorder.dir)
		end_unread(p, -r);
	p->failed = r < 0;
}

static void write_out(struct program *p)
{
	int e = files_write(p->fd, buf_str(&p->out));
	if (e < 0)
		end_unread(p, -e);
	p->out.n = 0;
}

static void on_datagram(void *arg, const struct xrd_source *from, struct str datagram, int64_t now)
{
	struct program *p = arg;
	p->bytes += datagram.n;
	if (p->sums)
		xrd_sums_tick(p->sums, now);
	xrd_join_add(p->join, from, datagram, now);
	if (p->out.n >= OUT_BYTES)
		write_out(p);
}

static struct xrd_counts sum_counts(const struct program *p)
{
	const struct xrd_servers *all = xrd_join_servers(p->join);
	struct xrd_counts sum = all->gone;
	for (size_t i = 0; i < all->n; i++) {
		const struct xrd_server *s = all->server[i];
		sum.received += s->seen.received;
		sum.lost += s->seen.lost;
		sum.reordered += s->seen.reordered;
		sum.duplicate += s->seen.duplicate;
	}
	return sum;
}

static void say_counts(const struct program *p, uint64_t dropped)
{
	const struct xrd_join_counts *c = xrd_join_counts(p->join);
	struct xrd_counts s = sum_counts(p);
	log_notice("%llu datagrams, %llu lost, %llu out of order, %llu twice, %llu damaged, "
		   "%llu of summary data; %llu dropped here; %llu unknown records; "
		   "%llu transfers, %llu incomplete; %llu users and files forgotten",
		   (unsigned long long)c->datagrams, (unsigned long long)s.lost,
		   (unsigned long long)s.reordered, (unsigned long long)s.duplicate,
		   (unsigned long long)c->bad, (unsigned long long)c->summary,
		   (unsigned long long)dropped,
		   (unsigned long long)c->unknown, (unsigned long long)c->transfers,
		   (unsigned long long)c->incomplete, (unsigned long long)c->evicted);
}

/* At most once a minute. */
static void warn_of_losses(struct program *p, uint64_t dropped, int64_t now)
{
	static int64_t said;
	uint64_t lost = sum_counts(p).lost;
	if (lost + dropped == p->told_lost || now - said < 60000000)
		return;
	log_warning("%llu datagrams were lost so far, %llu of them for want of room in the "
		    "socket's buffer", (unsigned long long)lost, (unsigned long long)dropped);
	p->told_lost = lost + dropped;
	said = now;
}

static void finish(struct program *p)
{
	xrd_join_finish(p->join);
	if (p->sums)
		xrd_sums_finish(p->sums);
	write_out(p);
}

/* Not in the middle of a file that goes on. */
static void put_head(struct program *p)
{
	if (p->csv && !files_has_content(p->fd))
		xrd_event_csv_head(&p->out);
}

static void reopen_output(struct program *p)
{
	if (p->fd == STDOUT_FILENO || !receiver_reopen(p->output, &p->fd))	/* or an archive */
		return;
	p->recorder.fd = p->fd;
	p->recorder.headed = false;
	put_head(p);
}

static int read_port(struct program *p, struct datagrams *in)
{
	struct datagram d[DATAGRAMS_AT_ONCE];
	int n = datagrams_receive(in, 0, d);
	int64_t now = realtime_us();
	for (int i = 0; i < n; i++) {
		const struct xrd_source from = { d[i].from.sin6_addr, ntohs(d[i].from.sin6_port) };
		on_datagram(p, &from, d[i].bytes, now);
	}
	return n;
}

static int receive(struct program *p)
{
	const struct timespec second = { .tv_sec = 1 };
	struct datagrams in = { .room = (int)(p->buffer << 20), .numeric = true };
	char port[8];
	const char *why;
	sigset_t usual;
	int64_t ticked = 0;
	snprintf(port, sizeof(port), "%u", p->port);
	int r = datagrams_open(&in, p->bind, port, &why);
	if (r < 0) {
		log_error("UDP port %s: %s", port, why);
		return CLI_FAILED;
	}
	receiver_heed(SIGHUP);
	receiver_block(&usual);
	while (!receiver_is_ended() && r >= 0) {
		struct pollfd fd = { in.fd[0], POLLIN, 0 };
		ppoll(&fd, 1, &second, &usual);
		if (receiver_take_hangup())
			reopen_output(p);
		r = read_port(p, &in);
		int64_t now = realtime_us();
		if (now < ticked || now - ticked >= XRD_TICK) {
			xrd_join_tick(p->join, now);
			if (p->sums)
				xrd_sums_tick(p->sums, now);
			warn_of_losses(p, datagrams_lost(&in), now);
			ticked = now;
		}
		write_out(p);
	}
	if (r < 0)
		log_error("UDP port %s: %s", port, strerror(-r));
	finish(p);
	say_counts(p, datagrams_lost(&in));
	datagrams_close(&in);
	return r < 0 ? CLI_FAILED : CLI_OK;
}

static int read_file(struct program *p)
{
	const struct xrd_sink sink = { on_datagram, p };
	struct xrd_capture c = { .port = p->port };
	int r = xrd_read_capture(p->read, &c, &sink);
	finish(p);
	if (r == 0 || xrd_join_counts(p->join)->datagrams)
		say_counts(p, 0);
	if (c.packets)
		log_notice("%llu packets, %llu datagrams of others, %llu damaged headers, "
			   "%llu datagrams without all fragments", (unsigned long long)c.packets,
			   (unsigned long long)c.others, (unsigned long long)c.damaged,
			   (unsigned long long)c.fragments_lost);
	if (r < 0)
		log_error("%s: %s", p->read, c.why);
	return r < 0 || p->failed ? CLI_FAILED : CLI_OK;
}

static uint64_t number(const char *text, const char *what, uint64_t least, uint64_t most)
{
	struct str s = str_of(text);
	uint64_t v;
	if (!str_is_u64(s) || !str_take_u64(&s, &v) || v < least || v > most)
		cli_wrong(&cli, "--%s %s: not a number from %llu to %llu", what, text,
			  (unsigned long long)least, (unsigned long long)most);
	return v;
}

static void take_option(struct program *p, int o, const char *arg)
{
	switch (o) {
	case PORT:   p->port = (uint16_t)number(arg, "port", 1, 65535); break;
	case BIND:   p->bind = arg; break;
	case READ:   p->read = arg; break;
	case OUTPUT: p->output = arg; break;
	case EVENTS:
	case TRANSFERS:
	case RAW:    p->mode = (enum option)o; break;
	case CSV:    p->csv = true; break;
	case RETAIN: p->retain_days = (int64_t)number(arg, "retain-days", 0, 36500); break;
	case MEMORY: p->memory = number(arg, "memory", 1, 1u << 20); break;
	default:     p->buffer = number(arg, "buffer", 1, 1024); break;
	}
}

/* It is one, or is to be one: "DIR/". */
static bool is_folder(const char *path)
{
	struct stat st;
	return (*path && path[strlen(path) - 1] == '/') ||
	       (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static void open_output(struct program *p)
{
	p->fd = STDOUT_FILENO;
	if (!p->output)
		return;
	if (p->mode == RAW && is_folder(p->output)) {
		p->recorder.dir = p->output;
		return;
	}
	p->fd = receiver_open(p->output);
	if (p->fd < 0) {
		log_error("%s: %s", p->output, strerror(-p->fd));
		exit(CLI_FAILED);
	}
}

static void open_records(struct program *p)
{
	const struct xrd_sums_listener to = { on_minute, p };
	p->recorder.fd = p->fd;
	p->recorder.bytes = &p->bytes;
	p->recorder.retain = (struct tidy_limits){ p->retain_days, 0, TIDY_FLOOR, TIDY_PACKS };
	p->recorder.keep_tidy = p->recorder.dir && !p->read;
	int r = xrd_recorder_open(&p->recorder);
	if (r < 0) {
		log_error("%s: %s", p->output ? p->output : "/", strerror(-r));
		exit(CLI_FAILED);
	}
	p->sums = xrd_sums_new(&to, xrd_join_servers(p->join));
}

static void close_records(struct program *p)
{
	xrd_sums_free(p->sums);
	xrd_recorder_close(&p->recorder);
}

static void check_usage(const struct program *p, bool words)
{
	if (words)
		cli_wrong(&cli, "takes no words");
	if (!p->port && !p->read)
		cli_wrong(&cli, "needs --port or --read");
	if (p->read && p->bind)
		cli_wrong(&cli, "--bind is not of --read");
	if (p->csv && p->mode != EVENTS)
		cli_wrong(&cli, "--csv is of --events");
}

int main(int argc, char **argv)
{
	struct program p = {
		.mode = TRANSFERS, .memory = 256, .buffer = 64, .retain_days = TIDY_DAYS,
	};
	const char *arg;
	int o;

	log_open("nodometer-xrootd", LOG_LEVEL_INFO);
	while ((o = cli_next(&cli, argc, argv, &arg)) >= 0)
		take_option(&p, o, arg);
	check_usage(&p, optind != argc);
	open_output(&p);
	receiver_heed(SIGINT);
	receiver_heed(SIGTERM);
	signal(SIGPIPE, SIG_IGN);
	const struct xrd_listener to = { on_transfer, p.mode == TRANSFERS ? NULL : on_event, &p };
	p.join = xrd_join_new(&to, (size_t)p.memory << 20);
	if (p.mode == RAW)
		open_records(&p);
	put_head(&p);
	int status = p.read ? read_file(&p) : receive(&p);
	xrd_join_free(p.join);
	if (p.sums)
		close_records(&p);
	buf_free(&p.out);
	return status;
}
