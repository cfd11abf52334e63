/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrdflat.c - read keys and values of XRootD's summary packets as its own program does */
#include "tests/unit/test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/buf.h"
#include "formats/xrootd/xrdflat.h"
#include "formats/xrootd/xrdflat_shape.h"
#include "formats/xrootd/xrdsummary_keys.h"

static void put(void *arg, struct str key, struct str value)
{
	struct buf *b = arg;
	buf_addf(b, STR_FMT " " STR_FMT "\n", STR_ARG(key), STR_ARG(value));
}

typedef int reader(struct str packet, const struct xrd_values *to);

static int read_any(struct str packet, const struct xrd_values *to)
{
	int r = xrd_read_plain(packet, to, NULL);
	if (r == 0)
		return 0;
	assert_int_equal(r, -EAGAIN);
	((struct buf *)to->arg)->n = 0;
	return xrd_read_xml(packet, to);
}

/* Compare the reader's values with want. "-" means that the reader must refuse the packet. */
static void assert_reads(reader *read, struct str packet, const char *want)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct xrd_values to = { .put = put, .arg = &b };
	int r = read(packet, &to);
	if (r < 0) {
		assert_int_equal(r, -EBADMSG);
		b.n = 0;
		buf_add_char(&b, '-');
	}
	buf_add_char(&b, '\0');
	if (strcmp(b.p, want) != 0)
		print_message(STR_FMT "\n", STR_ARG(packet));
	assert_string_equal(b.p, want);
}

#define IN "<statistics tod=\"100\" ver=\"v1\" pid=\"7\" site=\"S1\">"
#define OUT "tod 100\nver v1\npid 7\n"
#define END "</statistics>"

