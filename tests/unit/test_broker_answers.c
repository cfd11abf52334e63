/* SPDX-License-Identifier: BSD-3-Clause */
/* test_broker_answers.c - keep messages until an AMQP or STOMP broker has confirmed them */
#include "tests/unit/amqp_frames.h"

#include "tests/unit/sink_user.h"
#include "tests/unit/tree.h"

#define MESSAGES   3
#define LARGE      (16u << 20)	/* bytes, more than the buffers of two sockets hold */
#define SOON_MS    20000
#define HEARD_SIZE 65536

static struct rogue *shared;

/*
 * Number of messages received on the first connection, and on the second. The broker's process and
 * the test share this memory.
 */
static unsigned *published;

/* Bytes that the client sent and the broker has not used yet. */
struct hearer {
	int fd;
	size_t n;
	char p[HEARD_SIZE];
};

/*
 * Read until these bytes arrive, and discard them and all bytes before. Returns false if the client
 * closed the connection.
 */
static bool hears(struct hearer *h, const char *bytes, size_t n)
{
	const char *at;
	while (!(at = memmem(h->p, h->n, bytes, n))) {
		struct pollfd ready = { .fd = h->fd, .events = POLLIN };
		/* keep the last n bytes, which may be the beginning of the wanted bytes */
		if (h->n == sizeof(h->p)) {
			memmove(h->p, h->p + h->n - n, n);
			h->n = n;
		}
		ssize_t got = poll(&ready, 1, SOON_MS) > 0 ?
			      recv(h->fd, h->p + h->n, sizeof(h->p) - h->n, 0) : 0;
		if (got <= 0)
			return false;
		h->n += (size_t)got;
	}
	h->n -= (size_t)(at + n - h->p);
	memmove(h->p, at + n, h->n);
	return true;
}

static void say_frame(int fd, const struct bytes *b)
{
	send_all(fd, b->p, b->n);
}

/*
 * A test case: the wrong answer that the broker gives on its first connection, and the sink's
 * result.
 */
struct broker_case {
	const char *name;
	const char *step;	/* the client's message that gets the wrong answer */
	struct bytes (*says)(void);
	int result;
	const char *why;
	bool twice;		/* the client sends a second batch on the same connection */
	bool declares;		/* the queue is missing, so the client declares it */
};
static const struct broker_case *now;

static void add_ack(struct bytes *to, uint64_t tag, bool multiple)
{
	struct bytes ack = { 0 };
	add_number(&ack, 8, tag);
	add_number(&ack, 1, multiple);
	struct bytes f = amqp_frame(1, 60, 80, &ack);
	memcpy(to->p + to->n, f.p, f.n);
	to->n += f.n;
}

static struct bytes acks_each(void)
{
	struct bytes b = { 0 };
	add_ack(&b, 99, false);		/* an unknown delivery tag */
	add_ack(&b, 3, false);
	add_ack(&b, 3, false);
	add_ack(&b, 1, false);
	add_ack(&b, 2, false);
	return b;
}

static struct bytes acks_some_at_once(void)
{
	struct bytes b = { 0 };
	add_ack(&b, 2, true);
	add_ack(&b, 3, false);
	return b;
}

static struct bytes acks_all(void)
{
	struct bytes b = { 0 };
	add_ack(&b, 0, true);
	return b;
}

static struct bytes keeps_none(void)
{
	struct bytes body = { 0 };
	add_number(&body, 8, 1);
	add_number(&body, 1, 0);
	return amqp_frame(1, 60, 120, &body);
}

static struct bytes keeps_the_last(void)
{
	struct bytes b = { 0 }, nack = keeps_none();
	add_ack(&b, MESSAGES, false);
	memcpy(b.p + b.n, nack.p, nack.n);
	b.n += nack.n;
	return b;
}

static struct bytes keeps_some_at_once(void)
{
	struct bytes b = { 0 }, nack = keeps_none();
	add_ack(&b, MESSAGES - 1, true);
	memcpy(b.p + b.n, nack.p, nack.n);
	b.n += nack.n;
	return b;
}

static struct bytes has_no_queue(void)
{
	struct bytes body = { 0 };
	add_number(&body, 2, 312);
	add_text(&body, 1, "NO_ROUTE");
	add_text(&body, 1, "");
	add_text(&body, 1, "nodometer");
	return amqp_frame(1, 60, 50, &body);
}

static struct bytes closes_channel(void)
{
	struct bytes body = amqp_closes(404, "NOT_FOUND - no exchange 'x'");
	return amqp_frame(1, 20, 40, &body);
}

