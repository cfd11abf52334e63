/* SPDX-License-Identifier: BSD-3-Clause */
/* test_http_answers.c - send records to an HTTP server, and handle each kind of answer */
#include "tests/unit/http_server.h"

#include "tests/unit/sink_user.h"
#include "tests/unit/tree.h"

#ifdef HAVE_CURL
#include <curl/curl.h>
#include <sys/syscall.h>
#include <time.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

static time_t ahead_s;

/* Replace clock_gettime(), also for libcurl, by a clock that is ahead_s seconds ahead. */
int clock_gettime(clockid_t id, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret);
	ret->tv_sec += ahead_s;
	return r;
}

/*
 * Open the sink and put a record, without the check of the keys, which would allow a login only
 * with https://.
 */
static void use(struct user *u, const char *const *keys)
{
	user_make(u, "http", keys);
	user_open(u, NULL);
	assert_true(user_put(u) >= 0);
}

static void make_secret(struct tree *t, char *path, size_t size)
{
	tree_make(t);
	tree_put(t, "secret", STR("opensesame\n"));
	assert_int_equal(fchmodat(t->fd, "secret", 0600, 0), 0);
	snprintf(path, size, "%s/secret", t->path);
}

struct answered {
	const char *answer;
	int result;
	const char *why;
	uint64_t retry_after_s;
};

static void is_kept_through(const struct answered *a)
{
	const char *const answers[] = { a->answer, GOOD, NULL };
	struct server s;
	struct user u;
	serve(&s, answers);
	const char *const keys[] = { "url", s.url, "compress", "no", "format", "jsonl", NULL };
	use(&u, keys);
	u.retry_after_s = 99;	/* value left from an earlier answer */
	assert_int_equal(user_flush(&u), a->result);
	assert_why(&u, s.url);
	assert_why(&u, a->why);
	assert_int_equal(u.retry_after_s, a->retry_after_s);
	assert_int_equal(heard->requests, 1);
	struct str first = body_heard();
	assert_true(first.n > 0);

	/* After a failure the same body is sent again; then nothing is left to send. */
	assert_int_equal(user_flush(&u), 0);
	assert_memory_equal(heard->p + heard->n - first.n, first.p, first.n);
	assert_int_equal(user_flush(&u), 0);
	assert_int_equal(heard->requests, 2);
	user_end(&u);
	end_peer(s.pid);
}

