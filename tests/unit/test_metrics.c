/* SPDX-License-Identifier: BSD-3-Clause */
/* test_metrics.c - [sink metrics]: restrict who reads the page, and log errors */
#include "tests/unit/rogue.h"

#include <sys/un.h>
#include "archive/cursor.h"
#include "tests/unit/heard.h"
#include "tests/unit/sink_user.h"
#include "tests/unit/tree.h"

#define SAMPLE "nodometer_sample_timestamp_seconds{host=\"n1\"} 1700000000\n"

/* Check that close() succeeds: a descriptor closed twice may belong to another file by then. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int r = __real_close(fd);
	assert_int_equal(r, 0);
	return r;
}

TEST(write_error_and_recovery_are_logged_once)
{
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	struct tree t CLEANUP(tree_free);
	char dir[96];
	struct user u;
	tree_make(&t);
	snprintf(dir, sizeof(dir), "%s/text", t.path);
	const char *const keys[] = { "textfile-dir", dir, NULL };
	assert_true(user_begin(&u, "metrics", keys));
	u.node.listener = &listener;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(user_put(&u), -ENOENT);
		assert_why(&u, "/text/nodometer.prom: No such file or directory");
	}
	assert_lines(&heard, 1, 0, "[sink metrics] ");
	assert_lines(&heard, 1, 0, "/text/nodometer.prom: No such file or directory");
	assert_int_equal(mkdirat(t.fd, "text", 0755), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(user_put(&u), 0);
	assert_lines(&heard, 1, 1, "/text/nodometer.prom is written again");

	struct buf text CLEANUP(buf_free) = { 0 };
	tree_get(&t, "text/nodometer.prom", &text);
	assert_non_null(memmem(text.p, text.n, SAMPLE, strlen(SAMPLE)));
	user_end(&u);
	assert_int_equal(faccessat(t.fd, "text/nodometer.prom", F_OK, 0), -1);

	/* With --once the file stays, so that others can read it. */
	assert_true(user_begin(&u, "metrics", keys));
	u.node.runs_once = true;
	assert_int_equal(user_put(&u), 0);
	user_end(&u);
	assert_int_equal(faccessat(t.fd, "text/nodometer.prom", F_OK, 0), 0);
}

#ifdef HAVE_MICROHTTPD
/* Bind a port, so that no other program gets it, but the server can still bind it. */
static int hold_port(char *where, size_t size)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t n = sizeof(a);
	int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	snprintf(where, size, "127.0.0.1:%d", ntohs(a.sin_port));
	return fd;
}

static void ask(int held, const char *request, struct buf *answer)
{
	struct sockaddr_in a;
	socklen_t n = sizeof(a);
	int fd CLEANUP(close_fd) = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(getsockname(held, (struct sockaddr *)&a, &n), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, n), 0);
	send_all(fd, request, strlen(request));
	ssize_t got = 1;
	for (answer->n = 0; got > 0; answer->n += got > 0 ? (size_t)got : 0) {
		buf_reserve(answer, 4096);
		got = recv(fd, answer->p + answer->n, 4096, 0);
	}
}

static void assert_in(const struct buf *answer, const char *text, bool there)
{
	bool is = memmem(answer->p, answer->n, text, strlen(text));
	if (is != there)
		fail_msg("\"%s\" is%s in " STR_FMT, text, is ? "" : " not",
			 STR_ARG(buf_str(answer)));
}

#define HEAD " HTTP/1.1\r\nHost: n1\r\nConnection: close\r\n"
#define KNOWN HEAD "Authorization: Bearer opensesame\r\n"