static struct bytes refuses_queue(void)
{
	struct bytes body = amqp_closes(405, "RESOURCE_LOCKED - exclusive queue");
	return amqp_frame(1, 20, 40, &body);
}

static struct bytes closes_connection(void)
{
	struct bytes body = amqp_closes(403, "ACCESS_REFUSED");
	return amqp_frame(0, 10, 50, &body);
}

/* Send connection.blocked, then acknowledge all messages. */
static struct bytes blocks(void)
{
	struct bytes body = { 0 };
	add_text(&body, 1, "low on memory");
	struct bytes b = amqp_frame(0, 10, 60, &body);
	add_ack(&b, 0, true);
	return b;
}

#define START_OK "\0\x0a\0\x0b"		/* class and method ids as encoded in a frame */
#define OPEN     "\0\x0a\0\x28"
#define CHANNEL  "\0\x14\0\x0a"
#define DECLARE  "\0\x32\0\x0a"
#define CLOSED   "\0\x14\0\x29"		/* channel.close-ok */
#define CONFIRM  "\0\x55\0\x0a"
#define PUBLISH  "\0\x3c\0\x28"
#define CLOSE    "\0\x0a\0\x32"
#define STAYS    "\2\x09nodometer" /* delivery mode 2 (messages survive a restart), app id */

static bool is_step(const char *step)
{
	return shared->sessions == 0 && now->step && memcmp(now->step, step, 4) == 0;
}

/*
 * Wait for message `step`, and answer it with `right` or with the case's wrong answer. Returns
 * false if the client closed the connection.
 */
static bool answer(struct hearer *h, const char *step, struct bytes right)
{
	if (!hears(h, step, 4))
		return false;
	if (is_step(step))
		right = now->says();
	say_frame(h->fd, &right);
	return true;
}

static struct bytes declares(void)
{
	struct bytes body = { 0 };
	add_text(&body, 1, "nodometer");
	add_number(&body, 4, 0);
	add_number(&body, 4, 0);
	return amqp_frame(1, 50, 11, &body);
}

/*
 * After the broker answered that the queue does not exist, expect the client to open the channel
 * again and to declare the queue.
 */
static bool declares_again(struct hearer *h, const struct bytes *channel)
{
	const struct bytes declared = declares();
	if (!hears(h, CLOSED, 4) || !hears(h, CHANNEL, 4))
		return false;
	say_frame(h->fd, channel);
	if (!hears(h, DECLARE, 4))
		return false;
	say_frame(h->fd, &declared);
	return true;
}

static bool amqp_begins(struct hearer *h, const struct bytes *piece)
{
	if (!hears(h, "AMQP", 4))
		return false;
	say_frame(h->fd, &piece[0]);
	return answer(h, START_OK, piece[1]) && answer(h, OPEN, piece[2]) &&
	       answer(h, CHANNEL, piece[3]) && answer(h, DECLARE, declares()) &&
	       (!now->declares || declares_again(h, &piece[3])) &&
	       answer(h, CONFIRM, piece[4]);
}

/*
 * Count the messages of a flush, each with `begin` and later `then`. Returns false if the client
 * closed the connection.
 */
static bool hears_messages(struct hearer *h, const char *begin, const char *then, size_t n)
{
	for (unsigned i = 0; i < MESSAGES; i++) {
		if (!hears(h, begin, 4) || !hears(h, then, n))
			return false;
		published[shared->sessions % 2]++;
	}
	return true;
}

static void amqp_session(int fd, uint32_t seed)
{
	static struct hearer h;
	struct bytes piece[PIECES_MAX];
	(void)seed;
	h = (struct hearer){ .fd = fd };
	amqp_pieces(piece);
	if (!amqp_begins(&h, piece) || !hears_messages(&h, PUBLISH, STAYS, 11))
		return;
	struct bytes last = is_step(PUBLISH) ? now->says() : acks_all();
	say_frame(fd, &last);
	if (now->twice && hears_messages(&h, PUBLISH, STAYS, 11)) {
		last = (struct bytes){ 0 };	/* delivery tags continue in the second batch */
		for (uint64_t tag = MESSAGES + 1; tag <= 2 * MESSAGES; tag++)
			add_ack(&last, tag, false);
		say_frame(fd, &last);
	}
	if (hears(&h, CLOSE, 4))
		say_frame(fd, &piece[6]);
}

/* A sink with a login, and its broker. */
struct queue {
	struct tree t;
	char broker[32], password[96];
	pid_t peer;
	struct user u;
};

