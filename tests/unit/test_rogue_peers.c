/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_rogue_peers.c - keep each sink alive whatever brokers, servers and scrapers send
 *
 * A peer is a process that answers as a real program does, with some bytes of each session changed.
 * SESSIONS sets the number of sessions of each kind. A fault of a sink kills the test or is found
 * by the sanitizers.
 */
#include "tests/unit/amqp_frames.h"

#include <arpa/inet.h>
#include <sys/un.h>
#include "formats/line/line.h"
#include "tests/unit/sink_user.h"
#include "tests/unit/tree.h"

static struct rogue *shared;

#define AMQP_IN_ORDER 7

static void amqp_session(int fd, uint32_t seed)
{
	static struct bytes piece[PIECES_MAX];
	static size_t n;
	if (!n)
		n = amqp_pieces(piece);
	uint32_t other = chance(&seed) % 32;	/* number of the piece that is replaced at random */
	for (uint32_t i = 0; i < AMQP_IN_ORDER; i++) {
		struct bytes b = piece[i == other ? chance(&seed) % n : i];
		if (!hear(fd, i ? STUCK_MS : 2000))
			return;
		mutate_some(b.p, &b.n, sizeof(b.p), &seed);
		send_all(fd, b.p, b.n);
		if (chance(&seed) % 16 == 0)
			return;
	}
	shutdown(fd, SHUT_WR);
	hear(fd, STUCK_MS);
}

/* Pieces that a broker sends to a client that logs in and sends a message. */
static const char *const stomp_pieces[] = {
	"CONNECTED\nversion:1.2\nserver:RabbitMQ/3.10.8\nheart-beat:0,0\n\n",
	"\nRECEIPT\nreceipt-id:1\n\n",
	"ERROR\nmessage:Bad CONNECT\ncontent-type:text/plain\ncontent-length:6\n\nDenied",
	"\n\n\r\n", "MESSAGE\r\nmessage-id:a\\cb\r\n\r\nx",
};

static void stomp_session(int fd, uint32_t seed)
{
	uint32_t other = chance(&seed) % 16;	/* number of the piece that is replaced at random */
	for (uint32_t i = 0; i < 2; i++) {
		const char *piece = stomp_pieces[i == other ? chance(&seed) %
						 ARRAY_SIZE(stomp_pieces) : i];
		char text[PIECE_MAX];
		size_t n = strlen(piece) + 1;
		memcpy(text, piece, n);
		if (!hear(fd, i ? STUCK_MS : 2000))
			return;
		mutate_some(text, &n, sizeof(text), &seed);
		send_all(fd, text, n);
	}
	shutdown(fd, SHUT_WR);
	hear(fd, STUCK_MS);
}

/*
 * Let a new instance of the sink log in and deliver in each of SESSIONS sessions, in which the
 * broker sends damaged answers.
 */
static void try_brokers(const char *sink, void (*session)(int, uint32_t))
{
	char broker[32], password[96];
	int port;
	pid_t peer = begin_peer(shared, session, &port);
	struct tree t CLEANUP(tree_free);
	tree_make(&t);
	tree_put(&t, "password", STR("secret\n"));
	assert_int_equal(fchmodat(t.fd, "password", 0600, 0), 0);
	snprintf(password, sizeof(password), "%s/password", t.path);
	snprintf(broker, sizeof(broker), "127.0.0.1:%d", port);
	const char *const keys[] = { "broker", broker, "user", "u", "password-file", password,
				     "tls", "no", NULL };
	struct user u;
	bool there = true;
	for (unsigned i = 0; there && i < shared->wanted; i++) {
		there = user_begin(&u, sink, keys);
		if (!there)
			break;
		assert_true(user_put(&u) >= 0);
		user_flush(&u);
		user_end(&u);
	}
	end_peer(peer);
	if (!there)
		skip();
	assert_true(shared->sessions + 1 >= shared->wanted);
}

TEST(the_amqp_sink_survives_damaged_answers_of_brokers)
{
	try_brokers("amqp", amqp_session);
}

TEST(the_stomp_sink_survives_damaged_answers_of_brokers)
{
	try_brokers("stomp", stomp_session);
}

static const char *const answers[] = {
	"HTTP/1.1 204 No Content\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 400 Bad Request\r\nContent-Length: 44\r\n\r\n"
		"{\"error\":\"partial write: field type conflict\"}",
	"HTTP/1.1 413 Too Large\r\nConnection: close\r\n\r\ntoo large",
	"HTTP/1.1 429 Slow\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Max-Age=9\r\nAlt-Svc: h2=\":1\"\r\n"
		"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
	"HTTP/2 200\r\n\r\n", "ICY 200 OK\r\n\r\n", "",
};

static void http_session(int fd, uint32_t seed)
{
	char text[PIECE_MAX];
	const char *answer = answers[chance(&seed) % ARRAY_SIZE(answers)];
	size_t n = strlen(answer);
	memcpy(text, answer, n);
	for (uint32_t i = chance(&seed) % 4; i-- > 0;)
		mutate(text, &n, sizeof(text), &seed);
	if (hear(fd, 2000))
		send_all(fd, text, n);
	shutdown(fd, SHUT_WR);
	hear(fd, 5);
}