TEST(page_needs_the_token)
{
	static const struct {
		const char *request, *status, *text;
		bool page;
	} all[] = {
		{ "GET /metrics" KNOWN "\r\n", "HTTP/1.1 200", SAMPLE, true },
		{ "HEAD /metrics" KNOWN "\r\n", "HTTP/1.1 200", "openmetrics-text", false },
		{ "GET /metrics" HEAD "\r\n", "HTTP/1.1 401", "WWW-Authenticate: Bearer", false },
		{ "GET /metrics" HEAD "Authorization: Bearer opensesamx\r\n\r\n", "HTTP/1.1 401",
		  "missing or wrong bearer token", false },
		{ "GET /metrics" HEAD "Authorization: Bearer open\r\n\r\n", "HTTP/1.1 401",
		  "missing or wrong bearer token", false },
		{ "GET /metrics" HEAD "Authorization: Bearer opensesame2\r\n\r\n", "HTTP/1.1 401",
		  "missing or wrong bearer token", false },
		{ "GET /other" HEAD "\r\n", "HTTP/1.1 401",
		  "missing or wrong bearer token", false },
		{ "GET /other" KNOWN "\r\n", "HTTP/1.1 404", "not found: use /metrics\n", false },
		{ "POST /metrics" KNOWN "Content-Length: 3\r\n\r\nabc", "HTTP/1.1 405",
		  "use GET\n", false },
	};
	struct buf answer CLEANUP(buf_free) = { 0 };
	struct tree t CLEANUP(tree_free);
	char where[32], token[96];
	int held CLEANUP(close_fd) = hold_port(where, sizeof(where));
	struct user u;
	tree_make(&t);
	tree_put(&t, "token", STR("opensesame\n"));
	assert_int_equal(fchmodat(t.fd, "token", 0600, 0), 0);
	snprintf(token, sizeof(token), "%s/token", t.path);
	const char *const keys[] = { "listen", where, "token-file", token, NULL };
	assert_true(user_begin(&u, "metrics", keys));
	assert_int_equal(user_put(&u), 0);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		ask(held, all[i].request, &answer);
		assert_true(str_starts(buf_str(&answer), str_of(all[i].status)));
		assert_in(&answer, all[i].text, true);
		assert_in(&answer, "# EOF\n", all[i].page);
		assert_in(&answer, SAMPLE, all[i].page);
	}
	user_end(&u);
}

TEST(page_shows_the_progress_of_the_sinks)
{
	const struct cursor lines = { .epoch = 5, .usec = 1700000000500000, .groups = 12,
				      .errors = 2, .lost_files = 1, .waiting = 4096,
				      .receiver = 2, .failovers = 3 };
	const struct cursor none = { .epoch = 0 };
	struct buf answer CLEANUP(buf_free) = { 0 };
	struct tree t CLEANUP(tree_free);
	char where[32], path[96];
	int held CLEANUP(close_fd) = hold_port(where, sizeof(where));
	const char *const keys[] = { "listen", where, NULL };
	struct user u;
	tree_make(&t);
	assert_int_equal(mkdirat(t.fd, "n1", 0755), 0);
	snprintf(path, sizeof(path), "%s/n1/amqp.transfers", t.path);
	assert_int_equal(cursor_save(&lines, path), 0);
	snprintf(path, sizeof(path), "%s/n1/http", t.path);
	assert_int_equal(cursor_save(&none, path), 0);
	tree_put(&t, "n1/http.counters.5", STR("nodometer counters 2\n"));
	user_make(&u, "metrics", keys);
	assert_int_equal(u.sink->check(u.state, &u.why), 0);
	user_open(&u, t.path);
	ask(held, "GET /metrics" HEAD "\r\n", &answer);
	assert_in(&answer, "# TYPE nodometer_sink_waiting_bytes gauge\n", true);
	assert_in(&answer, "\nnodometer_sink_waiting_bytes{host=\"n1\",sink=\"amqp.transfers\"} "
		  "4096\n", true);
	assert_in(&answer, "\nnodometer_sink_sent_until_timestamp_seconds{host=\"n1\","
		  "sink=\"amqp.transfers\"} 1700000000.5\n", true);
	assert_in(&answer, "\nnodometer_sink_records_total{host=\"n1\","
		  "sink=\"amqp.transfers\"} 12\n", true);
	assert_in(&answer, "\nnodometer_sink_lost_files_total{host=\"n1\",sink=\"http\"} 0\n",
		  true);
	assert_in(&answer, "\nnodometer_sink_receiver{host=\"n1\",sink=\"amqp.transfers\"} 2\n",
		  true);
	assert_in(&answer, "\nnodometer_sink_failovers_total{host=\"n1\","
		  "sink=\"amqp.transfers\"} 3\n", true);
	assert_in(&answer, "counters", false);
	user_end(&u);
}

