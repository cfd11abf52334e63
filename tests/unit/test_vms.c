/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_vms.c - read and write MONITOR recordings: sizes, splits, layouts, files that are cut off
 *
 * M and a number, such as M5, name a line of the checklist of MONITOR recordings. Each line needs a
 * test (tests/gates/seeds.sh).
 */
#include "tests/unit/test.h"
#include "tests/unit/broken_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "formats/format.h"
#include "formats/vms/dump.h"
#include "formats/vms/fields.h"
#include "formats/vms/recording.h"
#include "formats/vms/vms_time.h"

#define STAMP 0x00B5000000000000	/* a time in about 2015 */

static struct buf file;
static uint32_t none_left_out;

static ssize_t give(void *arg, char *to, size_t n)
{
	struct str *s = arg;
	size_t few = s->n < n ? s->n : n;
	if (few > 1000)
		few = 1000;
	memcpy(to, s->p, few);
	*s = str_skip(*s, few);
	return (ssize_t)few;
}

static struct vms_header make_header(void)
{
	struct vms_header h = {
		.beginning = STAMP, .interval = 5, .ident = VMS_IDENT, .comment = "a test",
	};
	for (size_t i = 0; i < VMS_CLASSES; i++)
		h.revision[i] = (unsigned char)vms_revision(i);
	return h;
}

static const struct vms_node the_node = {
	.name = "n1", .boot = STAMP - 1000, .max_processes = 65535, .cpus = 2, .memory = 1000000,
	.host = "n1.example.org", .utc_offset = -3600, .page_bytes = 4096, .all_cpus = 300,
	.missed = 7, .absent = { [VMS_PAGE] = 1 << 4 },
};

static void put(struct buf *b, const struct buf *record, bool framed)
{
	if (framed)
		vms_put_framed(b, buf_str(record));
	else
		buf_add(b, buf_str(record));
}

/* Fill a set of class `number` with this many blocks, with items numbered from 1. */
static void fill(struct vms_set *s, size_t number, size_t blocks, int64_t stamp)
{
	vms_set_clear(s, number);
	s->stamp = stamp;
	for (size_t i = 0; i < blocks; i++) {
		size_t block = vms_set_block(s);
		for (size_t k = 0; k < vms_classes[number].n_items; k++) {
			enum vms_kind kind = vms_classes[number].item[k].kind;
			if (kind == VMS_TEXT || kind == VMS_BLANKS)
				vms_set_text(s, block, k, STR("ab"));
			else
				vms_set_number(s, block, k, k + 1);
		}
	}
}

/* Append the record of a set. framed: with its frame, which is the length before it and padding. */
static void put_set(struct buf *b, size_t number, size_t blocks, int64_t stamp, bool framed)
{
	struct vms_set s CLEANUP(vms_set_free) = { 0 };
	struct buf one CLEANUP(buf_free) = { 0 };
	fill(&s, number, blocks, stamp);
	vms_put_set(&one, &s, &none_left_out);
	struct wire w = wire_of(buf_str(&one));
	size_t n = field_take(&w, 2);
	buf_add(b, framed ? buf_str(&one) : wire_bytes(&w, n));
}

static void make_file(bool framed)
{
	struct buf r CLEANUP(buf_free) = { 0 };
	struct vms_header h = make_header();
	file.n = 0;
	vms_put_header(&r, &h);
	put(&file, &r, framed);
	r.n = 0;
	vms_put_node(&r, &the_node);
	put(&file, &r, framed);
	r.n = 0;
	vms_put_file(&r, STR("/data/one"));
	put(&file, &r, framed);
	for (int i = 0; i < 3; i++) {
		put_set(&file, VMS_PROCESSES, 2, STAMP + i, framed);
		put_set(&file, VMS_STATES, 1, STAMP + i, framed);
		put_set(&file, VMS_MODES, 2, STAMP + i, framed);
		put_set(&file, VMS_DISK, 0, STAMP + i, framed);
	}
	r.n = 0;
	vms_put_gone(&r, 0);
	put(&file, &r, framed);
}

/* Return the number of sets in a text, and in *end the reason for its end. */
static size_t count_sets(struct str text, enum vms_end *end)
{
	struct vms_recording r;
	struct byte_source src = { give, &text };
	size_t n = 0;
	if (vms_recording_open(&r, &src, NULL) == 0) {
		enum vms_event e;
		while ((e = vms_recording_next(&r)) != VMS_RECORDING_ENDS)
			n += e == VMS_CLASS_IS;
	}
	*end = r.end;
	vms_recording_close(&r);
	return n;
}

