/* SPDX-License-Identifier: BSD-3-Clause */
/* reports_parts.h - rows of summary packets, shared by xrd_reports.c and reports_state.c */
#pragma once

#include <netinet/in.h>
#include "base/buf.h"
#include "base/map.h"
#include "schema/rows.h"

#define MINUTE_US       ((int64_t)60000000)
#define WAITING_MINUTES 4	/* minutes that may wait to be written */
#define ROWS_MAX        32768	/* rows not written yet: 18 MB */
#define ROWS_SHARE      (ROWS_MAX / 2)	/* rows of one address */
#define KEYS_MAX        40	/* keys of one type */
#define DEVICE_BYTES    192
#define REPORT_KINDS    19

/*
 * A key of the packet, without the prefix of its block. The value times factor is added to the
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
	bool whole;			/* all parts and a name were found */
	uint64_t index;			/* place in a list of the packet */
	uint64_t got;			/* parts found, as bits */
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
	uint64_t tos, pid;		/* start and pid of the server's process */
	uint64_t closed[KEYS_MAX];	/* counted by earlier processes */
	uint64_t last[KEYS_MAX];	/* counted by this process */
	char device[DEVICE_BYTES];
};

struct xrd_sums;

struct xrd_reports {
	struct report_columns type[REPORT_KINDS];
	size_t link_in, link_out;	/* places of two metrics of XRD_LINK */
	int64_t since;			/* servers that started later count from 0 */
	struct sums_row *row;
	struct map by_minute;		/* places in row */
	struct report_total *total;
	struct map by_device;		/* places in total */
	size_t n_totals, totals_room;	/* totals_room: left for the packet's address */
	size_t n;			/* rows kept; rows of the packet follow */
	size_t n_read, room;		/* rows of the packet, and their limit */
	char source[DEVICE_BYTES], program[32];
	uint64_t tod, tos, pid;
	struct buf name;		/* name of the packet's source in the sums */
	struct xrd_sums *sums;		/* NULL without sums */
	int64_t at;
	struct in6_addr from;
	bool is_json;
};

/* Keep a row. It replaces an older row of the same device and minute. */
void reports_keep_row(struct xrd_reports *r, const struct sums_row *row);

/* Add a total. There must be room. */
struct report_total *reports_add_total(struct xrd_reports *r, const struct report_total *t);
