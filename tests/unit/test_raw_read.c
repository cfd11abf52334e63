/* SPDX-License-Identifier: BSD-3-Clause */
/* test_raw_read.c - read raw files: the example of the format's document, torn and invalid input */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "formats/raw_read.h"
#include "formats/raw_schema.h"
#include "formats/raw_write.h"

/* The lines of "Raw stats data" in the format's document, without its "...". */
#define HEADER \
	"$hpcperfstats 1.0.2\n" \
	"$hostname i101-101.ranger.tacc.utexas.edu\n" \
	"$uname Linux x86_64 2.6.18-194.32.1.el5_TACC #18 SMP Mon Mar 14 22:24:19 CDT 2011\n" \
	"$uptime 4753669\n"
#define SCHEMA \
	"!amd64_pmc CTL0,C CTL1,C CTL2,C CTL3,C CTR0,E,W=48 CTR1,E,W=48 CTR2,E,W=48 " \
	"CTR3,E,W=48\n" \
	"!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs iowait,E,U=cs irq,E,U=cs " \
	"softirq,E,U=cs\n" \
	"!lnet tx_msgs,E rx_msgs,E rx_msgs_dropped,E tx_bytes,E,U=B rx_bytes,E,U=B " \
	"rx_bytes_dropped,E\n" \
	"!ps ctxt,E processes,E load_1 load_5 load_15 nr_running nr_threads\n"
#define GROUP \
	"\n1307509201 1981063\n" \
	"%begin 1981063\n" \
	"amd64_pmc 11 4259958 4391234 4423427 4405240 235835341001110 187269740525248 " \
	"62227761639015 177902917871843\n" \
	"amd64_pmc 10 4259958 4391234 4405239 4423427 221601328309784 187292967300939 " \
	"47879507215852 174113618669738\n" \
	"cpu 11 429720418 0 1685980 43516346 447875 155 3443\n" \
	"cpu 10 429988676 0 1675476 43150935 559410 8 283\n" \
	"ps - 4059349377 507410 1600 1600 1600 18 373\n"

#define OURS \
	"$hpcperfstats 1.0.2\n$hostname h\n$agent nodometer 0.1.0\n" \
	"!cpu user,E,U=cs idle,E,U=cs\n" \
	"!nodometer cpu,U=ns bytes,U=B rows errors stalls\n"

/* A text that the reader gets in pieces, and the messages of the reader. */
struct feed {
	struct str text;
	size_t piece;	/* bytes per read; 0: as many as are requested */
	struct buf said;
};

static ssize_t feed_read(void *arg, char *to, size_t n)
{
	struct feed *f = arg;
	if (f->piece && n > f->piece)
		n = f->piece;
	if (n > f->text.n)
		n = f->text.n;
	memcpy(to, f->text.p, n);
	f->text = str_skip(f->text, n);
	return (ssize_t)n;
}

static void feed_defect(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	static const char *const kinds[] = { "bad", "torn", "unreadable" };
	struct feed *f = arg;
	buf_addf(&f->said, "%s %u: %s\n", kinds[kind], (unsigned)line, what);
}

static struct record_source open_feed(struct feed *f)
{
	struct byte_source src = { feed_read, f };
	return raw_records(&src, &(struct record_listener){ feed_defect, f });
}

static void print_type(struct buf *b, const struct record_type *t)
{
	buf_addf(b, "!%s", t->name);
	for (size_t i = 0; i < t->n_keys; i++)
		raw_put_key(b, str_of(t->key[i].name), t->key[i].kind, str_of(t->key[i].unit),
			    t->key[i].bits);
	buf_add_char(b, '\n');
}

static void print_row(struct buf *b, const struct record_type *type, const struct record_row *row)
{
	buf_addf(b, "%s " STR_FMT, type->name, STR_ARG(row->device));
	for (size_t k = 0; k < type->n_keys; k++) {
		buf_add_char(b, ' ');
		if (!row_has(row, k))
			buf_add_char(b, '.');
		else if (row->real)
			buf_addf(b, "%g", row->real[k]);
		else
			buf_add_u64(b, row->value[k]);
	}
	buf_add_char(b, '\n');
}

