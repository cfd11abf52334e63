/* SPDX-License-Identifier: BSD-3-Clause */
/* test_kafka.c - test [sink kafka] against the mock brokers of librdkafka */
#include "tests/unit/tree.h"

#include "sinks/sink.h"

#ifdef HAVE_RDKAFKA
#include <errno.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#define PRODUCE 0	/* API key of Kafka's produce requests */

struct brokers {
	rd_kafka_t *rk;
	rd_kafka_mock_cluster_t *cluster;
	void *state;		/* state of the sink, for its callbacks */
	uint64_t sent;
	struct buf why;
};

static void set_key(struct brokers *b, const char *name, const char *value)
{
	const struct key *k = key_find(sink_find(STR("kafka"))->keys,
				       sink_find(STR("kafka"))->n_keys, name);
	assert_non_null(k);
	assert_true(key_set(k, b->state, value, &b->why));
}

static void begin_sink(struct brokers *b, const char *options)
{
	const struct sink *kafka = sink_find(STR("kafka"));
	static struct sink_node node;
	b->state = calloc(1, kafka->size);
	set_key(b, "brokers", rd_kafka_mock_cluster_bootstraps(b->cluster));
	set_key(b, "topic", "t");
	set_key(b, "format", "jsonl");
	set_key(b, "tls", "no");
	set_key(b, "options", options);
	assert_int_equal(kafka->check(b->state, &b->why), 0);
	node = (struct sink_node){ .host = "n1", .types = "", .labels = "cluster=a",
				   .drop = "", .sent = &b->sent };
	assert_int_equal(kafka->open(b->state, &node, &b->why), 0);
}

static void end_sink(struct brokers *b)
{
	sink_find(STR("kafka"))->close(b->state);
	free(b->state);
}

static void begin(struct brokers *b, const char *options)
{
	char error[256];
	*b = (struct brokers){ .rk = NULL };
	b->rk = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), error, sizeof(error));
	assert_non_null(b->rk);
	b->cluster = rd_kafka_mock_cluster_new(b->rk, 3);
	assert_int_equal(rd_kafka_mock_topic_create(b->cluster, "t", 4, 3), 0);
	begin_sink(b, options);
}

static void end(struct brokers *b)
{
	end_sink(b);
	rd_kafka_mock_cluster_destroy(b->cluster);
	rd_kafka_destroy(b->rk);
	buf_free(&b->why);
}

static void put(struct brokers *b, int64_t seconds)
{
	const struct str job[] = { STR("7") };
	const struct mark mark[] = { { .text = STR("begin 7") } };
	const struct record r = { .usec = seconds * 1000000, .job = job, .n_jobs = 1,
				  .mark = mark, .n_marks = 1 };
	assert_int_equal(sink_find(STR("kafka"))->put(b->state, &r, &b->why), 0);
}

static int flush(struct brokers *b)
{
	b->why.n = 0;
	return sink_find(STR("kafka"))->flush(b->state, &b->why);
}

/* Return a consumer that reads all partitions from their start. */
static rd_kafka_t *reader(const struct brokers *b)
{
	char error[256];
	rd_kafka_conf_t *c = rd_kafka_conf_new();
	rd_kafka_topic_partition_list_t *all = rd_kafka_topic_partition_list_new(4);
	rd_kafka_conf_set(c, "bootstrap.servers", rd_kafka_mock_cluster_bootstraps(b->cluster),
			  error, sizeof(error));
	rd_kafka_conf_set(c, "group.id", "g", error, sizeof(error));
	rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_CONSUMER, c, error, sizeof(error));
	assert_non_null(rk);
	rd_kafka_poll_set_consumer(rk);
	for (int i = 0; i < 4; i++)
		rd_kafka_topic_partition_list_add(all, "t", i)->offset = RD_KAFKA_OFFSET_BEGINNING;
	assert_int_equal(rd_kafka_assign(rk, all), 0);
	rd_kafka_topic_partition_list_destroy(all);
	return rk;
}