/* The manual's record sizes are 259, 47, 2, 13 and 8 bytes (M19-M31, M65). */
TEST(records_have_the_sizes_of_the_manual)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct vms_header h = make_header();
	struct vms_node n = the_node;
	vms_put_header(&b, &h);
	assert_int_equal(b.n, 259);
	assert_memory_equal(b.p + 45, "MON30050", 8);
	b.n = 0;
	vms_put_node(&b, &n);
	assert_int_equal(b.n, 47);
	b.n = 0;
	n.vector = true;
	vms_put_node(&b, &n);
	assert_int_equal(b.n, 52);
	b.n = 0;
	vms_put_gone(&b, 3);
	assert_int_equal(b.n, 2);
	b.n = 0;
	put_set(&b, VMS_DISK, 0, STAMP, false);
	assert_int_equal(b.n, 13 + 8);
}

/* The sizes are those of whole records, as far as the manual gives them. */
TEST(classes_have_the_sizes_of_the_manual)
{
	static const struct { size_t number, bytes; } sizes[] = {
		{ VMS_STATES, 69 }, { VMS_MODES, 21 + 33 }, { VMS_PAGE, 65 }, { VMS_IO, 69 },
		{ VMS_FCP, 61 }, { VMS_LOCK, 53 }, { VMS_DECNET, 33 },
		{ VMS_FILE_SYSTEM_CACHE, 69 }, { VMS_DISK, 21 + 36 }, { VMS_DLOCK, 73 },
		{ VMS_SCS, 21 + 56 }, { VMS_SYSTEM, 49 }, { VMS_MSCP_SERVER, 65 },
		{ VMS_TRANSACTION, 69 }, { VMS_VECTOR, 21 + 5 }, { VMS_PROCESSES, 21 + 67 },
		{ VMS_RMS, 21 + 32 }, { VMS_POOL, 61 }, { VMS_CLUSTER, 65 }, { VMS_VBS, 65 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct buf b CLEANUP(buf_free) = { 0 };
		put_set(&b, sizes[i].number, 1, STAMP, false);
		assert_int_equal(b.n, sizes[i].bytes);
	}
}

/* A class whose level is not 0 (M31) must not be in REV0CLSBITS (M24). */
TEST(the_old_bits_name_only_classes_of_level_0)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct vms_header h = make_header();
	vms_add_class(h.classes, VMS_MODES);
	vms_add_class(h.classes, VMS_PAGE);
	vms_put_header(&b, &h);
	assert_int_equal(b.p[25], 1 << VMS_MODES);
	assert_int_equal(b.p[115], 1 << VMS_MODES | 1 << VMS_PAGE);
	assert_int_equal((unsigned char)b.p[131 + VMS_PAGE], 0xF0);
	assert_int_equal(b.p[131 + VMS_MODES], 0);
}

TEST(control_records_come_back)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct vms_header h = make_header(), h2;
	struct vms_node n;
	vms_put_header(&b, &h);
	assert_int_equal(vms_take_header(buf_str(&b), &h2), 0);
	assert_int_equal(h2.beginning, STAMP);
	assert_string_equal(h2.comment, "a test");
	b.n = 0;
	vms_put_node(&b, &the_node);
	assert_int_equal(vms_take_node(buf_str(&b), &n), 0);
	assert_string_equal(n.name, "n1");
	b.n = 0;
	vms_put_customer(&b, &the_node);
	assert_true(vms_take_customer(buf_str(&b), &n));
	assert_string_equal(n.host, "n1.example.org");
	assert_int_equal(n.utc_offset, -3600);
	assert_int_equal(n.all_cpus, 300);
	assert_int_equal(n.missed, 7);
	assert_int_equal(n.absent[VMS_PAGE], 1 << 4);
}

/*
 * Each interval has its own record. An item that the record does not name as left out is present
 * again.
 */
TEST(a_later_record_replaces_the_items_left_out)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct vms_node n = the_node, more = the_node;
	more.absent[VMS_DISK] = 3;
	more.left_out[VMS_DISK] = 9;
	vms_put_customer(&b, &more);
	assert_true(vms_take_customer(buf_str(&b), &n));
	assert_int_equal(n.left_out[VMS_DISK], 9);
	assert_int_equal(n.absent[VMS_DISK], 3);
	b.n = 0;
	vms_put_customer(&b, &the_node);
	assert_true(vms_take_customer(buf_str(&b), &n));
	assert_int_equal(n.left_out[VMS_DISK], 0);
	assert_int_equal(n.absent[VMS_DISK], 0);
	n.index++;
	assert_false(vms_take_customer(buf_str(&b), &n));	/* a record of another node */
}

