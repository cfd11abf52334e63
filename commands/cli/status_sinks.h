/* SPDX-License-Identifier: BSD-3-Clause */
/* status_sinks.h - status: show how far nodometer-send has delivered to each sink */
#pragma once

#include "archive/cursor.h"
#include "recorder/config.h"

struct status_sink {
	char *name;		/* the NAME of the section [sink NAME] */
	/* position up to which records were sent, and counts; all 0 before the first delivery */
	struct cursor cursor;
	int64_t lag_us;		/* age of the oldest record that was not sent, or -1 if unknown */
};

/* The sinks of the configuration. All zero is an empty set. */
struct status_sinks {
	struct status_sink *one;
	size_t n, cap;
	bool runs;		/* whether nodometer-send runs */
};

/* Return callbacks that add the sinks of a configuration to *s, and accept any key. */
struct config_sinks status_take_sinks(struct status_sinks *s);

/*
 * Read the cursors of the sinks. last_us is the time of the last sample, which replaces the end of
 * the archive if the archive cannot be read.
 */
void status_load_sinks(struct status_sinks *s, const struct config *c, int64_t last_us);
void status_free_sinks(struct status_sinks *s);

void status_put_sinks(struct buf *b, const struct status_sinks *s);
/* Append the members "sender" and "sinks" of a JSON object, with a comma before each. */
void status_put_sinks_json(struct buf *b, const struct status_sinks *s);
