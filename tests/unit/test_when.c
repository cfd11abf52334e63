/* SPDX-License-Identifier: BSD-3-Clause */
/* test_when.c - read times as people write them */
#include "tests/unit/test.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include "base/base.h"
#include "base/when.h"

#define NOW   INT64_C(1700000000)	/* Tue 2023-11-14 22:13:20 UTC */
#define TODAY (NOW - 22 * 3600 - 13 * 60 - 20)

static const struct {
	const char *text;
	int64_t seconds;
} moments[] = {
	{ "1699999000",             1699999000                },
	{ "@1699999000",            1699999000                },
	{ "now",                    NOW                       },
	{ "-30s",                   NOW - 30                  },
	{ "-5min",                  NOW - 300                 },
	{ "-2h",                    NOW - 7200                },
	{ "-3d",                    NOW - 3 * 86400           },
	{ "-1w",                    NOW - 7 * 86400           },
	{ "-2weeks",                NOW - 14 * 86400          },
	{ "-1month",                NOW - 31 * 86400          },
	{ "-1year",                 NOW - 365 * 86400         },
	{ "today",                  TODAY                     },
	{ "yesterday",              TODAY - 86400             },
	{ "yesterday 14:03",        TODAY - 86400 + 50580     },
	{ "Tue 14:03",              TODAY + 50580             },
	{ "Tue 23:00",              TODAY + 82800 - 7 * 86400 },
	{ "tuesday",                TODAY                     },
	{ "Mon 14:03:07",           TODAY - 86400 + 50587     },
	{ "Wednesday",              TODAY - 6 * 86400         },
	{ "14:03",                  TODAY + 50580             },
	{ "23:00",                  TODAY + 82800 - 86400     },
	{ "2023-11-14",             TODAY                     },
	{ "14-Nov-2023",            TODAY                     },
	{ "4-OCT-2023",             TODAY - 41 * 86400        },
	{ "14-nov-2023 14:03",      TODAY + 50580             },
	{ "14-NOV-2023:14:03:07",   TODAY + 50587             },
	{ "14-Nov-2023 14:03+02:00", TODAY + 50580 - 7200     },
	{ "2023-11-14 14:03",       TODAY + 50580             },
	{ "2023-11-14T14:03:07",    TODAY + 50587             },
	{ "2023-11-14T14:03Z",      TODAY + 50580             },
	{ "2023-11-14T14:03+02:00", TODAY + 50580 - 7200      },
	{ "2023-11-14 14:03-0530",  TODAY + 50580 + 19800     },
	{ "2016-12-31T23:59:60Z",   1483228800                },
	{ "2016-12-31 23:59:60",    1483228800                },
};

static const char *const refused[] = {
	"", "-", "-2", "-2x", "-h", "someday", "Tu 14:03", "Tue 24:00", "Tue 14", "14:60", "14:3",
	"2023-02-30", "2023-11-14 25:00", "2023-11-14T14:03+2", "2023-11-14Z", "@", "1 2",
	"Tuesdays", "30-Feb-2023", "14-Nov-23", "14-Now-2023", "114-Nov-2023", "14-Nov-2023:",
	 "today 9:00", "-99999999999999999999h",
};

TEST(words_and_dates_are_moments)
{
	for (size_t i = 0; i < ARRAY_SIZE(moments); i++) {
		int64_t usec = 0;
		int r = when_take(moments[i].text, NOW * 1000000, &usec);
		if (r < 0 || usec != moments[i].seconds * 1000000)
			fail_msg("%s: %d, %lld", moments[i].text, r, (long long)usec / 1000000);
	}
}

TEST(any_other_text_is_refused_and_changes_nothing)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		int64_t usec = 5;
		if (when_take(refused[i], NOW * 1000000, &usec) != -EINVAL || usec != 5)
			fail_msg("\"%s\" is %lld", refused[i], (long long)usec);
	}
}

TEST(local_times_are_distinguished_from_others)
{
	static const char *const by_clock[] = { "14-Nov-2023 14:03:07", "2023-11-14", "14:03",
						"yesterday", "Tue 14:03" };
	static const char *const others[] = { "1699999000", "@1699999000", "now", "-30s", "-3d",
					      "2023-11-14T14:03Z", "2023-11-14 14:03-0530" };
	int64_t usec;
	bool is;

	for (size_t i = 0; i < ARRAY_SIZE(by_clock); i++)
		assert_true(when_take_clock(by_clock[i], NOW * 1000000, &usec, &is) == 0 && is);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_true(when_take_clock(others[i], NOW * 1000000, &usec, &is) == 0 && !is);
}

/* A day has 23 hours in spring and 25 in autumn, when the clocks change. */
TEST(days_are_those_of_the_local_time_zone)
{
	int64_t usec, monday = INT64_C(1711962000);	/* 2024-04-01 09:00 UTC, 11:00 CEST */

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	assert_int_equal(when_take("Sat 12:00", monday * 1000000, &usec), 0);
	assert_int_equal(usec / 1000000, 1711796400);	/* 2024-03-30 11:00 UTC */
	assert_int_equal(when_take("yesterday 12:00", monday * 1000000, &usec), 0);
	assert_int_equal(usec / 1000000, 1711879200);	/* 2024-03-31 10:00 UTC */
	assert_int_equal(when_take("-2d", monday * 1000000, &usec), 0);
	assert_int_equal(usec / 1000000, 1711792800);	/* 2024-03-30 10:00 UTC, 11:00 CET */
	assert_int_equal(when_take("-2month", monday * 1000000, &usec), 0);
	assert_int_equal(usec / 1000000, 1706781600);	/* 2024-02-01 10:00 UTC, 11:00 CET */
	assert_int_equal(when_take("-48h", monday * 1000000, &usec), 0);
	assert_int_equal(usec / 1000000, 1711789200);	/* 2024-03-30 09:00 UTC */
	setenv("TZ", "UTC", 1);
	tzset();
}

TEST(a_month_that_is_too_short_gives_its_last_day)
{
	int64_t usec, easter = INT64_C(1711886400);	/* 2024-03-31 12:00 UTC */

	assert_int_equal(when_take("-1month", easter * 1000000, &usec), 0);
	assert_int_equal(usec / 1000000, 1709208000);	/* 2024-02-29 12:00 UTC */
	assert_int_equal(when_take("-13months", easter * 1000000, &usec), 0);
	assert_int_equal(usec / 1000000, 1677585600);	/* 2023-02-28 12:00 UTC */
	assert_int_equal(when_take("-1year", INT64_C(1709208000) * 1000000, &usec), 0);
	assert_int_equal(usec / 1000000, 1677585600);
}

int main(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
	RUN(cmocka_unit_test(words_and_dates_are_moments),
	    cmocka_unit_test(any_other_text_is_refused_and_changes_nothing),
	    cmocka_unit_test(local_times_are_distinguished_from_others),
	    cmocka_unit_test(days_are_those_of_the_local_time_zone),
	    cmocka_unit_test(a_month_that_is_too_short_gives_its_last_day));
}