/* Packets, our output, and the output that XRootD 5.5.3 was seen to give (NULL: the same). */
static const struct {
	const char *packet, *ours, *theirs;
} cases[] = {
	{ IN "<stats id=\"x\"><a>1</a><b>2</b></stats>" END, OUT "x.a 1\nx.b 2\n" },
	{ "<statistics pid=\"7\" zone=\"q\" ver=\"v1\" tod=\"100\"><stats id=\"x\"><a>1</a></stats>"
	  END, OUT "x.a 1\n" },
	{ "<statistics tod='100' ver='v1'><stats id='x'><a>1</a></stats>" END,
	  "tod 100\nver v1\nx.a 1\n", "tod '100'\nver 'v1'\n'x'.a 1\n" },
	{ "<statistics tod=100 ver=v1><stats id=x><a>1</a></stats>" END,
	  "tod 100\nver v1\nx.a 1\n" },
	{ "<statistics ins=\"my inst\" pid=\"7\"><stats id=\"x\"><a>1</a></stats>" END,
	  "ins my\nins inst\npid 7\nx.a 1\n", "ins my\npid 7\nx.a 1\n" },
	{ "<statistics ins=\"a>b\" pid=\"7\"><stats id=\"x\"><a>1</a></stats>" END,
	  "ins a>b\npid 7\nx.a 1\n", "ins a\n b\"\n pid=\"7\"\nx.a 1\n" },
	{ IN "<stats id=\"x\"><a>one two</a><b>3</b></stats>" END,
	  OUT "x.a one\nx.a two\nx.b 3\n" },
	{ IN "<stats id=\"oss\" v=\"2\"><paths>1<stats id=\"0\"><lp>\"/a\"</lp><rp>\"/c\"</rp>"
	  "</stats></paths></stats>" END,
	  OUT "oss.paths 1\noss.paths.0.lp /a\noss.paths.0.rp /c\n" },
	{ IN "<stats id=\"o\"><lp>\"/a b\"</lp></stats>" END, OUT "o.lp /a\no.lp b\n",
	  OUT "o.lp a\no.lp b\"\n" },
	{ IN "<stats id=\"o\"><lp>/a</lp></stats>" END, OUT "o.lp /a\n", "-" },
	{ IN "<stats id=\"x\"><a>1&amp;2=3</a></stats>" END, OUT "x.a 1&2=3\n",
	  OUT "x.a 1&amp;2=3\n" },
	{ IN "<stats id=\"x\"><hits>5></hits><miss>6</miss></stats>" END,
	  OUT "x.hits 5\nx.miss 6\n" },
	{ IN "<stats id=\"ssi\"><rsp><mdb>4</mdb</rsp></stats>" END, OUT "ssi.rsp.mdb 4\n" },
	{ IN "<stats id=\"h\"><200>4</200></stats>" END, OUT "h.200 4\n" },
	{ IN "<stats id=\"x\"><a></a><b>2</b></stats>" END, OUT "x.b 2\n" },
	{ IN "<stats id=\"x\"><a/><b>2</b></stats>" END, OUT "x.b 2\n", OUT "x.a/.b 2\n" },
	{ IN " <stats id=\"x\"> <a> 1 </a> </stats> " END, OUT "x.a 1\n" },
	{ IN "<stats id=\"x\">\t<a>1</a>\r</stats>" END, OUT "x.a 1\n", "-" },
	{ IN "\n<stats id=\"x\"><a>1</a></stats>\n" END "\n", OUT "x.a 1\n", "-" },
	{ IN "<stats id=\"x\"><a>1</a></stats>" END "\n", OUT "x.a 1\n" },
	{ "<?xml version=\"1.0\"?>" IN "<stats id=\"x\"><a>1</a></stats>" END, OUT "x.a 1\n", "-" },
	{ IN "<stats><a>1</a></stats>" END, OUT "stats.a 1\n" },
	{ IN "<stats id=\"x\"><a u=\"k\">1</a></stats>" END, OUT "x.a 1\n",
	  OUT "x.a u=\"k\"\nx.a 1\n" },
	{ IN "<!-- a > b --><stats id=\"x\"><a>1<![CDATA[2]]></a></stats>" END, OUT "x.a 12\n",
	  "-" },
	{ IN "<stats id=\"a&#10;b=c\"><a>1</a></stats>" END, OUT "a_b_c.a 1\n", NULL },
	{ IN "<stats id=\"\">3<a>1</a></stats>" END, OUT "stats 3\nstats.a 1\n", "-" },
	{ IN END, OUT },
	{ IN "<stats id=\"x\"><a>1</b></stats>" END, "-" },
	{ IN "<stats id=\"x\"><a>1</a></stats></statistics toe=\"777\">", OUT "x.a 1\ntoe 777\n" },
	{ IN "<t0><t1><t2><t3><t4><t5><t6><t7><t8><t9><a><b><c><d><e><f>9</f></e></d></c></b></a>"
	  "</t9></t8></t7></t6></t5></t4></t3></t2></t1></t0>" END,
	  OUT "t0.t1.t2.t3.t4.t5.t6.t7.t8.t9.a.b.c.d.e.f 9\n" },
	{ IN "<t0><t1><t2><t3><t4><t5><t6><t7><t8><t9><a><b><c><d><e><f><g>9</g></f></e></d></c>"
	  "</b></a></t9></t8></t7></t6></t5></t4></t3></t2></t1></t0>" END,
	  OUT "t0.t1.t2.t3.t4.t5.t6.t7.t8.t9.a.b.c.d.e.f.g 9\n", "-" },
	{ IN "<stats id=\"x\"><a>1</a>", "-" },
	{ IN "<stats id=\"x\"><a>1</a></stats>" END "<more/>", "-", OUT "x.a 1\n" },
	{ "<other><stats id=\"x\"><a>1</a></stats></other>", "-" },
	{ "<!DOCTYPE statistics [<!ENTITY e \"xx\">]>" IN "<stats id=\"x\"><a>&e;</a></stats>" END,
	  "-" },
	{ "", "-" },
	{ "hello world", "-" },
	{ "{\"statistics\":{\"tod\":1,\"ver\":\"v6.1.0\"}}", "-" },
};

static bool is_odd(const char *packet)	/* true if the output of XRootD is unknown */
{
	return strstr(packet, "&#10;");
}

TEST(the_values_are_those_of_the_packet)
{
#ifndef HAVE_EXPAT
	skip();
#endif
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_reads(read_any, str_of(cases[i].packet), cases[i].ours);
}

TEST(the_values_are_those_of_the_original)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (!is_odd(cases[i].packet))
			assert_reads(xrd_read_compat, str_of(cases[i].packet),
				     cases[i].theirs ? cases[i].theirs : cases[i].ours);
}

static void put_tag(struct buf *b, const char *open, size_t name)
{
	buf_add(b, str_of(open));
	for (size_t i = 0; i < name; i++)
		buf_add_char(b, 'n');
	buf_add_char(b, '>');
}

