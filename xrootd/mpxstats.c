/* SPDX-License-Identifier: BSD-3-Clause */
/* mpxstats.c - nodometer mpxstats: print many servers' XRootD summary packets as one stream */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/cli.h"
#include "base/log.h"
#include "base/system/signals.h"
#include "formats/xrootd/xrdflat.h"
#include "formats/xrootd/xrdflat_shape.h"
#include "formats/xrootd/xrdsummary_keys.h"
#include "xrootd/input/datagrams.h"
#include "xrootd/receiver.h"
#include "xrootd/input/sender_names.h"

/* maximum output that waits for a slow reader, in bytes; further packets wait in the kernel */
#define WAITING_MAX  (64u << 20)
#define WRITE_BYTES  (64u << 10)	/* bytes of output that are written at once */
#define PACKET_MAX   (1u << 20)		/* maximum size of the text made from a packet, in bytes */
#define PIPE_BYTES   (1 << 20)	/* default of fs.pipe-max-size */
#define ROOM_BYTES   (32 << 20)		/* size of a socket's receive buffer, in bytes */
#define PAUSE_MS     20	/* longest pause between two reads, in milliseconds */
#define REPORT_EVERY_S   10

enum format { XML, FLAT, CGI };
static const char *const formats[] = { [XML] = "xml", [FLAT] = "flat", [CGI] = "cgi" };

struct mpx {
	enum format format;
	char between, after;	/* separator of a key and its value, and end of a value */
	bool compat, sender, site, debug;
	struct datagrams in;
	struct sender_names *names;
	struct xrd_shapes *shapes;
	const char *path;		/* path of the output file (-o), or NULL */
	int fd;
	struct buf out;
	size_t written;			/* number of bytes of .out that are already written */
	uint64_t packets, bad, lost;
	/* number of bad and lost packets already reported */
	uint64_t reported_bad, reported_lost;
	time_t reported;
};

/* Append a value with "&" escaped, because "&" ends a value in the CGI form. */
static void mpx_put_cgi_value(struct buf *b, struct str value)
{
	struct str head;
	while (str_take_until(&value, '&', &head)) {
		buf_add(b, head);
		buf_add(b, STR("%26"));
	}
	buf_add(b, value);
}

/* Check if a value must be left out: -d leaves out zeros, as XRootD's mpxstats does. */
static bool mpx_omits_value(const struct mpx *m, struct str value)
{
	return m->compat && m->debug && str_eq(value, STR("0"));
}

static void mpx_put_pair(void *arg, struct str key, struct str value)
{
	struct mpx *m = arg;
	struct buf *b = &m->out;
	if (mpx_omits_value(m, value))
		return;
	buf_reserve(b, key.n + 3 * value.n + 2);
	memcpy(b->p + b->n, key.p, key.n);
	b->n += key.n;
	b->p[b->n++] = m->between;
	if (m->format == CGI && !m->compat)
		mpx_put_cgi_value(b, value);
	else
		buf_add(b, value);
	buf_add_char(b, m->after);
}

static int mpx_put_parsed(struct mpx *m, const struct datagram *d)
{
	size_t start = m->out.n;
	const struct xrd_lines lines = { &m->out, m->between, m->after };
	struct xrd_values to = { .put = mpx_put_pair, .arg = m, .lines = &lines, .site = m->site };
	int r;
	if (m->sender)
		to.host = sender_names_get(m->names, &d->from);
	if (m->compat) {
		r = xrd_read_compat(d->bytes, &to);
	} else if (xrd_is_json(d->bytes)) {
		r = xrd_read_json(d->bytes, &to);
	} else {
		r = xrd_read_plain(d->bytes, &to, m->shapes);
		if (r == -EAGAIN) {
			m->out.n = start;
			r = xrd_read_xml(d->bytes, &to);
		}
	}
	if (r == 0 && m->out.n - start > PACKET_MAX)
		r = -E2BIG;
	if (r < 0) {
		m->out.n = start;
		return r;
	}
	if (m->format == CGI && m->out.n > start)
		m->out.p[m->out.n - 1] = '\n';
	else
		buf_add_char(&m->out, '\n');
	return 0;
}

