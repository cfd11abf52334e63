/* SPDX-License-Identifier: BSD-3-Clause */
/* factors.c - cost of energy at a site: the building's PUE, CO2 and price per kWh */
#include "schema/factors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "base/files.h"
#include "base/json.h"
#include "base/vec.h"
#include "base/when.h"

#define JOULES_PER_KWH 3.6e6
#define STEPS_MAX 1000000	/* limit of entries: more than one per hour over a century */

void factors_free(struct factors *f)
{
	free(f->grid);
	*f = (struct factors){ .pue = 0 };
}

bool factors_are_set(const struct factors *f)
{
	return f->pue > 0 || f->price > 0 || f->n > 0;
}

bool factor_take(struct str s, double *ret)
{
	char text[32], *end;
	if (s.n == 0 || !str_copy(text, sizeof(text), s))
		return false;
	double v = strtod(text, &end);
	if (*end != '\0' || !(v >= 0 && v < 1e18))
		return false;
	*ret = v;
	return true;
}

static void factors_add_step(struct factors *f, int64_t at, double grams)
{
	f->grid = vec_reserve(f->grid, &f->cap, f->n + 1, sizeof(*f->grid));
	f->grid[f->n++] = (struct grid_step){ at, grams };
}

static bool factors_set_carbon(struct factors *f, struct str value)
{
	double grams;
	if (str_peek(value) == '/') {
		f->n = 0;
		return str_copy(f->file, sizeof(f->file), value);
	}
	if (!factor_take(value, &grams))
		return false;
	f->n = 0;
	f->file[0] = '\0';
	factors_add_step(f, INT64_MIN, grams);
	factors_add_step(f, INT64_MAX, 0);
	return true;
}

bool factors_set(struct factors *f, struct str name, struct str value)
{
	double v;
	if (str_eq(name, STR("carbon")))
		return factors_set_carbon(f, value);
	if (str_eq(name, STR("price")))
		return factor_take(value, &f->price);
	if (!str_eq(name, STR("pue")) || !factor_take(value, &v) || v < 1)
		return false;
	f->pue = v;
	return true;
}

bool factors_take(struct factors *f, struct str line)
{
	struct str name;
	return str_take_until(&line, '=', &name) && factors_set(f, str_trim(name), str_trim(line));
}

static bool factors_take_step(struct factors *f, struct str line)
{
	struct str word;
	char text[64];
	int64_t at;
	double grams;
	if (!str_take_word(&line, &word) || !str_copy(text, sizeof(text), word) ||
	    when_take(text, 0, &at) < 0 || !factor_take(str_trim(line), &grams) ||
	    (f->n && at <= f->grid[f->n - 1].at) || f->n == STEPS_MAX)
		return false;
	factors_add_step(f, at, grams);
	return true;
}

int factors_take_grid(struct factors *f, const char *path, struct str text,
		      const struct listener *listener)
{
	struct str line;
	f->n = 0;
	for (unsigned n = 1; str_take_line(&text, &line); n++) {
		line = str_trim(line);
		if (line.n == 0 || line.p[0] == '#' || factors_take_step(f, line))
			continue;
		say_error(listener, "%s:%u: expected TIME GRAMS, with a later TIME than the line "
			  "before", path, n);
		return -EINVAL;
	}
	return 0;
}

int factors_load(struct factors *f, const struct listener *listener)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str all;
	if (!f->file[0])
		return 0;
	int fd CLEANUP(close_fd) = open(f->file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int r = fd < 0 ? -errno : files_read_fd(fd, FILE_TO_END, &text, &all);
	if (r == 0)
		return factors_take_grid(f, f->file, all, listener);
	say_error(listener, "%s: %s", f->file, strerror(-r));
	return r;
}

static int factors_take_site(struct factors *f, const char *path, struct str text,
			     const struct listener *listener)
{
	struct str line;
	bool site = false;
	for (unsigned n = 1; str_take_line(&text, &line); n++) {
		line = str_trim(line);
		if (!site || line.n == 0 || line.p[0] == '#') {
			site |= str_eq(line, STR("[site]"));
			continue;
		}
		if (factors_take(f, line))
			continue;
		say_error(listener, "%s:%u: expected carbon, price or pue", path, n);
		return -EINVAL;
	}
	return factors_load(f, listener);
}

int factors_read_site(struct factors *f, const char *path, const struct listener *listener)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str all = STR("");
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int r = fd < 0 ? -errno : files_read_fd(fd, FILE_TO_END, &text, &all);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		say_error(listener, "%s: %s", path, strerror(-r));
	else
		r = factors_take_site(f, path, all, listener);
	if (r < 0)
		factors_free(f);
	return r;
}

/*
 * Return the mean grams of CO2 per kWh from start to end. Returns a negative number if it is
 * unknown, or if the end is unknown (0).
 */
static double factors_grams_per_kwh(const struct factors *f, int64_t start, int64_t end)
{
	double sum = 0;
	if (end < start && end > 0)
		start = end;	/* the clock was set back between start and end */
	if (f->n < 2 || end < start || start < f->grid[0].at || end > f->grid[f->n - 1].at)
		return -1;
	for (size_t i = 0; i + 1 < f->n && f->grid[i].at <= end; i++) {
		int64_t from = f->grid[i].at > start ? f->grid[i].at : start;
		int64_t to = f->grid[i + 1].at < end ? f->grid[i + 1].at : end;
		if (to > from)
			sum += f->grid[i].grams * (double)(to - from) / (double)(end - start);
		else if (start == end && f->grid[i].at <= start)
			sum = f->grid[i].grams;
	}
	return sum;
}

struct bill factors_cost(const struct factors *f, double joules, int64_t start, int64_t end)
{
	double grams = factors_grams_per_kwh(f, start, end);
	struct bill c = { joules / JOULES_PER_KWH * (f->pue > 0 ? f->pue : 1), -1, -1 };
	c.grams = grams >= 0 ? c.kwh * grams : -1;
	c.price = f->price > 0 ? c.kwh * f->price : -1;
	return c;
}

static void bill_add_known(double *to, double v, bool first)
{
	if (v >= 0)
		*to = first || *to < 0 ? v : *to + v;
	else if (first)
		*to = v;
}

void cost_add(struct bill *to, const struct bill *c)
{
	bool first = to->kwh <= 0;
	to->kwh += c->kwh;
	bill_add_known(&to->grams, c->grams, first);
	bill_add_known(&to->price, c->price, first);
}

void cost_put_json(struct buf *b, const struct bill *c)
{
	json_double(b, "kwh", c->kwh);
	if (c->grams >= 0)
		json_double(b, "co2_grams", c->grams);
	if (c->price >= 0)
		json_double(b, "price", c->price);
}

void cost_put_text(struct buf *b, const struct factors *f, const struct bill *c, const char *least)
{
	buf_addf(b, "%s%.4g kWh", least, c->kwh);
	if (f->pue > 0)
		buf_addf(b, " with PUE %.4g", f->pue);
	if (c->grams >= 0)
		buf_addf(b, ", %s%.4g g CO2", least, c->grams);
	if (c->price >= 0)
		buf_addf(b, ", price %s%.4g", least, c->price);
}
