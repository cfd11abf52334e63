/* SPDX-License-Identifier: BSD-3-Clause */
/* factors.h - what a site's energy costs: the PUE of its building, CO2 and price of a kWh */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/listener.h"

/* From .at on, until the next step, a kWh of the grid costs so many grams of CO2. */
struct grid_step {
	int64_t at;		/* microseconds */
	double grams;
};

/* All zero: none is set. factors_free() ends it. */
struct factors {
	double pue, price;		/* 0: not set */
	char file[256];			/* of the grid, "": none */
	struct grid_step *grid;		/* in order of time, the last one is the end; one number */
	size_t n, cap;			/* is two steps */
};
void factors_free(struct factors *f);
bool factors_are_set(const struct factors *f);

bool factor_take(struct str text, double *ret) MUST_CHECK;	/* a number that is not below 0 */

/* Takes carbon, price or pue. False: another name, or a value that is not right. */
bool factors_set(struct factors *f, struct str name, struct str value) MUST_CHECK;
bool factors_take(struct factors *f, struct str line) MUST_CHECK;	/* "NAME = VALUE" of them */

/*
 * Lines "TIME GRAMS", each later than the one before, and comments after "#"; TIME without blanks,
 * as of when_take(). Where a line is not right, the listener is told, and -EINVAL is returned.
 */
int factors_take_grid(struct factors *f, const char *path, struct str text,
		      const struct listener *listener) MUST_CHECK;
/* The same of .file, where there is one. 0, or -errno, and the listener was told. */
int factors_load(struct factors *f, const struct listener *listener) MUST_CHECK;

/*
 * The lines after "[site]" of a file of a site's advice, and the grid's. 0: there may be none of
 * them, or no file. -EINVAL or another -errno: the listener was told, and nothing is set.
 */
int factors_read_site(struct factors *f, const char *path, const struct listener *listener)
	MUST_CHECK;

/* With the PUE. Negative: not set, or the file has not all of the time. */
struct bill {
	double kwh, grams, price;
};
/* The grid's mean over the time is that of each joule: when it was used is not kept. */
struct bill factors_cost(const struct factors *f, double joules, int64_t start, int64_t end);

void cost_add(struct bill *to, const struct bill *c);	/* to begins with .kwh 0 */

/* Members of an object, and words; those that are known. least: ">=" or "", before each number. */
void cost_put_json(struct buf *b, const struct bill *c);
void cost_put_text(struct buf *b, const struct factors *f, const struct bill *c,
		   const char *least);
