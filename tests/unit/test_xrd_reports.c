/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_reports.c - turn summary packets into rows: complete, at their time, each device once */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "xrootd/state/state_parts.h"
#include "xrootd/sums/xrd_reports.h"
#include "xrootd/sums/xrd_sums.h"
#include "formats/xrootd/xrd_help.h"

#define SECOND ((int64_t)1000000)
#define HEAD "<statistics tod=\"1\" src=\"h:1094\" pgm=\"xrootd\">"
#define TAIL "</statistics>"
#define PROC "<stats id=\"proc\"><usr><s>2</s><u>30</u></usr><sys><s>1</s><u>0</u></sys></stats>"
#define SPACE(name, free) "<stats id=\"0\"><name>" name "</name><tot>9</tot><free>" free \
	"</free><maxf>7</maxf><fsn>1</fsn><usg>5</usg></stats>"

static struct buf out;

static const char *rows(struct xrd_reports *r, int64_t until)
{
	out.n = 0;
	size_t n = xrd_reports_put_rows(r, &out, until * SECOND), lines = 0;
	for (size_t i = 0; i < out.n; i++)
		lines += out.p[i] == '\n';
	assert_int_equal(n, lines);
	buf_add_char(&out, '\0');
	return out.p;
}

static int add(struct xrd_reports *r, const char *packet, int64_t at)
{
	return xrd_reports_add(r, &(struct xrd_report){ .packet = str_of(packet),
							.at = at * SECOND });
}

TEST(seconds_and_microseconds_become_one_value)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add(r, HEAD PROC TAIL, 10), 0);
	assert_string_equal(rows(r, 60), "xrd_proc h:1094 2000030 1000000\n");
	assert_string_equal(rows(r, 120), "");
	xrd_reports_free(r);
}

TEST(a_block_without_all_of_its_values_is_no_row)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add(r, HEAD "<stats id=\"proc\"><usr><s>2</s><u>30</u></usr></stats>" TAIL,
			     10), 0);
	assert_int_equal(add(r, HEAD "<stats id=\"proc\"><usr><s>2</s><u>x</u></usr>"
			     "<sys><s>1</s><u>0</u></sys></stats>" TAIL, 10), 0);
	assert_string_equal(rows(r, 60), "");
	xrd_reports_free(r);
}

TEST(parts_of_a_list_are_devices_with_their_names)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add(r, HEAD "<stats id=\"oss\"><space>2" SPACE("a", "3")
			     "<stats id=\"1\"><name>b</name><tot>1</tot><free>1</free><maxf>1"
			     "</maxf><fsn>1</fsn><usg>0</usg></stats></space></stats>" TAIL, 10),
			 0);
	assert_string_equal(rows(r, 60), "xrd_space h:1094:a 9 3 7 1 5\n"
					 "xrd_space h:1094:b 1 1 1 1 0\n");
	xrd_reports_free(r);
}

TEST(blocks_without_a_list_and_the_nodes_of_a_manager_are_rows)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add(r, HEAD "<stats id=\"buff\"><reqs>4</reqs><mem>5</mem><buffs>6</buffs>"
			     "<adj>7</adj></stats><stats id=\"poll\"><att>1</att><en>2</en>"
			     "<ev>3</ev><int>4</int></stats><stats id=\"cmsm\"><role>M</role><sel>"
			     "<t>9</t><r>8</r><w>1</w></sel><node>1<stats id=\"0\"><host>n:2</host>"
			     "<role>S</role><run>w</run><ref><r>3</r><w>4</w></ref></stats></node>"
			     "</stats><stats id=\"sgen\"><as>0</as><et>2</et><toe>5</toe></stats>"
			     TAIL, 10), 0);
	assert_string_equal(rows(r, 60), "xrd_buff h:1094 4 5 6 7\nxrd_poll h:1094 1 2 3 4\n"
					 "xrd_sgen h:1094 0 2 5\nxrd_cmsm_node h:1094:n:2 3 4\n"
					 "xrd_cmsm h:1094 9 8 1 1\n");
	xrd_reports_free(r);
}

static void hear(struct xrd_reports *r, struct xrd_servers *all, uint32_t start, char provider,
		 const char *object)
{
	static const struct xrd_sums_listener nobody;
	struct xrd_sums *s = xrd_sums_new(&nobody, all);
	struct xrd_server v = { .start = start, .known = true, .host = "h", .port = "1094" };
	const struct xrd_packet p = { .code = 'g', .provider = provider, .end = 150 };
	xrd_reports_event(r, s, &(struct xrd_event){ .server = &v, .packet = &p,
						     .object = str_of(object),
						     .arrived = 150 * SECOND });
	xrd_sums_free(s);
}