TEST(the_http_sink_survives_damaged_answers_in_each_format)
{
	char url[64];
	int port;
	pid_t peer = begin_peer(shared, http_session, &port);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/write", port);
	bool there = true;
	for (size_t format = 0; there && format < n_line_encoders; format++) {
		const char *const keys[] = { "url", url, "format", line_encoders[format]->name,
					     NULL };
		struct user u;
		there = user_begin(&u, "http", keys);
		for (unsigned i = 0; there && i < shared->wanted; i++) {
			assert_true(user_put(&u) >= 0);
			user_flush(&u);
		}
		if (there)
			user_end(&u);
	}
	end_peer(peer);
	if (!there)
		skip();
	assert_true(shared->sessions + 1 >= shared->wanted);
}

static void good_http_session(int fd, uint32_t seed)
{
	(void)seed;
	static char text[PIECE_MAX];
	shared->port++;		/* .port counts the connections in this test */
	while (take_request(fd, text, sizeof(text)))
		send_all(fd, answers[0], strlen(answers[0]));
}

TEST(a_server_that_keeps_the_connection_open_gets_only_one)
{
	char url[64];
	int port, delivered = 0;
	struct user u;
	shared->port = 0;
	pid_t peer = begin_peer(shared, good_http_session, &port);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/write", port);
	const char *const keys[] = { "url", url, NULL };
	bool there = user_begin(&u, "http", keys);
	for (int i = 0; there && i < 5; i++) {
		assert_true(user_put(&u) >= 0);
		delivered += user_flush(&u) == 0;
	}
	if (there)
		user_end(&u);
	end_peer(peer);
	if (!there)
		skip();
	assert_int_equal(delivered, 5);
	assert_int_equal(shared->port, 1);
}

#ifdef HAVE_RDKAFKA
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

static int dial_loopback(int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((in_port_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		close_fd(&fd);
	return fd;
}

/*
 * Replace the port in the broker's announcement with this peer's port, so that clients connect to
 * the peer.
 */
static void name_peer(char *p, size_t n, int own)
{
	for (size_t i = 0; i + 4 <= n; i++)
		if (p[i] == 0 && p[i + 1] == 0 && (unsigned char)p[i + 2] == shared->port >> 8 &&
		    (unsigned char)p[i + 3] == (shared->port & 0xff)) {
			p[i + 2] = (char)(own >> 8);
			p[i + 3] = (char)own;
		}
}

static bool pass_on(int from, int to)
{
	char p[65536];
	ssize_t n = recv(from, p, sizeof(p), 0);
	if (n > 0)
		send_all(to, p, (size_t)n);
	return n > 0;
}

/*
 * Pass on bytes with random changes. If bytes were changed, set *patience_ms to the shorter timeout
 * for a client that may be stuck.
 */
static bool pass_on_changed(int from, int to, uint32_t *seed, int own, int *patience_ms)
{
	static char p[2 * 65536];
	ssize_t got = recv(from, p, sizeof(p) / 2, 0);
	if (got <= 0)
		return false;
	size_t n = (size_t)got;
	name_peer(p, n, own);
	if (mutate_some(p, &n, sizeof(p), seed))
		*patience_ms = STUCK_MS;
	send_all(to, p, n);
	return true;
}

/* Run a proxy between the sink and librdkafka's mock broker that changes the broker's answers. */
static void kafka_session(int client, uint32_t seed)
{
	struct sockaddr_in own = { 0 };
	socklen_t size = sizeof(own);
	int broker CLEANUP(close_fd) = dial_loopback(shared->port), patience_ms = 500;
	struct pollfd ready[2] = { { .fd = client, .events = POLLIN },
				   { .fd = broker, .events = POLLIN } };
	bool open = broker >= 0;
	getsockname(client, (struct sockaddr *)&own, &size);
	while (open && poll(ready, 2, patience_ms) > 0) {
		if (ready[0].revents)
			open = pass_on(client, broker);
		if (open && ready[1].revents)
			open = pass_on_changed(broker, client, &seed, ntohs(own.sin_port),
					       &patience_ms);
	}
}

static void use_kafka(const char *brokers)
{
	const char *const keys[] = {
		"brokers", brokers, "topic", "t", "tls", "no", "options",
		"message.timeout.ms=200 reconnect.backoff.ms=1 reconnect.backoff.max.ms=2 "
		"socket.timeout.ms=100 linger.ms=0 retry.backoff.ms=1", NULL,
	};
	struct user u;
	assert_true(user_begin(&u, "kafka", keys));
	assert_true(user_put(&u) >= 0);
	while (shared->sessions < shared->wanted) {
		if (user_flush(&u) == 0)
			assert_true(user_put(&u) >= 0);
	}
	user_end(&u);
}

/*
 * librdkafka 2.8.0 (Debian 13) crashes in qsort(3) on some broker lists, and aborts if there is no
 * memory for the stated number of brokers. So run that version in a child process. Older versions
 * run in this process, because they must survive. Returns false if the library crashed.
 */
static bool try_kafka(const char *brokers)
{
	int status = 0;
	if (rd_kafka_version() < 0x02010000) {
		use_kafka(brokers);
		return true;
	}
	pid_t pid = fork();
	if (pid == 0) {
		use_kafka(brokers);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(status == 0 || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV ||
							    WTERMSIG(status) == SIGABRT)));
	return status == 0;
}

TEST(the_kafka_sink_survives_damaged_answers_of_brokers)
{
	char error[256], brokers[32];
	uint64_t real;
	int port;
	pid_t peer = begin_peer(shared, kafka_session, &port);
	snprintf(brokers, sizeof(brokers), "127.0.0.1:%d", port);
	rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), error, sizeof(error));
	assert_non_null(rk);
	rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(rk, 1);
	assert_non_null(cluster);
	assert_int_equal(rd_kafka_mock_topic_create(cluster, "t", 1, 1), 0);
	struct str at = str_of(strrchr(rd_kafka_mock_cluster_bootstraps(cluster), ':') + 1);
	assert_true(str_take_u64(&at, &real));
	shared->port = (int)real;
	bool whole = try_kafka(brokers);
	end_peer(peer);
	rd_kafka_mock_cluster_destroy(cluster);
	rd_kafka_destroy(rk);
	if (!whole) {
		printf("skipped: librdkafka %s breaks by itself\n", rd_kafka_version_str());
		skip();
	}
}
#else
TEST(the_kafka_sink_survives_damaged_answers_of_brokers)
{
	skip();
}
#endif

