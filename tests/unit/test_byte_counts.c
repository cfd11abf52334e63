/* SPDX-License-Identifier: BSD-3-Clause */
/* test_byte_counts.c - decide whether an access's byte counts are exact, lower bounds or unknown */
#include "tests/unit/test.h"
#include <stdio.h>
#include "tests/unit/xrd_bench.h"
#include "xrootd/state/saved_state.h"
#include "xrootd/state/state_parts.h"

#define KB4    { .kind = XRD_IO, .id = 8, .length = 4096 }
#define KB4_W  { .kind = XRD_IO, .id = 8, .offset = 4096, .length = -4096 }

/*
 * A file access: versions of server and client, how the file was opened, and the counts that its
 * close reports.
 */
struct access {
	const char *server, *protocol, *client;
	bool for_write, forced, ops, cache;
	int64_t read, write;
	struct xrd_ops o;
	const char *expect;
};

static void start(struct bench *b, const struct access *a)
{
	char text[256];
	snprintf(text, sizeof(text), "=/xrootd.5:42@srv.example.org\n&site=S&port=1094&inst=i"
		 "&pgm=xrootd&ver=%s", a->server);
	hand(b, map(b, '=', 0, text));
	snprintf(text, sizeof(text), "%s/alice.77:42@[::1]\n&p=gsi&R=%s&x=cp&y=&I=6", a->protocol,
		 a->client);
	hand(b, map(b, 'u', 7, text));
	if (a->cache) {
		const struct xrd_packet p = { .code = 'g', .start = b->start, .sid = 42,
					      .provider = 'C', .begin = 1, .end = 2 };
		const struct xrd_record line = { .kind = XRD_LINE, .text = STR("{}") };
		struct buf d = { 0 };
		xrd_begin(&d, &p);
		xrd_put(&d, &p, &line);
		assert_int_equal(xrd_end(&d, &p), 0);
		hand(b, d);
	}
	struct xrd_record r = opened;
	r.flags |= a->for_write ? XRD_HAS_RW : 0;
	hand_f(b, r);
}

static void end(struct bench *b, const struct access *a)
{
	hand_f(b, (struct xrd_record){
		.kind = XRD_CLOSE, .id = 8, .read = a->read, .write = a->write, .ops = a->o,
		.flags = (uint8_t)((a->forced ? XRD_FORCED : 0) | (a->ops ? XRD_HAS_OPS : 0)) });
}

#define EXACT(read, write) "\"read\":" read ",\"readv\":0,\"write\":" write \
	",\"read_is\":\"exact\",\"write_is\":\"exact\",\"bytes_from\":\"close\",\"bytes_why\":null"
#define NO_READ(why) "\"read\":null,\"readv\":0,\"write\":0,\"read_is\":null," \
	"\"write_is\":\"exact\",\"bytes_from\":\"close\",\"bytes_why\":\"" why "\""
#define NO_WRITE(why) "\"read\":0,\"readv\":0,\"write\":null,\"read_is\":\"exact\"," \
	"\"write_is\":null,\"bytes_from\":\"close\",\"bytes_why\":\"" why "\""