TEST(record_is_kept_until_an_answer_confirms_it)
{
	static const struct answered all[] = {
		{ SAYS("503 x", "Retry-After: 7\r\n", 5, "later"), -EREMOTEIO,
		  "POST answers 503 later", 7 },
		{ SAYS("503 x", "", 82, "<html>\n<head><title>503</title></head>\n<body>"
		       "<h1>Busy</h1>\n<hr>nginx</body></html>\n\n"), -EREMOTEIO,
		  "POST answers 503 Busy nginx", 0 },
		{ SAYS("429 x", "Retry-After: 3600\r\n", 0, ""), -EREMOTEIO, "429", 3600 },
		{ SAYS("401 x", "WWW-Authenticate: Basic realm=\"x\"\r\n", 9, "who\nare u"),
		  -EREMOTEIO, "401 who are u", 0 },
		{ SAYS("302 x", "Location: http://elsewhere.example/x\r\n", 0, ""), -EREMOTEIO,
		  "302 and redirects to http://elsewhere.example/x", 0 },
		{ SAYS("400 x", "", 8, "  no  \nx"), -EBADMSG, "400 no x", 0 },
		{ SAYS("400 x", "", 46, "Client sent an HTTP request to an HTTPS server"),
		  -EBADMSG, "400 plain HTTP sent to a TLS port (Client sent", 0 },
		{ "\x15\x03\x03\x01\x02" "Content-Length: 100\r\n", -EIO,
		  "plain HTTP sent to a TLS port, or to no HTTP server", 0 },
		{ SAYS("200 x", "", 100, "cut"), -EIO, "", 0 },
		{ SAYS("500 endless", "", 3145728, ""), -EIO, "", 0 },
		{ "", -EIO, "", 0 },
		{ "SSH-2.0-OpenSSH_9.2\r\n\r\n" SAYS("200 x", "", 100, ""), -EIO, "", 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		is_kept_through(&all[i]);
}

TEST(long_answer_of_success_is_a_success)
{
	static const char *const answers[] = { SAYS("200 endless", "", 3145728, ""), GOOD, NULL };
	struct server s;
	struct user u;
	serve(&s, answers);
	const char *const keys[] = { "url", s.url, NULL };
	use(&u, keys);
	assert_int_equal(user_flush(&u), 0);
	assert_int_equal(user_flush(&u), 0);
	assert_int_equal(heard->requests, 1);
	user_end(&u);
	end_peer(s.pid);
}

#define REFUSED SAYS("400 x", "", 2, "no")
#define TOO_OLD SAYS("500 x", "", 14, "too old sample")

/* Put `records` records, then flush n times and compare the results with `want`. */
static void expect_results(const char *const *answers, size_t records, const int *want, size_t n,
			   unsigned requests)
{
	struct server s;
	struct user u;
	serve(&s, answers);
	const char *const keys[] = { "url", s.url, "compress", "no", "format", "jsonl", NULL };
	use(&u, keys);
	for (size_t i = 1; i < records; i++)
		assert_true(user_put(&u) >= 0);
	for (size_t i = 0; i < n; i++) {
		u.place.tries = (unsigned)i;
		u.place.closing = i % 2;	/* the end of the sender drops nothing either */
		assert_int_equal(user_flush(&u), want[i]);
	}
	assert_int_equal(heard->requests, requests);
	user_end(&u);
	end_peer(s.pid);
}

TEST(nothing_is_dropped_before_any_record_was_accepted)
{
	static const char *const answers[] = { REFUSED, NULL };
	static const int want[] = {
		-EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG, -EBADMSG,
		-EBADMSG,
	};
	expect_results(answers, 1, want, ARRAY_SIZE(want), 9);
}

/* The first of two records is refused, the second is accepted. */
TEST(refused_record_is_dropped_once_another_is_accepted)
{
	static const char *const answers[] = {
		REFUSED, REFUSED, REFUSED, REFUSED, GOOD, NULL
	};
	static const int want[] = { -EBADMSG, 1, 0 };
	expect_results(answers, 2, want, ARRAY_SIZE(want), 5);
}

/* Prometheus gives the answer TOO_OLD for samples older than its out_of_order_time_window. */
TEST(record_too_old_for_the_receiver_is_dropped)
{
	static const char *const answers[] = {
		TOO_OLD, TOO_OLD, TOO_OLD, TOO_OLD, GOOD, NULL
	};
	static const int want[] = { -EBADMSG, 1, 0 };
	expect_results(answers, 2, want, ARRAY_SIZE(want), 5);
}

TEST(an_answer_of_400_413_or_422_refuses_the_body_and_no_other_does)
{
	static const char *const refusals[] = {
		REFUSED, SAYS("413 x", "", 2, "no"), SAYS("422 x", "", 2, "no"),
	};
	static const char *const others[] = {
		SAYS("401 x", "", 2, "no"), SAYS("403 x", "", 2, "no"), SAYS("404 x", "", 2, "no"),
		SAYS("408 x", "", 2, "no"), SAYS("429 x", "", 2, "no"), SAYS("500 x", "", 2, "no"),
	};
	static const int left_out[] = { -EBADMSG, 1, 0 }, held[] = { -EREMOTEIO, 0 };
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		const char *no = refusals[i];
		const char *const answers[] = { no, no, no, no, GOOD, NULL };
		expect_results(answers, 2, left_out, ARRAY_SIZE(left_out), 5);
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const char *const answers[] = { others[i], GOOD, NULL };
		expect_results(answers, 2, held, ARRAY_SIZE(held), 2);
	}
}

/*
 * The number of records that may be refused in a flush doubles with each try, up to 64. The eighth
 * try starts with 1 again.
 */
TEST(a_receiver_that_refuses_all_gets_few_requests_in_most_tries)
{
	static const char *const answers[] = { REFUSED, NULL };
	unsigned requests[8];
	struct server s;
	struct user u;
	serve(&s, answers);
	const char *const keys[] = { "url", s.url, "compress", "no", "format", "jsonl", NULL };
	use(&u, keys);
	for (size_t i = 1; i < 70; i++)
		assert_true(user_put(&u) >= 0);
	for (unsigned i = 0; i < ARRAY_SIZE(requests); i++) {
		unsigned before = heard->requests;
		u.place.tries = i;
		assert_int_equal(user_flush(&u), -EBADMSG);
		requests[i] = heard->requests - before;
		assert_true(i == 0 || i == 7 || requests[i] > requests[i - 1]);
	}
	assert_true(requests[6] >= 64 && requests[6] < 64 + 16);
	assert_int_equal(requests[7], requests[0]);
	user_end(&u);
	end_peer(s.pid);
}

TEST(record_is_kept_through_a_failure_of_the_receiver)
{
	static const char *const busy[][3] = {
		{ SAYS("500 x", "", 10, "disk error"), GOOD, NULL },
		{ SAYS("500 x", "", 21, "Index 5 out of bounds"), GOOD, NULL },
		{ SAYS("503 x", "", 12, "out of order"), GOOD, NULL },
		{ SAYS("503 x", "", 14, "too old sample"), GOOD, NULL },
	};
	static const int held[] = { -EREMOTEIO, 0 };
	for (size_t i = 0; i < ARRAY_SIZE(busy); i++)
		expect_results(busy[i], 2, held, ARRAY_SIZE(held), 2);
}

/*
 * The second of two records is refused. To find out whether the receiver still works, the last
 * accepted record is sent again.
 */
TEST(receiver_that_accepts_no_more_loses_no_record)
{
	static const char *const wrong[] = {
		REFUSED, GOOD, REFUSED, REFUSED, REFUSED, REFUSED, GOOD, NULL
	};
	static const int held[] = { -EBADMSG, -EBADMSG, 0 };
	expect_results(wrong, 2, held, ARRAY_SIZE(held), 7);
	static const char *const right[] = { REFUSED, GOOD, REFUSED, GOOD, NULL };
	static const int left_out[] = { 1, 0 };
	expect_results(right, 2, left_out, ARRAY_SIZE(left_out), 4);
}

/* The first of three records is refused. The other two are sent together, and neither is lost. */
TEST(refused_record_takes_no_other_with_it)
{
	static const char *const answers[] = {
		GOOD, REFUSED, REFUSED,
		GOOD,	/* answer to the last accepted record, sent again as a test */
		REFUSED, REFUSED, GOOD, NULL
	};
	struct server s;
	struct user u;
	serve(&s, answers);
	const char *const keys[] = { "url", s.url, "compress", "no", "format", "jsonl", NULL };
	use(&u, keys);
	assert_int_equal(user_flush(&u), 0);
	uint64_t one = u.sent;
	for (int i = 0; i < 3; i++)
		assert_true(user_put(&u) >= 0);
	u.sent = 0;
	assert_int_equal(user_flush(&u), 1);
	assert_int_equal(u.sent, (3 + 1 + 1 + 3 + 1 + 2) * one);
	user_end(&u);
	end_peer(s.pid);
}

/* The name of a receiver may have a new address, which only a new connection uses. */
TEST(connection_is_replaced_after_a_quarter_of_an_hour)
{
	static const char *const answers[] = { GOOD, NULL };
	struct server s;
	struct user u;
#if LIBCURL_VERSION_NUM < 0x075000
	skip();
#endif
	serve(&s, answers);
	use(&u, (const char *const []){ "url", s.url, "format", "jsonl", NULL });
	assert_int_equal(user_flush(&u), 0);
	while (ahead_s <= CONNECTION_LIFE_S) {
		assert_int_equal(heard->connections, 1);
		ahead_s += 100;
		assert_true(user_put(&u) >= 0);
		assert_int_equal(user_flush(&u), 0);
	}
	assert_int_equal(heard->connections, 2);
	ahead_s = 0;
	user_end(&u);
	end_peer(s.pid);
}

TEST(records_are_kept_if_no_server_listens)
{
	static const char *const answers[] = { GOOD, NULL };
	struct server s;
	struct user u;
	serve(&s, answers);
	end_peer(s.pid);
	const char *const keys[] = { "url", s.url, NULL };
	use(&u, keys);
	assert_int_equal(user_flush(&u), -EIO);
	assert_why(&u, s.url);
	assert_int_equal(heard->connections, 0);
	assert_int_equal(u.sent, 0);
	user_end(&u);
}

TEST(each_request_has_the_login)
{
	static const char *const answers[] = { GOOD, NULL };
	struct tree t CLEANUP(tree_free);
	char file[96];
	struct server s;
	struct user u;
	make_secret(&t, file, sizeof(file));
	serve(&s, answers);
	const char *const keys[] = {
		"url", s.url, "user", "ann", "password-file", file,
		"headers", " X-Scope-OrgID=hpc  x-b=c=d ", NULL,
	};
	use(&u, keys);
	assert_int_equal(user_flush(&u), 0);
	assert_heard("\r\nAuthorization: Basic YW5uOm9wZW5zZXNhbWU=\r\n");
	assert_heard("\r\nX-Scope-OrgID: hpc\r\n");
	assert_heard("\r\nx-b: c=d\r\n");
	assert_heard("\r\nUser-Agent: nodometer/" PACKAGE_VERSION "\r\n");
	user_end(&u);

	memset(heard->p, 0, heard->n);
	const char *const bearer[] = { "url", s.url, "token-file", file, NULL };
	use(&u, bearer);
	assert_int_equal(user_flush(&u), 0);
	assert_heard("\r\nAuthorization: Bearer opensesame\r\n");

	/* If the secret's file is gone, no record is sent, not even without a login. */
	unsigned before = heard->requests;
	assert_int_equal(unlink(file), 0);
	assert_true(user_put(&u) >= 0);
	assert_int_equal(user_flush(&u), -ENOENT);
	assert_why(&u, file);
	assert_int_equal(heard->requests, before);
	user_end(&u);
	end_peer(s.pid);
}

TEST(proxy_gets_the_whole_url)
{
	static const char *const answers[] = { GOOD, NULL };
	struct server s;
	struct user u;
	serve(&s, answers);
	const char *const keys[] = { "url", "http://nowhere.invalid/write", "proxy", s.url, NULL };
	use(&u, keys);
	assert_int_equal(user_flush(&u), 0);
	assert_heard("POST http://nowhere.invalid/write HTTP/1.1\r\nHost: nowhere.invalid\r\n");
	user_end(&u);
	end_peer(s.pid);
}

TEST(refusals_of_proxy_and_receiver_are_distinguished)
{
	static const char *const answers[] = {
		SAYS("403 x", "X-Squid-Error: ERR_ACCESS_DENIED 0\r\n", 2, "no"),
		SAYS("407 x", "", 5, "login"),
		/* the proxy's status of an interim answer does not apply to the final answer */
		"HTTP/1.1 103 x\r\nProxy-Status: p; error=x\r\n\r\n" SAYS("403 x", "", 2, "no"),
		SAYS("503 x", "Content-Type: text/html\r\n", 0, ""), NULL,
	};
	static const char *const want[] = {
		"answers POST with 403 no", "answers POST with 407 login", ": POST answers 403 no",
	};
	struct server s;
	struct user u;
	serve(&s, answers);
	const char *const keys[] = { "url", "http://nowhere.invalid/write", "proxy", s.url, NULL };
	use(&u, keys);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(user_flush(&u), -EREMOTEIO);
		assert_why(&u, want[i]);
		bool named = memmem(u.why.p, u.why.n, "the proxy http://127", 20);
		assert_int_equal(named, i < 2);
	}
	user_end(&u);

	const char *const tunnel[] = { "url", "https://nowhere.invalid/", "proxy", s.url, NULL };
	use(&u, tunnel);
	assert_true(user_flush(&u) < 0);
	assert_why(&u, "the proxy http://127.0.0.1:");
	assert_why(&u, " answers CONNECT with 503: ");
	user_end(&u);
	end_peer(s.pid);

	use(&u, keys);
	assert_true(user_flush(&u) < 0);
	assert_why(&u, "through proxy http://127.0.0.1:");
	user_end(&u);
}