static void print_group(struct buf *b, const struct record *g)
{
	struct buf jobs CLEANUP(buf_free) = { 0 };
	record_put_jobs(&jobs, g);
	raw_put_group(b, g->usec, buf_str(&jobs), g->host);
	for (size_t i = 0; i < g->n_marks; i++)
		raw_put_mark(b, g->mark[i].text);
	for (size_t i = 0; i < g->n_types; i++)
		for (size_t k = 0; k < g->rows[i].n; k++)
			print_row(b, g->rows[i].type, &g->rows[i].row[k]);
}

/* Read the whole text. Returns the record groups that were delivered, followed by the messages. */
static char *read_all(const char *text, size_t n, size_t piece)
{
	struct feed f = { .text = { text, n }, .piece = piece };
	struct record_source r = open_feed(&f);
	const struct record *g;
	struct buf got = { 0 };
	while (record_next(&r, &g) > 0)
		print_group(&got, g);
	buf_add(&got, buf_str(&f.said));
	buf_add_char(&got, '\0');
	record_source_end(&r);
	buf_free(&f.said);
	return got.p;
}

static void expect(const char *text, const char *expected)
{
	for (size_t piece = 0; piece < 20; piece++) {
		char *got = read_all(text, strlen(text), piece);
		assert_string_equal(got, expected);
		free(got);
	}
}

/* Read a record group of these lines, and compare its rows with the expected rows. */
static void expect_rows(const char *lines, const char *expected)
{
	struct buf text = { 0 }, want = { 0 };
	buf_addf(&text, "$tacc_stats 2\n!t a,E b,E,R=S c,\n\n5 j\n%s\n", lines);
	buf_addf(&want, "\n5 j\n%s", expected);
	buf_add_char(&text, '\0');
	buf_add_char(&want, '\0');
	expect(text.p, want.p);
	buf_free(&text);
	buf_free(&want);
}

TEST(the_documents_example_prints_back_unchanged)
{
	struct feed f = { .text = STR(HEADER SCHEMA GROUP) };
	struct record_source r = open_feed(&f);
	const struct record *g;
	struct buf out = { 0 };

	assert_int_equal(record_next(&r, &g), 1);
	static const char *const names[] = { "hostname", "uname", "uptime" };
	buf_addf(&out, "$" STR_FMT "\n", STR_ARG(record_property(&r, "")));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		raw_put_property(&out, names[i], record_property(&r, names[i]));
	for (size_t i = 0; record_type_at(&r, i); i++)
		print_type(&out, record_type_at(&r, i));
	print_group(&out, g);
	buf_add_char(&out, '\0');
	assert_string_equal(out.p, HEADER SCHEMA GROUP);

	assert_int_equal(record_next(&r, &g), 0);
	assert_int_equal(record_next(&r, &g), 0);
	assert_int_equal(f.said.n, 0);
	buf_free(&out);
	record_source_end(&r);
}

TEST(a_group_carries_its_place_and_its_header)
{
	struct feed f = { .text = STR(HEADER SCHEMA GROUP "\n1307509202.25 a,b host more\n"
				      "cpu 0 1 2 3 4 5 6 7\n" HEADER GROUP) };
	struct record_source r = open_feed(&f);
	const struct record *g;

	assert_int_equal(record_next(&r, &g), 1);
	assert_int_equal(g->line, 10);
	assert_true(g->restart);
	assert_int_equal(record_next(&r, &g), 1);
	assert_false(g->restart);
	assert_int_equal(g->usec, 1307509202250000);
	assert_int_equal(g->n_jobs, 2);
	assert_true(str_eq(g->job[0], STR("a")) && str_eq(g->job[1], STR("b")));
	assert_true(str_eq(g->host, STR("host")));
	assert_int_equal(record_next(&r, &g), 1);
	assert_true(g->restart);
	assert_true(str_eq(record_property(&r, "uptime"), STR("4753669")));
	assert_int_equal(record_property(&r, "nothing").n, 0);
	record_source_end(&r);
}