static void does_not_open(const char *const *keys, int want, const char *why)
{
	struct user u;
	user_make(&u, "metrics", keys);
	assert_int_equal(u.sink->check(u.state, &u.why), 0);
	int r = user_try_open(&u, NULL);
	if (r != want)
		fail_msg("%s: %d, \"" STR_FMT "\"", why, r, STR_ARG(buf_str(&u.why)));
	assert_why(&u, why);
	user_end(&u);
}

TEST(unservable_page_gives_its_reason)
{
	struct tree t CLEANUP(tree_free);
	char where[32], busy[32], missing[96], garbage[96], open_to_all[96], lengthy[200];
	int held CLEANUP(close_fd) = hold_port(where, sizeof(where)), port;
	int other = listen_at_loopback(SOCK_STREAM, 0, &port);
	tree_make(&t);
	tree_put(&t, "garbage", STR("no PEM\n"));
	tree_put(&t, "open", STR("opensesame\n"));
	snprintf(busy, sizeof(busy), "127.0.0.1:%d", port);
	snprintf(missing, sizeof(missing), "%s/missing", t.path);
	snprintf(garbage, sizeof(garbage), "%s/garbage", t.path);
	snprintf(open_to_all, sizeof(open_to_all), "%s/open", t.path);
	snprintf(lengthy, sizeof(lengthy), "%s/%0100d", t.path, 0);
	const struct {
		int result;
		const char *why;
		const char *keys[7];
	} all[] = {
		{ -EADDRINUSE, busy, { "listen", busy } },
		{ -ENOENT, "/missing: No such file or directory",
		  { "listen", where, "cert-file", missing, "key-file", garbage } },
		{ -ENOENT, "/missing: No such file or directory",
		  { "listen", where, "cert-file", garbage, "key-file", missing } },
		{ -EINVAL, "LoadCredential=word:FILE",
		  { "listen", where, "cert-file", garbage, "key-file", "word" } },
		{ -EINVAL, "cert-file",
		  { "listen", where, "cert-file", garbage, "key-file", garbage } },
		{ -EACCES, "readable by every user",
		  { "listen", where, "token-file", open_to_all } },
		{ -ENAMETOOLONG, "too long for a socket", { "socket-dir", lengthy } },
		{ -ENOENT, "/missing/metrics.sock: No such file", { "socket-dir", missing } },
	};
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		does_not_open(all[i].keys, all[i].result, all[i].why);
	close_fd(&other);

	/* The refused sinks must not hold the port, so that a correct sink can serve the page. */
	struct buf answer CLEANUP(buf_free) = { 0 };
	struct user u;
	const char *const keys[] = { "listen", where, NULL };
	assert_true(user_begin(&u, "metrics", keys));
	ask(held, "GET /metrics" HEAD "\r\n", &answer);
	assert_true(str_starts(buf_str(&answer), STR("HTTP/1.1 200")));
	user_end(&u);
}
#else
TEST(page_needs_the_token)
{
	skip();
}

TEST(page_shows_the_progress_of_the_sinks)
{
	skip();
}

TEST(unservable_page_gives_its_reason)
{
	skip();
}
#endif

int main(void)
{
	RUN(cmocka_unit_test(write_error_and_recovery_are_logged_once),
	    cmocka_unit_test(page_needs_the_token),
	    cmocka_unit_test(page_shows_the_progress_of_the_sinks),
	    cmocka_unit_test(unservable_page_gives_its_reason));
}