static const struct access cases[] = {
	/* A forced close does not count pgread and pgwrite. */
	{ "v5.5.3", "xroot", "v5.5.3", .forced = true,
	  .expect = NO_READ("pgread is not counted at a forced close") },
	{ "v5.5.3", "xroot", "v5.5.3", .forced = true, .read = 9,
	  .expect = "\"read\":9,\"readv\":0,\"write\":0,\"read_is\":\"at_least\"" },
	{ "v5.5.3", "xroots", "v5.5.3", .forced = true, .for_write = true, .read = 9,
	  .expect = "\"write\":null,\"read_is\":\"at_least\",\"write_is\":null" },
	{ "v5.5.3", "xroot", "v5.5.3", .forced = true, .for_write = true, .read = 9, .write = 8,
	  .expect = "\"write\":8,\"read_is\":\"at_least\",\"write_is\":\"at_least\"" },
	{ "", "xroot", "", .forced = true,	/* with unknown versions, assume the worst */
	  .expect = NO_READ("pgread is not counted at a forced close") },
	{ "v5.5.3", "xroot", "v4.12.1", .forced = true, .expect = EXACT("0", "0") },
	{ "v4.12.1", "xroot", "v5.5.3", .forced = true, .expect = EXACT("0", "0") },
	{ "v5.5.3", "http", "", .forced = true, .expect = EXACT("0", "0") },
	/* Servers since 5.3 count pgread and pgwrite at an orderly close. */
	{ "v5.2.0", "xroot", "v5.5.3", .expect = NO_READ("servers 5.2 do not count pgread") },
	{ "v5.2.3", "xroot", "v5.5.3", .read = 7,
	  .expect = "\"read\":7,\"readv\":0,\"write\":0,\"read_is\":\"at_least\"" },
	{ "v5.2.0", "xroot", "v5.5.3", .for_write = true, .read = 1,
	  .expect = "\"write\":null,\"read_is\":\"at_least\",\"write_is\":null" },
	{ "v5.3.0", "xroot", "v5.5.3", .expect = EXACT("0", "0") },
	{ "v5.1.0", "xroot", "v5.5.3", .forced = true, .expect = EXACT("0", "0") },
	/* Servers before 5.7.3 do not count HTTP PUT. */
	{ "v5.5.3", "http", "", .for_write = true,
	  .expect = NO_WRITE("servers before 5.7.3 do not count HTTP writes") },
	{ "v5.7.2", "https", "", .for_write = true,
	  .expect = NO_WRITE("servers before 5.7.3 do not count HTTP writes") },
	{ "v5.7.3", "https", "", .for_write = true, .expect = EXACT("0", "0") },
	{ "v5.5.3", "http", "", .for_write = true, .write = 3, .expect = EXACT("0", "3") },
	/* The close counts the requests of a writev, but not its bytes. */
	{ "v5.5.3", "xroot", "v5.5.3", .for_write = true, .ops = true, .o = { .write = 2 },
	  .expect = NO_WRITE("writev is not counted") },
	{ "v5.5.3", "xroot", "v5.5.3", .for_write = true, .ops = true, .write = 5,
	  .o = { .write = 2, .write_max = 5 },
	  .expect = "\"write\":5,\"read_is\":\"exact\",\"write_is\":\"at_least\"" },
	{ "v5.5.3", "xroot", "v5.5.3", .for_write = true, .ops = true, .write = 5,
	  .o = { .write = 2, .write_min = 1, .write_max = 4 }, .expect = EXACT("0", "5") },
	{ "v5.5.3", "xroot", "v5.5.3", .for_write = true, .ops = true, .write = 4100,
	  .o = { .write = 1, .write_min = INT32_MAX }, .expect = EXACT("0", "4100") },
	/* The close of a third-party copy's destination file does not count the copied bytes. */
	{ "v5.5.3", "xroot", "v5.5.3", .for_write = true, .ops = true,
	  .expect = "\"write\":0,\"read_is\":\"exact\",\"write_is\":\"at_least\","
		    "\"bytes_from\":\"close\",\"bytes_why\":\"a third-party copy is not counted\""
	},
	/* Servers do not count asynchronous reads of a cache. */
	{ "v5.5.3", "xroot", "v5.5.3", .cache = true,
	  .expect = NO_READ("asynchronous reads of caches are not counted") },
	{ "v5.5.3", "xroot", "v5.5.3", .cache = true, .read = 6,
	  .expect = "\"read\":6,\"readv\":0,\"write\":0,\"read_is\":\"at_least\"" },
	{ "v5.1.0", "xroot", "v5.5.3", .cache = true, .expect = EXACT("0", "0") },
	{ "v5.5.3", "http", "", .cache = true, .expect = EXACT("0", "0") },
	/* the server is not a cache */
	{ "v5.5.3", "xroot", "v5.5.3", .expect = EXACT("0", "0") },
};

