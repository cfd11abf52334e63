/* SPDX-License-Identifier: BSD-3-Clause */
/* kafka_producer.c - publish messages to Kafka with an idempotent producer of librdkafka */
#include "sinks/kafka_producer.h"

#include <errno.h>
#include "sinks/https.h"
#include "sinks/messages.h"
#include "sinks/sink.h"

static bool kafka_take_option(struct str *options, struct str *name, struct str *value)
{
	struct str word;
	if (!str_take_item(options, &word))
		return false;
	*name = (struct str){ 0 };
	if (str_take_until(&word, '=', name))
		*value = word;
	return true;
}

#ifdef HAVE_RDKAFKA
#include <librdkafka/rdkafka.h>

static int kafka_set_option(rd_kafka_conf_t *c, const char *name, const char *value,
			    struct buf *why)
{
	char error[256];
	if (rd_kafka_conf_set(c, name, value, error, sizeof(error)) == RD_KAFKA_CONF_OK)
		return 0;
	buf_addf(why, "%s", error);
	return -EINVAL;
}

static int kafka_set_options(rd_kafka_conf_t *c, const struct kafka_keys *k, struct buf *why)
{
	struct str options = str_of(k->options), name, value = { 0 };
	int r = 0;
	while (r == 0 && kafka_take_option(&options, &name, &value)) {
		char n[KEY_TEXT_MAX], v[KEY_TEXT_MAX];
		if (str_copy(n, sizeof(n), name) && str_copy(v, sizeof(v), value))
			r = kafka_set_option(c, n, v, why);
	}
	return r;
}

static int kafka_try_options(const struct kafka_keys *k, struct buf *why)
{
	rd_kafka_conf_t *c = rd_kafka_conf_new();
	struct buf fault CLEANUP(buf_free) = { 0 };
	int r = kafka_set_options(c, k, &fault);
	rd_kafka_conf_destroy(c);
	if (r < 0)
		buf_addf(why, "options = %s: " STR_FMT "; CONFIGURATION.md of librdkafka lists "
			 "them", k->options, STR_ARG(buf_str(&fault)));
	return r;
}
#else
static int kafka_try_options(const struct kafka_keys *k, struct buf *why)
{
	(void)k;
	(void)why;
	return -EINVAL;		/* kafka_keys_check() has reported that there is no library */
}
#endif

static int kafka_check_options(const struct kafka_keys *k, struct buf *why)
{
	struct str options = str_of(k->options), name, value;
	while (kafka_take_option(&options, &name, &value))
		if (!name.n) {
			buf_addf(why, "options = %s: expected NAME=VALUE ...", k->options);
			return -EINVAL;
		}
	return kafka_try_options(k, why);
}

/* Check a list of HOST:PORT. librdkafka also takes "SSL://HOST:PORT". */
static bool kafka_brokers_are_valid(const struct kafka_keys *k, struct buf *why)
{
	struct str list = str_of(k->at.broker), one;
	while (str_take_item(&list, &one)) {
		char text[KEY_TEXT_MAX], host[KEY_TEXT_MAX];
		const char *scheme = memmem(one.p, one.n, "://", 3);
		int port;
		str_copy(text, sizeof(text), scheme ?
			 str_skip(one, (size_t)(scheme + 3 - one.p)) : one);
		if (broker_take(text, 1, host, sizeof(host), &port))
			continue;
		buf_addf(why, "brokers = %s: expected HOST or HOST:PORT ..., not " STR_FMT,
			 k->at.broker, STR_ARG(one));
		return false;
	}
	return true;
}

int kafka_keys_check(const struct kafka_keys *k, struct buf *why)
{
#ifndef HAVE_RDKAFKA
	buf_addf(why, "this build has no librdkafka");
	return -EINVAL;
#endif
	if (!k->at.broker[0])
		buf_addf(why, "brokers is not set");
	else if (!k->topic[0])
		buf_addf(why, "topic is not set");
	else if (kafka_brokers_are_valid(k, why) &&
		 !sink_has_half_login(k->at.user, k->at.password_file, why) &&
		 !sink_has_half_certificate(k->at.cert_file, k->at.key_file, why))
		return kafka_check_options(k, why);
	return -EINVAL;
}