/* Put a value below `depth` nested elements whose names have this length. */
static void nested(struct buf *b, size_t depth, size_t name)
{
	buf_add(b, STR(IN));
	for (size_t i = 0; i < depth; i++)
		put_tag(b, "<", name);
	buf_add(b, STR("5"));
	for (size_t i = 0; i < depth; i++)
		put_tag(b, "</", name);
	buf_add(b, STR(END));
}

static int read_nested(reader *read, size_t depth, size_t name)
{
	struct buf b CLEANUP(buf_free) = { 0 }, out CLEANUP(buf_free) = { 0 };
	struct xrd_values to = { .put = put, .arg = &out };
	nested(&b, depth, name);
	return read(buf_str(&b), &to);
}

TEST(depth_and_length_have_a_limit)
{
#ifndef HAVE_EXPAT
	skip();
#endif
	assert_int_equal(read_nested(read_any, XRD_DEPTH_MAX, 3), 0);
	assert_int_equal(read_nested(read_any, XRD_DEPTH_MAX + 1, 3), -E2BIG);
	assert_int_equal(read_nested(xrd_read_xml, XRD_DEPTH_MAX, 3), 0);
	assert_int_equal(read_nested(xrd_read_xml, XRD_DEPTH_MAX + 1, 3), -E2BIG);
	assert_int_equal(read_nested(read_any, 1, XRD_KEY_MAX - 1), 0);
	assert_int_equal(read_nested(read_any, 1, XRD_KEY_MAX), -E2BIG);
}

TEST(a_packet_of_65_kilobytes_is_read_whole)
{
	struct buf b CLEANUP(buf_free) = { 0 }, out CLEANUP(buf_free) = { 0 };
	struct xrd_values to = { .put = put, .arg = &out };
	size_t n = 0;
	buf_add(&b, STR(IN));
	for (; b.n < 65000; n++)
		buf_addf(&b, "<stats id=\"%zu\"><a>%zu</a></stats>", n, n);
	buf_add(&b, STR(END));
	assert_int_equal(xrd_read_plain(buf_str(&b), &to, NULL), 0);
	size_t lines = 0;
	for (size_t i = 0; i < out.n; i++)
		lines += out.p[i] == '\n';
	assert_int_equal(lines, n + 3);
	assert_int_equal(xrd_read_compat(buf_str(&b), &to), -EBADMSG);
}

/*
 * Take the first element of key and pattern. Returns true if the two match: "i" in the pattern
 * matches any number, as in "12.free".
 */
static bool take_element(struct str *key, struct str *pattern)
{
	struct str a, b;
	if (!str_take_until(key, '.', &a)) {
		a = *key;
		key->n = 0;
	}
	if (!str_take_until(pattern, '.', &b)) {
		b = *pattern;
		pattern->n = 0;
	}
	return str_eq(a, b) || (str_eq(b, STR("i")) && str_is_u64(a));
}

static bool matches(struct str key, struct str pattern)
{
	while (key.n && pattern.n)
		if (!take_element(&key, &pattern))
			return false;
	return key.n == 0 && pattern.n == 0;
}

/*
 * Find the entry of a key. Returns NULL for an undocumented key, which readers should ignore
 * (XRootD's monitoring reference, section 2.1, note 1).
 */
static const struct xrd_summary_key *find_summary_key(struct str key)
{
	for (size_t i = 0; i < xrd_summary_n_keys; i++)
		if (matches(key, str_of(xrd_summary_keys[i].key)))
			return &xrd_summary_keys[i];
	return NULL;
}

static void put_unknown(void *arg, struct str key, struct str value)
{
	(void)value;
	if (!find_summary_key(key) && ++*(size_t *)arg < 10)
		print_message("not documented: " STR_FMT "\n", STR_ARG(key));
}

TEST(site_and_host_are_shown_on_request)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct xrd_values to = { .put = put, .arg = &b, .host = STR("h"), .site = true };
	struct str packet = STR(IN "<stats id=\"x\"><a>1</a></stats>" END);
	assert_int_equal(xrd_read_plain(packet, &to, NULL), 0);
	assert_true(str_eq(buf_str(&b), STR(OUT "site S1\nhost h\nx.a 1\n")));
}

#define JSON "{\"statistics\":{\"tod\":100,\"ver\":\"v1\",\"pid\":7,\"site\":\"S1\","
/*
 * XrdStats.cc writes numbers as they are, and puts objects and lists into sets named "stats_NAME".
 */
