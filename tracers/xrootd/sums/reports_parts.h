/* SPDX-License-Identifier: BSD-3-Clause */
/* reports_parts.h - rows of summary packets that wait: xrd_reports.c, reports_state.c */
#pragma once

#include <netinet/in.h>
#include "base/buf.h"
#include "base/map.h"
#include "schema/rows.h"

#define MINUTE   ((int64_t)60000000)
#define MINUTES  4		/* may wait to be written */
#define ROWS_MAX 32768		/* devices within the minutes that are not written yet: 18 MB */
#define ROWS_SHARE (ROWS_MAX / 2)	/* of one address */
#define KEYS_MAX 40		/* of one type */
#define DEVICE   192
#define REPORT_KINDS 11

/* A key of the packet, below the block: times a factor, it is a part of this metric. */
struct part {
	struct str key;
	size_t metric;
	uint32_t factor;
};

struct columns {
	struct metric metric[KEYS_MAX];
	char name[KEYS_MAX][24];
	struct part part[KEYS_MAX];
	size_t n_metrics, n_parts;
};

struct sums_row {
	uint8_t kind;
	uint64_t index;			/* in its list */
	uint64_t got;			/* parts */
	int64_t at;
	struct in6_addr from;
	uint64_t value[KEYS_MAX];
	char device[DEVICE];
};

struct xrd_reports {
	struct columns type[REPORT_KINDS];
	struct sums_row *row;
	struct map by_minute;		/* places in .row */
	size_t n;			/* rows that are kept; after them those of the packet */
	size_t n_read, room;		/* of the packet */
	char source[DEVICE], program[32];
	struct buf name;		/* of the packet's source among the sums */
	int64_t at;
	struct in6_addr from;
	bool is_json;
};

/* In place of an older one of the same minute. */
void reports_keep_row(struct xrd_reports *r, const struct sums_row *row);
