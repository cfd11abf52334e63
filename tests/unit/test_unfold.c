/* SPDX-License-Identifier: BSD-3-Clause */
/* test_unfold.c - make counters that only grow, with the time since which they count */
#include "tests/unit/test.h"

#include <errno.h>
#include "base/buf.h"
#include "schema/unfold.h"

#define NONE UINT64_MAX

static const struct record_key keys[] = {
	{ .name = "narrow", .unit = "", .kind = COUNTER, .bits = 32, .scale = 1, .unit_name = "" },
	{ .name = "free",   .unit = "", .kind = GAUGE,   .bits = 64, .scale = 1, .unit_name = "" },
};
static const struct record_type net = { "net", keys, ARRAY_SIZE(keys) };

static bool not_proc(void *arg, struct str type)
{
	(void)arg;
	return !str_eq(type, STR("proc"));
}

/* Return a property of a header. arg: the properties, as in the text "BOOT-ID UPTIME". */
static struct str property(const void *arg, const char *name)
{
	struct str text = str_of(arg), id;
	str_take_word(&text, &id);
	return strcmp(name, "boot_id") == 0 ? id : strcmp(name, "uptime") == 0 ? text : STR("");
}

static const struct record *unfold_with(struct unfold *u, const struct record *r,
					const char *header)
{
	const struct record_source source = { .property = property, .arg = (void *)header };
	return unfold(u, r, &source);
}

/*
 * Feed a device's counter at this second. mark: a mark of its record, or NULL; header: the
 * properties of a header before the record, or NULL. Appends "VALUE since SECOND, ", or "-, " if
 * there is no value.
 */
static void feed_marked(struct unfold *u, int64_t second, uint64_t value, const char *mark,
			const char *header, struct buf *out)
{
	const struct mark marks[] = { mark_parse(str_of(mark ? mark : "")) };
	const uint64_t values[] = { value, 7 };
	const struct record_row row = { .device = STR("eth0"), .value = values };
	const struct record_rows rows = { &net, &row, 1 };
	const struct record r = { .usec = second * 1000000, .rows = &rows, .n_types = 1,
				  .mark = marks, .n_marks = mark != NULL,
				  .n_rows = 1, .restart = header != NULL };
	const struct record *got = unfold_with(u, &r, header);
	assert_int_equal(got->n_rows, 1);
	const struct record_row *to = &got->rows[0].row[0];
	assert_int_equal(to->value[1], 7);
	assert_true(row_has(to, 1));
	if (row_has(to, 0))
		buf_addf(out, "%llu since %lld, ", (unsigned long long)to->value[0],
			 (long long)(to->since[0] / 1000000));
	else
		buf_addf(out, "-, ");
}

static void feed(struct unfold *u, int64_t second, uint64_t value, const char *header,
		 struct buf *out)
{
	feed_marked(u, second, value, NULL, header, out);
}

static void assert_out(const struct buf *out, const char *want)
{
	if (!str_eq(buf_str(out), str_of(want)))
		fail_msg("want \"%s\", got \"" STR_FMT "\"", want, STR_ARG(buf_str(out)));
}

/* Two counter states: .u is saved in .text, and .later is loaded from it. */
struct pair {
	struct unfold *u, *later;
	struct buf out, text;
};

static struct pair pair_new(void)
{
	return (struct pair){ unfold_new(not_proc, NULL), unfold_new(not_proc, NULL),
			      { 0 }, { 0 } };
}

static void pair_free(struct pair *p)
{
	unfold_free(p->u);
	unfold_free(p->later);
	buf_free(&p->out);
	buf_free(&p->text);
}

TEST(wraps_go_on_and_resets_are_marked)
{
	struct unfold *u = unfold_new(not_proc, NULL);
	struct buf out CLEANUP(buf_free) = { 0 };
	feed(u, 1, 4294967290, NULL, &out);
	feed(u, 2, 4, NULL, &out);
	feed(u, 3, 10, NULL, &out);
	assert_out(&out, "4294967290 since 1, 4294967300 since 1, 4294967306 since 1, ");
	out.n = 0;
	feed(u, 4, 3000000000, NULL, &out);
	feed(u, 5, 100, NULL, &out);	/* a wrap: growth is below 2^31 */
	feed(u, 6, 10, NULL, &out);
	assert_out(&out, "7294967296 since 1, 8589934692 since 1, -, ");
	out.n = 0;
	feed(u, 7, 30, NULL, &out);
	assert_out(&out, "30 since 6, ");
	unfold_free(u);
}