TEST(each_rule_names_bytes_that_a_close_omits)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bench *b = bench_new(1 << 20);
		start(b, &cases[i]);
		end(b, &cases[i]);
		wait_for(b, XRD_WAIT / MS);
		assert_int_equal(b->n, 1);
		expect(b, cases[i].expect);
		bool untold = strstr(cases[i].expect, "_is\":null");
		assert_int_equal(was_reported(b, "\"missing\":[\"bytes\"]"), untold);
		assert_int_equal(was_reported(b, "\"complete\":false"), untold);
		bench_free(b);
	}
}

static const struct access aborted = { "v5.5.3", "xroot", "v5.5.3", .forced = true,
				       .for_write = true };

TEST(requests_replace_a_forced_close_even_if_they_come_later)
{
	const struct xrd_record requests[] = { KB4, KB4, KB4_W };
	for (int late = 0; late < 2; late++) {
		struct bench *b = bench_new(1 << 20);
		start(b, &aborted);
		hand_t(b, requests, late ? 1 : 3);
		end(b, &aborted);
		assert_int_equal(b->n, 0);
		if (late)
			hand_t(b, requests + 1, 2);
		wait_for(b, XRD_WAIT / MS);
		assert_int_equal(b->n, 1);
		expect(b, "\"read\":8192,\"readv\":0,\"write\":4096,\"read_is\":\"exact\","
			  "\"write_is\":\"exact\",\"bytes_from\":\"requests\",\"bytes_why\":null");
		expect(b, "\"complete\":true");
		bench_free(b);
	}
}

static void go_on_from_saved_state(struct bench *b)
{
	const struct xrd_listener to = { on_transfer, NULL, b };
	struct buf state CLEANUP(buf_free) = { 0 };
	join_put_state(&state, b->join);
	xrd_join_abandon(b->join);
	xrd_join_free(b->join);
	b->join = xrd_join_new(&to, 1 << 20);
	struct wire w = wire_of(buf_str(&state));
	join_take_state(&w, b->join);
	assert_false(w.bad);
}

/* Counts of requests and bytes come from one source, so no bytes are reported with 0 requests. */
TEST(requests_and_bytes_come_from_the_same_source)
{
	struct bench *b = bench_new(1 << 20);
	struct access a = aborted;
	const struct xrd_record requests[] = { KB4, KB4, KB4_W };
	a.ops = true;
	a.read = 4096;
	a.o = (struct xrd_ops){ .read = 1, .read_min = 4096, .read_max = 4096 };
	start(b, &a);
	end(b, &a);	/* without the t-stream, the counts come from the close */
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"read\":4096,\"readv\":0,\"write\":null,\"read_is\":\"at_least\"");
	expect(b, "\"read_operations\":1,\"read_average\":4096,\"read_min\":4096,");
	expect(b, "\"write_operations\":null,\"write_average\":null,\"write_min\":null,");
	b->out.n = 0;
	start(b, &a);
	hand_t(b, requests, ARRAY_SIZE(requests));
	end(b, &a);
	go_on_from_saved_state(b);
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"read\":8192,\"readv\":0,\"write\":4096,");
	expect(b, "\"read_operations\":2,\"read_average\":4096,\"read_min\":null,");
	expect(b, "\"read_single_operations\":2,");
	expect(b, "\"read_vector_operations\":0,");
	expect(b, "\"write_operations\":1,\"write_average\":4096,\"write_min\":null,");
	bench_free(b);
}