/* A smaller count means that the server restarted, so io_total 10 and then 7 are 17 in all. */
TEST(counts_of_the_g_stream_are_series)
{
	struct xrd_servers *all = calloc(1, sizeof(*all));
	assert_non_null(all);
	struct xrd_reports *r = xrd_reports_new(100 * SECOND);
	hear(r, all, 120, 'R', "{\"event\":\"throttle_update\",\"io_wait\":1.25,\"io_active\":3,"
			       "\"io_total\":10}");
	hear(r, all, 130, 'R', "{\"event\":\"throttle_update\",\"io_wait\":0.5,\"io_active\":2,"
			       "\"io_total\":7}");
	hear(r, all, 120, 'O', "{\"event\":\"oss_stats_pfc\",\"reads\":5,\"read_t\":0.0071}");
	hear(r, all, 120, 'H', "{\"HTTP_GET_200\":{\"count\":4,\"duration_seconds\":2e-3}}");
	hear(r, all, 120, 'O', "{\"event\":\"another\",\"reads\":5}");
	hear(r, all, 120, 'M', "{\"event\":\"oss_stats\",\"reads\":5}");
	assert_non_null(rows(r, 120));	/* rows in which all values are 0 */
	assert_string_equal(rows(r, 180), "xrd_g_count h:1094:throttle_update.io_total 17\n"
			    "xrd_g_count h:1094:oss_stats_pfc.reads 5\n"
			    "xrd_g_count h:1094:http.GET_200.count 4\n"
			    "xrd_g_now h:1094:throttle_update.io_active 2\n"
			    "xrd_g_time h:1094:throttle_update.io_wait 1750000\n"
			    "xrd_g_time h:1094:oss_stats_pfc.read_t 7100\n"
			    "xrd_g_time h:1094:http.GET_200.duration_seconds 2000\n");
	xrd_reports_free(r);
	free(all);
}

TEST(the_newest_report_of_a_minute_counts_and_later_ones_wait)
{
	struct xrd_reports *r = xrd_reports_new(0);
	for (int at = 10; at <= 70; at += 20) {
		char packet[512];
		snprintf(packet, sizeof(packet), HEAD "<stats id=\"oss\"><space>1" SPACE("a", "%d")
			 "</space></stats>" TAIL, at);
		assert_int_equal(add(r, packet, at), 0);
	}
	assert_string_equal(rows(r, 60), "xrd_space h:1094:a 9 50 7 1 5\n");
	assert_string_equal(rows(r, 120), "xrd_space h:1094:a 9 70 7 1 5\n");
	xrd_reports_free(r);
}

TEST(two_minutes_in_one_record_are_one_row)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add(r, HEAD PROC TAIL, 10), 0);
	assert_int_equal(add(r, HEAD PROC TAIL, 70), 0);
	assert_string_equal(rows(r, 120), "xrd_proc h:1094 2000030 1000000\n");
	xrd_reports_free(r);
}

TEST(a_server_without_a_port_is_named_by_its_program)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add(r, "<statistics src=\"h:0\" pgm=\"cmsd\">" PROC TAIL, 10), 0);
	assert_int_equal(add(r, "<statistics pgm=\"cmsd\">" PROC TAIL, 10), 0);
	assert_string_equal(rows(r, 60), "xrd_proc h:cmsd 2000030 1000000\n");
	xrd_reports_free(r);
}

TEST(a_packet_that_cannot_be_read_adds_nothing)
{
	struct xrd_reports *r = xrd_reports_new(0);
#ifdef HAVE_EXPAT
	assert_int_equal(add(r, HEAD PROC, 10), -EBADMSG);
#else
	assert_int_equal(add(r, HEAD PROC, 10), -EOPNOTSUPP);
#endif
	assert_int_equal(add(r, "{\"statistics\":{\"src\":\"h:1\"", 10), -EBADMSG);
	assert_int_equal(add(r, "{\"gs\":{}}", 10), -ENOMSG);
	assert_int_equal(add(r, "", 10), -ENOMSG);
	assert_string_equal(rows(r, 60), "");
	xrd_reports_free(r);
}

