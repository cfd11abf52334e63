/* SPDX-License-Identifier: BSD-3-Clause */
/* factors.h - cost of energy at a site: the building's PUE, CO2 and price per kWh */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/listener.h"

/* Grams of CO2 per kWh of the grid, from .at until the next entry. */
struct grid_step {
	int64_t at;		/* start of the entry, in microseconds since the epoch */
	double grams;
};

/* Settings of a site. All zero: nothing is set. factors_free() releases it. */
struct factors {
	double pue, price;		/* building's PUE, and price per kWh; 0: not set */
	char file[256];			/* file with the grid's steps; "": none */
	/*
	 * entries in order of time; the last entry is only the end of the one before; a fixed value
	 * is stored as two entries
	 */
	struct grid_step *grid;
	size_t n, cap;
};
void factors_free(struct factors *f);
bool factors_are_set(const struct factors *f);

/* Parse a number that is not negative. */
bool factor_take(struct str text, double *ret) MUST_CHECK;

/*
 * Set the factor "carbon", "price" or "pue". The value of carbon is grams per kWh, or the path of a
 * file for factors_load(), which begins with "/". Returns false if the name or value is invalid.
 */
bool factors_set(struct factors *f, struct str name, struct str value) MUST_CHECK;
/* Set a factor from a line "NAME = VALUE". */
bool factors_take(struct factors *f, struct str line) MUST_CHECK;

/*
 * Parse lines "TIME GRAMS" with ascending times. Lines that are empty or begin with "#" are
 * ignored. TIME is as for when_take(), without blanks. Returns 0, or -EINVAL after an error
 * message.
 */
int factors_take_grid(struct factors *f, const char *path, struct str text,
		      const struct listener *listener) MUST_CHECK;
/* Load the file of the grid's CO2, if it is set. Returns 0, or -errno after an error message. */
int factors_load(struct factors *f, const struct listener *listener) MUST_CHECK;

/*
 * Read the section "[site]" of the site's advice file, and the file of the grid's CO2. Returns 0,
 * also if the advice file or its section is missing, or -errno after an error message, with nothing
 * set.
 */
int factors_read_site(struct factors *f, const char *path, const struct listener *listener)
	MUST_CHECK;

/*
 * Energy, CO2 and price, including the PUE. Negative: unknown, because a setting is missing, or the
 * file of the grid's CO2 does not cover the time.
 */
struct bill {
	double kwh, grams, price;
};
/*
 * Compute the cost. The energy is assumed to be used evenly from start to end, in microseconds
 * since the epoch, because the time at which each joule was used is unknown.
 */
struct bill factors_cost(const struct factors *f, double joules, int64_t start, int64_t end);

/*
 * Add a bill to a sum, which must begin with .kwh = 0. An unknown value adds nothing to a known
 * sum.
 */
void cost_add(struct bill *to, const struct bill *c);

/*
 * cost_put_json() appends the known values as members of a JSON object, cost_put_text() as words.
 * least: ">=" or "", written before each number.
 */
void cost_put_json(struct buf *b, const struct bill *c);
void cost_put_text(struct buf *b, const struct factors *f, const struct bill *c,
		   const char *least);
