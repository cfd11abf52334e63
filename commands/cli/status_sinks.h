/* SPDX-License-Identifier: BSD-3-Clause */
/* status_sinks.h - status: how far nodometer-send has delivered to each sink */
#pragma once

#include "archive/cursor.h"
#include "recorder/config.h"

struct status_sink {
	char *name;		/* of [sink NAME] */
	struct cursor cursor;	/* all 0: nothing was delivered yet */
	int64_t lag_us;		/* by which the archive's end is newer; -1: not known */
};

/* The sinks of the configuration. All zero are none. */
struct status_sinks {
	struct status_sink *one;
	size_t n, cap;
	bool runs;		/* a nodometer-send */
};

/* Before the configuration is read: its sections become some of *s, whatever their keys are. */
struct config_sinks status_take_sinks(struct status_sinks *s);

/* Their cursors. last_us is the time of the last sample, where the archive cannot be read. */
void status_load_sinks(struct status_sinks *s, const struct config *c, int64_t last_us);
void status_free_sinks(struct status_sinks *s);

void status_put_sinks(struct buf *b, const struct status_sinks *s);
/* As ,"sender":true,"sinks":[...] */
void status_put_sinks_json(struct buf *b, const struct status_sinks *s);