TEST(sets_of_counters_are_kept_one_by_one)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add(r, "{\"statistics\":{\"tod\":1,\"src\":\"h:1094\",\"pgm\":\"xrootd\","
			     "\"stats_http_plugin\":{\"request\":{\"GET\":5,\"PUT\":0},"
			     "\"response\":{\"200\":18446744073709551615}}}}", 10), 0);
	assert_string_equal(rows(r, 60), "xrd_http_request h:1094:GET 5\n"
					 "xrd_http_request h:1094:PUT 0\n"
					 "xrd_http_response h:1094:200 18446744073709551615\n");
	xrd_reports_free(r);
}

TEST(a_counter_that_is_no_whole_number_has_no_row)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add(r, "{\"statistics\":{\"src\":\"h:1094\",\"stats_s3\":{\"hits\":7,"
			     "\"seconds\":0.5,\"owed\":-1,\"name\":\"x\",\"list\":[4,null]}}}",
			     10), 0);
	assert_string_equal(rows(r, 60), "xrd_set h:1094:s3.hits 7\nxrd_set h:1094:s3.list.0 4\n");
	xrd_reports_free(r);
}

#ifdef HAVE_EXPAT
TEST(a_set_in_an_xml_packet_gives_the_same_rows)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add(r, HEAD "<stats id=\"http_plugin\"><request><GET>5</GET></request>"
			     "<response><200>4</200></response></stats>" TAIL, 10), 0);
	assert_string_equal(rows(r, 60), "xrd_http_request h:1094:GET 5\n"
					 "xrd_http_response h:1094:200 4\n");
	xrd_reports_free(r);
}
#endif

static void no_minute(void *arg, int64_t usec, const struct xrd_sums *s)
{
	(void)arg, (void)usec, (void)s;
}

TEST(no_sender_replaces_reports_of_another)
{
	struct xrd_servers *servers = calloc(1, sizeof(*servers));
	struct xrd_reports *r = xrd_reports_new(0);
	struct xrd_sums *sums = xrd_sums_new(&(struct xrd_sums_listener){ no_minute, NULL },
					     servers);
	struct in6_addr one = { .s6_addr[15] = 1 }, two = { .s6_addr[15] = 2 };
	struct xrd_report in = { str_of(HEAD PROC TAIL), 10 * SECOND, &one, sums };
	assert_int_equal(xrd_reports_add(r, &in), 0);
	in.from = &two;
	assert_int_equal(xrd_reports_add(r, &in), 0);
	in.packet = str_of("<statistics src=\"h\"><stats id=\"oss\"><space>1" SPACE("1094:a", "3")
			   "</space></stats>" TAIL);
	assert_int_equal(xrd_reports_add(r, &in), 0);
	assert_string_equal(rows(r, 60), "xrd_proc h:1094 2000030 1000000\n"
					 "xrd_proc h:1094@::2 2000030 1000000\n");
	xrd_reports_free(r);
	xrd_sums_free(sums);
	free(servers);
}

/* Add a report of a server, which has this port and 100 spaces, and so 100 rows. */
static int add_spaces(struct xrd_reports *r, int port)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_addf(&b, "<statistics src=\"h:%d\"><stats id=\"oss\"><space>100", port);
	for (int i = 0; i < 100; i++)
		buf_addf(&b, "<stats id=\"%d\"><name>s%d</name><tot>9</tot><free>8</free>"
			 "<maxf>7</maxf><fsn>1</fsn><usg>5</usg></stats>", i, i);
	buf_addf(&b, "</space></stats>" TAIL);
	return xrd_reports_add(r, &(struct xrd_report){ buf_str(&b), 10 * SECOND, NULL, NULL });
}

TEST(the_number_of_devices_is_bounded)
{
	struct xrd_reports *r = xrd_reports_new(0);
	int e = 0, i = 0;
	for (; i < 400 && e == 0; i++)
		e = add_spaces(r, i);
	assert_int_equal(e, -ENOSPC);
	assert_true(i > 150);
	rows(r, 60);
	assert_int_equal(add(r, HEAD PROC TAIL, 70), 0);
	assert_string_equal(rows(r, 120), "xrd_proc h:1094 2000030 1000000\n");
	xrd_reports_free(r);
}

#define NOW 1000000	/* seconds; the minutes before this time are complete */

/*
 * At time `at`, add a report that a process made at time `made`. The process has this pid, started
 * at this time and has sent this many bytes. Its clock is 7777 s fast.
 */