/* A record may have several names of files (M50). */
TEST(further_file_names_of_one_record_are_read)
{
	struct str rest = STR("\3one\3two\0\0"), name;
	assert_true(vms_take_file(&rest, &name));
	assert_true(str_eq(name, STR("one")));
	assert_true(vms_take_file(&rest, &name));
	assert_true(str_eq(name, STR("two")));
	assert_false(vms_take_file(&rest, &name));
}

/* A record of 31980 bytes holds 477 blocks of 67 bytes (M59-M61). */
TEST(many_processes_go_into_several_records)
{
	struct vms_set s CLEANUP(vms_set_free) = { 0 };
	struct buf b CLEANUP(buf_free) = { 0 };
	static const struct { size_t bytes, n; int flags; } want[] = {
		{ 31980, 477, 1 }, { 31980, 477, 1 }, { 21 + 46 * 67, 46, 0 },
	};
	struct str first = { NULL, 0 };
	fill(&s, VMS_PROCESSES, 1000, STAMP);
	assert_int_equal(vms_put_set(&b, &s, &none_left_out), 3);
	assert_int_equal(none_left_out, 0);
	struct wire w = wire_of(buf_str(&b));
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(field_take(&w, 2), want[i].bytes);
		struct str record = wire_bytes(&w, want[i].bytes);
		struct wire r = wire_of(str_skip(record, 13));
		wire_bytes(&w, want[i].bytes % 2);
		assert_int_equal(record.p[1], want[i].flags);
		if (i == 0)
			first = record;
		/* only bit 0 of the prefix may differ (M59) */
		assert_memory_equal(record.p + 2, first.p + 2, 11);
		assert_int_equal(field_take(&r, 4), want[i].n);
		assert_int_equal(field_take(&r, 4), 1000);
	}
	assert_true(w.n == 0 && !w.bad);
}

/* A class without disks has a record of only header and prefix (M62). */
TEST(a_class_without_elements_has_a_record)
{
	struct vms_set s CLEANUP(vms_set_free) = { 0 };
	struct buf b CLEANUP(buf_free) = { 0 };
	vms_set_clear(&s, VMS_DISK);
	s.stamp = STAMP;
	assert_int_equal(vms_put_set(&b, &s, &none_left_out), 1);
	struct wire w = wire_of(buf_str(&b));
	assert_int_equal(field_take(&w, 2), 21);
	assert_int_equal(field_take(&w, 1), VMS_DISK);
	wire_bytes(&w, 12);
	assert_int_equal(field_take(&w, 4), 0);
}

/*
 * If a node was removed, later records with its number belong to another node (M47, M48).
 */
TEST(a_node_that_was_removed_is_an_event)
{
	struct vms_recording r;
	enum vms_event e;
	size_t left = 0;
	make_file(true);
	struct str text = buf_str(&file);
	struct byte_source src = { give, &text };
	assert_int_equal(vms_recording_open(&r, &src, NULL), 0);
	while ((e = vms_recording_next(&r)) != VMS_RECORDING_ENDS)
		if (e == VMS_NODE_LEFT) {
			left++;
			assert_int_equal(r.index, 0);
			assert_null(r.node[0]);
		}
	assert_int_equal(left, 1);
	vms_recording_close(&r);
}

/* Only the class PROCESSES may have several records (M11). */
TEST(disks_beyond_one_record_are_counted_and_left_out)
{
	struct vms_set s CLEANUP(vms_set_free) = { 0 };
	struct buf b CLEANUP(buf_free) = { 0 };
	uint32_t left_out;
	fill(&s, VMS_DISK, 900, STAMP);
	assert_int_equal(vms_put_set(&b, &s, &left_out), 1);
	assert_int_equal(left_out, 900 - 888);
	assert_int_equal(b.n, 2 + 21 + 888 * 36 + 1);
}

/* A number may need more than the 32 bits of its field (M68). */
TEST(counters_keep_their_low_32_bits_and_gauges_stop_at_the_maximum)
{
	struct vms_set s CLEANUP(vms_set_free) = { 0 };
	vms_set_clear(&s, VMS_PAGE);
	vms_set_block(&s);
	vms_set_number(&s, 0, 0, 0x1234567890);
	vms_set_number(&s, 0, 11, 0x1234567890);
	assert_int_equal(vms_number(&s, 0, 0), 0x34567890);
	assert_int_equal(vms_number(&s, 0, 11), 0xFFFFFFFF);
}