/* The close counts a writev as a request. No record has the bytes of a writev. */
TEST(writev_has_requests_and_no_bytes)
{
	struct bench *b = bench_new(1 << 20);
	struct access a = aborted;
	const struct xrd_record requests[] = { KB4_W };
	a.ops = true;
	a.o = (struct xrd_ops){ .write = 2 };
	start(b, &a);
	end(b, &a);
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"write\":null,");
	expect(b, "\"write_operations\":2,\"write_average\":null,\"write_min\":null,");
	b->out.n = 0;
	start(b, &a);
	hand_t(b, requests, ARRAY_SIZE(requests));
	end(b, &a);
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"write\":4096,\"read_is\":\"exact\",\"write_is\":\"at_least\"");
	expect(b, "\"bytes_why\":\"not all requests are known\"");
	expect(b, "\"write_operations\":2,");
	bench_free(b);
}

TEST(vector_reads_count_once_with_or_without_their_parts)
{
	struct bench *b = bench_new(1 << 20);
	struct access a = aborted;
	const struct xrd_record requests[] = {
		{ .kind = XRD_READV, .id = 8, .segments = 2, .length = 8192, .unpacked = true },
		KB4, KB4, { .kind = XRD_READV, .id = 8, .segments = 2, .length = 100 }, KB4,
	};
	a.for_write = false;
	start(b, &a);
	hand_t(b, requests, ARRAY_SIZE(requests));
	end(b, &a);
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"read\":4096,\"readv\":0,\"write\":0,\"read_is\":\"exact\"");
	b->out.n = 0;
	start(b, &a);
	hand_t(b, requests, ARRAY_SIZE(requests));
	hand_f(b, left);	/* a disconnect without a close */
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"read\":4096,\"readv\":8292,\"write\":null,\"read_is\":\"at_least\"");
	expect(b, "\"read_operations\":3,\"read_average\":4129.333333333333,");
	expect(b, "\"read_vector_segments\":4,\"read_vector_count_average\":2,");
	bench_free(b);
}

TEST(requests_are_a_lower_bound_after_a_loss)
{
	struct bench *b = bench_new(1 << 20);
	const struct xrd_record requests[] = { KB4 };
	start(b, &aborted);
	b->seq++;
	hand_t(b, requests, 1);
	wait_for(b, XRD_ORDER_WAIT / MS);
	end(b, &aborted);
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"read\":4096,\"readv\":0,\"write\":null,\"read_is\":\"at_least\"");
	expect(b, "\"bytes_why\":\"not all requests are known\"");
	expect(b, "\"missing\":[\"bytes\"]");
	bench_free(b);
}

TEST(requests_are_exact_after_a_loss_before_the_open)
{
	struct bench *b = bench_new(1 << 20);
	const struct xrd_record requests[] = { KB4 };
	hand(b, map(b, 'u', 5, "xroot/bob.1:42@h"));
	b->seq++;
	hand(b, map(b, 'u', 6, "xroot/bob.2:42@h"));
	wait_for(b, XRD_ORDER_WAIT / MS);
	assert_int_equal(xrd_join_servers(b->join)->server[0]->seen.n[XRD_LOST], 1);
	start(b, &aborted);
	go_on_from_saved_state(b);
	hand_t(b, requests, 1);
	end(b, &aborted);
	wait_for(b, XRD_WAIT / MS);
	expect(b, "\"read\":4096,\"readv\":0,\"write\":null,\"read_is\":\"exact\"");
	bench_free(b);
}

TEST(orderly_close_is_reported_at_once_and_is_final)
{
	struct bench *b = bench_new(1 << 20);
	struct access a = aborted;
	const struct xrd_record requests[] = { KB4, KB4 };
	a.forced = a.for_write = false;
	a.read = 5000;
	start(b, &a);
	hand_t(b, requests, 2);
	end(b, &a);
	assert_int_equal(b->n, 1);
	expect(b, EXACT("5000", "0"));
	bench_free(b);
}

/*
 * Byte counts of an aborted access. With a write request: nothing was read. With read requests
 * only: nothing was written if the server counts operations (.ops); else the bytes written are
 * unknown, because the client may have used writev, which no record reports.
 */