TEST(lower_devices_are_those_of_the_newest_header)
{
#define BELOW "$tacc_stats 2\n$below block md0 sda\n"
	struct feed f = { .text = STR(BELOW "!t a\n\n1 -\nt 0 1\n\n" BELOW "\n2 -\nt 0 1\n\n"
				      "$tacc_stats 2\n\n3 -\nt 0 1\n\n") };
	struct record_source r = open_feed(&f);
	const struct record *g;

	assert_int_equal(record_next(&r, &g), 1);
	size_t n = g->below->n;
	assert_true(n > 0);
	assert_int_equal(record_next(&r, &g), 1);
	assert_int_equal(g->below->n, n);
	assert_int_equal(record_next(&r, &g), 1);
	assert_int_equal(g->below->n, 0);
	record_source_end(&r);
}

TEST(whole_numbers_are_rounded_and_not_negative)
{
	struct feed f = { .text = STR("$tacc_stats 2\n!t a b c d\n\n1 -\nt 0 1.5 0.4 -3 2e1\n\n") };
	static const uint64_t want[] = { 2, 0, 0, 20 };
	struct record_source r = open_feed(&f);
	const struct record *g;

	assert_int_equal(record_next(&r, &g), 1);
	assert_memory_equal(g->rows[0].row[0].value, want, sizeof(want));
	record_source_end(&r);
}

TEST(options_of_keys_are_taken_or_ignored)
{
	struct feed f = { .text = STR("$tacc_stats 2\n!t a,E,U=512B,W=32 b,C c,U=KB,X=1,,Q d,W=99 "
				      "e,R=S, f,U=12\n\n1 -\nt - 1 2 3 4 5 6\n\n") };
	struct record_source r = open_feed(&f);
	const struct record *g;
	assert_int_equal(record_next(&r, &g), 1);

	const struct record_key *k = record_type_at(&r, 0)->key;
	assert_int_equal(k[0].kind, COUNTER);
	assert_int_equal(k[0].bits, 32);
	assert_int_equal(k[0].scale, 512);
	assert_string_equal(k[0].unit, "512B");
	assert_string_equal(k[0].unit_name, "B");
	assert_int_equal(k[1].kind, CONTROL);
	assert_int_equal(k[1].bits, 64);
	assert_int_equal(k[2].kind, GAUGE);
	assert_int_equal(k[2].scale, 1);
	assert_string_equal(k[2].unit_name, "KB");
	assert_int_equal(k[3].bits, 64);
	assert_true(k[4].slow);
	assert_int_equal(k[5].scale, 12);
	assert_int_equal(record_key_find(g->rows[0].type, "e"), 4);
	assert_int_equal(record_key_find(g->rows[0].type, "g"), -1);
	record_source_end(&r);
}

TEST(values_of_every_length_and_kind_are_read)
{
	expect_rows("t 0 0 1 12\nt 1 123 1234 12345\nt 2 123456 1234567 12345678\n"
		    "t 3 123456789 1234567890 12345678901\nt 4 123456789012 1234567890123 9\n"
		    "t 5 12345678901234 123456789012345 1234567890123456\n"
		    "t 6 12345678901234567 123456789012345678 1234567890123456789\n"
		    "t 7 9999999999999999999 10000000000000000000 18446744073709551615\n",
		    "t 0 0 1 12\nt 1 123 1234 12345\nt 2 123456 1234567 12345678\n"
		    "t 3 123456789 1234567890 12345678901\nt 4 123456789012 1234567890123 9\n"
		    "t 5 12345678901234 123456789012345 1234567890123456\n"
		    "t 6 12345678901234567 123456789012345678 1234567890123456789\n"
		    "t 7 9999999999999999999 10000000000000000000 18446744073709551615\n");
	expect_rows("t 0 00000000000000000000000000012 0000000000000000012 7\n", "t 0 12 12 7\n");
	expect_rows("t f 1.5 2 3\nt g 1 -2 3e2\nt h 1 2 3\nt i .5 1. +4\n",
		    "t f 1.5 2 3\nt g 1 -2 300\nt h 1 2 3\nt i 0.5 1 4\n");
}

TEST(blanks_and_line_ends_of_other_systems_are_accepted)
{
	expect_rows("  t  0\t1  2   3  \r\n", "t 0 1 2 3\n");
	expect("$tacc_stats 2\r\n!t a b\r\n\r\n5 j h\r\n%m x\r\nt 0 1 2\r\n\r\n",
	       "\n5 j h\n%m x\nt 0 1 2\n");
}

