/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_pm.c - read and write .pm files: header bytes, every truncation, each byte order
 *
 * P and a number, such as P20, name a line of the checklist of the report on the .pm format. Each
 * line needs a test (tests/gates/seeds.sh).
 */
#include "tests/unit/test.h"
#include "tests/unit/broken_file.h"

#include <errno.h>
#include <stdlib.h>
#include "formats/format.h"
#include "formats/pm/pm_columns.h"

/*
 * Make the header of the example in the report on the .pm format: 16 columns in an entry of 64
 * bytes.
 */
static struct pm_header seed_header(struct pm_column *columns)
{
	struct pm_header h = { .mods = PM_SACK | PM_FACK, .version = "0.9", .entry_size = 64,
			       .cluster = 65536, .column = columns, .n_columns = PM_SEED_COLUMNS };
	for (size_t i = 0; i < PM_SEED_COLUMNS; i++)
		columns[i] = pm_known[i].column;
	return h;
}

/*
 * The header has records of kinds 2, 1, 5, 6 and 3 first, then the columns, then the end record
 * (P20, P31).
 */
TEST(header_is_that_of_the_report_byte_by_byte)
{
	static const char first[] =
		"\0\2\0\14" "0.9\0\0\0\0\0" "\0\1\0\10" "\0\6\0\0" "\0\5\0\10" "\0\0\0\0"
		"\0\6\0\10" "\0\1\0\0" "\0\3\0\10" "\0\100\0\0"
		"\0\4\0\44" "seq_no\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		"\0\0" "\4\0" "\0\0" "\0\0";
	static const char lport[] =
		"\0\4\0\44" "lport\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
		"\0\24" "\2\2" "\0\0" "\0\1";
	struct pm_column columns[PM_SEED_COLUMNS];
	struct pm_header h = seed_header(columns);
	struct buf b CLEANUP(buf_free) = { 0 };

	pm_put_header(&b, &h);
	assert_int_equal(b.n, 624);
	assert_memory_equal(b.p, first, sizeof(first) - 1);
	assert_memory_equal(b.p + 44 + 4 * 36, lport, sizeof(lport) - 1);
	assert_memory_equal(b.p + 620, "\0\0\0\4", 4);
}

TEST(a_header_that_was_written_is_read)
{
	struct pm_column columns[PM_SEED_COLUMNS];
	struct pm_header h = seed_header(columns), r;
	struct buf b CLEANUP(buf_free) = { 0 };
	struct pm_fault fault;

	pm_put_header(&b, &h);
	assert_int_equal(pm_read_header(buf_str(&b), &r, &fault), 0);
	assert_int_equal(r.bytes, b.n);
	assert_int_equal(r.mods, h.mods);
	assert_int_equal(r.cluster, h.cluster);
	assert_string_equal(r.version, "0.9");
	assert_int_equal(r.n_columns, PM_SEED_COLUMNS);
	for (size_t i = 0; i < PM_SEED_COLUMNS; i++)
		assert_memory_equal(&r.column[i], &columns[i], sizeof(columns[i]));
	pm_header_free(&r);
}

TEST(losses_are_stated_and_read)
{
	struct pm_column columns[PM_SEED_COLUMNS];
	struct pm_header h = seed_header(columns), r;
	struct buf b CLEANUP(buf_free) = { 0 };
	struct pm_fault fault;

	h.states_losses = true;
	h.missed_moments = 0x100000002;
	h.lost_snapshots = 3;
	pm_put_header(&b, &h);
	assert_int_equal(b.n, 624 + 20);
	assert_memory_equal(b.p + 36, "NM\0\24" "\0\0\0\1\0\0\0\2" "\0\0\0\0\0\0\0\3", 20);
	assert_int_equal(pm_read_header(buf_str(&b), &r, &fault), 0);
	assert_true(r.states_losses);
	assert_int_equal(r.missed_moments, h.missed_moments);
	assert_int_equal(r.lost_snapshots, h.lost_snapshots);
	pm_header_free(&r);
}

TEST(start_is_stated_and_read)
{
	struct pm_column columns[PM_SEED_COLUMNS];
	struct pm_header h = seed_header(columns), r;
	struct buf b CLEANUP(buf_free) = { 0 };
	struct pm_fault fault;

	h.states_start = true;
	h.start = 1700000000123456;
	pm_put_header(&b, &h);
	assert_int_equal(b.n, 624 + 12);
	assert_memory_equal(b.p + 36, "NS\0\14" "\0\6\12\44\30\40\42\100", 12);
	assert_int_equal(pm_read_header(buf_str(&b), &r, &fault), 0);
	assert_true(r.states_start);
	assert_int_equal(r.start, h.start);
	pm_header_free(&r);
	b.p[40] = '\200';	/* negative microseconds */
	assert_int_equal(pm_read_header(buf_str(&b), &r, &fault), -EBADMSG);
}

TEST(every_shorter_header_is_not_whole)
{
	struct pm_column columns[PM_SEED_COLUMNS];
	struct pm_header h = seed_header(columns), r;
	struct buf b CLEANUP(buf_free) = { 0 };
	struct pm_fault fault;

	pm_put_header(&b, &h);
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(pm_read_header((struct str){ b.p, n }, &r, &fault), -EAGAIN);
}

