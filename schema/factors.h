/* SPDX-License-Identifier: BSD-3-Clause */
/* factors.h - cost of energy at a site: the building's PUE, CO2 and price per kWh */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/listener.h"

/* CO2 emissions of the power grid, from .at of this entry until .at of the next entry. */
struct grid_step {
	int64_t at;		/* start of the entry, in microseconds since the epoch */
	double grams;		/* grams of CO2 per kWh */
};

/* Energy settings of a site. All zero: nothing is set. factors_free() releases the memory. */
struct factors {
	double pue, price;		/* PUE of the building, and price per kWh; 0: not set */
	char file[256];	/* path of the file with the CO2 emissions of the grid; "": none */
	/*
	 * entries in ascending order of time; the last entry only ends the entry before it, so a
	 * fixed value is stored as two entries
	 */
	struct grid_step *grid;
	size_t n, cap;
};
void factors_free(struct factors *f);
bool factors_are_set(const struct factors *f);

/* Parse a number that is not negative. */
bool factor_take(struct str text, double *ret) MUST_CHECK;

/*
 * Set the factor "carbon", "price" or "pue". The value of "carbon" is grams per kWh or, if it
 * begins with "/", the path of a file for factors_load(). Returns false if the name or value is
 * invalid.
 */
bool factors_set(struct factors *f, struct str name, struct str value) MUST_CHECK;
/* Set a factor from a line "NAME = VALUE". */
bool factors_take(struct factors *f, struct str line) MUST_CHECK;

/*
 * Parse the text of a file with the CO2 emissions of the grid: lines "TIME GRAMS" with ascending
 * times. Empty lines and lines that begin with "#" are ignored. TIME is a time as when_take() reads
 * it, but without blanks. path is for messages only. Returns 0, or -EINVAL after an error message.
 */
int factors_take_grid(struct factors *f, const char *path, struct str text,
		      const struct listener *listener) MUST_CHECK;
/* Load the file named .file, unless .file is "". Returns 0, or -errno after an error message. */
int factors_load(struct factors *f, const struct listener *listener) MUST_CHECK;

/*
 * Read the section "[site]" of the advice file `path`, then the file with the CO2 of the grid, if
 * one is set. Returns 0, also if the advice file or the section is missing. On error, prints a
 * message, leaves nothing set, and returns -errno.
 */
int factors_read_site(struct factors *f, const char *path, const struct listener *listener)
	MUST_CHECK;

/*
 * Energy in kWh, CO2 in grams and price, all multiplied by the PUE. Negative: unknown, because a
 * setting is missing, or the file with the CO2 of the grid does not cover the time.
 */
struct bill {
	double kwh, grams, price;
};
/*
 * Compute the cost of the energy used from start to end, both in microseconds since the epoch. The
 * energy is assumed to be used evenly, because the time at which each joule was used is unknown.
 */
struct bill factors_cost(const struct factors *f, double joules, int64_t start, int64_t end);

/*
 * Add a bill to a sum. Set .kwh of the sum to 0 before the first call. An unknown value adds
 * nothing to a known sum.
 */
void cost_add(struct bill *to, const struct bill *c);

/*
 * Append the known values of a bill: cost_put_json() as members of a JSON object, cost_put_text()
 * as text, with `least` (">=" or "") before each number.
 */
void cost_put_json(struct buf *b, const struct bill *c);
void cost_put_text(struct buf *b, const struct factors *f, const struct bill *c,
		   const char *least);
