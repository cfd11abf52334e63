/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sink_keys.c - refuse keys of a sink that do not go together, with the reason */
#include "tests/unit/sink_user.h"

#include <errno.h>

#ifdef HAVE_CURL
#define CURL true
#else
#define CURL false
#endif
#ifdef HAVE_RABBITMQ
#define RABBITMQ true
#else
#define RABBITMQ false
#endif
#ifdef HAVE_RDKAFKA
#define RDKAFKA true
#else
#define RDKAFKA false
#endif
#ifdef HAVE_MICROHTTPD
#define MICROHTTPD true
#else
#define MICROHTTPD false
#endif

#define LOGIN "broker", "b", "user", "u", "password-file", "/p"
#define QUEUE LOGIN, "ca-file", "/ca"
#define TOPIC "brokers", "b", "topic", "t"
#define OPEN  "listen", "0.0.0.0:9100"
#define STORE "url", "s3://b/p", "user", "u", "password-file", "/p"

struct row {
	const char *sink;
	bool there;		/* this build has the sink's library */
	const char *said;	/* expected error, or NULL if the keys are valid */
	const char *keys[13];	/* names and values of keys in turn */
};

static const struct row rows[] = {
	{ "http", true, "url is not set", { NULL } },
	{ "http", true, "format = json: unknown format; \"nodometer cat --help\" lists the formats",
	  { "url", "http://h/", "format", "json" } },
	{ "http", true, "compress = lz4: expected gzip, zstd or no",
	  { "url", "http://h/", "compress", "lz4" } },
	{ "http", CURL, NULL, { "url", "http://h/", "headers", " A-b=c=d  !x=1 " } },
	{ "http", CURL, NULL, { "url", "https://h/", "user", "u", "password-file", "/p" } },
	{ "http", CURL, "url = h: missing scheme: write https://h or http://h", { "url", "h" } },
	{ "http", CURL, "url = https:////h: expected https://... (", { "url", "https:////h" } },
	{ "http", CURL, "url = http://ho st/: expected https://... (", { "url", "http://ho st/" } },
	{ "http", CURL, "url = http://h:99999/: expected https://... (",
	  { "url", "http://h:99999/" } },
	{ "http", CURL, "url: a URL must not have a user or password in it, where others can read "
	  "them; set user and password-file", { "url", "https://u:secret@h/" } },
	{ "http", CURL, "proxy: a URL must not have a user or password in it, where others can "
	  "read them; set https_proxy", { "url", "https://h/", "proxy", "u:secret@p:3128" } },
	{ "http", CURL, "proxy = ftp://p: expected http://HOST:PORT, https:// or socks5h://",
	  { "url", "https://h/", "proxy", "ftp://p" } },
	{ "http", CURL, NULL, { "url", "https://h/a@b?c=d@e", "proxy", "p:3128" } },
	{ "http", CURL, NULL, { "url", "https://h/", "proxy", "socks5h://[::1]:1080" } },
	{ "http", CURL, "url = http://h/: a token or a password needs https://",
	  { "url", "http://h/", "token-file", "/t" } },
	{ "http", CURL, "url = http://h/: a token or a password needs https://",
	  { "url", "http://h/", "user", "u", "password-file", "/p" } },
	{ "http", CURL, "cert-file and key-file: set both of them",
	  { "url", "https://h/", "cert-file", "/c" } },
	{ "http", CURL, "user and password-file: set both of them",
	  { "url", "https://h/", "password-file", "/p" } },
	{ "http", CURL, "token-file and user: set only one of them",
	  { "url", "https://h/", "user", "u", "password-file", "/p", "token-file", "/t" } },
	{ "http", CURL, "headers = A:b: expected NAME=VALUE ..., without blanks in names or "
	 "values",
	  { "url", "http://h/", "headers", "A:b" } },
	{ "http", CURL, "headers = =b: expected NAME=VALUE",
	 { "url", "http://h/", "headers", "=b" } },
	{ "http", CURL, "headers = a=b c(=d: expected NAME=VALUE",
	  { "url", "http://h/", "headers", "a=b c(=d" } },
	{ "http", CURL, "headers = a=b content-length=5: content-length is set by "
	  "libcurl: remove it",
	  { "url", "http://h/", "headers", "a=b content-length=5" } },
	{ "http", CURL, "Transfer-Encoding is set by libcurl",
	  { "url", "http://h/", "headers", "Transfer-Encoding=chunked" } },

	{ "archive", true, "set either dir or url", { NULL } },
	{ "archive", true, "set either dir or url", { "dir", "/a", "url", "https://h/" } },
	{ "archive", true, NULL, { "dir", "/a" } },
	{ "archive", CURL, "url = ftp://h/: expected https://...", { "url", "ftp://h/" } },
	{ "archive", CURL, NULL, { STORE } },
	{ "archive", true, "url = s3:///p: expected s3://BUCKET/PREFIX", { "url", "s3:///p" } },
	{ "archive", true, "remove move: with s3://, an upload either completes or has no effect",
	  { STORE, "move", "yes" } },
	{ "archive", true, "url = s3://b: set user to the access key, and password-file to a file "
	 "with the secret key",
	  { "url", "s3://b" } },
	{ "archive", CURL, "endpoint: a URL must not have a user or password in it, where others "
	  "can read them", { STORE, "endpoint", "https://u:secret@store" } },
	{ "archive", CURL, "endpoint = http://store: a token or a password needs https://",
	  { STORE, "endpoint", "http://store" } },
	{ "archive", CURL, "endpoint = https://st ore: expected https://...",
	  { STORE, "endpoint", "https://st ore" } },

	{ "amqp", RABBITMQ, NULL, { QUEUE } },
	{ "amqp", RABBITMQ, "format = json: expected one of the encodings",
	  { QUEUE, "format", "json" } },
	{ "amqp", RABBITMQ, "broker is not set", { NULL } },
	{ "amqp", RABBITMQ, "broker = b:x: expected HOST or HOST:PORT", { "broker", "b:x" } },
	{ "amqp", RABBITMQ, "broker = b:65536: expected HOST or HOST:PORT",
	 { "broker", "b:65536" } },
	{ "amqp", RABBITMQ, "broker = b:0: expected HOST or HOST:PORT", { "broker", "b:0" } },
	{ "amqp", RABBITMQ, "broker = [::1: expected HOST or HOST:PORT", { "broker", "[::1" } },
	{ "amqp", RABBITMQ, "broker = [::1]5: expected HOST or HOST:PORT", { "broker", "[::1]5" } },
	{ "amqp", RABBITMQ, "broker = b c: expected HOST or HOST:PORT", { "broker", "b c" } },
	{ "amqp", RABBITMQ, "user and password-file: set both of them",
	  { "broker", "[::1]:5671", "user", "u" } },
	{ "amqp", RABBITMQ, "ca-file is not set: TLS needs trusted certificates", { LOGIN } },
	{ "amqp", RABBITMQ, "cert-file and key-file: set both of them",
	  { QUEUE, "key-file", "/k" } },
	{ "amqp", RABBITMQ, "remove declare: with an exchange, the consumer declares the queue",
	  { QUEUE, "exchange", "x", "declare", "yes" } },
	{ "amqp", RABBITMQ, "set routing-key to the name of the queue, since exchange is empty",
	  { QUEUE, "routing-key", "" } },

	{ "stomp", CURL, NULL, { LOGIN } },
	{ "stomp", CURL, "broker is not set", { NULL } },
	{ "stomp", CURL, "broker = u@b: expected HOST or HOST:PORT", { LOGIN, "broker", "u@b" } },
	{ "stomp", CURL, "destination = q: expected /queue/NAME or /topic/NAME",
	  { LOGIN, "destination", "q" } },
	{ "stomp", CURL, "cert-file and key-file: set both of them",
	  { LOGIN, "cert-file", "/c" } },

	{ "kafka", RDKAFKA, NULL, { TOPIC, "options", "compression.codec=lz4, linger.ms=5" } },
	{ "kafka", RDKAFKA, NULL, { TOPIC, "brokers", "b:9092, SSL://c:1 [::1]:65535" } },
	{ "kafka", RDKAFKA, "brokers = b:99999: expected HOST or HOST:PORT ..., not b:99999",
	  { TOPIC, "brokers", "b:99999" } },
	{ "kafka", RDKAFKA, "options = linger.ms=5 no.such=1: No such configuration property: "
	  "\"no.such\"; ", { TOPIC, "options", "linger.ms=5 no.such=1" } },
	{ "kafka", RDKAFKA, "options = acks=x: ", { TOPIC, "options", "acks=x" } },
	{ "kafka", RDKAFKA, "brokers is not set", { NULL } },
	{ "kafka", RDKAFKA, "topic is not set", { TOPIC, "topic", "" } },
	{ "kafka", RDKAFKA, "user and password-file: set both of them", { TOPIC, "user", "u" } },
	{ "kafka", RDKAFKA, "cert-file and key-file: set both of them",
	  { TOPIC, "cert-file", "/c" } },
	{ "kafka", RDKAFKA, "options = a=b c: expected NAME=VALUE ...",
	 { TOPIC, "options", "a=b c" } },

	{ "metrics", true, "set listen, socket-dir or textfile-dir", { NULL } },
	{ "metrics", MICROHTTPD, NULL, { "listen", "127.0.0.2:9100" } },
	{ "metrics", MICROHTTPD, NULL, { "listen", "[::1]:9100", "token-file", "/t" } },
	{ "metrics", MICROHTTPD, NULL, { OPEN, "plain", "yes" } },
	{ "metrics", MICROHTTPD, NULL, { OPEN, "cert-file", "/c", "key-file", "/k" } },
	{ "metrics", MICROHTTPD, "listen = 0.0.0.0:9100: other hosts can reach this address",
	  { OPEN } },
	{ "metrics", MICROHTTPD, "listen = [::]:9100: other hosts can reach this address",
	  { "listen", "[::]:9100" } },
	{ "metrics", MICROHTTPD, "listen = localhost:9100: expected ADDRESS:PORT",
	  { "listen", "localhost:9100" } },
	{ "metrics", MICROHTTPD, "listen = 127.0.0.1:99999: expected ADDRESS:PORT",
	  { "listen", "127.0.0.1:99999" } },
	{ "metrics", MICROHTTPD, "listen = 9100: expected ADDRESS:PORT", { "listen", "9100" } },
	{ "metrics", true, "cert-file and key-file: set both of them",
	  { "textfile-dir", "/t", "cert-file", "/c" } },
	{ "metrics", true, "token-file needs listen",
	  { "textfile-dir", "/t", "token-file", "/t" } },

	{ "xrootd", true, "destination is not set", { NULL } },
	{ "xrootd", true, "or [ADDRESS]:PORT for IPv6, at most 16 of them, not \"b:\"",
	  { "destination", "a:1 b:" } },
	{ "xrootd", true, NULL, { "destination", "a:1 [::1]:65535" } },
};