static const struct {
	const char *packet, *flat;
} json_cases[] = {
	{ JSON "\"stats_x\":{\"a\":1,\"b\":2}}}", OUT "x.a 1\nx.b 2\n" },
	{ JSON "\"stats_x\":{\"q\":{\"200\":5,\"404\":0},\"t\":1.500000}}}\n",
	  OUT "x.q.200 5\nx.q.404 0\nx.t 1.500000\n" },
	{ JSON "\"stats_x\":{\"l\":[4,{\"k\":18446744073709551615},[]]}}}",
	  OUT "x.l.0 4\nx.l.1.k 18446744073709551615\n" },
	{ "{ \"statistics\" : { \"stats_x\" : { \"s\" : \"two words\" } , \"tod\" : 100 } }",
	  "tod 100\nx.s two\nx.s words\n" },
	{ JSON "\"stats_x\":{\"a\":null,\"b\":true,\"c\":\"\",\"d\":-3}}}",
	  OUT "x.b true\nx.d -3\n" },
	{ JSON "\"stats_x\":{},\"other\":{\"a\":1}}}", OUT },
	{ JSON "\"stats_x\":{\"a b=c\":1}}}", OUT "x.a_b_c 1\n" },
	{ JSON "\"stats_x\":{\"a\":1,}}}", "-" },
	{ JSON "\"stats_x\":{\"a\":word}}}", "-" },
	{ JSON "\"stats_x\":[1]}}", "-" },
	{ JSON "\"stats_x\":{\"a\":1}}", "-" },
	{ JSON "\"stats_x\":{\"a\":1}}}x", "-" },
	{ "{\"gs\":{\"type\":\"C\"}}", "-" },
	{ "{}", "-" },
};

TEST(sets_of_counters_in_json_are_read)
{
	for (size_t i = 0; i < ARRAY_SIZE(json_cases); i++)
		assert_reads(xrd_read_json, str_of(json_cases[i].packet), json_cases[i].flat);
}

TEST(json_cut_off_anywhere_is_refused)
{
	struct str whole = str_of(json_cases[2].packet);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct xrd_values to = { .put = put, .arg = &b };
	assert_int_equal(xrd_read_json(whole, &to), 0);
	for (size_t n = 0; n < whole.n; n++)
		assert_int_equal(xrd_read_json((struct str){ whole.p, n }, &to), -EBADMSG);
}

TEST(every_documented_key_is_found_whatever_its_number)
{
	for (size_t i = 0; i < xrd_summary_n_keys; i++)
		assert_ptr_equal(find_summary_key(str_of(xrd_summary_keys[i].key)),
				 &xrd_summary_keys[i]);
	assert_string_equal(find_summary_key(STR("oss.paths.12.free"))->unit, "KB");
	assert_int_equal(find_summary_key(STR("link.in"))->kind, XRD_KEY_COUNTER);
	assert_null(find_summary_key(STR("oss.paths.x.free")));
	assert_null(find_summary_key(STR("link")));
	assert_null(find_summary_key(STR("link.in.more")));
}

/*
 * Load a file of the captures, or skip the test if there are none. Call this function first in a
 * test, since skip() frees nothing.
 */
static void load(const char *name, struct buf *b)
{
	const char *shared = getenv("NODOMETER_SHARED"), *top = getenv("srcdir");
	char path[PATH_MAX];
	snprintf(path, sizeof(path), "%s%s/data/xrootd/captures/dev/%s",
		 shared ? shared : top ? top : ".", shared ? "" : "/../shared", name);
	FILE *f = fopen(path, "re");
	if (!f) {
		print_message("skipped: no captures of XRootD at %s\n", path);
		skip();
	}
	do {
		buf_reserve(b, 65536);
		b->n += fread(b->p + b->n, 1, 65536, f);
	} while (!feof(f) && !ferror(f));
	fclose(f);
}

static uint32_t be32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;
	return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/*
 * Take the next packet of a file. A file is "XDGRAM1\n", then packets, each after a header of 24
 * bytes that has the packet's length in bytes 16 to 19.
 */
static bool next_packet(struct str *in, struct str *packet)
{
	if (in->n < 24)
		return false;
	size_t n = be32(in->p + 16);
	assert_true(in->n >= 24 + n);
	*packet = (struct str){ in->p + 24, n };
	*in = str_skip(*in, 24 + n);
	return true;
}