/* A certificate needs a key, which must be found before any request is sent. */
TEST(missing_systemd_credential_is_named)
{
	static const char *const answers[] = { GOOD, NULL };
	struct server s;
	struct user u;
	serve(&s, answers);
	const char *const keys[] = {
		"url", s.url, "cert-file", "/nowhere/cert", "key-file", "word", NULL,
	};
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
	use(&u, keys);
	assert_int_equal(user_flush(&u), -EINVAL);
	assert_why(&u, "LoadCredential=word:FILE");
	assert_int_equal(heard->connections, 0);
	user_end(&u);
	end_peer(s.pid);
}

#ifdef HAVE_ZSTD
static void assert_unpacked(struct str packed, struct str want)
{
	static char plain[LOG_SIZE];
	size_t n = ZSTD_decompress(plain, sizeof(plain), packed.p, packed.n);
	assert_false(ZSTD_isError(n));
	assert_text((struct str){ plain, n }, want);
}

TEST(body_is_compressed_as_configured)
{
	static const char *const answers[] = { GOOD, NULL };
	struct server s;
	struct user u;
	struct buf plain CLEANUP(buf_free) = { 0 };
	serve(&s, answers);
	const char *const no[] = { "url", s.url, "compress", "no", NULL };
	use(&u, no);
	assert_int_equal(user_flush(&u), 0);
	buf_add(&plain, body_heard());
	assert_true(plain.n > 0);
	user_end(&u);
	end_peer(s.pid);

	serve(&s, answers);
	const char *const zstd[] = { "url", s.url, "compress", "zstd", NULL };
	use(&u, zstd);
	assert_int_equal(user_flush(&u), 0);
	assert_heard("\r\nContent-Encoding: zstd\r\n");
	assert_unpacked(body_heard(), buf_str(&plain));
	assert_int_equal(u.sent, body_heard().n);
	user_end(&u);
	end_peer(s.pid);
}
#else
static void assert_unpacked(struct str packed, struct str want)
{
	assert_text(packed, want);
}