/*
 * Append one packet in the chosen format. Cut long packets only with --compat, as XRootD's mpxstats
 * does. Returns 0 or -errno.
 */
static int mpx_put_packet(struct mpx *m, const struct datagram *d)
{
	struct str bytes = d->bytes;
	if (m->format != XML)
		return mpx_put_parsed(m, d);
	if (m->compat && bytes.n > XRD_COMPAT_BYTES)
		bytes.n = XRD_COMPAT_BYTES;
	buf_add(&m->out, bytes);
	buf_add_char(&m->out, '\n');
	return 0;
}

static bool mpx_is_full(const struct mpx *m)
{
	return m->out.n - m->written >= WAITING_MAX;
}

static void mpx_log_totals(struct mpx *m)
{
	if (m->bad > m->reported_bad)
		log_warning("%" PRIu64 " more packets were left out: damaged, or not summary "
			    "packets", m->bad - m->reported_bad);
	m->reported_bad = m->bad;
	m->lost = datagrams_lost(&m->in);
	if (m->lost > m->reported_lost)
		log_warning("%" PRIu64 " packets were lost: they came faster than they were %s",
			    m->lost - m->reported_lost, mpx_is_full(m) ? "accepted by the reader "
			    "of the output" : "read");
	m->reported_lost = m->lost;
	m->reported = time(NULL);
}

/*
 * Convert one packet. Log one bad packet in 10 seconds and count the others, because an open port
 * may receive many packets of other programs.
 */
static void mpx_convert_packet(struct mpx *m, const struct datagram *d)
{
	int r = mpx_put_packet(m, d);
	m->packets++;
	if (m->debug && !m->compat)
		log_info("packet %" PRIu64 ": %zu bytes, %s", m->packets, d->bytes.n,
			 r < 0 ? xrd_why(r) : "taken");
	if (r == 0 || m->bad++ > m->reported_bad ||
	    (m->reported_bad && time(NULL) - m->reported < REPORT_EVERY_S))
		return;
	char from[INET6_ADDRSTRLEN] = "?";
	getnameinfo((const struct sockaddr *)&d->from, sizeof(d->from), from, sizeof(from),
		    NULL, 0, NI_NUMERICHOST);
	log_warning("a packet of %zu bytes from %s was left out: %s", d->bytes.n, from,
		    xrd_why(r));
	m->reported_bad = m->bad;
	m->reported = time(NULL);
}

/*
 * Open the output. If standard output is a pipe, open it again with O_NONBLOCK, so that a full pipe
 * does not stop the reading of packets. Setting the flag on descriptor 1 would change it for other
 * processes that share the pipe.
 */
static int mpx_open_output(const char *path)
{
	struct stat st;
	if (path)
		return receiver_open(path);
	int fd = -1;
	if (fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode))
		fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
	return fd < 0 ? STDOUT_FILENO : fd;
}

/* Write as much as the reader accepts. Returns 0 or -errno. */
static int mpx_write_output(struct mpx *m)
{
	while (m->written < m->out.n) {
		ssize_t n = write(m->fd, m->out.p + m->written, m->out.n - m->written);
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0 && errno != EINTR)
			return -errno;
		m->written += n > 0 ? (size_t)n : 0;
	}
	if (m->written > m->out.n / 2) {
		memmove(m->out.p, m->out.p + m->written, m->out.n - m->written);
		m->out.n -= m->written;
		m->written = 0;
	}
	return 0;
}

/*
 * Read the packets that wait at one port, until the output is full. Adds their number to *got.
 * Returns 0 or -errno of the output.
 */
static int mpx_read_port(struct mpx *m, size_t port, size_t *got)
{
	struct datagram d[DATAGRAMS_AT_ONCE];
	size_t n;
	do {
		int r = datagrams_receive(&m->in, port, d);
		n = r > 0 ? (size_t)r : 0;
		for (size_t i = 0; i < n; i++)
			mpx_convert_packet(m, &d[i]);
		*got += n;
		if (m->out.n - m->written >= WRITE_BYTES) {
			r = mpx_write_output(m);
			if (r < 0)
				return r;
		}
	} while (n == DATAGRAMS_AT_ONCE && !mpx_is_full(m) && !receiver_is_ended());
	return 0;
}

