/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_firefly.c - read fireflies (messages about flows), and match accesses to their connections
 */
#include "tests/unit/test.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "xrootd/join/flows.h"

/* A firefly message as XRootD 5.5.3 sends it. */
#define FIREFLY(state, end, src, port, dport, app, usage) \
	"<134>1 - vm xrootd - firefly-json - {\"version\":1,\"flow-lifecycle\":{\"state\":\"" \
	state "\",\"current-time\":\"2026-11-27T22:10:28.707291+00:00\",\"start-time\":" \
	"\"2026-11-27T22:10:28.528031+00:00\"" end "}," usage "\"context\":{\"experiment-id\":3," \
	"\"activity-id\":14,\"application\":\"" app "\"},\"flow-id\":{\"afi\":\"ipv4\"," \
	"\"src-ip\":\"" src "\",\"dst-ip\":\"192.0.2.7\",\"protocol\":\"tcp\",\"src-port\":" port \
	",\"dst-port\":" dport "}}"
#define END ",\"end-time\":\"2026-11-27T23:10:29+01:00\""
#define USAGE(in, out) "\"usage\":{\"received\":" in ",\"sent\":" out "}," \
	"\"netlink\":{\"rtt\":3.687},"
#define AT INT64_C(1795817428)	/* 22:10:28 UTC on the day of the messages, in Unix time */

TEST(firefly_is_read_whole)
{
	const struct str d = STR(FIREFLY("end", END, "192.0.2.1", "1094", "33840", "xrdcp",
					 USAGE("226", "5005143")));
	struct firefly f;
	char text[INET6_ADDRSTRLEN];
	assert_true(firefly_is(d));
	assert_false(firefly_is(STR("<statistics tod=\"1\">firefly-json</statistics>")));
	assert_false(firefly_is(STR("<134>1 - vm xrootd - other - {}")));
	assert_int_equal(firefly_read(d, &f), 0);
	assert_int_equal(f.state, FIREFLY_END);
	assert_int_equal(f.start, AT * 1000000 + 528031);
	assert_int_equal(f.end, (AT + 1) * 1000000);
	assert_int_equal(f.experiment, 3);
	assert_int_equal(f.activity, 14);
	assert_string_equal(f.host, "vm");
	assert_string_equal(f.application, "xrdcp");
	assert_int_equal(f.src_port, 1094);
	assert_int_equal(f.dst_port, 33840);
	assert_string_equal(inet_ntop(AF_INET6, &f.dst, text, sizeof(text)), "::ffff:192.0.2.7");
	assert_true(f.has_usage && f.has_rtt);
	assert_int_equal(f.received, 226);
	assert_int_equal(f.sent, 5005143);
	assert_true(f.rtt_ms > 3.6869 && f.rtt_ms < 3.6871);
	assert_int_equal(firefly_read(STR(FIREFLY("ongoing", "", "192.0.2.1", "1", "2", "", "")),
				      &f), 0);
	assert_false(f.has_usage || f.has_rtt || f.end);
}

TEST(malformed_firefly_is_refused)
{
	static const char whole[] = FIREFLY("start", "", "192.0.2.1", "1094", "2", "a", "");
	static const char *const bad[] = {
		FIREFLY("begin", "", "192.0.2.1", "1", "2", "a", ""),
		FIREFLY("start", "", "host", "1", "2", "a", ""),
		FIREFLY("start", "", "192.0.2.1", "70000", "2", "a", ""),
	};
	struct firefly f;
	for (size_t n = 0; n < sizeof(whole) - 1; n++)
		assert_int_equal(firefly_read((struct str){ whole, n }, &f), -EBADMSG);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(firefly_read(str_of(bad[i]), &f), -EBADMSG);
}

static const struct in6_addr sender = { .s6_addr = { [10] = 0xff, [11] = 0xff, 192, 0, 2, 1 } };