TEST(requests_of_one_kind_exclude_the_other_kind)
{
	static const struct {
		struct xrd_record request;
		bool ops;
		const char *expect;
	} of[] = {
		{ KB4_W, false, "\"read\":0,\"readv\":0,\"write\":4096,\"read_is\":\"exact\"" },
		{ KB4, true, "\"write\":0,\"read_is\":\"exact\",\"write_is\":\"exact\"" },
		{ KB4, false, "\"write\":null,\"read_is\":\"exact\",\"write_is\":null" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct bench *b = bench_new(1 << 20);
		struct access a = aborted;
		a.ops = of[i].ops;
		start(b, &a);
		hand_t(b, &of[i].request, 1);
		end(b, &a);
		wait_for(b, XRD_WAIT / MS);
		assert_int_equal(b->n, 1);
		expect(b, of[i].expect);
		bench_free(b);
	}
}

#define COPY(client, to, result, size) "{\"TPC\":\"xroot\",\"Client\":\"" client "\"," \
	"\"Xeq\":{\"RC\":" result ",\"Strm\":1,\"Type\":\"pull\",\"IPv\":6}," \
	"\"Src\":\"xroot://a:1//x\",\"Dst\":\"xroot://srv:1094/" to "\",\"Size\":" size "}"
#define ALICE   "alice.77:26@[::1]"
#define NO_COPY "\"write\":0,\"read_is\":\"exact\",\"write_is\":\"at_least\"," \
	"\"bytes_from\":\"close\""

/*
 * The report of a third-party copy may come before or after the close of the file, and the receiver
 * may restart in between.
 */
TEST(size_of_a_third_party_copy_is_the_bytes_written)
{
	static const struct {
		const char *server, *copy, *expect;
		bool awaited; /* the report .copy is of no use, so the receiver waits for another */
	} of[] = {
		{ "v5.6.0", COPY(ALICE, "/store/a/b.root", "0", "6000000000"),
		  "\"write\":6000000000,\"read_is\":\"exact\",\"write_is\":\"exact\","
		  "\"bytes_from\":\"copy\",\"bytes_why\":null", false },
		{ "v5.6.0", COPY(ALICE, "/store/a/b.root?x=/y", "0", "7"),
		  "\"write\":7,", false },
		{ "v5.5.3", COPY(ALICE, "/store/a/b.root", "0", "7"),
		  "\"write\":7,\"read_is\":\"exact\",\"write_is\":\"at_least\","
		  "\"bytes_from\":\"copy\",\"bytes_why\":\"a server before 5.6 ", false },
		{ "v5.6.0", COPY(ALICE, "/store/a/b.root", "0", "0"), NO_COPY, false },
		{ "v5.6.0", COPY(ALICE, "/store/a/b.root", "32", "7"), NO_COPY, true },
		{ "v5.6.0", COPY(ALICE, "/store/a/c.root", "0", "7"), NO_COPY, true },
		{ "v5.6.0", COPY("bob.77:26@[::1]", "/store/a/b.root", "0", "7"), NO_COPY, true },
		{ "v5.6.0", COPY(ALICE, "", "0", "7"), NO_COPY, true },
		{ "v5.6.0", "{}", NO_COPY, true }, { "v5.6.0", "torn", NO_COPY, true },
	};
	for (size_t i = 0; i < ARRAY_SIZE(of) * 4; i++) {
		bool late = i % 4 & 1, again = i % 4 & 2;
		struct bench *b = bench_new(1 << 20);
		start(b, &(struct access){ of[i / 4].server, "xroot", "v5.5.3",
					   .for_write = true });
		if (late) /* the report of another copy only shows that the server reports copies */
			hand_g(b, 'P', "{}");
		else
			hand_g(b, 'P', of[i / 4].copy);
		if (again)
			go_on_from_saved_state(b);
		end(b, &(struct access){ .ops = true });
		assert_int_equal(b->n, late || of[i / 4].awaited ? 0 : 1);
		if (again)
			go_on_from_saved_state(b);
		if (late)
			hand_g(b, 'P', of[i / 4].copy);
		assert_int_equal(b->n, of[i / 4].awaited ? 0 : 1);
		wait_for(b, XRD_COPY_WAIT / MS);
		assert_int_equal(b->n, 1);
		expect(b, of[i / 4].expect);
		expect(b, "\"complete\":true");
		bench_free(b);
	}
}

/*
 * The report of a copy comes in another stream than the open of its file, and may come first. The
 * file is then written once more, without a copy and so without a report.
 */
TEST(report_of_a_copy_may_come_before_the_open)
{
	const struct access reads = { "v5.6.0", "xroot", "v5.6.0", .ops = true };
	const struct access writes = { "v5.6.0", "xroot", "v5.6.0", .ops = true,
				       .for_write = true };
	struct bench *b = bench_new(1 << 20);
	start(b, &reads);
	end(b, &reads);
	hand_g(b, 'P', COPY(ALICE, "/store/a/b.root", "0", "7"));
	for (size_t i = 0; i < 2; i++) {
		start(b, &writes);
		end(b, &writes);
		assert_int_equal(b->n, 2);
	}
	expect(b, "\"write\":7,\"read_is\":\"exact\",\"write_is\":\"exact\"");
	wait_for(b, XRD_COPY_WAIT / MS);
	assert_int_equal(b->n, 3);
	expect(b, NO_COPY);
	bench_free(b);
}

TEST(write_by_the_client_waits_for_no_copy)
{
	struct bench *b = bench_new(1 << 20);
	start(b, &(struct access){ "v5.6.0", "xroot", "v5.5.3", .for_write = true });
	hand_g(b, 'P', COPY(ALICE, "/store/a/b.root", "0", "7"));
	end(b, &(struct access){ .ops = true, .write = 5, .o = { .write = 1, .write_min = 5 } });
	assert_int_equal(b->n, 1);
	expect(b, EXACT("0", "5"));
	bench_free(b);
}

#define PAYLOAD(read, write, read_is, write_is, why) "\"read_payload\":" read "," \
	"\"write_payload\":" write ",\"read_payload_is\":" read_is "," \
	"\"write_payload_is\":" write_is ",\"payload_why\":" why ","
#define UPLOAD(bytes, n, min, max, what) { "v5.6.0", "xroot", "v5.6.0", .for_write = true, \
	.ops = true, .write = (bytes), .o = { .write = (n), .write_min = (min), \
	.write_max = (max) }, .expect = what }
