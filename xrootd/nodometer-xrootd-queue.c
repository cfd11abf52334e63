/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-xrootd-queue.c - pass messages from an AMQP queue to nodometer xrootd */

/*
 * nodometer xrootd, the receiver, starts this program. Messages go to standard output, one per
 * line; a line MESSAGES_AGAIN (see messages.h) begins the messages of each connection, because a
 * broker repeats unacknowledged messages. A line with a number n on standard input means that the
 * receiver has processed the first n messages that it got: acknowledge them. The program ends when
 * standard input ends.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/privileges.h"
#include "sinks/amqp_link.h"
#include "xrootd/input/messages.h"
#include "xrootd/queue.h"

/* longest wait, in milliseconds, so that the library can send heartbeats */
#define WAIT_MS     1000
#define RETRY_MAX_S 30
#define BURST       256	/* maximum number of messages between two reads of standard input */

enum { QUEUE, PASSWORD_FILE, CA_FILE };
static const struct cli_option options[] = {
	[QUEUE]         = { "queue",         "NAME", "the queue", '\0' },
	[PASSWORD_FILE] = { "password-file", "FILE", "password or token of the user", '\0' },
	[CA_FILE]       = { "ca-file",       "FILE", "certificates that are trusted", '\0' },
};

static const struct cli cli = {
	.command = "xrootd-queue",
	.operands = "amqps://USER@HOST[:PORT][/VHOST]",
	.about = "Gives nodometer xrootd, which starts it, the messages of an AMQP queue.",
	CLI_OPTIONS(options),
	.page = "nodometer-xrootd-queue(8)",
};

struct queue_reader {
	struct amqp_keys keys;
	struct amqp_link *link;
	uint64_t given;		/* number of messages given to the receiver, over all connections */
	uint64_t before;	/* number of messages given before this connection */
	uint64_t processed;	/* number of messages that the receiver has processed */
	/*
	 * number of messages that need no acknowledgement: acknowledged before, or received on an
	 * earlier connection, so that the broker sends them again
	 */
	uint64_t acknowledged;
	int retry_s;
	bool ended;		/* the receiver has ended */
	bool failing;		/* the failure was reported already */
	struct buf counts;	/* incomplete line of standard input */
	struct buf message;
};

static bool queue_copy(char *to, struct str text)
{
	return str_copy(to, KEY_TEXT_MAX, text);
}

/* Parse "amqps://USER@HOST[:PORT][/VHOST]". */
static bool queue_parse_url(struct amqp_keys *k, struct str url)
{
	struct str user, broker;
	k->at.tls = str_take_prefix(&url, STR("amqps://"));
	if (!k->at.tls && !str_take_prefix(&url, STR("amqp://")))
		return false;
	if (!str_take_until(&url, '@', &user) || !user.n)
		return false;
	bool has_vhost = str_take_until(&url, '/', &broker);
	if (!has_vhost)
		broker = url;
	return queue_copy(k->at.user, user) && queue_copy(k->at.broker, broker) &&
	       queue_copy(k->vhost, has_vhost && url.n ? url : STR("/"));
}

static void queue_set_option(struct queue_reader *q, int o, const char *arg)
{
	char *const to[] = {
		[QUEUE] = q->keys.routing_key, [PASSWORD_FILE] = q->keys.at.password_file,
		[CA_FILE] = q->keys.at.ca_file,
	};
	if (!queue_copy(to[o], str_of(arg)))
		cli_wrong(&cli, "--%s: too long", options[o].name);
}

static void queue_parse_options(struct queue_reader *q, int argc, char **argv)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	const char *arg;
	int o;
	while ((o = cli_next(&cli, argc, argv, &arg)) >= 0)
		queue_set_option(q, o, arg);
	if (optind != argc - 1 || !queue_parse_url(&q->keys, str_of(argv[optind])))
		cli_wrong(&cli, "name one broker: amqps://USER@HOST[:PORT][/VHOST], or amqp:// "
			  "without TLS");
	if (!q->keys.routing_key[0])
		cli_wrong(&cli, "--messages amqp:// needs --queue");
	if (amqp_keys_check(&q->keys, &why) < 0)
		cli_wrong(&cli, STR_FMT, STR_ARG(buf_str(&why)));
}

/* Confine this process: it reads certificates and the password, and connects to the broker. */
static void queue_confine(const struct queue_reader *q)
{
	char secrets[KEY_TEXT_MAX], certificates[KEY_TEXT_MAX];
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");
	struct confined c;
	confine_parent(q->keys.at.password_file, secrets, sizeof(secrets));
	confine_parent(q->keys.at.ca_file, certificates, sizeof(certificates));
	const struct confine_path paths[] = {
		{ "/etc",                           CONFINE_READ },
		/* for name resolution */
		{ "/run",                           CONFINE_READ },
		{ q->keys.at.password_file,            CONFINE_READ },
		{ strchr(q->keys.at.password_file, '/') ? secrets : "", CONFINE_READ },
		{ q->keys.at.ca_file[0] ? certificates : "", CONFINE_READ },
		{ credentials ? credentials : "",   CONFINE_READ },
	};
	confine(paths, ARRAY_SIZE(paths), MAY_CONNECT | MAY_NETWORK, &c);
	if (c.why[0] || privileges_keep(0) < 0)
		log_debug("not confined: %s", c.why);
}