#ifndef HAVE_RDKAFKA
int kafka_producer_open(const struct kafka_keys *k, bool creates, struct kafka_producer **ret,
			struct buf *why)
{
	(void)k;
	(void)creates;
	(void)ret;
	buf_addf(why, "this build has no librdkafka");
	return -EOPNOTSUPP;
}

void kafka_producer_close(struct kafka_producer *p)
{
	(void)p;
}

int kafka_producer_put(struct kafka_producer *p, struct str key, struct str body, struct buf *why)
{
	(void)p;
	(void)key;
	(void)body;
	(void)why;
	return -EOPNOTSUPP;
}

int kafka_producer_wait(struct kafka_producer *p, struct buf *why)
{
	(void)p;
	(void)why;
	return -EOPNOTSUPP;
}

int kafka_producer_probe(struct kafka_producer *p, struct buf *said)
{
	(void)p;
	(void)said;
	return -EOPNOTSUPP;
}
#else
#include <stdlib.h>

#define PORT       9092
#define GIVE_UP_MS "30000"
#define PROBE_MS   4000
#define WAIT_MS    35000	/* longer than GIVE_UP_MS, so that librdkafka gives up first */

struct kafka_producer {
	const struct kafka_keys *keys;
	rd_kafka_t *rk;
	size_t delivered, failed, refused, put;
	rd_kafka_resp_err_t error;	/* error of a failed or refused message */
	char reason[256];		/* last error of a broker; empty if there was none */
};

static void kafka_on_report(rd_kafka_t *rk, const rd_kafka_message_t *m, void *opaque)
{
	struct kafka_producer *p = opaque;
	(void)rk;
	if (!m->err)
		p->delivered++;
	else if (m->err == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
		p->refused++;
	else
		p->failed++;
	if (m->err)
		p->error = m->err;
}

/* Store the reason why the last broker was lost: the error "all brokers are down" has no reason. */
static void kafka_on_error(rd_kafka_t *rk, int error, const char *reason, void *opaque)
{
	struct kafka_producer *p = opaque;
	(void)rk;
	if (error != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
		str_copy(p->reason, sizeof(p->reason), str_of(reason));
}

/* Drop librdkafka's log lines, because flush() of the sink reports failures. */
static void kafka_on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
	(void)rk;
	(void)level;
	(void)facility;
	(void)text;
}

static int kafka_set_file(rd_kafka_conf_t *c, const char *name, const char *file, struct buf *why)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	if (!file[0])
		return 0;
	int r = sink_secret_path(file, &path, why);
	return r < 0 ? r : kafka_set_option(c, name, path.p, why);
}

static int kafka_set_login(rd_kafka_conf_t *c, const struct kafka_keys *k, struct buf *why)
{
	struct buf password CLEANUP(buf_free) = { 0 };
	if (!k->at.user[0])
		return 0;
	int r = sink_read_secret(k->at.password_file, &password, why);
	if (r == 0)
		r = kafka_set_option(c, "sasl.mechanism", k->mechanism, why);
	if (r == 0)
		r = kafka_set_option(c, "sasl.username", k->at.user, why);
	return r < 0 ? r : kafka_set_option(c, "sasl.password", password.p, why);
}

static int kafka_set_security(rd_kafka_conf_t *c, const struct kafka_keys *k, struct buf *why)
{
	static const char *const protocol[2][2] = {
		{ "plaintext", "ssl" }, { "sasl_plaintext", "sasl_ssl" },
	};
	int r = kafka_set_option(c, "security.protocol",
				 protocol[k->at.user[0] != '\0'][k->at.tls], why);
	if (r == 0 && k->at.tls)
		r = kafka_set_file(c, "ssl.ca.location", k->at.ca_file, why);
	if (r == 0 && k->at.tls)
		r = kafka_set_file(c, "ssl.certificate.location", k->at.cert_file, why);
	if (r == 0 && k->at.tls)
		r = kafka_set_file(c, "ssl.key.location", k->at.key_file, why);
	return r < 0 ? r : kafka_set_login(c, k, why);
}