/* A file may be cut off at any byte (M63), and may have no frames (M5). */
TEST(a_file_that_is_cut_off_anywhere_reads_to_its_last_whole_record)
{
	for (int framed = 0; framed < 2; framed++) {
		enum vms_end end;
		make_file(framed);
		size_t most = count_sets(buf_str(&file), &end), before = 0;
		assert_int_equal(most, 12);
		assert_int_equal(end, VMS_END_WHOLE);
		for (size_t n = 0; n < file.n; n++) {
			struct str cut = { file.p, n };
			size_t sets = count_sets(cut, &end);
			assert_true(sets == before || sets == before + 1);
			before = sets;
		}
		assert_int_equal(before, most);
	}
}

/* A read error is not taken for the end of the file. */
TEST(read_error_is_reported_wherever_it_comes)
{
	make_file(true);
	for (size_t n = 0; n <= file.n; n += 3) {
		struct str left = { file.p, n };
		const struct byte_source bytes = { give_then_fail, &left };
		struct record_source r = records_open(&bytes, NULL);
		const struct record *g;
		int e;
		while ((e = record_next(&r, &g)) > 0)
			;
		if (e != -EIO)
			fail_msg("%d after %zu bytes", e, n);
		record_source_end(&r);
	}
}

TEST(a_file_without_frames_or_with_padding_has_the_same_sets)
{
	enum vms_end end;
	for (int framed = 0; framed < 2; framed++) {
		make_file(framed);
		while (file.n % 512)
			buf_add_char(&file, 0);
		assert_int_equal(count_sets(buf_str(&file), &end), 12);
		assert_int_equal(end, VMS_END_WHOLE);
	}
}

TEST(a_set_whose_last_record_is_missing_is_left_out)
{
	struct vms_set s CLEANUP(vms_set_free) = { 0 };
	enum vms_end end;
	make_file(true);
	size_t before = count_sets(buf_str(&file), &end), at = file.n;
	fill(&s, VMS_PROCESSES, 500, STAMP + 9);
	vms_put_set(&file, &s, &none_left_out);
	assert_int_equal(count_sets(buf_str(&file), &end), before + 1);
	file.n = at + 2 + 31980;
	assert_int_equal(count_sets(buf_str(&file), &end), before);
}

/* Times before 1970 and after the year 9999 are those of damaged records. */
TEST(a_record_with_an_impossible_time_is_left_out)
{
	static const int64_t stamps[] = { 0, -1, INT64_MAX, INT64_MIN, VMS_UNIX_EPOCH - 1 };
	enum vms_end end;

	make_file(true);
	size_t before = count_sets(buf_str(&file), &end);
	for (size_t i = 0; i < ARRAY_SIZE(stamps); i++)
		put_set(&file, VMS_STATES, 1, stamps[i], true);
	put_set(&file, VMS_STATES, 1, VMS_UNIX_EPOCH, true);
	put_set(&file, VMS_STATES, 1, vms_time(RECORD_USEC_MAX), true);
	assert_int_equal(count_sets(buf_str(&file), &end), before + 2);
}

/* Each class has one record per interval (M64). */
TEST(five_classes_over_100_intervals_are_500_records)
{
	static const size_t numbers[] = { VMS_STATES, VMS_MODES, VMS_PAGE, VMS_LOCK, VMS_DISK };
	struct vms_set s CLEANUP(vms_set_free) = { 0 };
	struct buf b CLEANUP(buf_free) = { 0 };
	size_t n = 0;
	for (int i = 0; i < 100; i++)
		for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
			fill(&s, numbers[k], 1, STAMP + i);
			n += vms_put_set(&b, &s, &none_left_out);
		}
	assert_int_equal(n, 500);
}

TEST(time_counts_from_1858)
{
	assert_int_equal(vms_time(0), 35067168000000000);
	assert_int_equal(vms_time_usec(vms_time(1700000000123456)), 1700000000123456);
}

TEST(a_dump_names_each_field)
{
	struct buf b CLEANUP(buf_free) = { 0 }, record CLEANUP(buf_free) = { 0 };
	struct vms_header h = make_header();
	put_set(&record, VMS_DISK, 1, STAMP, false);
	vms_dump(&b, 7, 400, buf_str(&record), h.revision);
	buf_add_char(&b, '\0');
	assert_non_null(strstr(b.p, "record 7 at 400: type 12, DISK, 57 bytes\n"));
	assert_non_null(strstr(b.p, "  MNR_DSK$T_VOLNAME         37  \"ab          \"\n"));
	assert_non_null(strstr(b.p, "  MNR_CMP$L_ELTCT           13  1\n"));
	assert_non_null(strstr(b.p, "  MNR_DSK$L_QCOUNT          53  8\n"));
}