static void add_link_of(struct xrd_reports *r, int64_t at, int64_t made, unsigned pid,
			int64_t started, unsigned sent)
{
	char packet[512];
	snprintf(packet, sizeof(packet), "<statistics tod=\"%lld\" src=\"h:1094\" tos=\"%lld\" "
		 "pgm=\"xrootd\" pid=\"%u\"><stats id=\"link\"><num>1</num><maxn>1</maxn>"
		 "<tot>2</tot><in>0</in><out>%u</out><ctime>0</ctime><tmo>0</tmo><stall>0</stall>"
		 "<sfps>0</sfps></stats>" TAIL, (long long)made + 7777, (long long)started + 7777,
		 pid, sent);
	assert_int_equal(add(r, packet, at), 0);
}

static void add_link(struct xrd_reports *r, int64_t at, unsigned pid, int64_t started,
		     unsigned sent)
{
	add_link_of(r, at, at, pid, started, sent);
}

static void assert_link(struct xrd_reports *r, int64_t until, unsigned connections, unsigned sent)
{
	char want[128];
	snprintf(want, sizeof(want), "xrd_link h:1094 1 1 %u 0 %u 0 0 0 0\n", connections, sent);
	assert_string_equal(rows(r, until), want);
}

TEST(a_server_that_is_started_again_goes_on_counting)
{
	struct xrd_reports *r = xrd_reports_new(0);
	const int64_t minute = NOW / 60 * 60;
	add_link(r, minute + 65, 1, 50, 26600);		/* started before the receiver */
	assert_link(r, minute + 60, 2, 26600);
	add_link(r, minute + 70, 1, 50, 145600);
	add_link(r, minute + 80, 2, minute + 70, 100); /* process 2 replaces process 1 */
	add_link(r, minute + 81, 1, 50, 145600);	/* late report of process 1 */
	assert_link(r, minute + 120, 4, 145700);
	add_link(r, minute + 130, 3, minute + 70, 7);	/* process 3 began in the same second */
	assert_link(r, minute + 180, 6, 145707);
	add_link(r, minute + 250, 4, 40, 9);		/* process 4 has its clock set back */
	assert_link(r, minute + 300, 8, 145716);
	xrd_reports_free(r);
}

/*
 * A relay may reorder packets, and a broker delivers packets again. A row with fewer bytes than the
 * row of the minute before would look like a restart.
 */
TEST(counters_do_not_fall_when_a_packet_comes_late)
{
	struct xrd_reports *r = xrd_reports_new(0);
	const int64_t minute = NOW / 60 * 60;
	add_link(r, minute + 65, 1, 50, 100);
	add_link_of(r, minute + 115, minute + 115, 1, 50, 200);
	assert_link(r, minute + 120, 2, 200);
	add_link_of(r, minute + 125, minute + 100, 1, 50, 150);		/* late */
	assert_string_equal(rows(r, minute + 180), "");
	add_link_of(r, minute + 185, minute + 130, 1, 50, 300);	/* the sender's clock went back */
	assert_link(r, minute + 240, 2, 300);
	xrd_reports_free(r);
}

TEST(a_server_that_is_younger_than_the_receiver_starts_at_0)
{
	struct xrd_reports *r = xrd_reports_new((int64_t)NOW / 60 * 60 * SECOND);
	const int64_t minute = NOW / 60 * 60;
	add_link(r, minute + 90, 1, minute + 30, 500);
	assert_link(r, minute + 60, 0, 0);
	add_link(r, minute + 110, 1, minute + 30, 600);
	assert_link(r, minute + 120, 2, 600);
	xrd_reports_free(r);

	/* the saved state says that the receiver began to listen before its restart */
	struct buf saved CLEANUP(buf_free) = { 0 };
	r = xrd_reports_new((int64_t)NOW / 60 * 60 * SECOND);
	reports_put_state(&saved, r);
	xrd_reports_free(r);
	struct wire w = wire_of(buf_str(&saved));
	r = xrd_reports_new((minute + 80) * SECOND);
	reports_take_state(&w, r);
	assert_false(w.bad);
	add_link(r, minute + 90, 1, minute + 30, 500);
	assert_link(r, minute + 60, 0, 0);
	xrd_reports_free(r);

	r = xrd_reports_new((int64_t)NOW / 60 * 60 * SECOND);
	add_link(r, minute + 90, 1, minute - 30, 500);
	assert_link(r, minute + 60, 2, 500);
	xrd_reports_free(r);
}