TEST(body_is_compressed_as_configured)
{
	skip();
}
#endif

TEST(only_clickhouse_is_asked_for_its_records)
{
	static const char *const answers[] = {
		SAYS("200 OK", "", 8, "{\"a\":1}\n"), SAYS("404 x", "", 8, "no table"), NULL,
	};
	struct buf lines CLEANUP(buf_free) = { 0 };
	char url[160];
	struct server s;
	struct user u;
	serve(&s, answers);
	snprintf(url, sizeof(url), "%s/?query=INSERT+INTO+nodometer+FORMAT+JSONEachRow", s.url);
	const char *const keys[] = { "url", url, "format", "jsonl", NULL };
	use(&u, keys);
	assert_int_equal(u.sink->held(u.state, 1000000, 2000000, &lines, &u.why), 0);
	assert_text(buf_str(&lines), STR("{\"a\":1}\n"));
	struct str query = body_heard();
	assert_true(str_starts(query, STR("SELECT ")));
	assert_non_null(memmem(query.p, query.n, "'n1'", 4));
	assert_int_equal(u.sink->held(u.state, 1000000, 2000000, &lines, &u.why), -EREMOTEIO);
	assert_why(&u, "404 no table");
	user_end(&u);

	u.why.n = 0;
	const char *const influx[] = { "url", url, NULL };
	use(&u, influx);
	assert_int_equal(u.sink->held(u.state, 0, 0, &lines, &u.why), -EOPNOTSUPP);
	assert_why(&u, "only ClickHouse can be audited");
	assert_int_equal(heard->requests, 2);
	user_end(&u);
	end_peer(s.pid);
}