TEST(a_counter_that_a_job_sets_to_0_counts_from_there)
{
	struct unfold *u = unfold_new(not_proc, NULL);
	struct buf out CLEANUP(buf_free) = { 0 };
	feed(u, 1, 4000000000, NULL, &out);
	feed_marked(u, 2, 30, "begin 7", NULL, &out);
	feed(u, 3, 900, NULL, &out);
	feed_marked(u, 4, 0, "end 7", NULL, &out);
	feed_marked(u, 5, 4000000000, "begin 8", NULL, &out);
	/* the fall is so large that it could be a wrap */
	feed_marked(u, 6, 100000000, "begin 9", NULL, &out);
	assert_out(&out, "4000000000 since 1, 30 since 2, 900 since 2, -, 4000000000 since 2, "
		   "4394967296 since 2, ");
	unfold_free(u);
}

TEST(a_dip_keeps_the_value)
{
	struct unfold *u = unfold_new(not_proc, NULL);
	struct buf out CLEANUP(buf_free) = { 0 };
	feed(u, 1, 1000, NULL, &out);
	feed(u, 2, 900, NULL, &out);
	feed(u, 3, 950, NULL, &out);
	feed(u, 4, 1001, NULL, &out);
	assert_out(&out, "1000 since 1, 1000 since 1, 1000 since 1, 1001 since 1, ");
	unfold_free(u);
}

TEST(a_reading_far_below_is_absent_until_the_next_explains_it)
{
	struct unfold *u = unfold_new(not_proc, NULL);
	struct buf out CLEANUP(buf_free) = { 0 };
	feed(u, 1, 1000, NULL, &out);
	feed(u, 2, 0, NULL, &out);
	feed(u, 3, 0, NULL, &out);
	feed(u, 4, 1001, NULL, &out);
	feed(u, 5, 0, NULL, &out);
	feed(u, 6, 0, NULL, &out);
	feed(u, 7, 8, NULL, &out);
	assert_out(&out, "1000 since 1, -, -, 1001 since 1, -, -, 8 since 5, ");
	unfold_free(u);
}

/* A header before the record means that another process may have written it. */
TEST(the_first_value_of_another_process_is_no_growth)
{
	struct unfold *u = unfold_new(not_proc, NULL);
	struct buf out CLEANUP(buf_free) = { 0 };
	feed(u, 1, 1000, "a 500", &out);
	feed(u, 2, 400, "a 501", &out);
	feed(u, 3, 430, NULL, &out);
	feed(u, 4, 431, NULL, &out);
	assert_out(&out, "1000 since 1, -, 1030 since 1, 1031 since 1, ");
	unfold_free(u);
}

TEST(a_counter_that_is_reopened_goes_on_from_its_value)
{
	struct pair p CLEANUP(pair_free) = pair_new();
	feed(p.u, 1, 1000, NULL, &p.out);
	feed_marked(p.u, 2, 5000, "counters_restart net eth0", NULL, &p.out);
	feed(p.u, 3, 5001, NULL, &p.out);
	feed_marked(p.u, 4, 7, "counters_restart net", NULL, &p.out);
	feed_marked(p.u, 5, 8, "counters_restart net eth1", NULL, &p.out);
	assert_out(&p.out, "1000 since 1, 1000 since 1, 1001 since 1, 1001 since 1, "
		   "1002 since 1, ");
}

TEST(a_boot_is_a_reset_even_of_a_counter_that_grew)
{
	struct unfold *u = unfold_new(not_proc, NULL);
	struct buf out CLEANUP(buf_free) = { 0 };
	feed(u, 1, 1000, "a 500", &out);
	feed(u, 2, 1001, "a 501", &out);
	feed(u, 9, 2000, "b 3", &out);
	feed(u, 10, 2001, NULL, &out);
	assert_out(&out, "1000 since 1, 1001 since 1, 2000 since 9, 2001 since 9, ");
	unfold_free(u);
}