static void assert_same_as_original(reader *read)
{
	struct buf packets CLEANUP(buf_free) = { 0 }, want CLEANUP(buf_free) = { 0 };
	struct buf out CLEANUP(buf_free) = { 0 };
	const struct xrd_lines lines = { &out, ' ', '\n' };
	struct xrd_values to = { .put = put, .arg = &out, .lines = &lines };
	struct str in, packet;
	size_t n = 0;
	load("summary.dgram", &packets);
	load("summary.mpxstats.flat.txt", &want);
	in = buf_str(&packets);
	assert_true(str_take_prefix(&in, STR("XDGRAM1\n")));
	for (; next_packet(&in, &packet); n++) {
		assert_int_equal(read(packet, &to), 0);
		buf_add_char(&out, '\n');
	}
	assert_true(n > 100);
	assert_true(str_eq(buf_str(&out), buf_str(&want)));
}

static int read_plain(struct str packet, const struct xrd_values *to)
{
	return xrd_read_plain(packet, to, NULL);
}

static struct xrd_shapes *shapes;

static int read_remembering(struct str packet, const struct xrd_values *to)
{
	return xrd_read_plain(packet, to, shapes);
}

/*
 * Give the packet to a reader without memory and to a reader that remembers the last packet. The
 * buffer ends where the packet ends, so that a sanitizer sees reads beyond it.
 */
static void assert_remembers(struct xrd_values one, struct str packet)
{
	struct buf fresh CLEANUP(buf_free) = { 0 }, again CLEANUP(buf_free) = { 0 };
	const struct xrd_lines lines = { &again, ' ', '\n' };
	char *exact = malloc(packet.n + !packet.n);
	assert_non_null(exact);
	memcpy(exact, packet.p, packet.n);
	packet.p = exact;
	struct xrd_values two = one;
	one.arg = &fresh;
	two.arg = &again;
	two.lines = &lines;
	int r = read_plain(packet, &one);
	assert_int_equal(read_remembering(packet, &two), r);
	if (r == 0 && !str_eq(buf_str(&fresh), buf_str(&again)))
		fail_msg(STR_FMT " became " STR_FMT, STR_ARG(buf_str(&fresh)),
			 STR_ARG(buf_str(&again)));
	free(exact);
}

#define SRC "<statistics tod=\"1\" ver=\"v5\" src=\"h:1\" pgm=\"x\" site=\"S\">"

TEST(remembering_a_packet_does_not_change_the_values)
{
	static const char *const packets[] = {
		SRC "<a>1</a><b>2</b>" END, SRC "<a>345</a><b>6</b>" END, SRC "<a></a><b>7</b>" END,
		SRC "<a>8</a><b>x \"y z\"</b>" END, SRC "<a>9</a><c>10</c>" END,
		SRC "<a>11</a><c>12</c><d>13</d>" END, SRC "<a>14</a><c>15</c><d></d>" END,
		SRC "<a>16</a>" END, SRC "<a>17</a> " END, SRC "<a>18</a>lost" END,
		SRC "<a>19</a>" END, SRC "<a>1</a>" END, SRC "<a>123456789012345678901</a>" END,
		SRC "<a>1</a>" END "\n", SRC "<a>2&amp;0</a>" END, SRC "<a>20" END,
		SRC "<a>21</a>" END, SRC "<a>22</b>" END, SRC END,
		"<statistics src=\"h:1\"><a>1</a>" END,
		"<statistics tod=\"2\" ver=\"v5\" src=\"h:1\" pgm=\"x y\" site=\"\"><a>1</a>" END,
		"<statistics tod=\"2\" ver=\"v5\" src=\"h:1\" pgm=\"x<y\" site=\"\"><a>1</a>" END,
		"<statistics tod=\"2\" ver=\"v5\" src=\"h:1\" pgm=x site=\"T\"><a>1</a>" END,
		"<statistics tod=\"33\" ver=\"\" src=\"h:1\" pgm=\"x>\" site=\"T\"><a>1</a>" END,
		"<statistics tod=\"2\" pid=\"5\" src=\"h:1\" ver=\"v5\"><a>1</a>" END,
		"<statistics tod=\"2\" tod=\"5\" src=\"h:1\" ver=\"v5\"><a>1</a>" END,
		"<statistics tod=\"2\" odd=\"5\" src=\"h:1\" ver=\"v5\"><a>1</a>" END,
	};
	static const struct xrd_values sinks[] = {
		{ .put = put }, { .put = put, .site = true },
		{ .put = put, .site = true, .host = { "sender", 6 } },
	};
	for (size_t k = 0; k < ARRAY_SIZE(sinks); k++) {
		shapes = xrd_shapes_new();
		for (size_t i = 0; i < ARRAY_SIZE(packets); i++)
			for (size_t j = 0; j < ARRAY_SIZE(packets); j++) {
				assert_remembers(sinks[k], str_of(packets[i]));
				assert_remembers(sinks[k], str_of(packets[j]));
			}
		xrd_shapes_free(shapes);
	}
}