static bool queue_begin(struct queue *q, const char *sink, void (*session)(int, uint32_t),
			const char *const *more)
{
	const char *keys[16] = { "broker", q->broker, "user", "ann", "password-file", q->password,
				 "tls", "no" };
	int port;
	*q = (struct queue){ .peer = begin_peer(shared, session, &port) };
	published[0] = published[1] = 0;
	tree_make(&q->t);
	tree_put(&q->t, "password", STR("secret\n"));
	assert_int_equal(fchmodat(q->t.fd, "password", 0600, 0), 0);
	snprintf(q->password, sizeof(q->password), "%s/password", q->t.path);
	snprintf(q->broker, sizeof(q->broker), "127.0.0.1:%d", port);
	for (size_t i = 0; more[i]; i++)
		keys[8 + i] = more[i];
	bool there = user_begin(&q->u, sink, keys);
	if (!there) {
		end_peer(q->peer);
		tree_free(&q->t);
	}
	return there;
}

static void queue_end(struct queue *q)
{
	user_end(&q->u);
	end_peer(q->peer);
	tree_free(&q->t);
}

/*
 * Run one case. If the flush fails, all messages must come again on a new connection. Returns false
 * if the sink's library is missing.
 */
static bool try_case(const char *sink, void (*session)(int, uint32_t), const char *const *keys,
		     const struct broker_case *c)
{
	struct queue q;
	now = c;
	if (!queue_begin(&q, sink, session, keys))
		return false;
	for (int i = 0; i < MESSAGES; i++)
		assert_int_equal(user_put(&q.u), 0);
	int r = user_flush(&q.u);
	if (r != c->result)
		fail_msg("%s: %d, \"" STR_FMT "\"", c->name, r, STR_ARG(buf_str(&q.u.why)));
	assert_why(&q.u, c->why);
	assert_int_equal(q.u.sent > 0, r == 0);
	if (r < 0) {
		assert_why(&q.u, q.broker);
		assert_int_equal(user_flush(&q.u), 0);
		assert_int_equal(published[1], MESSAGES);
	}
	assert_true(q.u.sent > 0);
	for (int i = 0; c->twice && i < MESSAGES; i++)
		assert_int_equal(user_put(&q.u), 0);
	assert_int_equal(user_flush(&q.u), 0);
	if (c->twice)
		assert_int_equal(published[0], 2 * MESSAGES);
	queue_end(&q);
	return true;
}