static bool drops_b(void *arg, struct str type, struct str key)
{
	(void)arg;
	return str_eq(type, STR("net")) && str_eq(key, STR("b"));
}

TEST(a_key_that_is_dropped_is_absent_in_each_row)
{
	static const struct record_key key[] = { { "a", "", GAUGE, 64, 1, "", false },
						 { "b", "", GAUGE, 64, 1, "", false } };
	const struct record_type cut = { "net", key, 2 }, vm = { "vm", key, 2 };
	const uint64_t value[] = { 5, 6 };
	const double real[] = { 5.5, 6 };
	const struct record_row row[] = { { STR("x"), value, NULL, NULL, NULL },
					  { STR("y"), value, real, NULL, NULL } };
	const struct record_rows rows[] = { { &cut, row, 2 }, { &vm, row, 2 } };
	const struct record r = { .usec = 1, .rows = rows, .n_types = 2, .n_rows = 4 };
	struct unfold *u = unfold_new(not_proc, NULL);
	unfold_drop(u, drops_b);
	const struct record *got = unfold_with(u, &r, "a 1");
	assert_int_equal(got->n_types, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(row_has(&got->rows[0].row[i], 0));
		assert_false(row_has(&got->rows[0].row[i], 1));
		assert_true(row_has(&got->rows[1].row[i], 1));
	}
	assert_true(row_double(&got->rows[0].row[1], 0) == 5.5);
	unfold_free(u);
}

/* A process in a container may have its own boot id. */
TEST(another_boot_id_is_no_boot_if_the_node_stayed_up)
{
	struct pair p CLEANUP(pair_free) = pair_new();
	feed(p.u, 1, 1000, "a 500", &p.out);
	feed(p.u, 4, 1001, "c 503", &p.out);
	feed(p.u, 5, 1002, "a 504", &p.out);
	assert_out(&p.out, "1000 since 1, 1001 since 1, 1002 since 1, ");
	unfold_put(p.u, &p.text);
	assert_int_equal(unfold_take(p.later, buf_str(&p.text)), 0);
	p.out.n = 0;
	feed(p.later, 6, 1003, "c 505", &p.out);
	feed(p.later, 9, 1004, "b 2", &p.out);
	assert_out(&p.out, "1003 since 1, 1004 since 9, ");
}

TEST(the_state_of_an_older_version_goes_on)
{
	struct pair p CLEANUP(pair_free) = pair_new();
	feed(p.u, 1, 1000, "a 500", &p.out);
	unfold_put(p.u, &p.text);
	const char *up = memmem(p.text.p, p.text.n, "up 500 1000000\n", 15);
	assert_non_null(up);
	struct buf old CLEANUP(buf_free) = { 0 };
	buf_add(&old, (struct str){ p.text.p, (size_t)(up - p.text.p) });
	buf_add(&old, str_skip(buf_str(&p.text), old.n + 15));
	assert_int_equal(unfold_take(p.later, buf_str(&old)), 0);
	p.out.n = 0;
	feed(p.later, 4, 1001, "c 503", &p.out);
	feed(p.later, 9, 1002, "b 2", &p.out);
	assert_out(&p.out, "1001 since 1, 1002 since 9, ");
}

TEST(a_saved_state_goes_on_unchanged)
{
	struct pair p CLEANUP(pair_free) = pair_new();
	feed(p.u, 1, 4294967290, "a 500", &p.out);
	feed(p.u, 2, 4, NULL, &p.out);
	unfold_put(p.u, &p.text);
	p.out.n = 0;
	assert_int_equal(unfold_take(p.later, buf_str(&p.text)), 0);
	feed(p.later, 3, 5, "a 502", &p.out);
	assert_out(&p.out, "4294967301 since 1, ");
	p.text.n = p.out.n = 0;
	feed(p.u, 3, 100, NULL, &p.out);
	unfold_put(p.u, &p.text);
	assert_int_equal(unfold_take(p.later, buf_str(&p.text)), 0);
	feed(p.later, 4, 90, NULL, &p.out);	/* a small dip */
	feed(p.later, 5, 10, NULL, &p.out);	/* a reset */
	p.text.n = 0;
	unfold_put(p.later, &p.text);
	assert_int_equal(unfold_take(p.later, buf_str(&p.text)), 0);
	feed(p.later, 6, 11, NULL, &p.out);
	assert_out(&p.out, "4294967396 since 1, 4294967396 since 1, -, 11 since 5, ");
	for (size_t n = 0; n + 1 < p.text.n; n++)
		assert_int_equal(unfold_take(p.later, (struct str){ p.text.p, n }), -EBADMSG);
}

