/* SPDX-License-Identifier: BSD-3-Clause */
/* when.c - parse times as people write them */
#include "base/when.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include "base/base.h"
#include "base/str.h"

#define SECOND 1000000LL

static bool take_digits(struct str *s, size_t n, int *ret)
{
	struct str head = { s->p, n };
	uint64_t v;
	if (s->n < n || str_peek(head) == ' ' || !str_take_u64(&head, &v) || head.n)
		return false;
	*ret = (int)v;
	*s = str_skip(*s, n);
	return true;
}

/* Take HH:MM[:SS]; SS may be 60, a leap second. */
static bool take_clock(struct str *s, struct tm *tm)
{
	if (!take_digits(s, 2, &tm->tm_hour) || !str_take_prefix(s, STR(":")) ||
	    !take_digits(s, 2, &tm->tm_min))
		return false;
	if (str_take_prefix(s, STR(":")) && !take_digits(s, 2, &tm->tm_sec))
		return false;
	return tm->tm_hour <= 23 && tm->tm_min <= 59 && tm->tm_sec <= 60;
}

/* Take a date as OpenVMS writes it, "14-Nov-2023", case-insensitive. */
static bool when_take_vms_date(struct str *s, struct tm *tm)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct str rest = *s;

	if (!take_digits(&rest, 2, &tm->tm_mday) && !take_digits(&rest, 1, &tm->tm_mday))
		return false;
	if (!str_take_prefix(&rest, STR("-")) || rest.n < 4 || rest.p[3] != '-')
		return false;
	for (tm->tm_mon = 0; tm->tm_mon < 12; tm->tm_mon++)
		if (strncasecmp(names + 3 * tm->tm_mon, rest.p, 3) == 0)
			break;
	rest = str_skip(rest, 4);
	if (tm->tm_mon == 12 || !take_digits(&rest, 4, &tm->tm_year))
		return false;
	tm->tm_year -= 1900;
	*s = rest;
	return true;
}

static bool take_date(struct str *s, struct tm *tm)
{
	if (when_take_vms_date(s, tm))
		return true;
	if (!take_digits(s, 4, &tm->tm_year) || !str_take_prefix(s, STR("-")) ||
	    !take_digits(s, 2, &tm->tm_mon) || !str_take_prefix(s, STR("-")) ||
	    !take_digits(s, 2, &tm->tm_mday))
		return false;
	tm->tm_year -= 1900;
	tm->tm_mon -= 1;
	return true;
}

/*
 * Take Z, an offset such as +02:00 or -0530, or nothing. *east gets the offset from UTC in seconds.
 */
static bool take_zone(struct str *s, bool *has, long *east)
{
	int hours, minutes;
	bool minus = str_peek(*s) == '-';

	*has = s->n > 0;
	*east = 0;
	if (!*has || str_take_prefix(s, STR("Z")))
		return true;
	if ((!str_take_prefix(s, STR("+")) && !str_take_prefix(s, STR("-"))) ||
	    !take_digits(s, 2, &hours))
		return false;
	str_take_prefix(s, STR(":"));
	if (!take_digits(s, 2, &minutes))
		return false;
	*east = (minus ? -1 : 1) * (hours * 3600L + minutes * 60L);
	return true;
}

/* Reject dates such as the 30th of February, which mktime(3) turns into the 1st of March. */
static int to_usec(struct tm tm, time_t (*make)(struct tm *), int64_t *ret)
{
	struct tm requested = tm;
	tm.tm_sec = 0;		/* a leap second would be in the next day */
	time_t t = make(&tm);
	if (t == -1 || tm.tm_mday != requested.tm_mday || tm.tm_mon != requested.tm_mon)
		return -EINVAL;
	*ret = (t + requested.tm_sec) * SECOND;
	return 0;
}

static int take_written(struct str s, int64_t *usec, bool *by_clock)
{
	struct tm tm = { .tm_isdst = -1 };
	bool clock, zone = false;
	long east = 0;

	if (!take_date(&s, &tm))
		return -EINVAL;
	clock = str_take_prefix(&s, STR("T")) || str_take_prefix(&s, STR(" ")) ||
		str_take_prefix(&s, STR(":"));
	if (clock && (!take_clock(&s, &tm) || !take_zone(&s, &zone, &east)))
		return -EINVAL;
	if (s.n || to_usec(tm, zone ? timegm : mktime, usec) < 0)
		return -EINVAL;
	*usec -= east * SECOND;
	*by_clock = !zone;
	return 0;
}