#define OF_PAGES(bytes) PAYLOAD("0", bytes, "\"exact\"", "\"at_most\"", \
	"\"without the checksums of whole pages\"")

/*
 * xrdcp sends pages of up to 4096 bytes, each with a checksum of 4 bytes, so it uploads 1 byte as
 * 5. In these cases, files that are read have 5000 bytes.
 */
TEST(payload_excludes_checksums_and_states_its_accuracy)
{
	static const struct access of[] = {
		UPLOAD(5, 1, INT32_MAX, 0, OF_PAGES("1")),
		UPLOAD(4100, 1, INT32_MAX, 0, OF_PAGES("4096")),
		UPLOAD(4105, 1, INT32_MAX, 0, OF_PAGES("4097")),
		UPLOAD(20019532, 3, INT32_MAX, 0, OF_PAGES("20000000")),
		UPLOAD(300, 3, 100, 100, PAYLOAD("0", "300", "\"exact\"", "\"exact\"", "null")),
		UPLOAD(405, 4, 100, 100, PAYLOAD("0", "405", "\"exact\"", "\"at_most\"",
						 "\"checksums of pages may be in it\"")),
		{ "v5.6.0", "xroot", "v4.12.0", .for_write = true, .write = 5,
		  .expect = PAYLOAD("0", "5", "\"exact\"", "\"exact\"", "null") },
		{ "v5.7.3", "https", "", .for_write = true, .write = 5,
		  .expect = PAYLOAD("0", "5", "\"exact\"", "\"exact\"", "null") },
		{ "v5.6.0", "xroot", "v5.6.0", .read = 5000,
		  .expect = PAYLOAD("5000", "0", "\"exact\"", "\"exact\"", "null") },
		{ "v5.6.0", "xroot", "v5.6.0", .read = 8192,	/* a cache reads whole blocks */
		  .expect = PAYLOAD("8192", "0", "\"at_most\"", "\"exact\"",
				    "\"reads may go past the end of the file\"") },
		{ "v5.5.3", "xroot", "v5.5.3", .forced = true, .read = 9,
		  .expect = PAYLOAD("null", "0", "null", "\"exact\"",
				    "\"not all bytes are known\"") },
	};
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct bench *b = bench_new(1 << 20);
		start(b, &of[i]);
		end(b, &of[i]);
		wait_for(b, XRD_WAIT / MS);
		expect(b, of[i].expect);
		bench_free(b);
	}
}