TEST(row_tags_name_the_keys_that_a_row_has)
{
	expect_rows("t 0 @full 1 2 3\nt 1 @fast 1 3\nt 2 @fast 1 3.5\n",
		    "t 0 1 2 3\nt 1 1 . 3\nt 2 1 . 3.5\n");
	expect_rows("t 0 @fast 1 2 3\nt 0 @slow 1 2\n",
		    "bad 5: type t has 2 keys, this row 3 values\nbad 6: unknown tag \"@slow\"\n");
}

TEST(an_odd_device_is_a_row_of_its_type_that_lacks_keys)
{
	/* a key with another width (option W) is a different key */
	expect("$tacc_stats 2\n!t a,E,W=32 b\n!t.2 a,E\n\n5 j\nt.2 0 1\n\n",
	       "\n5 j\nt.2 0 1\n");
	expect("$tacc_stats 2\n!t a,E b c\n!t.2 a,E c\n!t.3 b\n!u.2 a\n!t.4 c b\n\n5 j\n"
	       "t 0 1 2 3\nt.2 1 4 5\nt 2 6 7 8\nt.3 x 9\nu.2 - 1\nt.4 y 1 2\n\n",
	       "\n5 j\nt 0 1 2 3\nt 1 4 . 5\nt 2 6 7 8\nt x . 9 .\nu.2 - 1\nt.4 y 1 2\n");
	expect("$tacc_stats 2\n!t a b\n!t.2 a\n\n5 j\nt.2 0 1\nt.2 1 1 2\n!t a c d\n!t.2 a\n"
	       "t.2 2 3\n\n$tacc_stats 2\n!t a b\n!t.2 a\n\n6 j\nt.2 3 4\n\n",
	       "\n5 j\nt 0 1 .\nt 2 3 . .\n\n6 j\nt 3 4 .\n"
	       "bad 7: type t has 1 keys, this row 2 values\n");
}

TEST(a_bad_line_is_named_and_left_out)
{
	static const struct {
		const char *line, *said;
	} cases[] = {
		{ "t 0 1 2",         "type t has 3 keys, this row 2 values"                    },
		{ "t 0 1 2 3 4",     "type t has 3 keys, this row 4 values"                    },
		{ "t 0",             "type t has 3 keys, this row 0 values"                    },
		{ "t",               "a row without device and values, type \"t\""             },
		{ "u 0 1 2 3",       "no schema line for type \"u\""                           },
		{ "tt 0 1 2 3",      "no schema line for type \"tt\""                          },
		{ "t 0 1 x 3",       "key b: \"x\" is not a number"                            },
		{ "t 0 1 2x 3",      "key b: \"2x\" is not a number"                           },
		{ "t 0 1 nan 3",     "key b: \"nan\" is not a number"                          },
		{ "t 0 1 0x10 3",    "key b: \"0x10\" is not a number"                         },
		{ "t 0 1 1e999 3",   "key b: \"1e999\" is out of range"                        },
		{ "t 0 1 18446744073709551616 3",
		  "key b: \"18446744073709551616\" does not fit into 64 bits"                   },
		{ "!",               "a schema line needs a type and its keys"                 },
		{ "!x",              "a schema line needs a type and its keys"                 },
		{ "!x ,E",           "a key of this schema has no name"                        },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf lines = { 0 }, want = { 0 };
		buf_addf(&lines, "t 8 1 2 3\n%s\nt 9 4 5 6\n", cases[i].line);
		buf_addf(&want, "t 8 1 2 3\nt 9 4 5 6\nbad 6: %s\n", cases[i].said);
		buf_add_char(&lines, '\0');
		buf_add_char(&want, '\0');
		expect_rows(lines.p, want.p);
		buf_free(&lines);
		buf_free(&want);
	}
}