TEST(keys_that_do_not_go_together_are_reported)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct user u;
		user_make(&u, row->sink, row->keys);
		int r = row->there ? u.sink->check(u.state, &u.why) : 0;
		if (row->there && r != (row->said ? -EINVAL : 0))
			fail_msg("row %zu, %s: %d, \"" STR_FMT "\"", i, row->sink, r,
				 STR_ARG(buf_str(&u.why)));
		if (row->there)
			assert_why(&u, row->said ? row->said : "");
		user_drop(&u);
	}
}

/* A build without a library reports that the library is missing, not that keys are wrong. */
TEST(a_missing_library_is_reported)
{
	static const struct row needs[] = {
		{ "http", CURL, "this build has no libcurl", { "url", "http://h/" } },
		{ "amqp", RABBITMQ, "this build has no librabbitmq", { QUEUE } },
		{ "stomp", CURL, "this build has no libcurl", { LOGIN } },
		{ "kafka", RDKAFKA, "this build has no librdkafka", { TOPIC } },
		{ "metrics", MICROHTTPD, "this build has no libmicrohttpd", { OPEN } },
	};
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		struct user u;
		user_make(&u, needs[i].sink, needs[i].keys);
		if (!needs[i].there) {
			assert_int_equal(u.sink->check(u.state, &u.why), -EINVAL);
			assert_why(&u, needs[i].said);
		}
		user_drop(&u);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(keys_that_do_not_go_together_are_reported),
	    cmocka_unit_test(a_missing_library_is_reported));
}