static size_t note(struct flows *all, const char *datagram)
{
	return flows_note(all, &sender, str_of(datagram)) ? 1 : 0;
}

TEST(access_is_matched_to_its_connection)
{
	struct flows all = { .of = NULL };
	struct xrd_server s = { .source = { .address = sender }, .port = "1094" };
	struct xrd_close close = { .window = { AT, AT }, .record.read = 5000000 };
	struct xrd_file f = { .opened = true, .open_window = { AT, AT }, .close = &close };
	const struct xrd_transfer t = { .server = &s, .file = &f };
	struct xrd_who w = { .user.host = STR("[::ffff:192.0.2.7]"), .auth = STR("&x=xrdcp") };

	assert_int_equal(note(&all, "<1>firefly-json{"), 0);
	assert_int_equal(all.bad, 1);
	assert_int_equal(flows_match(&all, &t, &w).n, 0);
	assert_int_equal(note(&all, FIREFLY("start", "", "192.0.2.1", "1094", "7", "xrdcp",
					    "")), 1);
	assert_int_equal(note(&all, FIREFLY("end", END, "192.0.2.1", "1094", "7", "xrdcp",
					    USAGE("226", "5005143"))), 1);
	assert_int_equal(note(&all, FIREFLY("ongoing", "", "192.0.2.1", "1094", "7", "xrdcp",
					    /*
					     * the message came late: the connection has ended
					     * already
					     */
					    "")), 1);
	assert_int_equal(all.n, 1);
	assert_int_equal(flows_match(&all, &t, &w).flow->firefly.state, FIREFLY_END);

	/*
	 * The access did not use a connection to another port of the server, one with fewer bytes,
	 * or one of another program.
	 */
	note(&all, FIREFLY("end", END, "192.0.2.1", "1095", "8", "xrdcp", USAGE("1", "9000000")));
	assert_int_equal(flows_match(&all, &t, &w).n, 1);
	note(&all, FIREFLY("end", END, "192.0.2.1", "1094", "9", "xrdcp", USAGE("9000000", "1")));
	note(&all, FIREFLY("start", "", "192.0.2.1", "1094", "10", "xrdfs", ""));
	assert_int_equal(flows_match(&all, &t, &w).n, 3);
	assert_int_equal(flows_match(&all, &t, &w).flow->firefly.dst_port, 7);
	note(&all, FIREFLY("start", "", "192.0.2.1", "1094", "11", "xrdcp", ""));
	assert_null(flows_match(&all, &t, &w).flow);

	s.source.address.s6_addr[15] = 9;	/* the server sends from another address */
	assert_int_equal(flows_match(&all, &t, &w).n, 0);
	snprintf(s.host, sizeof(s.host), "vm");
	s.known = true;
	assert_int_equal(flows_match(&all, &t, &w).n, 4);
	w.user.host = STR("[::ffff:192.0.2.8]");
	assert_int_equal(flows_match(&all, &t, &w).n, 0);
	w.user.host = STR("c.example.org");
	assert_int_equal(flows_match(&all, &t, &w).n, 0);
	snprintf(all.of[0].name, sizeof(all.of[0].name), "c.example.org");
	assert_int_equal(flows_match(&all, &t, &w).n, 1);
	f.open_window[0] = AT - 10; /* the file may have been opened at any time of the window */
	assert_int_equal(flows_match(&all, &t, &w).n, 1);
	f.open_window[1] = AT - 1;	/* the window ends before the connection starts */
	assert_int_equal(flows_match(&all, &t, &w).n, 0);
	f.open_window[1] = AT;
	close.window[0] = AT + 10;	/* the connection had ended before the close */
	assert_int_equal(flows_match(&all, &t, &w).n, 0);
	flows_free(&all);
}

