/* SPDX-License-Identifier: BSD-3-Clause */
/* test_stomp.c - read STOMP frames from pieces of any size, and write them */
#include "tests/unit/test.h"
#include <errno.h>
#include "formats/stomp.h"

static const char stream[] = "\n\r\nCONNECTED\nversion:1.2\n\n\0\n"
	"RECEIPT\r\nreceipt-id:7\r\nreceipt-id:8\r\n\r\n\0"
	"ERROR\nmessage:a\\cb\\\\\\n\ncontent-length:3\n\nx\0y\0";

static const struct {
	const char *command, *name, *value;
	size_t body;
} frames[] = {
	{ "CONNECTED", "version",    "1.2",     0 },
	{ "RECEIPT",   "receipt-id", "7",       0 },
	{ "ERROR",     "message",    "a:b\\\n", 0 },
};

TEST(frames_come_whole_from_pieces_of_any_size)
{
	struct buf in CLEANUP(buf_free) = { 0 }, value CLEANUP(buf_free) = { 0 };
	struct stomp_frame f;
	size_t n = 0;
	for (size_t i = 0; i < sizeof(stream) - 1; i++) {
		buf_add_char(&in, stream[i]);
		struct str text = buf_str(&in);
		int r = stomp_take(&text, &f);
		assert_in_range(r, 0, 1);
		if (r == 1) {
			assert_true(str_eq(f.command, str_of(frames[n].command)));
			value.n = 0;
			assert_true(stomp_add_header(&value, &f, str_of(frames[n].name)));
			assert_true(str_eq(buf_str(&value), str_of(frames[n].value)));
			assert_false(stomp_add_header(&value, &f, STR("nothing")));
			n++;
		}
		if (text.n)
			memmove(in.p, text.p, text.n);
		in.n = text.n;
	}
	assert_int_equal(n, ARRAY_SIZE(frames));
}

TEST(a_body_has_the_length_that_its_header_states)
{
	struct str in = { "ERROR\ncontent-length:3\n\nx\0y\0z", 29 };
	struct stomp_frame f;
	assert_int_equal(stomp_take(&in, &f), 1);
	assert_int_equal(f.body.n, 3);
	assert_memory_equal(f.body.p, "x\0y", 3);
	assert_int_equal(in.n, 1);
}

TEST(text_that_is_no_frame_is_refused)
{
	static const char *const bad[] = {
		"ERROR\nno header\n\n", "A\ncontent-length:x\n\nb", "A\ncontent-length:1\n\nab",
		"A\ncontent-length:99999999\n\n",
	};
	static char beats[3 * STOMP_FRAME_MAX], large[STOMP_FRAME_MAX + 2];
	struct stomp_frame f;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct str in = str_of(bad[i]);
		assert_int_equal(stomp_take(&in, &f), -EBADMSG);
	}
	memset(large, 'A', sizeof(large));
	struct str in = { large, sizeof(large) };
	assert_int_equal(stomp_take(&in, &f), -EBADMSG);
	memset(beats, '\n', sizeof(beats));
	in = (struct str){ beats, sizeof(beats) };
	assert_int_equal(stomp_take(&in, &f), 0);
	assert_int_equal(in.n, 0);
}

TEST(a_frame_that_is_written_is_read_again)
{
	struct buf b CLEANUP(buf_free) = { 0 }, value CLEANUP(buf_free) = { 0 };
	struct stomp_frame f;
	stomp_begin(&b, "SEND");
	stomp_put_header(&b, "destination", STR("/queue/a:b\\c\r\n"), false);
	stomp_put_header(&b, "content-length", STR("3"), false);
	stomp_end(&b, (struct str){ "a\0b", 3 });
	struct str in = buf_str(&b);
	assert_int_equal(stomp_take(&in, &f), 1);
	assert_int_equal(in.n, 0);
	assert_true(stomp_add_header(&value, &f, STR("destination")));
	assert_true(str_eq(buf_str(&value), STR("/queue/a:b\\c\r\n")));
	assert_int_equal(f.body.n, 3);
	b.n = 0;
	stomp_put_header(&b, "passcode", STR("a:b\\"), true);
	assert_true(str_eq(buf_str(&b), STR("passcode:a:b\\\n")));
}

int main(void)
{
	RUN(cmocka_unit_test(frames_come_whole_from_pieces_of_any_size),
	    cmocka_unit_test(a_body_has_the_length_that_its_header_states),
	    cmocka_unit_test(text_that_is_no_frame_is_refused),
	    cmocka_unit_test(a_frame_that_is_written_is_read_again));
}