/* Add a set of n counters from this address. */
static int add_set(struct xrd_reports *r, uint8_t address, size_t n)
{
	const struct in6_addr from = { .s6_addr[15] = address };
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_addf(&b, "{\"statistics\":{\"src\":\"h:%d\",\"stats_s\":{\"k\":0", address);
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, ",\"k%zu\":1", i);
	buf_addf(&b, "}}}");
	return xrd_reports_add(r, &(struct xrd_report){ buf_str(&b), 10 * SECOND, &from, NULL });
}

TEST(one_address_cannot_take_the_room_of_others)
{
	struct xrd_reports *r = xrd_reports_new(0);
	assert_int_equal(add_set(r, 1, 3), 0);
	assert_int_equal(add_set(r, 2, 9000), 0);
	assert_int_equal(add_set(r, 2, 40000), -ENOSPC);
	assert_int_equal(add_set(r, 3, 9000), 0);
	assert_int_equal(add_set(r, 1, 9), 0);
	const char *all = rows(r, 60);
	assert_non_null(strstr(all, "xrd_set h:1:s.k8 1\n"));
	assert_non_null(strstr(all, "xrd_set h:3:s.k8999 1\n"));
	xrd_reports_free(r);
}

/*
 * Check that each key of a schema "!TYPE KEY,OPTION... KEY ..." has a help text. Returns the number
 * of keys.
 */
static size_t check_help(struct str schema)
{
	struct str line, type, word, key;
	size_t n = 0;
	while (str_take_until(&schema, '\n', &line)) {
		assert_true(str_take_prefix(&line, STR("!")));
		char type_name[64], key_name[64];
		assert_true(str_take_word(&line, &type));
		assert_true(str_copy(type_name, sizeof(type_name), type));
		while (str_take_word(&line, &word)) {
			if (!str_take_until(&word, ',', &key))
				key = word;
			assert_true(str_copy(key_name, sizeof(key_name), key));
			if (!*xrd_help(type_name, key_name))
				fail_msg("%s %s has no help", type_name, key_name);
			n++;
		}
	}
	return n;
}

TEST(every_key_has_a_help_text_for_metrics)
{
	struct xrd_reports *r = xrd_reports_new(0);
	struct buf schema CLEANUP(buf_free) = { 0 };
	xrd_sums_put_schema(&schema);
	xrd_reports_put_schema(r, &schema);
	assert_true(check_help(buf_str(&schema)) > 150);
	assert_string_equal(xrd_help("xrootd_server", "lost"), "datagrams missing");
	assert_string_equal(xrd_help("xrd_link", "tot"), "connections since the start");
	assert_string_equal(xrd_help("xrd_link", "to"), "");
	assert_string_equal(xrd_help("cpu", "user"), "");
	xrd_reports_free(r);
}

int main(void)
{
	RUN(cmocka_unit_test(seconds_and_microseconds_become_one_value),
	    cmocka_unit_test(a_block_without_all_of_its_values_is_no_row),
	    cmocka_unit_test(parts_of_a_list_are_devices_with_their_names),
	    cmocka_unit_test(blocks_without_a_list_and_the_nodes_of_a_manager_are_rows),
	    cmocka_unit_test(counts_of_the_g_stream_are_series),
	    cmocka_unit_test(the_newest_report_of_a_minute_counts_and_later_ones_wait),
	    cmocka_unit_test(two_minutes_in_one_record_are_one_row),
	    cmocka_unit_test(a_server_without_a_port_is_named_by_its_program),
	    cmocka_unit_test(a_packet_that_cannot_be_read_adds_nothing),
	    cmocka_unit_test(sets_of_counters_are_kept_one_by_one),
	    cmocka_unit_test(a_counter_that_is_no_whole_number_has_no_row),
#ifdef HAVE_EXPAT
	    cmocka_unit_test(a_set_in_an_xml_packet_gives_the_same_rows),
#endif
	    cmocka_unit_test(a_server_that_is_started_again_goes_on_counting),
	    cmocka_unit_test(counters_do_not_fall_when_a_packet_comes_late),
	    cmocka_unit_test(a_server_that_is_younger_than_the_receiver_starts_at_0),
	    cmocka_unit_test(one_address_cannot_take_the_room_of_others),
	    cmocka_unit_test(no_sender_replaces_reports_of_another),
	    cmocka_unit_test(the_number_of_devices_is_bounded),
	    cmocka_unit_test(every_key_has_a_help_text_for_metrics));
}