/* An archive with one file, and the sink that sends this file. */
struct central {
	struct tree t;
	struct str text;
	struct server server;
	struct user u;
	char url[96], secret[96];
};

static void central_begin(struct central *c, const char *const *answers, struct str text)
{
	*c = (struct central){ .text = text };
	make_secret(&c->t, c->secret, sizeof(c->secret));
	tree_put(&c->t, "n1/1000", text);
	serve(&c->server, answers);
}

static void central_open(struct central *c, const char *const *keys)
{
	user_make(&c->u, "archive", keys);
	user_open(&c->u, c->t.path);
	c->u.place = (struct sink_place){ .epoch = 1000, .end = c->text.n };
	assert_int_equal(user_put(&c->u), 0);
}

static void central_end(struct central *c)
{
	user_end(&c->u);
	end_peer(c->server.pid);
	tree_free(&c->t);
}

#ifdef HAVE_ZSTD
#define SUFFIX ".zst"
#else
#define SUFFIX ""
#endif

#define TEXT STR("$hpcperfstats 2.3.5\n$hostname n1\n!vm a,E\n\n1000 -\nvm - 1\n")

TEST(file_is_uploaded_aside_and_moved_when_whole)
{
	static const char *const answers[] = { GOOD, SAYS("507 x", "", 4, "full"), GOOD, NULL };
	struct central c;
	char to[160];
	central_begin(&c, answers, TEXT);
	snprintf(c.url, sizeof(c.url), "%s/central/", c.server.url);
	const char *const keys[] = { "url", c.url, "move", "yes", NULL };
	central_open(&c, keys);
	assert_int_equal(user_flush(&c.u), -EREMOTEIO);
	assert_why(&c.u, "/central/n1/.1000" SUFFIX ".new: MOVE answers 507 full");
	assert_heard("PUT /central/n1/.1000" SUFFIX ".new HTTP/1.1\r\n");
	assert_heard("\r\nOverwrite: T\r\n");
	snprintf(to, sizeof(to), "MOVE /central/n1/.1000" SUFFIX ".new HTTP/1.1\r\n");
	assert_heard(to);
	snprintf(to, sizeof(to), "\r\nDestination: %s/central/n1/1000" SUFFIX "\r\n", c.server.url);
	assert_heard(to);
	const char *moved = memmem(heard->p, heard->n, "MOVE", 4);
	struct str packed = body_heard();
	packed.n = (size_t)(moved - packed.p);
	assert_unpacked(packed, c.text);

	/*
	 * After the failure, both requests of the upload are sent again. The next upload then waits
	 * for the interval, or for the end of the file.
	 */
	assert_int_equal(user_flush(&c.u), 0);
	assert_int_equal(heard->requests, 4);
	assert_int_equal(user_flush(&c.u), -EINPROGRESS);
	c.u.place.closing = true;
	assert_int_equal(user_flush(&c.u), 0);
	assert_int_equal(heard->requests, 6);
	central_end(&c);
}