/* Other code uses names as C strings, so two names that differ only after a NUL would be equal. */
TEST(a_row_whose_device_has_a_nul_is_left_out)
{
	static const char text[] = "$tacc_stats 2\n!t a,E b,E c,\n\n5 j\nt 8 1 2 3\n"
				   "t 9\0a 1 2 3\nt \0\0 1 2 3\nt 9\0b 1 x 3\nt 9 4 5 6\n";
	for (size_t piece = 0; piece < 20; piece++) {
		char *got = read_all(text, sizeof(text) - 1, piece);
		assert_string_equal(got, "\n5 j\nt 8 1 2 3\nt 9 4 5 6\n"
					 "bad 6: a device with a NUL, type \"t\"\n"
					 "bad 7: a device with a NUL, type \"t\"\n"
					 "bad 8: a device with a NUL, type \"t\"\n");
		free(got);
	}
}

TEST(rows_without_a_group_are_left_out)
{
	expect("$tacc_stats 2\n!t a\nt 0 1\n%m\n\n5 j\nt 0 2\n\n6\nt 0 3\n%n\n\n7 k\nt 0 4\n",
	       "\n5 j\nt 0 2\n\n7 k\nt 0 4\nbad 3: a row before any record group\n"
	       "bad 4: a mark before any record group\n"
	       "bad 9: not \"TIME JOB\": the rows below it are left out\n");
}

TEST(a_file_that_is_not_raw_is_refused)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{ "",               "unreadable 1: not a raw file: it has no whole line\n" },
		{ "$hpcperf",       "unreadable 1: not a raw file: it has no whole line\n" },
		{ "\n\n1 -\nt 0 1\n", "unreadable 3: not a raw file: the first line is neither "
				    "$hpcperfstats nor $tacc_stats and a version\n"         },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct feed f = { .text = str_of(cases[i].text) };
		struct record_source r = open_feed(&f);
		const struct record *g;
		assert_int_equal(record_next(&r, &g), -EBADMSG);
		assert_int_equal(record_next(&r, &g), -EBADMSG);
		assert_true(str_eq(buf_str(&f.said), str_of(cases[i].said)));
		buf_free(&f.said);
		record_source_end(&r);
	}
}

TEST(a_schema_may_change_and_come_back)
{
	struct feed f = { .text = STR("$tacc_stats 2\n!t a b\n!u c\n\n1 -\nt 0 1 2\n\n!t a\n2 -\n"
				      "t 0 1\n\n!t a b\n3 -\nt 0 1 2\n") };
	struct record_source r = open_feed(&f);
	const struct record *g;

	assert_int_equal(record_next(&r, &g), 1);
	const struct record_type *two = record_type_at(&r, 0);
	assert_ptr_equal(g->rows[0].type, two);
	assert_int_equal(two->n_keys, 2);
	assert_int_equal(record_next(&r, &g), 1);
	assert_int_equal(g->rows[0].type->n_keys, 1);
	assert_int_equal(record_next(&r, &g), 1);
	assert_ptr_equal(g->rows[0].type, two);
	assert_ptr_equal(record_type_at(&r, 0), two);
	assert_string_equal(record_type_at(&r, 1)->name, "u");
	assert_null(record_type_at(&r, 2));
	assert_int_equal(f.said.n, 0);
	record_source_end(&r);
}

TEST(types_and_keys_of_other_agents_get_our_names)
{
	static const char row[] = "host_mem 0 5 6 7\nlustre_llite /s 1 2 3\nhost_new - 1\n";
	static const char schema[] = "!host_mem mem_used,U=KB MemFree,U=KB memfree,U=KB\n"
		"!lustre_llite vfs_read_bytes,E,U=B vfs_open_ops,E vfs_new_ops,E\n!host_new Any\n";
	struct buf theirs = { 0 }, ours = { 0 };

	buf_addf(&theirs, "$hpcperfstats 3.0\n%s\n5 j\n%s", schema, row);
	buf_addf(&ours, "$hpcperfstats 1.0.2\n$agent nodometer 1\n%s!nodometer rows\n\n5 j\n%s"
		 "nodometer - 4\n", schema, row);
	for (int i = 0; i < 2; i++) {
		struct feed f = { .text = buf_str(i ? &ours : &theirs) };
		struct buf got CLEANUP(buf_free) = { 0 };
		struct record_source r = open_feed(&f);
		const struct record *g;
		assert_int_equal(record_next(&r, &g), 1);
		for (size_t k = 0; k < 3; k++)
			print_type(&got, g->rows[k].type);
		buf_add_char(&got, '\0');
		assert_string_equal(got.p, i ? schema :
			"!mem MemUsed,U=KB MemFree,U=KB memfree,U=KB\n"
			"!llite read_bytes,E,U=B open,E new,E\n!new Any\n");
		assert_int_equal(f.said.n, 0);
		record_source_end(&r);
	}
	buf_free(&theirs);
	buf_free(&ours);
}

