/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_summary.c - write record groups as XRootD summary packets that readers can take */
#include "tests/unit/test.h"

#include "figures/packet.h"
#include "formats/raw_read.h"
#include "formats/xrootd/xml_summary.h"
#include "formats/xrootd/xrdflat.h"
#include "sinks/udp.h"

#define HEADER "$hpcperfstats 2.3.5\n$hostname n1\n"

/* A text that is converted once, and the result. */
struct trial {
	struct str text;
	size_t limit, packets, largest;
	struct buf all;		/* all packets, each with a newline */
	struct buf flat;	/* keys and values of the packets */
	struct xml_summary_fs fs;
};

static void trial_free(struct trial *t)
{
	buf_free(&t->all);
	buf_free(&t->flat);
}

static ssize_t read_text(void *arg, char *to, size_t n)
{
	struct trial *t = arg;
	if (n > t->text.n)
		n = t->text.n;
	memcpy(to, t->text.p, n);
	t->text = str_skip(t->text, n);
	return (ssize_t)n;
}

static bool all_but_proc(void *arg, struct str type)
{
	(void)arg;
	return !str_eq(type, STR("proc"));
}

static void put(void *arg, struct str key, struct str value)
{
	buf_addf(arg, STR_FMT " " STR_FMT "\n", STR_ARG(key), STR_ARG(value));
}

/* Check what must hold for every packet, and count the packet. */
static void take_packet(void *arg, struct str packet)
{
	struct trial *t = arg;
	struct buf xml CLEANUP(buf_free) = { 0 };
	size_t before = t->flat.n, blocks = 0;
	assert_true(packet.n <= t->limit);
	assert_false(str_has(packet, '\n'));
	assert_int_equal(xrd_read_plain(packet, &(struct xrd_values){ put, &t->flat }, NULL), 0);
#ifdef HAVE_EXPAT
	assert_int_equal(xrd_read_xml(packet, &(struct xrd_values){ put, &xml }), 0);
	assert_true(str_eq(buf_str(&xml), str_skip(buf_str(&t->flat), before)));
#endif
	xml.n = 0;
	assert_int_equal(xrd_read_compat(packet, &(struct xrd_values){ put, &xml }), 0);
	assert_true(str_eq(buf_str(&xml), str_skip(buf_str(&t->flat), before)));
	for (size_t i = 0; i + 7 <= packet.n; i++)
		blocks += memcmp(packet.p + i, "<stats ", 7) == 0;
	assert_true(blocks >= 2);	/* xmltodict makes a list only if there are two blocks */
	t->packets++;
	if (packet.n > t->largest)
		t->largest = packet.n;
	buf_add(&t->all, packet);
	buf_add_char(&t->all, '\n');
}

static size_t take_figures(const struct record *r, struct xml_summary_value *ret)
{
	struct packet_figure figure[PACKET_FIGURES_MAX];
	size_t n = packet_figures(r, figure);
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct xml_summary_value){ figure[i].name, figure[i].value };
	return n;
}

static void run(struct trial *t, const char *text, size_t limit)
{
	struct xml_summary_pack p = { .limit = limit, .send = take_packet, .arg = t };
	struct xml_summary_sender s = {
		.host = STR("n1.example.org"), .site = STR("A B"), .started = 100, .read = 200,
		.now = 201500000, .elapsed_ms = 1500, .pid = 7,
	};
	struct xml_summary_value value[PACKET_FIGURES_MAX];
	struct xml_summary_extra extra = { .user_us = 1500000, .system_us = 20, .fs = &t->fs,
					   .n_fs = 1, .value = value };
	const struct record *g;
	t->fs = (struct xml_summary_fs){ STR("/data"), 10, 5, 4, 3 };
	t->text = str_of(text);
	t->limit = limit;
	struct record_source r = raw_records(&(struct byte_source){ read_text, t }, NULL);
	while (record_next(&r, &g) > 0) {
		extra.n_values = take_figures(g, value);
		xml_summary_put_record(&p, g, &s, &extra, all_but_proc, NULL);
	}
	record_source_end(&r);
	xml_summary_free(&p);
}