/*
 * Read lines from the receiver, each with the number of messages processed so far. The largest
 * valid number becomes .processed.
 */
static void queue_read_counts(struct queue_reader *q)
{
	char bytes[4096];
	struct str line;
	uint64_t n;
	ssize_t got = read(STDIN_FILENO, bytes, sizeof(bytes));
	if (got < 0 && errno == EINTR)
		return;
	q->ended = got <= 0;
	buf_add(&q->counts, (struct str){ bytes, got > 0 ? (size_t)got : 0 });
	struct str rest = buf_str(&q->counts);
	while (str_take_until(&rest, '\n', &line))
		if (str_take_u64(&line, &n) && n > q->processed && n <= q->given)
			q->processed = n;
	memmove(q->counts.p, rest.p, rest.n);
	q->counts.n = rest.n;
}

static void queue_disconnect(struct queue_reader *q)
{
	amqp_link_close(q->link);
	q->link = NULL;
	q->before = q->acknowledged = q->given;
}

/* Log the first failure in a row, and wait before the next attempt. */
static void queue_retry(struct queue_reader *q, struct str why)
{
	struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
	queue_disconnect(q);
	if (!q->failing)
		log_warning(STR_FMT "; retrying", STR_ARG(why));
	q->failing = true;
	q->retry_s = q->retry_s ? 2 * q->retry_s : 1;
	if (q->retry_s > RETRY_MAX_S)
		q->retry_s = RETRY_MAX_S;
	int64_t until = monotonic_ns() + q->retry_s * INT64_C(1000000000);
	for (int64_t left; !q->ended && (left = until - monotonic_ns()) > 0;)
		if (poll(&fd, 1, (int)(left / 1000000) + 1) > 0)
			queue_read_counts(q);
}

/*
 * Acknowledge the messages that the receiver has processed. Delivery tags start at 1 on each
 * connection.
 */
static int queue_acknowledge(struct queue_reader *q, struct buf *why)
{
	if (q->processed <= q->acknowledged)
		return 0;
	q->acknowledged = q->processed;
	return amqp_link_acknowledge(q->link, q->processed - q->before, why);
}

/* Write a message as a line. */
static int queue_give(struct queue_reader *q)
{
	message_make_line(&q->message);
	q->given++;
	return files_write(STDOUT_FILENO, buf_str(&q->message));
}

static void queue_wait(struct queue_reader *q)
{
	int broker = amqp_link_fd(q->link);
	struct pollfd fd[] = { { STDIN_FILENO, POLLIN, 0 }, { broker, POLLIN, 0 } };
	if (poll(fd, ARRAY_SIZE(fd), broker < 0 ? 0 : WAIT_MS) > 0 && fd[0].revents)
		queue_read_counts(q);
}

/*
 * Do one round of the main loop. Returns 0, or -errno with the reason in `why` if the connection
 * failed.
 */
static int queue_turn(struct queue_reader *q, struct buf *why)
{
	int r = 1;
	queue_wait(q);
	for (int i = 0; i < BURST && r > 0; i++) {
		r = amqp_link_take(q->link, MESSAGE_MAX, 0, &q->message, why);
		if (r > 0 && queue_give(q) < 0)
			q->ended = true;	/* the receiver has ended */
	}
	if (r < 0)
		return r;
	return queue_acknowledge(q, why);
}

static int queue_open(struct queue_reader *q, struct buf *why)
{
	int r = amqp_link_open(&q->keys, &q->link, why);
	if (r == 0)
		r = amqp_link_consume(q->link, QUEUE_AHEAD, why);
	if (r < 0)
		return r;
	log_notice("reading the queue %s of %s", q->keys.routing_key, q->keys.at.broker);
	q->failing = false;
	q->retry_s = 0;
	q->message.n = 0;
	buf_add(&q->message, MESSAGES_AGAIN);
	buf_add_char(&q->message, '\n');
	q->ended |= files_write(STDOUT_FILENO, buf_str(&q->message)) < 0;
	return 0;
}

static void queue_run(struct queue_reader *q)
{
	while (!q->ended) {
		struct buf why CLEANUP(buf_free) = { 0 };
		int r = q->link ? queue_turn(q, &why) : queue_open(q, &why);
		if (r < 0)
			queue_retry(q, buf_str(&why));
	}
	struct buf why CLEANUP(buf_free) = { 0 };
	if (q->link && queue_acknowledge(q, &why) < 0)
		log_warning("the broker will send the last messages again: " STR_FMT,
			    STR_ARG(buf_str(&why)));
	queue_disconnect(q);
}

int main(int argc, char **argv)
{
	struct queue_reader q = { .retry_s = 0 };
	log_open("nodometer-xrootd-queue", LOG_LEVEL_INFO);
	queue_parse_options(&q, argc, argv);
	/* ignore Ctrl-C: the receiver ends this program after processing the last messages */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	const struct identity nobody = privileges_nobody();
	if (geteuid() == 0 && privileges_become(&nobody, 0) < 0)
		log_warning("cannot drop root privileges, continuing as root");
	queue_confine(&q);
	queue_run(&q);
	buf_free(&q.counts);
	buf_free(&q.message);
	return CLI_OK;
}