TEST(the_last_line_of_another_agents_file_must_be_whole)
{
#define ONE "$tacc_stats 2\n!t a\n\n5 j\nt 0 12\n"
#define GOT_ONE "\n5 j\nt 0 12\n"
	expect(ONE "\n6 j\nt 0 34",
	       GOT_ONE "torn 7: this record group is not whole: the last line has no newline\n");
	expect(ONE "\n6 j\nt 0\n", GOT_ONE "bad 8: type t has 1 keys, this row 0 values\n"
	       "torn 7: this record group is not whole: the file ends in it\n");
	expect(ONE "\n6 j\n%m\n", GOT_ONE
	       "torn 7: this record group is not whole: the file ends in it\n");
	expect(ONE "\n6", GOT_ONE "torn 7: the last line has no newline\n");
	expect(ONE "\n", GOT_ONE);
	expect(ONE "\n6 j\nt 0 34\n\n", GOT_ONE "\n6 j\nt 0 34\n");
	expect(ONE "$host", GOT_ONE "bad 6: the last line has no newline\n");
}

#define FIRST  "\n10 -\ncpu 0 100 200\ncpu 1 111 222\nnodometer cpu 5 6 0 0 0\n" \
	       "nodometer - 70 80 4 0 0\n"
#define SECOND "\n20 -\n%begin 7\ncpu 0 300 400\ncpu 1 333 444\nnodometer - 71 81 3 0 12\n"
#define THIRD  "\n30 7\ncpu 0 500 600\nnodometer - 72 82 2 0 0\n"

static bool has_group(const char *got, const char *group)
{
	return strstr(got, group) != NULL;
}

TEST(a_group_of_ours_cut_anywhere_is_never_delivered)
{
	const char *text = OURS FIRST SECOND;
	size_t whole = strlen(text), before = strlen(OURS FIRST);
	for (size_t n = before; n <= whole; n++) {
		char *got = read_all(text, n, n % 7);
		assert_true(has_group(got, FIRST));
		assert_int_equal(has_group(got, "\n20 -"), n == whole);
		if (n == whole)
			assert_true(has_group(got, SECOND));
		assert_int_equal(strstr(got, "torn") != NULL, n > before + 1 && n < whole);
		free(got);
	}
}

/*
 * The writer was killed in the middle of record group SECOND. The next writer did not notice that,
 * and wrote its record group without a header or with one, or only its first bytes.
 */
TEST(a_group_of_ours_cut_anywhere_in_the_middle_is_never_delivered)
{
	static const char *const next[] = { THIRD, OURS THIRD, "\n3" };
	for (size_t n = 1; n < strlen(SECOND); n++)
		for (size_t i = 0; i < ARRAY_SIZE(next); i++) {
			struct buf text = { 0 };
			buf_addf(&text, OURS FIRST "%.*s%s", (int)n, SECOND, next[i]);
			char *got = read_all(text.p, text.n, n % 5);
			assert_true(has_group(got, FIRST));
			assert_false(has_group(got, "\n20 -"));
			free(got);
			buf_free(&text);
		}
}

TEST(a_group_of_ours_that_miscounts_is_torn)
{
	expect(OURS "\n10 -\ncpu 0 1 2\nnodometer - 1 2 3 0 0\n" THIRD,
	       THIRD "torn 7: this record group is not whole: rows are missing\n");
	expect(OURS "\n10 -\ncpu 0 1\nnodometer - 1 2 2 0 0\n" THIRD,
	       THIRD "bad 8: type cpu has 2 keys, this row 1 values\n"
	       "torn 7: this record group is not whole: rows are missing\n");
	expect(OURS "\n10 -\nnodometer - 1 2 1 0 0\ncpu 0 1 2\n" THIRD,
	       THIRD "torn 7: this record group is not whole: its last row is missing\n");
}