TEST(a_group_is_a_packet_with_the_blocks_of_xrootd_and_one_per_type)
{
	struct trial t CLEANUP(trial_free) = { .packets = 0 };
	run(&t, HEADER "!net rx_bytes,E tx_bytes,E\n!vm pgpgin,E\n!proc x\n"
	    "!ps ctxt,E processes,E nr_running nr_threads\n\n"
	    "200 18,/19\nnet lo 9 9\nnet eth0 1 2\nnet eth1 10 20\nvm - 5\nproc a 1\n"
	    "ps - 1 50 2 30\n", 8190);
	buf_add_char(&t.all, '\0');
	assert_string_equal(t.all.p,
		"<statistics tod=\"200\" ver=\"v" PACKAGE_VERSION "\" src=\"n1.example.org:0\" "
		"tos=\"100\" pgm=\"nodometer\" ins=\"anon\" pid=\"7\" site=\"A\\040B\">"
		"<stats id=\"info\"><host>n1.example.org</host><port>0</port><name>anon</name>"
		"</stats>"
		"<stats id=\"link\"><in>11</in><out>22</out></stats>"
		"<stats id=\"sched\"><jobs>50</jobs><inq>2</inq><threads>30</threads>"
		"<idle>28</idle><tcr>50</tcr><tde>20</tde></stats>"
		"<stats id=\"proc\"><usr><s>1</s><u>500000</u></usr>"
		"<sys><s>0</s><u>20</u></sys></stats>"
		"<stats id=\"oss\"><paths>1<stats id=\"0\"><lp>\"/data\"</lp><rp>\"/data\"</rp>"
		"<tot>10</tot><free>5</free><ino>4</ino><ifr>3</ifr></stats></paths>"
		"<space>0</space></stats>"
		"<stats id=\"jobs\"><num>2</num><stats id=\"0\"><id>18</id></stats>"
		"<stats id=\"1\"><id>\"/19\"</id></stats></stats>"
		"<stats id=\"net\"><stats id=\"lo\"><rx_bytes>9</rx_bytes><tx_bytes>9</tx_bytes>"
		"</stats>"
		"<stats id=\"eth0\"><rx_bytes>1</rx_bytes><tx_bytes>2</tx_bytes></stats>"
		"<stats id=\"eth1\"><rx_bytes>10</rx_bytes><tx_bytes>20</tx_bytes></stats></stats>"
		"<stats id=\"vm\"><pgpgin>5</pgpgin></stats>"
		"<stats id=\"ps\"><ctxt>1</ctxt><processes>50</processes><nr_running>2</nr_running>"
		"<nr_threads>30</nr_threads></stats>"
		"<stats id=\"sgen\"><as>1</as><et>1500</et><toe>201</toe></stats></statistics>\n");
}

TEST(bytes_through_a_bond_are_counted_once)
{
	static const char *const headers[] = { "$below net bond0 eth0 eth1\n", "" };
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		struct trial t CLEANUP(trial_free) = { .packets = 0 };
		struct buf text CLEANUP(buf_free) = { 0 };
		buf_addf(&text, HEADER "%s!net rx_bytes,E tx_bytes,E\n\n200 -\nnet bond0 11 22\n"
			 "net eth0 1 2\nnet eth1 10 20\nnet lo 9 9\n", headers[i]);
		buf_add_char(&text, '\0');
		run(&t, text.p, 8190);
		buf_add_char(&t.all, '\0');
		assert_non_null(strstr(t.all.p, "<in>11</in><out>22</out>"));
	}
}