TEST(only_the_newest_connections_are_kept)
{
	struct flows all = { .of = NULL };
	struct buf d CLEANUP(buf_free) = { 0 };
	for (unsigned i = 1; i <= FLOWS_MAX + 5; i++) {
		d.n = 0;
		buf_addf(&d, FIREFLY("start", "", "192.0.2.1", "1094", "%u", "a", ""), i);
		struct xrd_flow *f = flows_note(&all, &sender, buf_str(&d));
		assert_non_null(f);
		/* the name of the previous connection is cleared */
		assert_string_equal(f->name, "");
		snprintf(f->name, sizeof(f->name), "c%u.example.org", i);
	}
	assert_int_equal(all.n, FLOWS_MAX);
	assert_int_equal(all.of[0].firefly.dst_port, FLOWS_MAX + 1);
	flows_free(&all);
}

/* XRootD's records have times in whole seconds. */
TEST(a_connection_may_end_a_second_before_the_close)
{
	struct flows all = { .of = NULL };
	struct xrd_server s = { .source = { .address = sender }, .port = "1094" };
	struct xrd_close close = { .window = { AT, AT } };
	struct xrd_file f = { .opened = true, .open_window = { AT, AT }, .close = &close };
	const struct xrd_transfer t = { .server = &s, .file = &f };
	const struct xrd_who w = { .user.host = STR("[::ffff:192.0.2.7]") };
	note(&all, FIREFLY("end", END, "192.0.2.1", "1094", "7", "xrdcp", USAGE("0", "0")));
	for (uint32_t after = 1; after <= 3; after++) {
		close.window[0] = (uint32_t)AT + after;	/* the connection itself ended at AT + 1 */
		assert_int_equal(flows_match(&all, &t, &w).n, after <= 2);
	}
	flows_free(&all);
}

TEST(a_connection_moved_the_bytes_of_both_kinds_of_reads)
{
	struct flows all = { .of = NULL };
	struct xrd_server s = { .source = { .address = sender }, .port = "1094" };
	struct xrd_close close = { .window = { AT, AT },
				   .record = { .read = 60, .readv = 60, .write = 30 } };
	struct xrd_file f = { .opened = true, .open_window = { AT, AT }, .close = &close };
	const struct xrd_transfer t = { .server = &s, .file = &f };
	const struct xrd_who w = { .user.host = STR("[::ffff:192.0.2.7]") };
	note(&all, FIREFLY("end", END, "192.0.2.1", "1094", "7", "a", USAGE("30", "119")));
	note(&all, FIREFLY("end", END, "192.0.2.1", "1094", "8", "a", USAGE("30", "120")));
	note(&all, FIREFLY("end", END, "192.0.2.1", "1094", "9", "a", USAGE("29", "120")));
	assert_int_equal(flows_match(&all, &t, &w).n, 3);
	assert_non_null(flows_match(&all, &t, &w).flow);
	assert_int_equal(flows_match(&all, &t, &w).flow->firefly.dst_port, 8);
	flows_free(&all);
}

TEST(a_connection_with_the_ports_of_an_earlier_one_is_another)
{
	char later[] = FIREFLY("start", "", "192.0.2.1", "1094", "7", "a", "");
	struct flows all = { .of = NULL };
	note(&all, later);
	note(&all, later);
	assert_int_equal(all.n, 1);
	strstr(later, ":28.528031")[2] = '9';
	note(&all, later);
	assert_int_equal(all.n, 2);
	flows_free(&all);
}

int main(void)
{
	RUN(cmocka_unit_test(a_connection_with_the_ports_of_an_earlier_one_is_another),
	    cmocka_unit_test(a_connection_moved_the_bytes_of_both_kinds_of_reads),
	    cmocka_unit_test(a_connection_may_end_a_second_before_the_close),
	    cmocka_unit_test(firefly_is_read_whole),
	    cmocka_unit_test(malformed_firefly_is_refused),
	    cmocka_unit_test(access_is_matched_to_its_connection),
	    cmocka_unit_test(only_the_newest_connections_are_kept));
}