/* Units such as "h" in "-2h". Days, weeks, months and years follow the calendar. */
static const struct ago {
	const char *name;
	int years, months, days, seconds;
} agos[] = {
	{ "s",     0, 0, 0, 1    },
	{ "min",   0, 0, 0, 60   },
	{ "h",     0, 0, 0, 3600 },
	{ "hour",  0, 0, 0, 3600 },
	{ "d",     0, 0, 1, 0    },
	{ "day",   0, 0, 1, 0    },
	{ "w",     0, 0, 7, 0    },
	{ "week",  0, 0, 7, 0    },
	{ "month", 0, 1, 0, 0    },
	{ "y",     1, 0, 0, 0    },
	{ "year",  1, 0, 0, 0    },
};

static const struct ago *find_ago(struct str name, bool several)
{
	if (several && name.n > 3 && name.p[name.n - 1] == 's')
		name.n--;
	for (size_t i = 0; i < ARRAY_SIZE(agos); i++)
		if (str_eq(name, str_of(agos[i].name)))
			return &agos[i];
	return NULL;
}

static int take_ago(struct str s, int64_t now, int64_t *usec)
{
	time_t t = (time_t)(now / SECOND);
	struct tm tm;
	uint64_t n;

	if (str_peek(s) == ' ' || !str_take_u64(&s, &n) || n > 100000000)
		return -EINVAL;
	const struct ago *ago = find_ago(s, n > 1);
	if (!ago || (!ago->seconds && n > 100000))
		return -EINVAL;
	t -= (time_t)n * ago->seconds;
	if (!ago->seconds) {
		localtime_r(&t, &tm);
		int day = tm.tm_mday;
		tm.tm_year -= (int)n * ago->years;
		tm.tm_mon -= (int)n * ago->months;
		tm.tm_mday -= (int)n * ago->days;
		tm.tm_isdst = -1;
		t = mktime(&tm);
		if (!ago->days && tm.tm_mday != day) {
			tm.tm_mday = 0;		/* last day of a month that is too short */
			tm.tm_isdst = -1;
			t = mktime(&tm);
		}
	}
	*usec = t * SECOND + now % SECOND;
	return t < 0 ? -EINVAL : 0;
}

/*
 * Take the name of a day; weekdays may be abbreviated to 3 letters. *ago is the number of days
 * before today; if the time on that day is still to come, the caller adds *again.
 */
static bool take_day(struct str *s, const struct tm *today, int *ago, int *again)
{
	static const char *const days[] = {
		"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
		"today", "yesterday",
	};
	struct str rest = *s, word;

	if (!str_take_word(&rest, &word))
		return false;
	for (int i = 0; i < (int)ARRAY_SIZE(days); i++) {
		bool cut = i < 7 && word.n == 3;
		if (strncasecmp(days[i], word.p, word.n) != 0 ||
		    (word.n != strlen(days[i]) && !cut))
			continue;
		*again = i < 7 ? 7 : 0;
		*ago = i == 7 ? 0 : i == 8 ? 1 : (today->tm_wday - i + 7) % 7;
		*s = str_trim(rest);
		return true;
	}
	return false;
}

static int take_spoken(struct str s, int64_t now, int64_t *usec)
{
	time_t t = (time_t)(now / SECOND);
	struct tm tm;
	int ago = 0, again = 1;

	if (!localtime_r(&t, &tm))
		return -EINVAL;
	bool named = take_day(&s, &tm, &ago, &again);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	if ((!named || s.n) && !take_clock(&s, &tm))
		return -EINVAL;
	if (s.n)
		return -EINVAL;
	tm.tm_mday -= ago;
	struct tm at = tm;
	*usec = mktime(&at) * SECOND;
	if (*usec <= now)
		return 0;
	tm.tm_mday -= again;
	*usec = mktime(&tm) * SECOND;
	return 0;
}

int when_take_clock(const char *text, int64_t now, int64_t *usec, bool *by_clock)
{
	struct str s = str_of(text);
	int64_t v;

	*by_clock = false;
	str_take_prefix(&s, STR("@"));
	if (str_take_time(&s, &v) && s.n == 0) {
		*usec = v;
		return 0;
	}
	s = str_of(text);
	if (str_eq(s, STR("now"))) {
		*usec = now;
		return 0;
	}
	if (str_take_prefix(&s, STR("-")))
		return take_ago(s, now, usec);
	int r = take_written(s, usec, by_clock);
	if (r == 0)
		return 0;
	*by_clock = true;
	return take_spoken(s, now, usec);
}

int when_take(const char *text, int64_t now, int64_t *usec)
{
	bool by_clock;
	return when_take_clock(text, now, usec, &by_clock);
}

int32_t when_utc_offset(int64_t usec)
{
	time_t t = (time_t)(usec / SECOND);
	struct tm tm;
	return localtime_r(&t, &tm) ? (int32_t)tm.tm_gmtoff : 0;
}