static int mpx_read_ports(struct mpx *m, size_t *got)
{
	*got = 0;
	for (size_t i = 0; i < m->in.n_ports && !mpx_is_full(m); i++) {
		int r = mpx_read_port(m, i, got);
		if (r < 0)
			return r;
	}
	return mpx_write_output(m);
}

static void mpx_wait(struct mpx *m, const sigset_t *usual)
{
	struct pollfd p[DATAGRAM_PORTS_MAX + 1];
	size_t n = 0;
	if (m->written < m->out.n)
		p[n++] = (struct pollfd){ .fd = m->fd, .events = POLLOUT };
	for (size_t i = 0; i < m->in.n_ports && !mpx_is_full(m); i++)
		p[n++] = (struct pollfd){ .fd = m->in.fd[i], .events = POLLIN };
	struct timespec most = { .tv_sec = REPORT_EVERY_S };
	poll_and_signals(p, n, &most, usual);
}

/*
 * Choose how long to sleep between two reads while many packets arrive: a long sleep saves CPU
 * time, but the receive buffer must not overflow (180 KB per millisecond at 40,000 packets per
 * second).
 */
static long mpx_pause_ns(const struct mpx *m)
{
	size_t ms = datagrams_room(&m->in) / (400u << 10);
	return 1000000 * (long)(ms < 1 ? 1 : ms > PAUSE_MS ? PAUSE_MS : ms);
}

static void mpx_let_packets_arrive(size_t got, long ns)
{
	if (got >= 4)
		nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

static void mpx_reopen_on_hangup(struct mpx *m)
{
	if (receiver_take_hangup() && m->path)
		receiver_reopen(m->path, &m->fd);
}

static int mpx_run(struct mpx *m)
{
	sigset_t usual;
	const long pause = mpx_pause_ns(m);
	size_t got = 0;
	int r = 0;

	receiver_block(&usual);
	signal(SIGPIPE, SIG_IGN);
	mpx_reopen_on_hangup(m);
	while (!receiver_is_ended() && r == 0) {
		mpx_let_packets_arrive(got, pause);
		mpx_wait(m, &usual);
		mpx_reopen_on_hangup(m);
		r = mpx_read_ports(m, &got);
		if (time(NULL) - m->reported >= REPORT_EVERY_S)
			mpx_log_totals(m);
	}
	for (int i = 0; i < 20 && r == 0 && m->out.n > m->written; i++) {
		poll(&(struct pollfd){ .fd = m->fd, .events = POLLOUT }, 1, 100);
		r = mpx_write_output(m);
	}
	return r;
}

/* Print the table of keys, for people and for programs that read our output. */
static int mpx_show_keys(void)
{
	for (size_t i = 0; i < xrd_summary_n_keys; i++) {
		const struct xrd_summary_key *k = &xrd_summary_keys[i];
		printf("%-20s %-6s %-8s %-5s %s\n", k->key, xrd_value_type_name(k->type),
		       xrd_value_kind_name(k->kind), *k->unit ? k->unit : "-", k->text);
	}
	return cli_flush();
}

enum { FORMAT, PORT, SENDER, BIND, OUTPUT, DEBUG, SITE, COMPAT, SHOW_KEYS };
static const struct cli_option options[] = {
	[FORMAT]    = { "format", "xml|cgi|flat", "unchanged packets (xml, default), or keys "
			"and values", 'f' },
	[PORT]      = { "port",   "PORT",    "UDP port to listen on; may be repeated", 'p' },
	[SENDER]    = { "sender", NULL,
			"add key host, the sender's name (cgi and flat)", 's' },
	[BIND]      = { "bind",   "ADDRESS", "listen on this address only (default: all, IPv6 and "
			"IPv4)", 'b' },
	[OUTPUT]    = { "output", "FILE",    "append to FILE; SIGHUP reopens it", 'o' },
	[DEBUG]     = { "debug",  NULL,      "log each packet to standard error", 'd' },
	[SITE]      = { "site",   NULL,      "add key site, the sender's site (cgi and flat)" },
	[COMPAT]    = { "compat", NULL,      "print exactly like XRootD's own mpxstats" },
	[SHOW_KEYS] = { "keys",   NULL,      "print each key with type, kind, unit and meaning" },
};
static const struct cli cli = {
	.command = "mpxstats", .operands = "-p PORT", CLI_OPTIONS(options),
	.about = "Prints the summary packets of many XRootD servers as one stream.",
};

static bool mpx_parse_format(const char *name, enum format *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (strcmp(name, formats[i]) == 0) {
			*to = (enum format)i;
			return true;
		}
	return false;
}

/* Check a port number, because getaddrinfo(3) would accept 65537 as 1. */
static bool mpx_is_port(struct str s)
{
	uint64_t v;
	return str_is_u64(s) && str_take_u64(&s, &v) && v > 0 && v <= 65535;
}

struct udp_ports {
	const char *address, *port[DATAGRAM_PORTS_MAX];
	size_t n;
};

static void mpx_add_port(struct udp_ports *ports, const char *arg)
{
	if (ports->n == DATAGRAM_PORTS_MAX || !mpx_is_port(str_of(arg)))
		cli_wrong(&cli, "%s: not a port from 1 to 65535, or one port too many (at most "
			  "64)", arg);
	ports->port[ports->n++] = arg;
}

static void mpx_parse_options(struct mpx *m, struct udp_ports *ports, int argc, char **argv)
{
	const char *arg;
	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		if (o == FORMAT && !mpx_parse_format(arg, &m->format))
			cli_wrong(&cli, "%s: unknown format; use cgi, flat or xml", arg);
		if (o == PORT)
			mpx_add_port(ports, arg);
		if (o == BIND)
			ports->address = arg;
		if (o == OUTPUT)
			m->path = arg;
		if (o == SHOW_KEYS)
			exit(mpx_show_keys());
		m->sender |= o == SENDER;
		m->debug |= o == DEBUG;
		m->site |= o == SITE;
		m->compat |= o == COMPAT;
	}
	if (cli_refuse_operands(&cli, argc, argv) != CLI_END)
		exit(CLI_WRONG);
	if (!ports->n)
		cli_wrong(&cli, "missing -p PORT");
}

