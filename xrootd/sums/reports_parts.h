/* SPDX-License-Identifier: BSD-3-Clause */
/* reports_parts.h - rows of summary packets, shared by xrd_reports.c and reports_state.c */
#pragma once

#include <netinet/in.h>
#include "base/buf.h"
#include "base/map.h"
#include "schema/rows.h"

#define MINUTE_US       ((int64_t)60000000)
#define WAITING_MINUTES 4	/* limit of minutes that may wait to be written */
#define ROWS_MAX        32768	/* limit of rows that may wait to be written; they take 18 MB */
#define ROWS_SHARE      (ROWS_MAX / 2)	/* limit of rows of one address */
#define KEYS_MAX        40	/* limit of keys of one type */
#define DEVICE_BYTES    192
#define REPORT_KINDS    19

/*
 * A key of the packet, without the prefix of its block. Its value times .factor is added to the
 * metric.
 */
struct report_part {
	struct str key;
	size_t metric;
	uint32_t factor;
};

struct report_columns {
	struct metric metric[KEYS_MAX];
	char name[KEYS_MAX][24];
	struct report_part part[KEYS_MAX];
	size_t n_metrics, n_parts;
};

struct sums_row {
	uint8_t kind;
	bool whole;			/* all parts of the row, and its name, were in the packet */
	uint64_t index;			/* place of the item in a list of the packet */
	uint64_t got;			/* bit i: part i was found */
	int64_t at;
	struct in6_addr from;
	uint64_t value[KEYS_MAX];
	char device[DEVICE_BYTES];
};

/* Counters of a device, summed over all processes of its server that were seen. */
struct report_total {
	uint8_t kind;
	int64_t at;			/* time of the newest packet */
	struct in6_addr from;
	uint64_t tos, pid;		/* start time and pid of the server's process */
	uint64_t closed[KEYS_MAX];	/* counts of earlier processes of the server */
	uint64_t last[KEYS_MAX];	/* counts of this process of the server */
	char device[DEVICE_BYTES];
};

struct xrd_sums;

struct xrd_reports {
	struct report_columns type[REPORT_KINDS];
	size_t link_in, link_out;	/* indexes of two metrics in the type XRD_LINK */
	/* counters of servers that started after this time begin at 0 */
	int64_t since;
	struct sums_row *row;
	struct map by_minute;		/* index in .row by device and minute */
	struct report_total *total;
	struct map by_device;		/* index in .total by device */
	/* .totals_room: totals that the packet's address may still add */
	size_t n_totals, totals_room;
	/* number of rows kept; the rows of the current packet follow them */
	size_t n;
	size_t n_read, room;		/* rows of the current packet, and their limit */
	char source[DEVICE_BYTES], program[32];
	uint64_t tod, tos, pid;
	struct buf name;		/* name of the packet's source in the sums */
	struct xrd_sums *sums;		/* NULL without sums */
	int64_t at;
	struct in6_addr from;
	bool is_json;
};

/* Keep a row. If there is an older row of the same device and minute, replace it. */
void reports_keep_row(struct xrd_reports *r, const struct sums_row *row);

/* Add a total. There must be room. */
struct report_total *reports_add_total(struct xrd_reports *r, const struct report_total *t);
