/* SPDX-License-Identifier: BSD-3-Clause */
/* units.c - format numbers for people, at most ten characters wide */
#include "figures/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/base.h"
#include "base/utf8.h"

/* Units of one kind, in ascending order. Each unit is .base times the previous unit. */
struct units {
	double base;
	size_t n;
	const char *unit[7];
};
static const struct units
	bytes = { 1024, 7, { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" } },
	bytes_per_s = { 1024, 6, { "B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "PiB/s" } },
	count_from_m = { 1000, 5, { "M", "G", "T", "P", "E" } },
	count_per_s = { 1000, 5, { "/s", "k/s", "M/s", "G/s", "T/s" } },
	joules = { 1000, 5, { "J", "kJ", "MJ", "GJ", "TJ" } },
	watts = { 1000, 3, { "W", "kW", "MW" } };

/*
 * Format v with about four digits: 1.234, 12.34, 123.4, 1023. A long unit costs one digit. If
 * rounding adds a digit before the point, a digit after the point is dropped: 9.9999 becomes 10.00.
 */
static struct text units_format_digits(double v, const char *unit)
{
	struct text t;
	int decimals = strlen(unit) > 4 ? 2 : 3;
	double most = 10;
	for (; decimals > 0 && fabs(v) >= most - .5 * pow(10, -decimals); most *= 10)
		decimals--;
	snprintf(t.s, sizeof(t.s), "%.*f %s", decimals, v, unit);
	return t;
}

/* Convert *v to the largest unit in which it is at least 1. Returns the index of the unit. */
static size_t units_scale_value(double *v, const struct units *u)
{
	size_t i = 0;
	while (i + 1 < u->n && fabs(*v) >= u->base) {
		*v /= u->base;
		i++;
	}
	return i;
}

static struct text units_format_scaled(double v, const struct units *u)
{
	size_t i = units_scale_value(&v, u);
	if (i > 0 || v != floor(v))
		return units_format_digits(v, u->unit[i]);
	struct text t;
	snprintf(t.s, sizeof(t.s), "%.0f %s", v, u->unit[i]);
	return t;
}

static struct text units_format_count(double v)
{
	if (fabs(v) >= 1e9)
		return units_format_scaled(v / 1e6, &count_from_m);
	struct text t;
	snprintf(t.s, sizeof(t.s), "%.*f", v == floor(v) || fabs(v) >= 1000 ? 0 : 2, v);
	return t;
}

static struct text units_format_seconds(double v)
{
	if (fabs(v) < 60)
		return units_format_digits(v, "s");
	return fabs(v) < 3600 ? units_format_digits(v / 60, "min") : units_format_digits(v / 3600,
											 "h");
}

struct text text_value(enum figure_unit unit, double v)
{
	switch (unit) {
	case UNIT_BYTES:
		return units_format_scaled(v, &bytes);
	case UNIT_SECONDS:
		return units_format_seconds(v);
	case UNIT_JOULES:
		return units_format_scaled(v, &joules);
	case UNIT_COUNT:
		break;
	}
	return units_format_count(v);
}

static const struct units *units_of_rate(enum figure_unit unit)
{
	switch (unit) {
	case UNIT_BYTES:
		return &bytes_per_s;
	case UNIT_COUNT:
		return &count_per_s;
	case UNIT_JOULES:
		return &watts;
	case UNIT_SECONDS:
		break;
	}
	return NULL;	/* no unit: seconds per second are shown as a percentage */
}

struct text text_rate(enum figure_unit unit, double per_second)
{
	const struct units *u = units_of_rate(unit);
	struct text t;
	if (u)
		return units_format_scaled(per_second, u);
	snprintf(t.s, sizeof(t.s), "%.3f %%", 100 * per_second);	/* 100 % is one CPU */
	return t;
}

struct axis axis_of(enum figure_unit unit, bool rate, double largest)
{
	const struct units *u = rate ? units_of_rate(unit) : unit == UNIT_BYTES ? &bytes :
				unit == UNIT_JOULES ? &joules : NULL;
	double v = largest;

	if (!u && unit == UNIT_SECONDS)
		return (struct axis){ 1, rate ? "s/s" : "s" };
	if (!u && largest < 1e6)
		return (struct axis){ 1, "" };
	if (!u) {
		v /= 1e6;
		u = &count_from_m;
	}
	size_t i = units_scale_value(&v, u);
	return (struct axis){ v / largest, u->unit[i] };
}

struct axis axis_of_derived(const struct derived *d)
{
	static const struct {
		const char *unit;
		struct axis as;
	} units[] = {
		{ "kB",   { 1e3 / 0x1p10, "KiB"   } },
		{ "MB/s", { 1e6 / 0x1p20, "MiB/s" } },
		{ "GB/s", { 1e9 / 0x1p30, "GiB/s" } },
	};
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(units[i].unit, d->unit) == 0)
			return units[i].as;
	return (struct axis){ 1, d->unit };
}

struct text text_percent(double v)
{
	struct text t;
	snprintf(t.s, sizeof(t.s), "%.*f %%", v > 0 && v < 1 ? 2 : 1, v);
	return t;
}

struct text text_duration(int64_t usec)
{
	struct text t;
	int64_t s = (usec + 500000) / 1000000, d = s / 86400;

	if (usec < 60000000 && usec % 1000000 != 0)
		snprintf(t.s, sizeof(t.s), "%.4g s", (double)usec / 1e6);
	else if (d > 0)
		snprintf(t.s, sizeof(t.s), "%lld d %02d:%02d:%02d", (long long)d,
			 (int)(s / 3600 % 24), (int)(s / 60 % 60), (int)(s % 60));
	else
		snprintf(t.s, sizeof(t.s), "%d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60),
			 (int)(s % 60));
	return t;
}

static struct text units_format_time(int64_t usec, bool whole)
{
	struct text t;
	time_t s = (time_t)(usec / 1000000);
	struct tm tm;
	if (!localtime_r(&s, &tm) ||
	    !strftime(t.s, sizeof(t.s), whole ? "%Y-%m-%d %H:%M:%S %Z" : "%m-%d %H:%M:%S", &tm))
		str_copy(t.s, sizeof(t.s), STR("?"));
	return t;
}

struct text text_time(int64_t usec)
{
	return units_format_time(usec, true);
}

struct text text_clock(int64_t usec)
{
	return units_format_time(usec, false);
}

struct text text_name(struct str name, size_t width)
{
	struct text t;
	struct str rest = name, c;
	size_t n = 0, room = 0, columns = 0;

	while (rest.n) {
		utf8_take(&rest, &c);
		columns += utf8_columns(c);
		if (columns > width || n + c.n >= sizeof(t.s))
			break;
		n += c.n;
		if (columns < width && n + 1 < sizeof(t.s))
			/* if the name is too long, cut it here and add a "+" */
			room = n;
	}
	if (n == name.n) {
		str_copy(t.s, sizeof(t.s), name);
	} else {
		str_copy(t.s, sizeof(t.s), (struct str){ name.p, room });
		str_copy(t.s + room, sizeof(t.s) - room, STR("+"));
		n = room;
	}
	utf8_make_printable(t.s, n);
	return t;
}
