/* SPDX-License-Identifier: BSD-3-Clause */
/* reports_parts.h - data of summary packets, shared by xrd_reports.c and reports_state.c */
#pragma once

#include <netinet/in.h>
#include "base/buf.h"
#include "base/map.h"
#include "schema/rows.h"

#define MINUTE_US       ((int64_t)60000000)
#define WAITING_MINUTES 4	/* maximum number of minutes whose rows wait to be written */
#define ROWS_MAX        32768	/* maximum number of rows that wait to be written (18 MB) */
#define ROWS_SHARE      (ROWS_MAX / 2)	/* maximum number of rows from one address */
#define KEYS_MAX        40	/* maximum number of keys of one type */
#define DEVICE_BYTES    192
#define REPORT_KINDS    19

/* A key in a block of the packet. Its value, multiplied by .factor, is added to a metric. */
struct report_part {
	struct str key;
	size_t metric;
	uint32_t factor;
};

/* The metrics of one type, and the keys of a packet that they are made from. */
struct report_columns {
	struct metric metric[KEYS_MAX];
	char name[KEYS_MAX][24];
	struct report_part part[KEYS_MAX];
	size_t n_metrics, n_parts;
};

struct sums_row {
	uint8_t kind;			/* index of the row's type in xrd_reports.type */
	bool whole;			/* the packet had a name and all values for the row */
	uint64_t index;			/* position of the item, if the block is a list */
	uint64_t got;			/* bit i: the packet had the key of part i */
	int64_t at;			/* arrival of the packet, in microseconds */
	struct in6_addr from;
	uint64_t value[KEYS_MAX];
	char device[DEVICE_BYTES];
};

/* Counters of a device, summed over restarts of its server. */
struct report_total {
	uint8_t kind;
	int64_t at;			/* time of the newest packet, in microseconds */
	struct in6_addr from;
	uint64_t tos, pid;		/* start time and pid of the server's process */
	/* time of the newest packet by the server's clock; 0 after a restart of the receiver */
	uint64_t tod;
	uint64_t closed[KEYS_MAX];	/* counters of earlier processes of the server, summed */
	uint64_t last[KEYS_MAX];	/* counters of the current process of the server */
	char device[DEVICE_BYTES];
};

struct xrd_sums;

struct xrd_reports {
	struct report_columns type[REPORT_KINDS];
	size_t link_in, link_out;	/* indexes of the metrics "in" and "out" in type xrd_link */
	/* counters of a server that started after this time (microseconds) begin at 0 */
	int64_t since;
	struct sums_row *row;
	struct map by_minute;		/* index in .row by device and minute */
	struct report_total *total;
	struct map by_device;		/* index in .total by device */
	/* .totals_room: how many totals the sender of the current packet may still add */
	size_t n_totals, totals_room;
	/* number of rows that wait; rows of the current packet follow them in .row */
	size_t n;
	size_t n_read, room;		/* number of rows of the current packet, and its limit */
	char source[DEVICE_BYTES], program[32];
	uint64_t tod, tos, pid;
	struct buf name;		/* name of the packet's server in the sums */
	struct xrd_sums *sums;		/* NULL without sums */
	int64_t at;
	struct in6_addr from;
	bool is_json;
};

/* Keep a row. If there is an older row of the same device and minute, replace it. */
void reports_keep_row(struct xrd_reports *r, const struct sums_row *row);

/* Add a total. There must be room. */
struct report_total *reports_add_total(struct xrd_reports *r, const struct report_total *t);
