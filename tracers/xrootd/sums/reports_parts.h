/* SPDX-License-Identifier: BSD-3-Clause */
/* reports_parts.h - rows of summary packets: xrd_reports.c, reports_state.c */
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
#define REPORT_KINDS 19

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
	bool whole;			/* has all parts, and a name */
	uint64_t index;			/* in its list */
	uint64_t got;			/* parts */
	int64_t at;
	struct in6_addr from;
	uint64_t value[KEYS_MAX];
	char device[DEVICE];
};

/* A device's counters, over all processes that its server has been since it is known. */
struct total {
	uint8_t kind;
	int64_t at;			/* of the newest packet */
	struct in6_addr from;
	uint64_t tos, pid;		/* of the server's process */
	uint64_t closed[KEYS_MAX];	/* counted by its processes before this one */
	uint64_t last[KEYS_MAX];	/* by this one */
	char device[DEVICE];
};

struct xrd_sums;

struct xrd_reports {
	struct columns type[REPORT_KINDS];
	size_t link_in, link_out;	/* metrics of XRD_LINK */
	int64_t since;			/* servers that started later are counted from 0 */
	struct sums_row *row;
	struct map by_minute;		/* places in .row */
	struct total *total;
	struct map by_device;		/* places in .total */
	size_t n_totals, totals_room;	/* for the packet's address */
	size_t n;			/* rows that are kept; after them those of the packet */
	size_t n_read, room;		/* of the packet */
	char source[DEVICE], program[32];
	uint64_t tod, tos, pid;
	struct buf name;		/* of the packet's source among the sums */
	struct xrd_sums *sums;		/* or NULL */
	int64_t at;
	struct in6_addr from;
	bool is_json;
};

/* In place of an older one of the same minute. */
void reports_keep_row(struct xrd_reports *r, const struct sums_row *row);

/* There is room. */
struct total *reports_add_total(struct xrd_reports *r, const struct total *t);