/*
 * Configure the producer. The hostname is the key of each message, so all records of a host go into
 * one partition. Idempotence keeps the records in order.
 */
static int kafka_configure(rd_kafka_conf_t *c, const struct kafka_keys *k, struct buf *why)
{
	struct buf brokers CLEANUP(buf_free) = { 0 };
	struct str list = str_of(k->at.broker), one;
	while (str_take_item(&list, &one))
		buf_addf(&brokers, "%s" STR_FMT, brokers.n ? "," : "", STR_ARG(one));
	buf_add_char(&brokers, '\0');
	int r = kafka_set_option(c, "bootstrap.servers", brokers.p, why);
	if (r == 0)
		r = kafka_set_option(c, "client.id", "nodometer", why);
	if (r == 0)
		r = kafka_set_option(c, "message.timeout.ms", GIVE_UP_MS, why);
	if (r == 0)
		r = kafka_set_security(c, k, why);
	if (r == 0)
		r = kafka_set_options(c, k, why);
	if (r == 0)	/* set after the options, so that no option can override them */
		r = kafka_set_option(c, "enable.idempotence", "true", why);
	return r < 0 ? r : kafka_set_option(c, "acks", "all", why);
}

int kafka_producer_open(const struct kafka_keys *k, bool creates, struct kafka_producer **ret,
			struct buf *why)
{
	struct kafka_producer *p = xrealloc(NULL, sizeof(*p));
	rd_kafka_conf_t *c = rd_kafka_conf_new();
	char error[256];
	*p = (struct kafka_producer){ .keys = k };
	rd_kafka_conf_set_opaque(c, p);
	rd_kafka_conf_set_dr_msg_cb(c, kafka_on_report);
	rd_kafka_conf_set_error_cb(c, kafka_on_error);
	rd_kafka_conf_set_log_cb(c, kafka_on_log);
	int r = kafka_configure(c, k, why);
	if (!creates)	/* ignore the error: old versions of librdkafka lack the option */
		rd_kafka_conf_set(c, "allow.auto.create.topics", "false", error, sizeof(error));
	if (r == 0)
		p->rk = rd_kafka_new(RD_KAFKA_PRODUCER, c, error, sizeof(error));
	if (r == 0 && !p->rk) {
		buf_addf(why, "%s", error);
		r = -EINVAL;
	}
	if (r == 0) {
		*ret = p;
		return 0;
	}
	rd_kafka_conf_destroy(c);	/* rd_kafka_new() takes ownership only if it succeeds */
	free(p);
	return r;
}