/*
 * Check that the next message is n1's record of this time, in the same partition as the messages
 * before it.
 */
static void is_next(rd_kafka_t *rk, int64_t seconds, int *partition)
{
	rd_kafka_message_t *m = rd_kafka_consumer_poll(rk, 60000);
	char want[256];
	assert_non_null(m);
	assert_int_equal(m->err, 0);
	int n = snprintf(want, sizeof(want), "{\"time\":%lld,\"host\":\"n1\",\"cluster\":\"a\","
			 "\"jobs\":[\"7\"],\"mark\":\"begin 7\"}\n", (long long)seconds);
	assert_int_equal(m->len, n);
	assert_memory_equal(m->payload, want, (size_t)n);
	assert_int_equal(m->key_len, 2);
	assert_memory_equal(m->key, "n1", 2);
	assert_true(*partition < 0 || *partition == m->partition);
	*partition = m->partition;
	rd_kafka_message_destroy(m);
}

/*
 * Read messages until a message starts with this text. A message comes twice if it timed out after
 * the broker had stored it.
 */
static void come_to(rd_kafka_t *rk, struct str begin)
{
	bool is_there = false;
	while (!is_there) {
		rd_kafka_message_t *m = rd_kafka_consumer_poll(rk, 60000);
		assert_non_null(m);
		assert_int_equal(m->err, 0);
		is_there = str_starts((struct str){ m->payload, m->len }, begin);
		rd_kafka_message_destroy(m);
	}
}

TEST(each_record_exists_once_in_order_with_its_host_as_key)
{
	struct brokers b;
	int partition = -1;
	begin(&b, "linger.ms=0");
	for (int i = 1; i <= 3; i++)
		put(&b, i);
	assert_int_equal(flush(&b), 0);
	assert_true(b.sent > 0);

	/* After a transient error librdkafka sends the record again, and the record exists once. */
	rd_kafka_mock_push_request_errors(b.cluster, PRODUCE, 2,
					  RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
					  RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION);
	put(&b, 4);
	assert_int_equal(flush(&b), 0);
	assert_int_equal(flush(&b), 0);

	rd_kafka_t *rk = reader(&b);
	for (int i = 1; i <= 4; i++)
		is_next(rk, i, &partition);
	rd_kafka_consumer_close(rk);
	rd_kafka_destroy(rk);
	end(&b);
}

TEST(records_are_kept_until_brokers_accept_them)
{
	struct brokers b;
	int partition = -1;
	begin(&b, "message.timeout.ms=300 linger.ms=0");
	for (int i = 1; i <= 3; i++)
		rd_kafka_mock_broker_set_down(b.cluster, i);
	put(&b, 1);
	assert_int_equal(flush(&b), -EIO);
	assert_true(b.why.n > 0);
	assert_int_equal(b.sent, 0);
	for (int i = 1; i <= 3; i++)
		rd_kafka_mock_broker_set_up(b.cluster, i);
	put(&b, 2);
	int r = -EIO;
	for (int tries = 0; r < 0 && tries < 100; tries++)
		r = flush(&b);
	assert_int_equal(r, 0);
	rd_kafka_t *rk = reader(&b);
	is_next(rk, 1, &partition);
	come_to(rk, STR("{\"time\":2,"));
	rd_kafka_consumer_close(rk);
	rd_kafka_destroy(rk);
	end(&b);
}

