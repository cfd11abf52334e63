/* SPDX-License-Identifier: BSD-3-Clause */
/* test_messages.c - send messages on an existing connection, or on a new one if necessary */
#include "tests/unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sinks/messages.h"

struct fake {
	struct messages messages;
	struct broker_keys keys;
	bool connected, fails;
	int connections;
};

static int connect_fake(void *state, struct buf *why)
{
	struct fake *f = state;
	(void)why;
	f->connections += !f->connected;
	f->connected = true;
	return 0;
}

static int publish(void *state, struct buf *why)
{
	struct fake *f = state;
	(void)why;
	return f->fails ? -EIO : 0;
}

static void disconnect(void *state)
{
	struct fake *f = state;
	f->connected = false;
}

static const struct broker fake_broker = {
	offsetof(struct fake, keys), connect_fake, publish, disconnect,
};

static void flush(struct fake *f, const char *path, int want)
{
	f->messages.to = &fake_broker;
	str_copy(f->keys.password_file, sizeof(f->keys.password_file), str_of(path));
	struct buf why CLEANUP(buf_free) = { 0 };
	assert_int_equal(messages_put_line(f, STR("a line"), &why), 0);
	assert_int_equal(messages_flush(f, &why), want);
}

static void set_time(const char *path, time_t t)
{
	const struct timespec times[2] = { { .tv_sec = t }, { .tv_sec = t } };
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Programs that fetch tokens replace the token file before the token expires. */
TEST(replaced_password_gets_a_new_connection)
{
	char path[] = "/tmp/nodometer-test-XXXXXX";
	uint64_t sent = 0;
	struct fake f = { .messages.sent = &sent };
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	for (int i = 0; i < 3; i++) {
		set_time(path, 1700000000 + i);
		for (int n = 0; n < 4; n++)
			flush(&f, path, 0);
		assert_int_equal(f.connections, i + 1);
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(sent, 12 * 6);
	messages_close(&f);
}

TEST(failure_gets_a_new_connection_and_loses_no_message)
{
	uint64_t sent = 0;
	struct fake f = { .messages.sent = &sent, .fails = true };
	flush(&f, "/nowhere/password", -EIO);
	assert_false(f.connected);
	f.fails = false;
	flush(&f, "/nowhere/password", 0);
	assert_int_equal(f.connections, 2);
	assert_int_equal(sent, 2 * 6);
	messages_close(&f);
}

/* The broker's name may resolve to another address by now. */
TEST(connection_in_use_is_replaced_after_a_while)
{
	const int64_t life = CONNECTION_LIFE_S * INT64_C(1000000000);
	uint64_t sent = 0;
	struct fake f = { .messages.sent = &sent };
	flush(&f, "/nowhere/password", 0);
	f.messages.connected_ns -= life / 2;
	flush(&f, "/nowhere/password", 0);
	assert_int_equal(f.connections, 1);
	f.messages.connected_ns -= life;
	flush(&f, "/nowhere/password", 0);
	flush(&f, "/nowhere/password", 0);
	assert_int_equal(f.connections, 2);
	assert_int_equal(sent, 4 * 6);
	messages_close(&f);
}

static void open_as(struct fake *f, const char *format)
{
	static const struct sink_node node = { .host = "n1", .types = "", .drop = "",
					       .labels = "" };
	struct buf why CLEANUP(buf_free) = { 0 };
	*f = (struct fake){ 0 };
	str_copy(f->messages.format, sizeof(f->messages.format), str_of(format));
	assert_int_equal(messages_check(&f->messages, &why), 0);
	assert_int_equal(messages_open(&f->messages, &fake_broker, &node), 0);
}

static void put(struct fake *f, int64_t seconds)
{
	static const struct record_key key[] = {
		{ .name = "user", .kind = COUNTER, .bits = 64, .scale = 1 },
	};
	static const struct record_type type = { "cpu", key, ARRAY_SIZE(key) };
	static const uint64_t value = 7;
	const struct record_row row = { .device = STR("0"), .value = &value };
	const struct record_rows rows = { &type, &row, 1 };
	const struct record r = { .usec = seconds * 1000000, .rows = &rows, .n_types = 1,
				  .n_rows = 1 };
	struct buf why CLEANUP(buf_free) = { 0 };
	assert_int_equal(messages_put(f, &r, &why), 0);
}

/* A consumer may read only one message, from the middle of a queue. */
TEST(each_csv_message_has_the_names_of_its_columns)
{
	struct fake f;
	open_as(&f, "csv");
	put(&f, 1);
	put(&f, 2);
	assert_int_equal(f.messages.n, 2);
	struct str first = messages_get(&f.messages, 0), names;
	assert_true(str_take_line(&first, &names) && first.n > 0);
	struct str second = messages_get(&f.messages, 1), same;
	assert_true(str_take_line(&second, &same) && second.n > 0);
	assert_true(str_eq(names, same));
	messages_close(&f);
}

int main(void)
{
	RUN(cmocka_unit_test(each_csv_message_has_the_names_of_its_columns),
	    cmocka_unit_test(replaced_password_gets_a_new_connection),
	    cmocka_unit_test(failure_gets_a_new_connection_and_loses_no_message),
	    cmocka_unit_test(connection_in_use_is_replaced_after_a_while));
}