/* If a kept connection was closed in the meantime, the whole body is sent again on a new one. */
TEST(closed_connection_makes_the_whole_file_go_again)
{
	static const char *const answers[] = { GOOD, "", GOOD, NULL };
	struct central c;
	central_begin(&c, answers, TEXT);
	const char *const keys[] = { "url", c.server.url, "open-interval", "0", NULL };
	central_open(&c, keys);
	assert_int_equal(user_flush(&c.u), 0);
	struct str once = body_heard();
	assert_int_equal(user_flush(&c.u), 0);
	assert_int_equal(heard->requests, 3);
	assert_int_equal(heard->connections, 2);
	struct str all = { heard->p, heard->n };
	assert_true(all.n > once.n);
	assert_memory_equal(all.p + all.n - once.n, once.p, once.n);
	central_end(&c);
}

TEST(object_of_a_store_is_signed)
{
	static const char *const answers[] = { SAYS("200 OK", "", 0, ""), NULL };
	struct central c;
	central_begin(&c, answers, TEXT);
	const char *const keys[] = {
		"url", "s3://bucket/a/b", "endpoint", c.server.url, "region", "eu-west-1",
		"user", "AKEY", "password-file", c.secret, NULL,
	};
	central_open(&c, keys);
	int r = user_flush(&c.u);
	if (curl_version_info(CURLVERSION_NOW)->version_num < 0x075600) {
		assert_int_equal(r, -EOPNOTSUPP);
		assert_why(&c.u, "cannot sign S3 requests");
	} else {
		assert_int_equal(r, 0);
		assert_heard("PUT /bucket/a/b/n1/1000" SUFFIX " HTTP/1.1\r\n");
		assert_heard("\r\nAuthorization: AWS4-HMAC-SHA256 Credential=AKEY/");
		assert_heard("/eu-west-1/s3/aws4_request");
		assert_heard("\r\nx-amz-content-sha256: UNSIGNED-PAYLOAD\r\n");
		assert_unpacked(body_heard(), c.text);
		assert_null(memmem(heard->p, heard->n, "opensesame", 10));
	}
	central_end(&c);
}