#define HTTP_COPY(rc) "{\"TPC\":\"http\",\"Client\":\"bob.5:26@[::1]\",\"Xeq\":{" \
	"\"Beg\":\"2026-11-20T08:00:01.045Z\",\"End\":\"2026-11-20T08:00:03.9Z\",\"RC\":" rc "," \
	"\"Strm\":1,\"Type\":\"pull\",\"IPv\":6}," \
	"\"Src\":\"https://door:1094//store/a/b.root?t=secret\"," \
	"\"Dst\":\"https://dst.example.org:1094//store/new\",\"Size\":5000}"

/*
 * Send the report of a copy from the destination server, which makes the copy as a client of the
 * source server.
 */
static void report_copy(struct bench *b, const char *line)
{
	const struct bench source = *b;
	b->from.address.s6_addr[15] = 2;
	b->start++;
	b->seq = b->g_seq = 0;
	hand(b, map(b, '=', 0, "=/xrootd.5:42@dst.example.org\n&site=S&port=1094&inst=i"
				"&pgm=xrootd&ver=v5.6.0"));
	hand_g(b, 'P', line);
	b->from = source.from;
	b->start = source.start;
	b->seq = source.seq;
	b->g_seq = source.g_seq;
}

/*
 * The copy's report comes before the close of the source file (i is 0), after it (1), or after it
 * and a restart of the receiver (2).
 */
TEST(http_copy_has_a_line_and_its_sides_name_each_other)
{
	for (int i = 0; i < 3; i++) {
		struct bench *b = bench_new(1 << 20);
		start(b, &(struct access){ "v5.6.0", "https", "" });
		hand(b, map(b, 'u', 7, "https/x.77:42@[::2]\n&p=gsi&x=cp&y=&I=6"));
		report_copy(b, i ? "{}" : HTTP_COPY("0"));
		assert_int_equal(b->n, i ? 0 : 1);
		end(b, &(struct access){ .read = 5000 });
		assert_int_equal(b->n, i ? 0 : 2);
		if (i == 2)
			go_on_from_saved_state(b);
		if (i)
			report_copy(b, HTTP_COPY("0"));
		assert_int_equal(b->n, 2);
		expect(b, "{\"filename\":\"/store/new\",\"filesize\":null,\"file_id\":null,"
			  "\"for_write\":true,");
		expect(b, "\"user\":\"bob\",");
		expect(b, "\"start_time\":1795161601000,\"end_time\":1795161603000,");
		expect(b, "\"read\":0,\"readv\":0,\"write\":5000,\"read_is\":\"exact\","
			  "\"write_is\":\"exact\",\"bytes_from\":\"copy\"");
		expect(b, "\"ended_by\":\"copy\",\"forced\":null,\"HasFileCloseMsg\":0,"
			  "\"copy\":\"pull\",\"copy_status\":0,"
			  "\"copy_peer\":\"https://door:1094//store/a/b.root\"}");
		expect(b, "\"copy\":null,\"copy_status\":null,"
			  "\"copy_peer\":\"https://dst.example.org:1094//store/new\"}");
		bench_free(b);
	}
}