TEST(a_device_that_has_gone_is_forgotten)
{
	struct unfold *u = unfold_new(not_proc, NULL);
	struct buf out CLEANUP(buf_free) = { 0 }, text CLEANUP(buf_free) = { 0 };
	feed(u, 1, 5, NULL, &out);
	unfold_sweep(u);
	unfold_sweep(u);
	unfold_put(u, &text);
	assert_null(memmem(text.p, text.n, "eth0", 4));
	unfold_free(u);
}

TEST(types_that_are_not_wanted_are_left_out)
{
	static const struct record_type proc = { "proc", keys, ARRAY_SIZE(keys) };
	struct unfold *u = unfold_new(not_proc, NULL);
	const uint64_t values[] = { 1, 2 };
	const struct record_row row = { .device = STR("1"), .value = values };
	const struct record_rows rows = { &proc, &row, 1 };
	const struct record r = { .usec = 1, .rows = &rows, .n_types = 1, .n_rows = 1 };
	const struct record *got = unfold_with(u, &r, "");
	assert_int_equal(got->n_types, 0);
	assert_int_equal(got->n_rows, 0);
	unfold_free(u);
}

/*
 * The new process may have started its counter at any value. A reader that restarts must still know
 * this.
 */
TEST(a_fall_at_a_change_of_writers_is_no_growth_after_a_restart_either)
{
	struct pair p CLEANUP(pair_free) = pair_new();
	feed(p.u, 1, 1000, "a 500", &p.out);
	feed(p.u, 2, 400, "a 501", &p.out);
	unfold_put(p.u, &p.text);
	assert_int_equal(unfold_take(p.later, buf_str(&p.text)), 0);
	feed(p.later, 3, 430, NULL, &p.out);
	assert_out(&p.out, "1000 since 1, -, 1030 since 1, ");
}

/* The reader restarts between the mark and the first reading after it. */
TEST(a_counter_opened_again_goes_on_from_its_value_after_a_restart)
{
	static const struct mark marks[] = { { .kind = MARK_RESTART, .subject = STR("net") } };
	const struct record r = { .usec = 2000000, .mark = marks, .n_marks = 1 };
	struct pair p CLEANUP(pair_free) = pair_new();
	feed(p.u, 1, 1000, NULL, &p.out);
	assert_int_equal(unfold_with(p.u, &r, "")->n_rows, 0);
	unfold_put(p.u, &p.text);
	assert_int_equal(unfold_take(p.later, buf_str(&p.text)), 0);
	feed(p.later, 3, 5000, NULL, &p.out);
	feed(p.later, 4, 5001, NULL, &p.out);
	assert_out(&p.out, "1000 since 1, 1000 since 1, 1001 since 1, ");
}

/* Values with fractions come from programs that have already removed wraps and resets. */
TEST(real_values_stay_as_they_are)
{
	struct unfold *u = unfold_new(not_proc, NULL);
	const uint64_t values[] = { 5, 7 };
	const double real[] = { 5.25, 7.5 };
	const struct record_row row = { .device = STR("eth0"), .value = values, .real = real };
	const struct record_rows rows = { &net, &row, 1 };
	const struct record r = { .usec = 1, .rows = &rows, .n_types = 1, .n_rows = 1 };
	const struct record *got = unfold_with(u, &r, "");
	assert_int_equal(got->n_rows, 1);
	assert_true(row_double(&got->rows[0].row[0], 0) == 5.25);
	assert_null(got->rows[0].row[0].since);
	unfold_free(u);
}