/* Values that get longer or shorter move all values after them. */
TEST(values_of_any_length_follow_one_another)
{
	uint32_t random = 1;
	struct xrd_values to = { .put = put, .host = { "::1", 3 } };
	shapes = xrd_shapes_new();
	for (size_t round = 0; round < 3000; round++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		unsigned long long v[8];
		for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
			random = random * 1664525u + 1013904223u;
			v[i] = random >> 28 ? 7u : (uint64_t)random << (random >> 16) % 32;
		}
		to.host.n = random >> 31 ? 3 : 2;
		buf_addf(&b, "<statistics tod=\"%llu\" ver=\"v%llu\" src=\"h:1\" pid=\"%llu\">"
			     "<n>%llu<m>%llu</m></n><o>\"%llu\"</o>%llu<p>%llu</p>" END,
			 v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
		assert_remembers(to, buf_str(&b));
	}
	xrd_shapes_free(shapes);
}

/* The packets have more values, more bytes or longer keys than can be remembered. */
TEST(packets_that_are_too_large_to_remember_are_read)
{
	static const struct {
		size_t values, digits, name;
	} sizes[] = {
		{ 600, 1, 1 }, { 500, 1, 1 }, { 400, 15, 1 }, { 300, 30, 1 }, { 20, 3, 900 },
	};
	shapes = xrd_shapes_new();
	for (size_t i = 0; i < 4 * ARRAY_SIZE(sizes); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		buf_add(&b, STR(SRC));
		put_tag(&b, "<", sizes[i / 4].name);
		for (size_t k = 0; k < sizes[i / 4].values; k++)
			buf_addf(&b, "<a>%0*zu</a>", (int)sizes[i / 4].digits, k % (i + 1));
		put_tag(&b, "</", sizes[i / 4].name);
		buf_add(&b, STR(END));
		const struct xrd_values to = { .put = put };
		assert_remembers(to, buf_str(&b));
	}
	xrd_shapes_free(shapes);
}

TEST(captured_packets_read_as_by_the_original)
{
	assert_same_as_original(read_plain);
}

TEST(captured_packets_read_as_by_the_original_remembering_the_last)
{
	shapes = xrd_shapes_new();
	assert_same_as_original(read_remembering);
	xrd_shapes_free(shapes);
}

TEST(captured_packets_read_as_by_the_original_in_its_own_way)
{
	assert_same_as_original(xrd_read_compat);
}

TEST(every_key_of_captured_packets_is_documented)
{
	struct buf packets CLEANUP(buf_free) = { 0 };
	size_t unknown = 0;
	struct xrd_values to = { .put = put_unknown, .arg = &unknown, .site = true };
	struct str in, packet;
	load("summary.dgram", &packets);
	in = buf_str(&packets);
	assert_true(str_take_prefix(&in, STR("XDGRAM1\n")));
	while (next_packet(&in, &packet))
		assert_int_equal(read_plain(packet, &to), 0);
	assert_int_equal(unknown, 0);
}

int main(void)
{
	RUN(cmocka_unit_test(the_values_are_those_of_the_packet),
	    cmocka_unit_test(the_values_are_those_of_the_original),
	    cmocka_unit_test(depth_and_length_have_a_limit),
	    cmocka_unit_test(a_packet_of_65_kilobytes_is_read_whole),
	    cmocka_unit_test(sets_of_counters_in_json_are_read),
	    cmocka_unit_test(json_cut_off_anywhere_is_refused),
	    cmocka_unit_test(every_documented_key_is_found_whatever_its_number),
	    cmocka_unit_test(every_key_of_captured_packets_is_documented),
	    cmocka_unit_test(site_and_host_are_shown_on_request),
	    cmocka_unit_test(remembering_a_packet_does_not_change_the_values),
	    cmocka_unit_test(values_of_any_length_follow_one_another),
	    cmocka_unit_test(packets_that_are_too_large_to_remember_are_read),
	    cmocka_unit_test(captured_packets_read_as_by_the_original),
	    cmocka_unit_test(captured_packets_read_as_by_the_original_remembering_the_last),
	    cmocka_unit_test(captured_packets_read_as_by_the_original_in_its_own_way));
}