/* Once its copy was reported, an access waits for requests only as long as other accesses do. */
TEST(uncounted_http_copy_does_not_wait_after_its_report)
{
	struct bench *b = bench_new(1 << 20);
	start(b, &(struct access){ "v5.5.3", "https", "", .for_write = true });
	hand(b, map(b, 'u', 7, "https/x.77:42@[::2]\n&p=gsi&x=cp&y=&I=6"));
	report_copy(b, "{}");
	end(b, &(struct access){ .for_write = true });
	wait_for(b, XRD_WAIT / MS);
	assert_int_equal(b->n, 0);
	report_copy(b, HTTP_COPY("0"));
	assert_int_equal(b->n, 1);
	wait_for(b, XRD_WAIT / MS);
	assert_int_equal(b->n, 2);
	expect(b, "\"copy_peer\":\"https://dst.example.org:1094//store/new\"}");
	bench_free(b);
}

TEST(failed_http_copy_names_no_peer)
{
	struct bench *b = bench_new(1 << 20);
	start(b, &(struct access){ "v5.6.0", "https", "" });
	hand(b, map(b, 'u', 7, "https/x.77:42@[::2]\n&p=gsi&x=cp&y=&I=6"));
	report_copy(b, HTTP_COPY("404"));
	expect(b, "\"copy_status\":404,");
	end(b, &(struct access){ .read = 5000 });
	assert_int_equal(b->n, 1);
	wait_for(b, XRD_COPY_WAIT / MS);	/* a second, successful copy may follow */
	assert_int_equal(b->n, 2);
	expect(b, "\"copy_peer\":null}");
	bench_free(b);
}

/* An access is reported at once if its client is not a server that reports copies. */
TEST(http_access_is_reported_at_once)
{
	struct bench *b = bench_new(1 << 20);
	start(b, &(struct access){ "v5.6.0", "https", "" });
	report_copy(b, HTTP_COPY("0"));
	end(b, &(struct access){ .read = 5000 });
	assert_int_equal(b->n, 2);
	expect(b, "\"copy_peer\":null}");
	bench_free(b);
}

int main(void)
{
	RUN(cmocka_unit_test(each_rule_names_bytes_that_a_close_omits),
	    cmocka_unit_test(requests_of_one_kind_exclude_the_other_kind),
	    cmocka_unit_test(requests_replace_a_forced_close_even_if_they_come_later),
	    cmocka_unit_test(requests_and_bytes_come_from_the_same_source),
	    cmocka_unit_test(writev_has_requests_and_no_bytes),
	    cmocka_unit_test(vector_reads_count_once_with_or_without_their_parts),
	    cmocka_unit_test(requests_are_a_lower_bound_after_a_loss),
	    cmocka_unit_test(requests_are_exact_after_a_loss_before_the_open),
	    cmocka_unit_test(orderly_close_is_reported_at_once_and_is_final),
	    cmocka_unit_test(size_of_a_third_party_copy_is_the_bytes_written),
	    cmocka_unit_test(payload_excludes_checksums_and_states_its_accuracy),
	    cmocka_unit_test(http_copy_has_a_line_and_its_sides_name_each_other),
	    cmocka_unit_test(
		uncounted_http_copy_does_not_wait_after_its_report),
	    cmocka_unit_test(failed_http_copy_names_no_peer),
	    cmocka_unit_test(http_access_is_reported_at_once),
	    cmocka_unit_test(report_of_a_copy_may_come_before_the_open),
	    cmocka_unit_test(write_by_the_client_waits_for_no_copy));
}
