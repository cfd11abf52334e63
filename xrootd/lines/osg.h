/* SPDX-License-Identifier: BSD-3-Clause */
/* osg.h - write an access to a file as a record for the pipelines of OSG and of WLCG */
#pragma once

#include "xrootd/join/byte_counts.h"

/*
 * Records in the format of opensciencegrid/xrootd-monitoring-collector
 * (Collectors/DetailedCollector.py, wlcg_converter.py; e8161f0), with its keys and units. Unknown
 * values are left out, except bytes: the formats cannot express unknown bytes, which are written as
 * 0. An access without a close and without a report has no record, because that collector drops it.
 */
void osg_transfer_put(struct buf *b, const struct xrd_transfer *t);

/*
 * Append a record in the format of WLCG's pipeline. now: microseconds since 1970; host: name of
 * this host.
 */
void wlcg_transfer_put(struct buf *b, const struct xrd_transfer *t, int64_t now, const char *host);

#define WLCG_ID_SIZE 37		/* size of a random UUID with its final NUL */
void wlcg_make_id(char id[WLCG_ID_SIZE]);

/* Data for the object "metadata" at the end of a WLCG message. now: microseconds since 1970. */
struct wlcg_metadata {
	const char *producer, *type, *host, *id;
	int64_t now;
};
void wlcg_put_metadata(struct buf *b, const struct wlcg_metadata *m);

struct osg_facts {
	bool any;			/* whether to write a record for this access */
	int64_t start, end;		/* milliseconds since 1970 */
	int64_t read, readv, write;
	/* counts of read, readv and write bytes */
	struct byte_counts counts;
	struct str path, host, domain, dn, vo, appinfo;
	const char *server, *site;	/* .site is NULL if the server has not identified itself */
};
struct xrd_who;
struct osg_facts osg_facts_of(const struct xrd_transfer *t, const struct xrd_who *w);
struct str osg_domain(struct str host);		/* get the last two words of a host name */
