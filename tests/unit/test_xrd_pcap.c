/* SPDX-License-Identifier: BSD-3-Clause */
/* test_xrd_pcap.c - read the same datagrams from tcpdump's capture as from a file of datagrams */
#include "tests/unit/test.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/unit/packets.h"
#include "xrootd/input/xrd_input.h"

#define SNAP 96

/* A pcap file that is made from datagrams, and its options. */
struct pcap {
	struct buf b;
	struct shape shape;
	bool little, nanoseconds;
	size_t mtu;		/* bytes in a fragment; 0: no fragments */
	size_t snap;		/* bytes kept of each packet; 0: all */
	uint16_t id;
};

static void put_number(struct pcap *f, uint32_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf_add_char(&f->b, (char)(v >> 8 * (f->little ? i : bytes - 1 - i)));
}

/* Begin a file as in https://www.tcpdump.org/manpages/pcap-savefile.5.html */
static void begin(struct pcap *f)
{
	put_number(f, f->nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4, 4);
	put_number(f, 2, 2);
	put_number(f, 4, 2);
	put_number(f, 0, 4);
	put_number(f, 0, 4);
	put_number(f, 262144, 4);
	put_number(f, (uint32_t)f->shape.link, 4);
}

static void put_record(struct pcap *f, int64_t usec, struct str packet)
{
	size_t n = f->snap && f->snap < packet.n ? f->snap : packet.n;
	put_number(f, (uint32_t)(usec / 1000000), 4);
	put_number(f, (uint32_t)(usec % 1000000) * (f->nanoseconds ? 1000 : 1), 4);
	put_number(f, (uint32_t)n, 4);
	put_number(f, (uint32_t)packet.n, 4);
	buf_add(&f->b, (struct str){ packet.p, n });
}

static void put_datagram(struct pcap *f, struct str datagram, int64_t usec)
{
	struct buf udp CLEANUP(buf_free) = { 0 };
	struct shape s = f->shape;
	put_udp(&udp, &s, datagram);
	struct str rest = buf_str(&udp);
	size_t size = f->mtu && rest.n > f->mtu ? f->mtu : rest.n;
	s.id = ++f->id;
	s.fragment = size < rest.n;
	for (; rest.n; rest = str_skip(rest, size), s.offset += size) {
		struct buf packet CLEANUP(buf_free) = { 0 };
		size = rest.n < size ? rest.n : size;
		s.more = size < rest.n;
		put_packet(&packet, &s, (struct str){ rest.p, size });
		put_record(f, usec, buf_str(&packet));
	}
}

static void on_datagram(void *arg, const struct xrd_source *from, struct str d, int64_t now)
{
	struct pcap *f = arg;
	struct wire w = wire_of((struct str){ (const char *)from->address.s6_addr + 12, 4 });
	f->shape.address = wire_u32(&w);
	f->shape.source_port = from->port;
	put_datagram(f, d, now);
}

/*
 * Append a datagram as text, with only the last byte of its source address. That byte is 1 both in
 * the file of datagrams (127.0.0.1) and in IPv6 packets (::1).
 */
static void write_down(void *arg, const struct xrd_source *from, struct str d, int64_t now)
{
	buf_addf(arg, "%lld %02x %u %zu ", (long long)now, from->address.s6_addr[15], from->port,
		 d.n);
	buf_add(arg, d);
}

static const char *container(void)
{
	static char path[1024];
	const char *top = getenv("srcdir");
	snprintf(path, sizeof(path), "%s/tests/tracers/s2_io_http.dgram", top ? top : ".");
	return path;
}

static void make(struct pcap *f)
{
	const struct xrd_datagrams to = { on_datagram, f };
	struct xrd_capture c = { .port = 0 };
	f->shape.destination_port = 9930;
	begin(f);
	assert_int_equal(xrd_take_capture(xrd_open_capture(container()), &c, &to), 0);
}

static int read_back(struct str file, struct xrd_capture *c, const struct xrd_datagrams *to)
{
	char path[] = "/tmp/test_xrd_pcap.XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, file.p, file.n), file.n);
	close(fd);
	int r = xrd_take_capture(xrd_open_capture(path), c, to);
	unlink(path);
	return r;
}

static struct buf all_of_container(void)
{
	struct buf b = { 0 };
	const struct xrd_datagrams to = { write_down, &b };
	struct xrd_capture c = { .port = 0 };
	assert_int_equal(xrd_take_capture(xrd_open_capture(container()), &c, &to), 0);
	assert_true(b.n > 10000);
	return b;
}

static void same_as_container(struct pcap f, uint16_t port)
{
	struct buf want CLEANUP(buf_free) = all_of_container(), got CLEANUP(buf_free) = { 0 };
	const struct xrd_datagrams to = { write_down, &got };
	struct xrd_capture c = { .port = port };
	make(&f);
	assert_int_equal(read_back(buf_str(&f.b), &c, &to), 0);
	buf_free(&f.b);
	assert_true(str_eq(buf_str(&got), buf_str(&want)));
	assert_int_equal(c.others + c.damaged + c.fragments_lost, 0);
}