TEST(a_type_that_the_node_lacks_has_no_block)
{
	struct trial t CLEANUP(trial_free) = { .packets = 0 };
	run(&t, HEADER "!vm pgpgin,E\n\n200 -\nvm - 5\n", 8190);
	buf_add_char(&t.flat, '\0');
	assert_null(strstr(t.flat.p, "link."));
	assert_null(strstr(t.flat.p, "sched."));
	assert_non_null(strstr(t.flat.p, "jobs.num 0\n"));
	assert_null(strstr(t.flat.p, "jobs.0"));
}

TEST(a_value_that_no_interface_has_is_not_sent_as_zero)
{
	struct trial t CLEANUP(trial_free) = { .packets = 0 };
	run(&t, HEADER "!net rx_bytes,E x,E\n\n200 -\nnet eth0 7 1\n", 8190);
	buf_add_char(&t.flat, '\0');
	assert_non_null(strstr(t.flat.p, "\nlink.in 7\n"));
	assert_null(strstr(t.flat.p, "link.out"));
}

/* The values of a sample are read one after the other, so a part may exceed the whole. */
TEST(difference_of_values_is_never_below_0)
{
	struct trial t CLEANUP(trial_free) = { .packets = 0 };
	run(&t, HEADER "!ps processes,E nr_running nr_threads\n\n200 -\nps - 20 31 30\n", 8190);
	buf_add_char(&t.flat, '\0');
	assert_non_null(strstr(t.flat.p, "\nsched.idle 0\n"));
	assert_non_null(strstr(t.flat.p, "\nsched.tde 0\n"));
}

TEST(names_are_escaped_or_replaced_in_xml)
{
	struct trial t CLEANUP(trial_free) = { .packets = 0 };
	run(&t, HEADER "!odd 1a,E b<c,E\n\n200 a&b\nodd x<y>&\"z='/ 1 2\nodd /dev/sda 3 4\n", 8190);
	buf_add_char(&t.flat, '\0');
	assert_non_null(strstr(t.flat.p, "\njobs.0.id a\\046b\n"));
	assert_non_null(strstr(t.flat.p, "\nodd.x\\074y\\076\\046\\042z\\075\\047/._1a 1\n"));
	assert_non_null(strstr(t.flat.p, "\nodd.x\\074y\\076\\046\\042z\\075\\047/.b_c 2\n"));
	assert_non_null(strstr(t.flat.p, "\nodd./dev/sda._1a 3\n"));
}

/* Check that packets of at most this size have every value of a large record group exactly once. */
static void try_limit(const struct buf *text, size_t devices, size_t limit)
{
	struct trial t CLEANUP(trial_free) = { .packets = 0 };
	struct buf want CLEANUP(buf_free) = { 0 };
	run(&t, text->p, limit);
	assert_true(t.packets > 1);
	assert_true(t.largest > limit - 200);	/* the packets are well filled */
	buf_add_char(&t.flat, '\0');
	for (size_t i = 0; i < devices; i++)
		for (int k = 0; k < 3; k++) {
			want.n = 0;
			buf_addf(&want, "\nblock.device-number-%zu.key%d %zu\n", i, k, 10 * i + k);
			buf_add_char(&want, '\0');
			const char *at = strstr(t.flat.p, want.p);
			assert_non_null(at);
			assert_null(strstr(at + 1, want.p));
		}
}

TEST(a_large_group_is_several_packets_that_hold_each_value_once)
{
	static const size_t limits[] = { SUMMARY_BYTES_MIN, 1025, 1100, 1472, 1473, 8190 };
	struct buf text CLEANUP(buf_free) = { 0 };
	size_t devices = 150;
	buf_add(&text, STR(HEADER "!block key0,E key1,E key2,E\n\n200 1\n"));
	for (size_t i = 0; i < devices; i++)
		buf_addf(&text, "block device-number-%zu %zu %zu %zu\n", i, 10 * i, 10 * i + 1,
			 10 * i + 2);
	buf_add_char(&text, '\0');
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		try_limit(&text, devices, limits[i]);
}

static void put_many(struct buf *b, char c, size_t n)
{
	while (n--)
		buf_add_char(b, c);
}