TEST(too_large_record_is_refused_and_the_others_delivered)
{
	struct brokers b;
	begin(&b, "message.max.bytes=1000 linger.ms=0");
	put(&b, 1);
	static struct mark mark[40];
	for (size_t i = 0; i < ARRAY_SIZE(mark); i++)
		mark[i].text = STR("a mark");
	const struct record large = { .usec = 2000000, .mark = mark, .n_marks = 40 };
	assert_int_equal(sink_find(STR("kafka"))->put(b.state, &large, &b.why), 0);
	assert_int_equal(flush(&b), 1);
	assert_true(b.why.n > 0);
	assert_int_equal(flush(&b), 0);

	/* A message that only the brokers find too large is refused, too. */
	rd_kafka_mock_push_request_errors(b.cluster, PRODUCE, 1,
					  RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
	put(&b, 3);
	assert_int_equal(flush(&b), 1);
	put(&b, 4);
	assert_int_equal(flush(&b), 0);
	end(&b);
}

/* Flush with this key and expect an error, then flush the kept record with the default keys. */
static void is_kept_with(struct brokers *b, const char *name, const char *value, int want,
			 const char *why)
{
	uint64_t before = b->sent;
	put(b, 1);
	set_key(b, name, value);
	int r = flush(b);
	buf_add_char(&b->why, '\0');
	if (r != want || !strstr(b->why.p, why))
		fail_msg("%s = %s: %d, \"%s\"", name, value, r, b->why.p);
	assert_null(strstr(b->why.p, "opensesame"));
	assert_int_equal(b->sent, before);
	set_key(b, "tls", "no");
	set_key(b, "user", "");
	set_key(b, "options", "linger.ms=0");
	for (int tries = 0; r < 0 && tries < 100; tries++)
		r = flush(b);
	assert_int_equal(r, 0);
	assert_true(b->sent > before);
}

TEST(wrong_options_and_files_are_reported_and_lose_no_record)
{
	static const struct {
		const char *name, *value;
		int want;
		const char *why;
	} all[] = {
		{ "password-file", "word", -EINVAL, "LoadCredential=word:FILE" },
		{ "password-file", "/nowhere/p", -ENOENT, "/nowhere/p: No such file" },
		{ "ca-file", "/nowhere/ca", -EINVAL, "ssl.ca.location" },
		{ "mechanism", "none", -EINVAL, "none" },
		{ "tls", "no", -EIO, "127.0.0.1:" },	/* the mock brokers accept no login */
	};
	struct tree t CLEANUP(tree_free);
	struct brokers b;
	char path[96];
	tree_make(&t);
	tree_put(&t, "secret", STR("opensesame\n"));
	assert_int_equal(fchmodat(t.fd, "secret", 0600, 0), 0);
	snprintf(path, sizeof(path), "%s/secret", t.path);
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
	begin(&b, "");
	is_kept_with(&b, "options", "no.such=1", -EINVAL, "no.such");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		end_sink(&b);
		begin_sink(&b, "message.timeout.ms=300 linger.ms=0");
		set_key(&b, "tls", "yes");
		set_key(&b, "user", "ann");
		set_key(&b, "password-file", path);
		set_key(&b, "mechanism", "PLAIN");
		is_kept_with(&b, all[i].name, all[i].value, all[i].want, all[i].why);
	}
	end(&b);
}

/* Messages of a host stay in order and exist once, whatever the options are. */
TEST(no_option_allows_lost_or_repeated_records)
{
	struct brokers b;
	begin(&b, "acks=1 enable.idempotence=false linger.ms=0");
	put(&b, 10);
	assert_int_equal(flush(&b), 0);
	end_sink(&b);
	begin_sink(&b, "acks=0 linger.ms=0");
	put(&b, 11);
	assert_int_equal(flush(&b), 0);
	end(&b);
}

int main(void)
{
	RUN(cmocka_unit_test(each_record_exists_once_in_order_with_its_host_as_key),
	    cmocka_unit_test(records_are_kept_until_brokers_accept_them),
	    cmocka_unit_test(too_large_record_is_refused_and_the_others_delivered),
	    cmocka_unit_test(no_option_allows_lost_or_repeated_records),
	    cmocka_unit_test(wrong_options_and_files_are_reported_and_lose_no_record));
}
#else
int main(void)
{
	puts("skipped: built without librdkafka");
	return 77;
}
#endif