static int mpx_open_ports(struct mpx *m, const struct udp_ports *ports)
{
	const char *why;
	for (size_t i = 0; i < ports->n; i++)
		if (datagrams_open(&m->in, ports->address, ports->port[i], &why) < 0) {
			log_error("port %s%s%s: %s", ports->port[i], ports->address ? " of " : "",
				  ports->address ? ports->address : "", why);
			return -1;
		}
	return 0;
}

/* Set the separators and tables that a format other than XML needs. */
static void mpx_prepare_format(struct mpx *m)
{
	m->between = m->format == CGI ? '=' : ' ';
	m->after = m->format == CGI ? '&' : '\n';
	m->sender = m->sender && m->format != XML;
	if (m->sender)
		m->names = sender_names_new(false);
	if (m->format != XML && !m->compat)
		m->shapes = xrd_shapes_new();
}

int main(int argc, char **argv)
{
	struct mpx m = { .format = XML, .in = { .room = ROOM_BYTES } };
	struct udp_ports ports = { .n = 0 };
	int r;

	log_open("nodometer mpxstats", LOG_LEVEL_INFO);
	mpx_parse_options(&m, &ports, argc, argv);
	if (mpx_open_ports(&m, &ports) < 0)
		return 1;
	receiver_heed(SIGTERM);
	receiver_heed(SIGINT);
	/* handle SIGHUP before the file exists: logrotate may send the signal at once */
	receiver_heed(SIGHUP);
	m.fd = mpx_open_output(m.path);
	if (m.fd < 0) {
		log_error("%s: %s", m.path, strerror(-m.fd));
		return 1;
	}
	const struct receiver_paths paths = { .output = { m.path } };
	receiver_become(&paths);
	mpx_prepare_format(&m);
	receiver_confine(&paths);
	r = mpx_run(&m);
	if (r < 0 && r != -EPIPE)
		log_error("%s: %s", m.path ? m.path : "standard output", strerror(-r));
	mpx_log_totals(&m);
	sender_names_free(m.names);
	xrd_shapes_free(m.shapes);
	datagrams_close(&m.in);
	buf_free(&m.out);
	return r < 0 && r != -EPIPE;
}