TEST(the_longest_names_fit_into_the_smallest_packet)
{
	struct trial t CLEANUP(trial_free) = { .packets = 0 };
	struct buf text CLEANUP(buf_free) = { 0 };
	buf_add(&text, STR(HEADER "!"));
	put_many(&text, 't', 300);
	buf_add_char(&text, ' ');
	put_many(&text, '<', 300);
	buf_add(&text, STR(",E\n\n200 "));
	put_many(&text, '&', 300);
	buf_add_char(&text, '\n');
	put_many(&text, 't', 300);
	buf_add_char(&text, ' ');
	put_many(&text, '>', 300);
	buf_add(&text, STR(" 18446744073709551615\n"));
	buf_add_char(&text, '\0');
	run(&t, text.p, SUMMARY_BYTES_MIN);
	buf_add_char(&t.flat, '\0');
	assert_non_null(strstr(t.flat.p, " 18446744073709551615\n"));
}

TEST(names_that_are_cut_are_still_different)
{
	struct trial t CLEANUP(trial_free) = { .packets = 0 };
	struct buf text CLEANUP(buf_free) = { 0 };
	const char *last = "abc";
	buf_add(&text, STR(HEADER "!nfs x,E\n\n200 -\n"));
	for (size_t i = 0; i < 3; i++) {
		buf_add(&text, STR("nfs "));
		put_many(&text, 'n', i < 2 ? 80 : 79);
		buf_addf(&text, "%c %zu\n", last[i], i);
	}
	buf_add_char(&text, '\0');
	run(&t, text.p, 8190);
	buf_add_char(&t.flat, '\0');
	const char *a = strstr(t.flat.p, "nfs.n"), *b = strstr(a + 1, "nfs.n");
	assert_non_null(b);
	assert_true(str_starts(str_skip(str_of(a), 4 + 71), STR("~")));
	assert_true(str_starts(str_skip(str_of(a), 4 + 80), STR(".x 0\n")));
	assert_true(str_starts(str_skip(str_of(b), 4 + 80), STR(".x 1\n")));
	assert_memory_not_equal(a, b, 4 + 80);
	assert_non_null(strstr(b, "nnnc.x 2\n"));	/* a name of 80 bytes is whole */
}

TEST(destinations_are_hosts_with_ports)
{
	struct udp u;
	struct str bad;
	assert_int_equal(udp_init(&u, STR("a.b:1, [::1]:65535\t10.0.0.1:3333"), NULL, &bad), 0);
	assert_int_equal(u.n, 3);
	assert_string_equal(u.to[0].host, "a.b");
	assert_string_equal(u.to[1].host, "::1");
	assert_string_equal(u.to[1].port, "65535");
	udp_free(&u);
	static const char *const wrong[] = {
		"a", "a:", ":1", "a:0", "a:65536", "a:1x", "::1:33", "[]:1", "a:-1", "b:1 c",
	};
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_not_equal(udp_init(&u, str_of(wrong[i]), NULL, &bad), 0);
		udp_free(&u);
	}
	assert_true(str_eq(bad, STR("c")));
}

int main(void)
{
	RUN(cmocka_unit_test(a_group_is_a_packet_with_the_blocks_of_xrootd_and_one_per_type),
	    cmocka_unit_test(bytes_through_a_bond_are_counted_once),
	    cmocka_unit_test(a_type_that_the_node_lacks_has_no_block),
	    cmocka_unit_test(a_value_that_no_interface_has_is_not_sent_as_zero),
	    cmocka_unit_test(difference_of_values_is_never_below_0),
	    cmocka_unit_test(names_are_escaped_or_replaced_in_xml),
	    cmocka_unit_test(a_large_group_is_several_packets_that_hold_each_value_once),
	    cmocka_unit_test(the_longest_names_fit_into_the_smallest_packet),
	    cmocka_unit_test(names_that_are_cut_are_still_different),
	    cmocka_unit_test(destinations_are_hosts_with_ports));
}