TEST(every_kind_of_file_gives_the_same_as_the_container)
{
	static const int links[] = { LINK_NULL, LINK_ETHERNET, LINK_RAW, LINK_LOOP, LINK_SLL,
				     LINK_SLL2 };
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		for (unsigned how = 0; how < 4; how++)
			same_as_container((struct pcap){
				.shape.link = links[i], .little = how & 1, .nanoseconds = how & 2,
				.shape.padded = links[i] == LINK_ETHERNET,
			}, how ? 9930 : 0);
	same_as_container((struct pcap){ .shape = { .link = LINK_ETHERNET, .vlans = 1 } }, 0);
	same_as_container((struct pcap){ .shape.family = V6 }, 9930);
}

TEST(fragments_are_put_together)
{
	same_as_container((struct pcap){ .shape.link = LINK_ETHERNET, .mtu = 256 }, 9930);
	same_as_container((struct pcap){ .shape = { .link = LINK_RAW, .family = V6 },
					 .mtu = 504 }, 0);
}

TEST(only_datagrams_to_the_port_are_read)
{
	struct pcap f = { .shape.link = LINK_RAW };
	struct buf got CLEANUP(buf_free) = { 0 };
	const struct xrd_datagrams to = { write_down, &got };
	struct xrd_capture c = { .port = 9931 }, any = { .port = 0 };
	make(&f);
	assert_int_equal(read_back(buf_str(&f.b), &c, &to), 0);
	assert_int_equal(got.n, 0);
	assert_int_equal(c.others, 84);
	/* a DNS query */
	put_datagram(&f, STR("\x12\x34\1\0\0\1\0\0\0\0\0\0\1a\3net\0\0\1\0\1"), 1);
	assert_int_equal(read_back(buf_str(&f.b), &any, &to), 0);
	assert_int_equal(any.others, 1);
	buf_free(&f.b);
}

struct count {
	size_t whole, bad;
};

static void count_whole(void *arg, const struct xrd_source *from, struct str d, int64_t now)
{
	struct xrd_packet p;
	struct count *n = arg;
	(void)from;
	(void)now;
	n->whole += xrd_open(d, &p) == 0;
	n->bad += xrd_open(d, &p) == -EBADMSG;
}

/* A packet truncated by tcpdump -s is passed on, so that it counts as damaged. */
TEST(datagrams_that_the_capture_cut_off_are_damaged)
{
	struct pcap f = { .shape.link = LINK_ETHERNET, .snap = SNAP };
	struct count n = { 0 };
	const struct xrd_datagrams to = { count_whole, &n };
	struct xrd_capture c = { .port = 0 };
	make(&f);
	assert_int_equal(read_back(buf_str(&f.b), &c, &to), 0);
	assert_int_equal(n.whole + n.bad, 84);
	assert_true(n.bad > 40);
	assert_int_equal(c.others, 0);
	buf_free(&f.b);
}

TEST(a_file_that_is_cut_off_gives_its_whole_datagrams)
{
	struct pcap f = { .shape.link = LINK_RAW };
	struct count n = { 0 };
	const struct xrd_datagrams to = { count_whole, &n };
	struct xrd_capture c = { .port = 0 }, empty = { .port = 0 }, other = { .port = 0 };
	make(&f);
	assert_int_equal(read_back((struct str){ f.b.p, f.b.n - 1 }, &c, &to), -EBADMSG);
	assert_int_equal(n.whole, 83);
	assert_true(c.why[0]);
	assert_int_equal(read_back((struct str){ f.b.p, 20 }, &empty, &to), -EBADMSG);
	assert_int_equal(read_back(STR("no capture, but a text"), &other, &to), -EBADMSG);
	assert_true(other.why[0]);
	buf_free(&f.b);
}

static struct buf output_of(const char *path, const char *mode)
{
	char command[2048];
	struct buf b = { 0 };
	snprintf(command, sizeof(command), "./nodometer-xrootd --read %s --%s 2>/dev/null", path,
		 mode);
	FILE *p = popen(command, "r");
	assert_non_null(p);
	do {
		buf_reserve(&b, 65536);
		b.n += fread(b.p + b.n, 1, 65536, p);
	} while (!feof(p) && !ferror(p));
	assert_int_equal(pclose(p), 0);
	return b;
}

TEST(the_program_prints_the_same_of_both)
{
	static const char *const modes[] = { "transfers", "events" };
	char path[] = "/tmp/test_xrd_pcap.XXXXXX";
	struct pcap f = { .shape.link = LINK_SLL2, .little = true, .mtu = 512 };
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	make(&f);
	assert_int_equal(write(fd, f.b.p, f.b.n), f.b.n);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct buf want CLEANUP(buf_free) = output_of(container(), modes[i]);
		struct buf got CLEANUP(buf_free) = output_of(path, modes[i]);
		assert_true(want.n > 10000);
		assert_true(str_eq(buf_str(&got), buf_str(&want)));
	}
	unlink(path);
	buf_free(&f.b);
}

#ifdef HAVE_LIBPCAP
static const bool with_libpcap = true;
#else
static const bool with_libpcap;
#endif

int main(void)
{
	if (!with_libpcap) {
		puts("SKIP: built without libpcap");
		return 77;
	}
	RUN(cmocka_unit_test(every_kind_of_file_gives_the_same_as_the_container),
	    cmocka_unit_test(fragments_are_put_together),
	    cmocka_unit_test(only_datagrams_to_the_port_are_read),
	    cmocka_unit_test(datagrams_that_the_capture_cut_off_are_damaged),
	    cmocka_unit_test(a_file_that_is_cut_off_gives_its_whole_datagrams),
	    cmocka_unit_test(the_program_prints_the_same_of_both));
}