TEST(a_large_group_grows_the_buffer_and_an_endless_one_is_refused)
{
	struct buf text = { 0 };
	buf_add(&text, STR("$tacc_stats 2\n!t a\n\n1 -\n"));
	while (text.n < 3u << 20)
		buf_addf(&text, "t %zu %zu\n", text.n, text.n);
	struct feed f = { .text = buf_str(&text), .piece = 10000 };
	struct record_source r = open_feed(&f);
	const struct record *g;
	assert_int_equal(record_next(&r, &g), 1);
	const struct record_row *row = g->rows[0].row;
	assert_int_equal(g->n_types, 1);
	assert_int_equal(g->rows[0].n, g->n_rows);
	for (size_t i = 0; i < g->n_rows; i++) {
		uint64_t device;
		assert_true(str_take_u64(&(struct str){ row[i].device.p, row[i].device.n },
					 &device));
		assert_int_equal(device, row[i].value[0]);
	}
	record_source_end(&r);

	buf_reserve(&text, RAW_GROUP_BYTES_MAX + 1000);
	memset(text.p + text.n, 'x', RAW_GROUP_BYTES_MAX + 1000);
	text.n += RAW_GROUP_BYTES_MAX + 1000;
	f = (struct feed){ .text = buf_str(&text) };
	r = open_feed(&f);
	assert_int_equal(record_next(&r, &g), -EFBIG);
	record_source_end(&r);
	buf_free(&f.said);
	buf_free(&text);
}

static ssize_t feed_then_fail(void *arg, char *to, size_t n)
{
	struct feed *f = arg;
	return f->text.n ? feed_read(f, to, n) : -EIO;
}

TEST(a_source_that_fails_ends_the_reading)
{
	struct feed f = { .text = STR(HEADER SCHEMA GROUP GROUP) };
	struct record_source r =
		raw_records(&(struct byte_source){ feed_then_fail, &f }, NULL);
	const struct record *g;
	assert_int_equal(record_next(&r, &g), 1);
	assert_int_equal(record_next(&r, &g), -EIO);
	assert_int_equal(record_next(&r, &g), -EIO);
	record_source_end(&r);
}

int main(void)
{
	RUN(cmocka_unit_test(the_documents_example_prints_back_unchanged),
	    cmocka_unit_test(a_group_carries_its_place_and_its_header),
	    cmocka_unit_test(lower_devices_are_those_of_the_newest_header),
	    cmocka_unit_test(whole_numbers_are_rounded_and_not_negative),
	    cmocka_unit_test(options_of_keys_are_taken_or_ignored),
	    cmocka_unit_test(values_of_every_length_and_kind_are_read),
	    cmocka_unit_test(blanks_and_line_ends_of_other_systems_are_accepted),
	    cmocka_unit_test(row_tags_name_the_keys_that_a_row_has),
	    cmocka_unit_test(an_odd_device_is_a_row_of_its_type_that_lacks_keys),
	    cmocka_unit_test(a_bad_line_is_named_and_left_out),
	    cmocka_unit_test(a_row_whose_device_has_a_nul_is_left_out),
	    cmocka_unit_test(rows_without_a_group_are_left_out),
	    cmocka_unit_test(a_file_that_is_not_raw_is_refused),
	    cmocka_unit_test(a_schema_may_change_and_come_back),
	    cmocka_unit_test(types_and_keys_of_other_agents_get_our_names),
	    cmocka_unit_test(the_last_line_of_another_agents_file_must_be_whole),
	    cmocka_unit_test(a_group_of_ours_cut_anywhere_is_never_delivered),
	    cmocka_unit_test(a_group_of_ours_cut_anywhere_in_the_middle_is_never_delivered),
	    cmocka_unit_test(a_group_of_ours_that_miscounts_is_torn),
	    cmocka_unit_test(a_large_group_grows_the_buffer_and_an_endless_one_is_refused),
	    cmocka_unit_test(a_source_that_fails_ends_the_reading));
}
