/* SPDX-License-Identifier: BSD-3-Clause */
/* units.c - numbers as people read them, at most ten characters wide */
#include "figures/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/base.h"

/* Units of one kind, each .base of the one before. */
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

/* Four digits or so: 1.234, 12.34, 123.4, 1023; one less where the unit is long. */
static struct text four_digits(double v, const char *unit)
{
	struct text t;
	double size = fabs(v);
	int decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
	decimals -= decimals > 0 && strlen(unit) > 4;
	snprintf(t.s, sizeof(t.s), "%.*f %s", decimals, v, unit);
	return t;
}

/* The largest unit that v has one of; *v becomes its count. */
static size_t scale(double *v, const struct units *u)
{
	size_t i = 0;
	while (i + 1 < u->n && fabs(*v) >= u->base) {
		*v /= u->base;
		i++;
	}
	return i;
}

static struct text scaled(double v, const struct units *u)
{
	size_t i = scale(&v, u);
	if (i > 0 || v != floor(v))
		return four_digits(v, u->unit[i]);
	struct text t;
	snprintf(t.s, sizeof(t.s), "%.0f %s", v, u->unit[i]);
	return t;
}

static struct text text_count(double v)
{
	if (fabs(v) >= 1e9)
		return scaled(v / 1e6, &count_from_m);
	struct text t;
	snprintf(t.s, sizeof(t.s), "%.*f", v == floor(v) || fabs(v) >= 1000 ? 0 : 2, v);
	return t;
}

static struct text text_seconds(double v)
{
	if (fabs(v) < 60)
		return four_digits(v, "s");
	return fabs(v) < 3600 ? four_digits(v / 60, "min") : four_digits(v / 3600, "h");
}

struct text text_value(enum figure_unit unit, double v)
{
	switch (unit) {
	case UNIT_BYTES:
		return scaled(v, &bytes);
	case UNIT_SECONDS:
		return text_seconds(v);
	case UNIT_JOULES:
		return scaled(v, &joules);
	case UNIT_COUNT:
		break;
	}
	return text_count(v);
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
	return NULL;	/* percent of the time */
}

struct text text_rate(enum figure_unit unit, double per_second)
{
	const struct units *u = units_of_rate(unit);
	struct text t;
	if (u)
		return scaled(per_second, u);
	snprintf(t.s, sizeof(t.s), "%.3f %%", 100 * per_second);	/* of one CPU */
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
	size_t i = scale(&v, u);
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

static struct text local_time(int64_t usec, bool whole)
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
	return local_time(usec, true);
}

struct text text_clock(int64_t usec)
{
	return local_time(usec, false);
}

struct text text_name(struct str name, size_t width)
{
	struct text t;
	size_t n = 0;

	if (width > sizeof(t.s) - 1)
		width = sizeof(t.s) - 1;
	for (; n < name.n && n < width; n++) {
		char c = name.p[n];
		t.s[n] = c >= ' ' && c < 0x7f ? c : '?';
	}
	t.s[n] = '\0';
	if (n < name.n && n > 0)
		t.s[n - 1] = '+';
	return t;
}