TEST(amqp_messages_are_kept_until_the_broker_confirms_them)
{
	static const char *const keys[] = { "declare", "yes", NULL };
	static const struct broker_case all[] = {
		{ "each", PUBLISH, acks_each, 0, "" },
		{ "some at once", PUBLISH, acks_some_at_once, 0, "" },
		{ "all", PUBLISH, acks_all, 0, "" },
		{ "twice", PUBLISH, acks_each, 0, "", .twice = true },
		{ "blocked", PUBLISH, blocks, 0, "" },
		{ "nack", PUBLISH, keeps_none, -EREMOTEIO, "could not store a message" },
		{ "all but one", PUBLISH, keeps_some_at_once, -EREMOTEIO,
		  "could not store a message" },
		{ "the last", PUBLISH, keeps_the_last, -EREMOTEIO, "could not store a message" },
		{ "return", PUBLISH, has_no_queue, -EREMOTEIO,
		  "no queue is bound to exchange \"\" with routing key \"nodometer\"" },
		{ "channel", PUBLISH, closes_channel, -EREMOTEIO, "404 NOT_FOUND - no exchange" },
		{ "connection", PUBLISH, closes_connection, -EREMOTEIO, "403 ACCESS_REFUSED" },
		{ "login", OPEN, closes_connection, -EREMOTEIO, "403 ACCESS_REFUSED" },
		{ "queue", DECLARE, refuses_queue, -EREMOTEIO, "405 RESOURCE_LOCKED" },
		{ "no queue", DECLARE, closes_channel, 0, "", .declares = true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!try_case("amqp", amqp_session, keys, &all[i]))
			skip();
}

static struct bytes says(const char *text)
{
	struct bytes b = { .n = strlen(text) };
	memcpy(b.p, text, b.n);
	for (size_t i = 0; i < b.n; i++)	/* STOMP ends each frame with a NUL */
		if (b.p[i] == '@')
			b.p[i] = '\0';
	return b;
}

static struct bytes connected(void) { return says("CONNECTED\nversion:1.2\n\n@\n"); }
static struct bytes denies(void) { return says("ERROR\nmessage:Bad CONNECT\n\nno@"); }
static struct bytes fails(void) { return says("ERROR\n\n@"); }
static struct bytes other(void) { return says("SSH-2.0-x\r\nno header\r\n\r\n@"); }
static struct bytes hangs_up(void) { return says(""); }
static struct bytes receipts(void)
{
	return says("RECEIPT\nreceipt-id:3\n\n@\nRECEIPT\nreceipt-id:3\n\n@RECEIPT\n\n@"
		    "RECEIPT\nreceipt-id:99\n\n@RECEIPT\nreceipt-id:1x\n\n@"
		    "RECEIPT\nreceipt-id:1\n\n@\n\nRECEIPT\nreceipt-id:2\n\n@");
}

static struct bytes more_receipts(void)	/* receipt ids continue after the first batch */
{
	return says("RECEIPT\nreceipt-id:4\n\n@RECEIPT\nreceipt-id:5\n\n@"
		    "RECEIPT\nreceipt-id:6\n\n@");
}

#define CONNECT "CONN"		/* the first bytes of the frame CONNECT */
#define SEND    "SEND"

static void stomp_session(int fd, uint32_t seed)
{
	static struct hearer h;
	(void)seed;
	h = (struct hearer){ .fd = fd };
	if (!answer(&h, CONNECT, connected()))
		return;
	if (!hears_messages(&h, SEND, "\npersistent:true\n", 17))
		return;
	struct bytes last = is_step(SEND) ? now->says() : receipts();
	say_frame(fd, &last);
	if (now->twice && hears_messages(&h, SEND, "\npersistent:true\n", 17)) {
		last = more_receipts();
		say_frame(fd, &last);
	}
	if (last.n)
		hears(&h, "DISCONNECT", 10);
}

TEST(stomp_messages_are_kept_until_each_has_a_receipt)
{
	static const char *const keys[] = { NULL };
	static const struct broker_case all[] = {
		{ "receipts", SEND, receipts, 0, "" },
		{ "twice", SEND, receipts, 0, "", .twice = true },
		{ "login", CONNECT, denies, -EREMOTEIO, "the broker says: Bad CONNECT" },
		{ "no reason", SEND, fails, -EREMOTEIO, "the broker says: ERROR" },
		{ "receipt at login", CONNECT, receipts, -EREMOTEIO, "the broker says: RECEIPT" },
		{ "other", CONNECT, other, -EPROTO, "the answer is not STOMP" },
		{ "hung up", SEND, hangs_up, -EPIPE, "the broker hung up" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!try_case("stomp", stomp_session, keys, &all[i]))
			skip();
}

/*
 * Send an error and stop reading. The client is still sending, and must read the error
 * nevertheless.
 */
static void deaf_session(int fd, uint32_t seed)
{
	static struct hearer h;
	int least = 4096;
	(void)seed;
	h = (struct hearer){ .fd = fd };
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	if (!answer(&h, CONNECT, connected()) || !hears(&h, SEND, 4))
		return;
	struct bytes error = denies();
	say_frame(fd, &error);
	struct pollfd gone = { .fd = fd, .events = POLLRDHUP };
	poll(&gone, 1, SOON_MS);
}

TEST(stomp_reads_an_error_from_a_broker_that_stopped_reading)
{
	static const char *const keys[] = { NULL };
	/* A case without a wrong answer. */
	static const struct broker_case none = { .name = "deaf" };
	struct queue q;
	now = &none;
	if (!queue_begin(&q, "stomp", deaf_session, keys))
		skip();
	char *line = calloc(1, LARGE);
	assert_non_null(line);
	memset(line, 'x', LARGE);
	assert_int_equal(q.u.sink->put_line(q.u.state, (struct str){ line, LARGE }, &q.u.why), 1);
	assert_int_equal(user_flush(&q.u), -EREMOTEIO);
	assert_why(&q.u, "the broker says: Bad CONNECT");
	assert_int_equal(q.u.sent, 0);
	free(line);
	queue_end(&q);
}

static void other_session(int fd, uint32_t seed)
{
	struct bytes b = other();
	(void)seed;
	if (hear(fd, SOON_MS))
		say_frame(fd, &b);
}

/* A self-signed certificate whose key was not kept. */
static const char certificate[] =
	"-----BEGIN CERTIFICATE-----\n"
	"MIIBiTCCAS+gAwIBAgIUKhCfmycRZfvQ1ih2o9Z1vP+RMH0wCgYIKoZIzj0EAwIw\n"
	"GTEXMBUGA1UEAwwObm9kb21ldGVyLXRlc3QwIBcNMjYxMTI4MTIwMDQ1WhgPMjEy\n"
	"NjExMDQxMjAwNDVaMBkxFzAVBgNVBAMMDm5vZG9tZXRlci10ZXN0MFkwEwYHKoZI\n"
	"zj0CAQYIKoZIzj0DAQcDQgAEVN4KEVXz4SFgXVd3VTiSAG7H0AVpaUMubPkrPLru\n"
	"WchrkFqM21s/X35/a1lEmUPtsphca+lqtFeUKK+i6IRcGaNTMFEwHQYDVR0OBBYE\n"
	"FLuTLPxIwyXCtrC7yj0h69CRbA6TMB8GA1UdIwQYMBaAFLuTLPxIwyXCtrC7yj0h\n"
	"69CRbA6TMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgFLzF5a6M\n"
	"SP2fCNv9S7mtZDLEkv9ntAaRDPuofcG/oPgCIQD6NSgDQ9tpbimu7nh0X0+Nd4JX\n"
	"by9pURCM4DvsuLzFFw==\n"
	"-----END CERTIFICATE-----\n";

struct tls_case {
	const char *sink;
	bool ca_there;
	const char *key_file;	/* NULL: the client has no certificate */
	int result;		/* -EIO: the files could be read, but the TLS handshake failed */
	const char *why;
};

static void try_tls(const struct tls_case *c)
{
	static const char *const more[] = { NULL };
	struct queue q;
	char ca[96];
	if (!queue_begin(&q, c->sink, other_session, more))
		skip();
	tree_put(&q.t, "ca", str_of(certificate));
	snprintf(ca, sizeof(ca), "%s/%s", q.t.path, c->ca_there ? "ca" : "missing");
	user_set(&q.u, "tls", "yes");
	user_set(&q.u, "ca-file", ca);
	if (c->key_file) {
		user_set(&q.u, "cert-file", ca);
		user_set(&q.u, "key-file", c->key_file);
	}
	assert_int_equal(q.u.sink->check(q.u.state, &q.u.why), 0);
	assert_int_equal(user_put(&q.u), 0);
	int r = user_flush(&q.u);
	if (r != c->result)
		fail_msg("%s: %d, \"" STR_FMT "\"", c->why, r, STR_ARG(buf_str(&q.u.why)));
	assert_why(&q.u, c->why);
	assert_int_equal(q.u.sent, 0);
	queue_end(&q);
}

TEST(nothing_is_sent_without_the_tls_files)
{
	static const struct tls_case all[] = {
		{ "amqp", false, NULL, -EINVAL, "/missing: " },
		{ "amqp", true, "/nowhere/key", -EINVAL, "/ca, /nowhere/key: " },
		{ "amqp", true, "word", -EINVAL, "LoadCredential=word:FILE" },
		{ "amqp", true, NULL, -EIO, "127.0.0.1:" },
		{ "stomp", true, "word", -EINVAL, "LoadCredential=word:FILE" },
		{ "stomp", true, "/nowhere/key", -EIO, "127.0.0.1:" },
		{ "stomp", true, NULL, -EIO, "127.0.0.1:" },
	};
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		try_tls(&all[i]);
}

static void try_alone(const char *sink)
{
	static const char *const keys[] = { NULL };
	struct queue q;
	if (!queue_begin(&q, sink, other_session, keys))
		skip();
	assert_int_equal(user_put(&q.u), 0);
	assert_int_equal(unlinkat(q.t.fd, "password", 0), 0);
	assert_int_equal(user_flush(&q.u), -ENOENT);
	assert_why(&q.u, q.password);
	end_peer(q.peer);
	assert_int_equal(user_flush(&q.u), -EIO);
	assert_why(&q.u, q.broker);
	assert_int_equal(q.u.sent, 0);
	q.peer = begin_peer(shared, other_session, &(int){ 0 });
	queue_end(&q);
}

TEST(without_a_broker_or_a_password_messages_are_kept)
{
	try_alone("amqp");
	try_alone("stomp");
}

int main(void)
{
	shared = rogue_new();
	published = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(published != MAP_FAILED);
	RUN(cmocka_unit_test(amqp_messages_are_kept_until_the_broker_confirms_them),
	    cmocka_unit_test(stomp_messages_are_kept_until_each_has_a_receipt),
	    cmocka_unit_test(stomp_reads_an_error_from_a_broker_that_stopped_reading),
	    cmocka_unit_test(nothing_is_sent_without_the_tls_files),
	    cmocka_unit_test(without_a_broker_or_a_password_messages_are_kept));
}
