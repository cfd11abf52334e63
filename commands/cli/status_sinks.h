/* SPDX-License-Identifier: BSD-3-Clause */
/* status_sinks.h - status: show which records nodometer-send has delivered to each destination */
#pragma once

#include "archive/cursor.h"
#include "recorder/config.h"

struct status_sink {
	char *name;		/* the NAME of the section [sink NAME] */
	/* position in the archive up to which records were sent, and counters; all 0 at first */
	struct cursor cursor;
	int64_t lag_us;		/* age of the oldest record that was not sent, or -1 if unknown */
};

/* The sinks (destinations) in the configuration of nodometer-send. All zero is an empty set. */
struct status_sinks {
	struct status_sink *one;
	size_t n, cap;
	bool runs;		/* whether nodometer-send runs */
};

/* Return callbacks for config_read() that add each sink to *s, and accept any key of a sink. */
struct config_sinks status_take_sinks(struct status_sinks *s);

/*
 * Read the cursors of the sinks, and compute their lags. If the archive cannot be read, last_us,
 * the time of the last sample, is used as the time of its last record.
 */
void status_load_sinks(struct status_sinks *s, const struct config *c, int64_t last_us);
void status_free_sinks(struct status_sinks *s);

void status_put_sinks(struct buf *b, const struct status_sinks *s);
/* Append the members "sender" and "sinks" of a JSON object, with a comma before each. */
void status_put_sinks_json(struct buf *b, const struct status_sinks *s);