/* After one source has ended, the schema of the next source may get the same address. */
TEST(another_schema_at_the_same_address_starts_its_counters)
{
	struct unfold *u = unfold_new(not_proc, NULL);
	struct record_key key[] = { keys[0], keys[1] };
	const struct record_type type = { "net", key, ARRAY_SIZE(key) };
	uint64_t values[] = { 130, 7 };
	const struct record_row row = { .device = STR("eth0"), .value = values };
	const struct record_rows rows = { &type, &row, 1 };
	struct record r = { .usec = 1, .rows = &rows, .n_types = 1, .n_rows = 1,
			    .restart = true };
	assert_int_equal(unfold_with(u, &r, "a 5")->n_rows, 1);

	key[0].name = "other";
	values[0] = 40;
	r.usec = 2;
	const struct record_row *got = unfold_with(u, &r, "a 5")->rows[0].row;
	assert_true(row_has(got, 0));
	assert_int_equal(got->value[0], 40);
	assert_int_equal(got->since[0], 2);
	unfold_free(u);
}

TEST(a_state_with_a_number_that_cannot_be_is_refused)
{
	static const char *const good = "boot a\nup 5 7\ntype net 2 1\ndevice eth0\n"
					"0 1 2 0 3 0 0 0 3\nend\n";
	static const char *const bad[] = {
		"boot a\nup 9223372036854775808 7\nend\n", "boot a\nup 5 253402300800000000\nend\n",
		"type net 2 1\ndevice eth0\n2 1 2 0 3 0 0 0 3\nend\n",
		"type net 2 1\ndevice eth0\n0 1 2 0 3 0 0 256 3\nend\n",
		"type net 2 1\ndevice eth0\n0 1 2 0 3 0 0 0 4\nend\n",
		"type net 2 1\ndevice eth0\n0 1 9223372036854775808 0 3 0 0 0 0\nend\n",
		"type net 2 1\n0 1 2 0 3 0 0 0 3\nend\n", "device eth0\nend\n",
		"type a 1 1\ndevice x\ntype net 2 1\n1 1 2 0 3 0 0 0 0\nend\n",
		"type net 4097 1\nend\n", "boot a\nend\nmore\n",
	};
	struct unfold *u = unfold_new(not_proc, NULL);
	assert_int_equal(unfold_take(u, str_of(good)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (unfold_take(u, str_of(bad[i])) != -EBADMSG)
			fail_msg("%s", bad[i]);
	unfold_free(u);
}

int main(void)
{
	RUN(cmocka_unit_test(a_key_that_is_dropped_is_absent_in_each_row),
	    cmocka_unit_test(wraps_go_on_and_resets_are_marked),
	    cmocka_unit_test(a_counter_that_a_job_sets_to_0_counts_from_there),
	    cmocka_unit_test(a_dip_keeps_the_value),
	    cmocka_unit_test(another_schema_at_the_same_address_starts_its_counters),
	    cmocka_unit_test(a_reading_far_below_is_absent_until_the_next_explains_it),
	    cmocka_unit_test(the_first_value_of_another_process_is_no_growth),
	    cmocka_unit_test(a_counter_that_is_reopened_goes_on_from_its_value),
	    cmocka_unit_test(a_boot_is_a_reset_even_of_a_counter_that_grew),
	    cmocka_unit_test(another_boot_id_is_no_boot_if_the_node_stayed_up),
	    cmocka_unit_test(the_state_of_an_older_version_goes_on),
	    cmocka_unit_test(a_saved_state_goes_on_unchanged),
	    cmocka_unit_test(a_device_that_has_gone_is_forgotten),
	    cmocka_unit_test(types_that_are_not_wanted_are_left_out),
	    cmocka_unit_test(a_fall_at_a_change_of_writers_is_no_growth_after_a_restart_either),
	    cmocka_unit_test(a_counter_opened_again_goes_on_from_its_value_after_a_restart),
	    cmocka_unit_test(real_values_stay_as_they_are),
	    cmocka_unit_test(a_state_with_a_number_that_cannot_be_is_refused));
}