TEST(removed_or_truncated_file_is_reported)
{
	static const char *const answers[] = { GOOD, NULL };
	struct central c;
	central_begin(&c, answers, TEXT);
	const char *const keys[] = { "url", c.server.url, NULL };
	central_open(&c, keys);
	c.u.place.end = c.text.n + 1;
	assert_int_equal(user_flush(&c.u), -ENODATA);
	assert_why(&c.u, "/n1/1000: No data available");
	c.u.place.epoch = 2000;
	assert_int_equal(user_flush(&c.u), 1);
	assert_why(&c.u, "/n1/2000: No such file or directory");
	assert_int_equal(user_put(&c.u), 0);
	assert_int_equal(user_put(&c.u), 0);
	assert_int_equal(user_flush(&c.u), 2);	/* no record of file 2000 counts as delivered */
	assert_int_equal(heard->connections, 0);
	central_end(&c);
}

int main(void)
{
	http_server_begin();
	RUN(cmocka_unit_test(record_is_kept_until_an_answer_confirms_it),
	    cmocka_unit_test(long_answer_of_success_is_a_success),
	    cmocka_unit_test(nothing_is_dropped_before_any_record_was_accepted),
	    cmocka_unit_test(refused_record_is_dropped_once_another_is_accepted),
	    cmocka_unit_test(record_too_old_for_the_receiver_is_dropped),
	    cmocka_unit_test(an_answer_of_400_413_or_422_refuses_the_body_and_no_other_does),
	    cmocka_unit_test(a_receiver_that_refuses_all_gets_few_requests_in_most_tries),
	    cmocka_unit_test(record_is_kept_through_a_failure_of_the_receiver),
	    cmocka_unit_test(receiver_that_accepts_no_more_loses_no_record),
	    cmocka_unit_test(refused_record_takes_no_other_with_it),
	    cmocka_unit_test(connection_is_replaced_after_a_quarter_of_an_hour),
	    cmocka_unit_test(records_are_kept_if_no_server_listens),
	    cmocka_unit_test(each_request_has_the_login),
	    cmocka_unit_test(proxy_gets_the_whole_url),
	    cmocka_unit_test(refusals_of_proxy_and_receiver_are_distinguished),
	    cmocka_unit_test(missing_systemd_credential_is_named),
	    cmocka_unit_test(body_is_compressed_as_configured),
	    cmocka_unit_test(only_clickhouse_is_asked_for_its_records),
	    cmocka_unit_test(file_is_uploaded_aside_and_moved_when_whole),
	    cmocka_unit_test(closed_connection_makes_the_whole_file_go_again),
	    cmocka_unit_test(object_of_a_store_is_signed),
	    cmocka_unit_test(removed_or_truncated_file_is_reported));
}
#else
int main(void)
{
	puts("skipped: built without libcurl");
	return 77;
}
#endif
