/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cat_rates.c - convert counters to rates, or keep one row of each device per period */
#include "tests/unit/test.h"

#include <string.h>
#include "base/buf.h"
#include "data/cat_rates.h"
#include "formats/raw_read.h"

#define HEADER "$hpcperfstats 1.0.2\n$hostname n1\n!net rx,E,W=32 level\n"

static ssize_t read_text(void *arg, char *to, size_t n)
{
	struct str *left = arg;
	size_t few = left->n < n ? left->n : n;
	memcpy(to, left->p, few);
	*left = str_skip(*left, few);
	return (ssize_t)few;
}

static bool wants_all(void *arg, struct str type)
{
	(void)arg;
	(void)type;
	return true;
}

static void put_record(struct buf *b, const struct record *r)
{
	buf_addf(b, "%lld:", (long long)(r->usec / 1000000));
	for (size_t t = 0; t < r->n_types; t++)
		for (size_t i = 0; i < r->rows[t].n; i++) {
			const struct record_row *row = &r->rows[t].row[i];
			buf_addf(b, " " STR_FMT, STR_ARG(row->device));
			for (size_t k = 0; k < r->rows[t].type->n_keys; k++)
				if (row_has(row, k))
					buf_addf(b, " %llu", (unsigned long long)row->value[k]);
				else
					buf_addf(b, " -");
		}
	buf_addf(b, "\n");
}

/*
 * Compare the rates of the records in `text` with want, "SECONDS: DEVICE RX LEVEL ...", where "-"
 * is a missing value.
 */
static void assert_rates(const struct rates_how *how, const char *text, const char *want)
{
	struct buf got CLEANUP(buf_free) = { 0 };
	struct str left = str_of(text);
	struct record_source source = raw_records(&(struct byte_source){ read_text, &left }, NULL);
	struct cat_rates *rates = cat_rates_new(how, wants_all, NULL);
	const struct record *r;
	while (record_next(&source, &r) > 0)
		put_record(&got, cat_rates_of(rates, r, &source));
	if (!str_eq(buf_str(&got), str_of(want)))
		fail_msg("\n" STR_FMT "instead of\n%s", STR_ARG(buf_str(&got)), want);
	cat_rates_free(rates);
	record_source_end(&source);
}

static const struct rates_how per_second = { .per_second = true };

TEST(a_counter_is_its_growth_in_a_second_and_a_level_stays)
{
	assert_rates(&per_second, HEADER "\n10 -\nnet a 100 7\nnet b 1000 8\n"
		     "\n20 -\nnet a 150 9\nnet b 1000 9\n\n22 -\nnet a 157 1\n"
		     "\n30 -\nnet b 1100 2\n",
		     "10: a - 7 b - 8\n20: a 5 9 b 0 9\n22: a 4 1\n30: b 10 2\n");
}

TEST(a_counter_that_wraps_has_a_rate_and_one_that_was_reset_has_none)
{
	assert_rates(&per_second, HEADER "\n10 -\nnet a 4294967290 7\n\n11 -\nnet a 4 7\n"
		     "\n12 -\nnet a 1000004 7\n\n13 -\nnet a 3 7\n\n14 -\nnet a 5 7\n"
		     "\n15 -\nnet a 7 7\n",
		     "10: a - 7\n11: a 10 7\n12: a 1000000 7\n13: a - 7\n14: a - 7\n15: a 2 7\n");
}

TEST(a_period_has_the_first_row_of_each_device)
{
	static const struct rates_how thin = { .period_us = 10000000 };
	assert_rates(&thin, HEADER "\n10 -\nnet a 1 7\n\n12 -\nnet a 2 7\nnet b 1 7\n"
		     "\n19 -\nnet a 3 7\nnet b 2 7\n\n20 -\nnet a 4 7\nnet b 3 7\n"
		     "\n31 -\nnet b 4 7\n",
		     "10: a 1 7\n12: b 1 7\n19:\n20: a 4 7 b 3 7\n31: b 4 7\n");
}

TEST(a_rate_of_a_period_is_since_its_last_returned_row)
{
	static const struct rates_how both = { .per_second = true, .period_us = 10000000 };
	assert_rates(&both, HEADER "\n10 -\nnet a 100 7\n\n15 -\nnet a 900 7\n"
		     "\n20 -\nnet a 1000 7\n", "10: a - 7\n15:\n20: a 90 7\n");
}

#define BOOTED(id, uptime) "$boot_id " id "\n$uptime " uptime "\n"

TEST(a_counter_has_no_rate_over_a_boot)
{
	assert_rates(&per_second, HEADER BOOTED("a", "1000") "\n1000 -\nnet a 100 7\n"
		     HEADER BOOTED("b", "10") "\n2000 -\nnet a 500 7\n\n2010 -\nnet a 600 7\n",
		     "1000: a - 7\n2000: a - 7\n2010: a 10 7\n");
}

TEST(a_counter_has_no_rate_after_the_clock_went_back)
{
	assert_rates(&per_second, HEADER "\n20 -\nnet a 100 7\n\n15 -\nnet a 150 7\n"
		     "\n16 -\nnet a 160 7\n", "20: a - 7\n15: a - 7\n16: a 10 7\n");
}

TEST(a_row_without_any_value_is_left_out)
{
	assert_rates(&per_second, "$hpcperfstats 1.0.2\n$hostname n1\n!net rx,E\n"
		     "\n10 -\nnet a 100\n\n20 -\nnet a 150\nnet b 1\n", "10:\n20: a 5\n");
}

int main(void)
{
	RUN(cmocka_unit_test(a_row_without_any_value_is_left_out),
	    cmocka_unit_test(a_counter_has_no_rate_after_the_clock_went_back),
	    cmocka_unit_test(a_counter_has_no_rate_over_a_boot),
	    cmocka_unit_test(a_counter_is_its_growth_in_a_second_and_a_level_stays),
	    cmocka_unit_test(a_counter_that_wraps_has_a_rate_and_one_that_was_reset_has_none),
	    cmocka_unit_test(a_period_has_the_first_row_of_each_device),
	    cmocka_unit_test(a_rate_of_a_period_is_since_its_last_returned_row));
}