/* Send requests to the metrics sink's page. Returns true if there was an answer. */
static bool ask_page(const struct sockaddr_un *a, const char *p, size_t n)
{
	char answer[256];
	int fd CLEANUP(close_fd) = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	if (connect(fd, (const struct sockaddr *)a, sizeof(*a)) < 0)
		return false;
	send_all(fd, p, n);
	shutdown(fd, SHUT_WR);
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	ssize_t got = poll(&ready, 1, 5) > 0 ? recv(fd, answer, sizeof(answer), 0) : 0;
	return got > 12 && memcmp(answer, "HTTP/1.1 200", 12) == 0;
}

TEST(the_metrics_page_survives_damaged_requests)
{
	static const char *const requests[] = {
		"GET /metrics HTTP/1.1\r\nHost: n1\r\nAccept: application/openmetrics-text\r\n\r\n",
		"GET /metrics HTTP/1.0\r\nAccept-Encoding: gzip, deflate\r\n\r\n",
		"POST /metrics HTTP/1.1\r\nHost: n1\r\nTransfer-Encoding: chunked\r\n\r\n"
			"ff\r\nabc\r\n0\r\n\r\n",
		"POST /metrics HTTP/1.1\r\nHost: n1\r\nContent-Length: 3\r\n\r\nabc",
		"GET /metrics?a=b&c[]=%00%ff HTTP/1.1\r\nHost: n1\r\n"
			"Authorization: Bearer x\r\nCookie: a=b; c=\"d\r\n\r\n",
		"HEAD / HTTP/1.1\r\nHost: n1\r\n\r\nGET /metrics HTTP/1.1\r\nHost: n1\r\n\r\n",
		"GET http://n1/metrics HTTP/1.1\r\nRange: bytes=0-\r\n folded: yes\r\n\r\n",
	};
	struct tree t CLEANUP(tree_free);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct user u;
	char text[PIECE_MAX];
	uint32_t seed = 1;
	bool alive = false;

	tree_make(&t);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/metrics.sock", t.path);
	const char *const keys[] = { "socket-dir", t.path, NULL };
	if (!user_begin(&u, "metrics", keys))
		skip();
	assert_true(user_put(&u) >= 0);
	for (unsigned i = 0; i < shared->wanted; i++) {
		const char *request = requests[chance(&seed) % ARRAY_SIZE(requests)];
		size_t n = strlen(request);
		memcpy(text, request, n);
		for (uint32_t k = chance(&seed) % 4; k-- > 0;)
			mutate(text, &n, sizeof(text), &seed);
		ask_page(&at, text, n);
	}
	for (int i = 0; !alive && i < 1000; i++)	/* other clients may still be connected */
		alive = ask_page(&at, requests[0], strlen(requests[0]));
	assert_true(alive);
	user_end(&u);
}

int main(void)
{
	shared = rogue_new();
	RUN(cmocka_unit_test(the_amqp_sink_survives_damaged_answers_of_brokers),
	    cmocka_unit_test(the_stomp_sink_survives_damaged_answers_of_brokers),
	    cmocka_unit_test(the_http_sink_survives_damaged_answers_in_each_format),
	    cmocka_unit_test(a_server_that_keeps_the_connection_open_gets_only_one),
	    cmocka_unit_test(the_kafka_sink_survives_damaged_answers_of_brokers),
	    cmocka_unit_test(the_metrics_page_survives_damaged_requests));
}