static int free_file(void **state)
{
	(void)state;
	buf_free(&file);
	return 0;
}

/* Before V5, blocks of class PROCESSES had no item RBSTRAN, so that it is missing, not 0. */
TEST(an_item_that_old_processes_lack_is_missing)
{
	static const unsigned char revision[128];
	struct vms_set s CLEANUP(vms_set_free) = { 0 }, got CLEANUP(vms_set_free) = { 0 };
	struct buf one CLEANUP(buf_free) = { 0 };
	struct vms_class_record c;
	fill(&s, VMS_PROCESSES, 1, STAMP);
	vms_put_set(&one, &s, &none_left_out);
	for (size_t less = 0; less <= 4; less += 4) {
		struct str record = { one.p + 2, VMS_CLASS_HEADER + VMS_CLASS_PREFIX + 67 - less };
		assert_int_equal(vms_take_class(record, revision, &c), 0);
		assert_true(c.known);
		vms_set_clear(&got, VMS_PROCESSES);
		vms_set_add(&got, &c);
		assert_int_equal(got.absent, less ? 1 << 14 : 0);
		assert_int_equal(vms_number(&got, 0, 13), 14);
	}
}

TEST(times_and_sizes_have_their_units)
{
	static const struct {
		enum vms_class_number class;
		const char *type, *key, *unit;
	} cases[] = {
		{ VMS_MODES, "vms_modes", "IDLE", "cs" }, { VMS_FCP, "vms_fcp", "FCPCPU", "cs" },
		{ VMS_FCP, "vms_fcp", "FCPCALLS", "" }, { VMS_DISK, "vms_disk", "QCOUNT", "s" },
		{ VMS_SCS, "vms_scs", "KBYTSENT", "KB" }, { VMS_VBS, "vms_vbs", "VCPUTICKS", "cs" },
	};
	struct vms_header h = make_header();
	struct buf b CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		vms_add_class(h.classes, cases[i].class);
	vms_put_header(&b, &h);
	file.n = 0;
	put(&file, &b, true);
	struct str text = buf_str(&file);
	struct record_source r = records_open(&(struct byte_source){ give, &text }, NULL);
	const struct record_type *t;
	const struct record *g;
	size_t found = 0;
	assert_int_equal(record_next(&r, &g), 0);
	for (size_t n = 0; (t = record_type_at(&r, n)); n++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			if (strcmp(t->name, cases[i].type) != 0)
				continue;
			int key = record_key_find(t, cases[i].key);
			assert_true(key >= 0);
			assert_string_equal(t->key[key].unit, cases[i].unit);
			found++;
		}
	assert_int_equal(found, ARRAY_SIZE(cases));
	record_source_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_item_that_old_processes_lack_is_missing),
		cmocka_unit_test(times_and_sizes_have_their_units),
		cmocka_unit_test(records_have_the_sizes_of_the_manual),
		cmocka_unit_test(classes_have_the_sizes_of_the_manual),
		cmocka_unit_test(the_old_bits_name_only_classes_of_level_0),
		cmocka_unit_test(control_records_come_back),
		cmocka_unit_test(a_later_record_replaces_the_items_left_out),
		cmocka_unit_test(further_file_names_of_one_record_are_read),
		cmocka_unit_test(many_processes_go_into_several_records),
		cmocka_unit_test(a_class_without_elements_has_a_record),
		cmocka_unit_test(a_node_that_was_removed_is_an_event),
		cmocka_unit_test(disks_beyond_one_record_are_counted_and_left_out),
		cmocka_unit_test(counters_keep_their_low_32_bits_and_gauges_stop_at_the_maximum),
		cmocka_unit_test(a_file_that_is_cut_off_anywhere_reads_to_its_last_whole_record),
		cmocka_unit_test(read_error_is_reported_wherever_it_comes),
		cmocka_unit_test(a_file_without_frames_or_with_padding_has_the_same_sets),
		cmocka_unit_test(a_set_whose_last_record_is_missing_is_left_out),
		cmocka_unit_test(a_record_with_an_impossible_time_is_left_out),
		cmocka_unit_test(five_classes_over_100_intervals_are_500_records),
		cmocka_unit_test(time_counts_from_1858),
		cmocka_unit_test(a_dump_names_each_field),
	};
	return cmocka_run_group_tests(tests, NULL, free_file);
}