/* A read error must not be taken for the end of the file. */
TEST(read_error_is_reported_wherever_it_comes)
{
	struct pm_column columns[PM_SEED_COLUMNS];
	struct pm_header h = seed_header(columns);
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct record *g;

	pm_put_header(&b, &h);
	for (size_t n = 0; n <= b.n; n++) {
		struct str left = { b.p, n };
		const struct byte_source bytes = { give_then_fail, &left };
		struct record_source r = records_open(&bytes, NULL);
		assert_int_equal(record_next(&r, &g), -EIO);
		record_source_end(&r);
	}
}

static ssize_t give(void *arg, char *to, size_t n)
{
	struct str *left = arg;
	n = n < left->n ? n : left->n;
	memcpy(to, left->p, n);
	*left = str_skip(*left, n);
	return (ssize_t)n;
}

/* Readers need the width of a counter to compute its growth if it wraps. */
TEST(counters_have_the_width_of_their_column)
{
	struct pm_column columns[] = {
		pm_known[PM_TIME].column, pm_known[PM_TOTAL_RETRANS].column,
		pm_known[PM_BYTES_ACKED].column, pm_known[PM_RTT].column,
	};
	struct pm_header h = { .mods = PM_RENO, .entry_size = PM_ENTRY_SIZE, .column = columns,
			       .n_columns = ARRAY_SIZE(columns) };
	static const unsigned char entry[PM_ENTRY_SIZE];
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct record *g;

	pm_put_header(&b, &h);
	buf_add(&b, (struct str){ (const char *)entry, sizeof(entry) });
	struct str left = buf_str(&b);
	struct record_source r = records_open(&(struct byte_source){ give, &left }, NULL);
	assert_int_equal(record_next(&r, &g), 1);
	const struct record_key *key = g->rows[0].type->key;
	assert_int_equal(g->rows[0].type->n_keys, 3);
	assert_true(key[0].kind == COUNTER && key[0].bits == 32);
	assert_true(key[1].kind == COUNTER && key[1].bits == 64);
	assert_true(key[2].kind == GAUGE);
	record_source_end(&r);
}

/*
 * A PDP stores 0x0a0b0c0d as 0b 0a 0d 0c (P26). Ports have network byte order in every file (P40).
 */
TEST(values_are_in_the_byte_order_of_the_file)
{
	static const unsigned char want[][8] = {
		[PM_LITTLE_ENDIAN] = { 0x0d, 0x0c, 0x0b, 0x0a, 4, 3, 2, 1 },
		[PM_BIG_ENDIAN]    = { 1, 2, 3, 4, 0x0a, 0x0b, 0x0c, 0x0d },
		[PM_PDP_ENDIAN]    = { 2, 1, 4, 3, 0x0b, 0x0a, 0x0d, 0x0c },
	};
	struct pm_column wide = { .name = "v", .length = 8 };
	struct pm_column port = { .name = "p", .length = 2, .flags = PM_INT_NET };
	uint64_t v;

	for (enum pm_endian e = PM_LITTLE_ENDIAN; e <= PM_PDP_ENDIAN; e++) {
		struct pm_header h = { .endian = e };
		unsigned char entry[8];
		pm_set(&h, &wide, entry, 0x010203040a0b0c0d);
		assert_memory_equal(entry, want[e], 8);
		assert_true(pm_take(&h, &wide, entry, &v));
		assert_true(v == 0x010203040a0b0c0d);
		pm_set(&h, &port, entry, 5050);
		assert_memory_equal(entry, "\x13\xba", 2);
	}
}

TEST(columns_lie_in_the_entry_and_do_not_overlap)
{
	unsigned char used[PM_ENTRY_SIZE] = { 0 };
	for (size_t i = 0; i < PM_KNOWN; i++) {
		const struct pm_column *c = &pm_known[i].column;
		assert_true(c->offset + c->length <= PM_ENTRY_SIZE);
		/* only automatic columns (PM_AUTO) have no bytes in the entry (P42, P56-P58) */
		assert_true(c->length > 0 || c->mask == PM_AUTO);
		for (size_t k = 0; k < c->length; k++)
			assert_int_equal(used[c->offset + k]++, 0);
		assert_true(i >= PM_SEED_COLUMNS || c->offset + c->length <= 64);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(header_is_that_of_the_report_byte_by_byte),
	    cmocka_unit_test(a_header_that_was_written_is_read),
	    cmocka_unit_test(losses_are_stated_and_read),
	    cmocka_unit_test(start_is_stated_and_read),
	    cmocka_unit_test(every_shorter_header_is_not_whole),
	    cmocka_unit_test(read_error_is_reported_wherever_it_comes),
	    cmocka_unit_test(counters_have_the_width_of_their_column),
	    cmocka_unit_test(values_are_in_the_byte_order_of_the_file),
	    cmocka_unit_test(columns_lie_in_the_entry_and_do_not_overlap));
}