void kafka_producer_close(struct kafka_producer *p)
{
	if (!p)
		return;
	rd_kafka_purge(p->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
	rd_kafka_flush(p->rk, 1000);	/* handle the reports of the purged messages */
	rd_kafka_destroy(p->rk);
	free(p);
}

/* Queue one message. If the queue is full, wait until the brokers have taken some messages. */
int kafka_producer_put(struct kafka_producer *p, struct str key, struct str body, struct buf *why)
{
	rd_kafka_resp_err_t e;
	size_t tries = 0;
	do {
		e = rd_kafka_producev(p->rk, RD_KAFKA_V_TOPIC(p->keys->topic),
				      RD_KAFKA_V_KEY((void *)(uintptr_t)key.p, key.n),
				      RD_KAFKA_V_VALUE((void *)(uintptr_t)body.p, body.n),
				      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
		rd_kafka_poll(p->rk, e == RD_KAFKA_RESP_ERR__QUEUE_FULL ? 1000 : 0);
	} while (e == RD_KAFKA_RESP_ERR__QUEUE_FULL && tries++ < WAIT_MS / 1000);
	if (e == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
		p->put++;
		p->refused++;
		p->error = e;
		return 0;
	}
	if (!e) {
		p->put++;
		return 0;
	}
	buf_addf(why, "%s: %s", p->keys->at.broker, rd_kafka_err2str(e));
	return -EIO;
}

/*
 * If the TLS handshake with the first broker fails, append the reason, because librdkafka reports
 * an expired certificate and an unknown CA in the same way. Returns false if the failure has
 * another reason.
 */
static bool kafka_explain(const struct kafka_producer *p, struct buf *why)
{
	const struct kafka_keys *k = p->keys;
	struct str list = str_of(k->at.broker), first = { 0 };
	char broker[KEY_TEXT_MAX], host[KEY_TEXT_MAX];
	struct https_peer peer = { host, 0, k->at.tls, k->at.ca_file, k->at.cert_file,
				   k->at.key_file };
	bool by_tls = k->at.tls ? strstr(p->reason, "SSL") || strstr(p->reason, "PLAINTEXT") :
			       strstr(p->reason, "isconnected") != NULL;
	if (!by_tls || !str_take_item(&list, &first) || !str_copy(broker, sizeof(broker), first) ||
	    !broker_take(broker, PORT, host, sizeof(host), &peer.port))
		return false;
	return https_explain_tls(&peer, why);
}

/*
 * Report a failure. If messages only timed out, report the last error of a broker, such as
 * "Connection refused", instead of the error of the messages.
 */
static void kafka_report_failure(const struct kafka_producer *p, struct buf *why)
{
	char text[256];
	rd_kafka_resp_err_t fatal = rd_kafka_fatal_error(p->rk, text, sizeof(text));
	const char *what = p->error ? rd_kafka_err2str(p->error) : "no answer";
	bool late = !p->error || p->error == RD_KAFKA_RESP_ERR__MSG_TIMED_OUT;
	buf_addf(why, "%s: ", p->keys->at.broker);
	if (!fatal && late && kafka_explain(p, why))
		return;
	buf_addf(why, "%s", fatal ? text : late && p->reason[0] ? p->reason : what);
}

int kafka_producer_wait(struct kafka_producer *p, struct buf *why)
{
	rd_kafka_flush(p->rk, WAIT_MS);
	size_t refused = p->refused;
	bool all = p->failed == 0 && p->delivered + p->refused >= p->put;
	if (!all || refused)
		kafka_report_failure(p, why);
	p->delivered = p->failed = p->refused = p->put = 0;
	p->error = RD_KAFKA_RESP_ERR_NO_ERROR;
	return all ? (int)refused : -EIO;
}

/* Append the brokers' description of the topic. */
static int kafka_put_topic(const struct kafka_producer *p, const struct rd_kafka_metadata *m,
			   struct buf *said)
{
	const struct rd_kafka_metadata_topic *t = m->topic_cnt ? &m->topics[0] : NULL;
	buf_addf(said, "%s: topic %s: ", p->keys->at.broker, p->keys->topic);
	if (t && t->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
		buf_addf(said, "%d partitions", t->partition_cnt);
		return 0;
	}
	buf_addf(said, "%s", t ? rd_kafka_err2str(t->err) : "the brokers do not have this topic");
	return -EREMOTEIO;
}

int kafka_producer_probe(struct kafka_producer *p, struct buf *said)
{
	const struct rd_kafka_metadata *m;
	rd_kafka_topic_t *topic = rd_kafka_topic_new(p->rk, p->keys->topic, NULL);
	rd_kafka_resp_err_t e = topic ? rd_kafka_metadata(p->rk, 0, topic, &m, PROBE_MS) :
			    rd_kafka_last_error();
	int r = -EIO;
	rd_kafka_poll(p->rk, 0);	/* this call runs kafka_on_error() */
	if (e) {
		p->error = e == RD_KAFKA_RESP_ERR__TRANSPORT ? RD_KAFKA_RESP_ERR_NO_ERROR : e;
		kafka_report_failure(p, said);
	} else {
		r = kafka_put_topic(p, m, said);
		rd_kafka_metadata_destroy(m);
	}
	if (topic)
		rd_kafka_topic_destroy(topic);
	return r;
}
#endif
