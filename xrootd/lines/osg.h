/* SPDX-License-Identifier: BSD-3-Clause */
/* osg.h - an access to a file as the records that sites' pipelines take: OSG's and WLCG's */
#pragma once

#include "tracers/xrootd/join/byte_counts.h"

/*
 * As opensciencegrid/xrootd-monitoring-collector makes them (Collectors/DetailedCollector.py,
 * wlcg_converter.py; e8161f0): its keys and units, what it does not know left out. Both have no way
 * to say that bytes are not known: they are 0 there. Nothing is put of an access of which neither a
 * close nor a report came: that collector drops it.
 */
void osg_transfer_put(struct buf *b, const struct xrd_transfer *t);

/* now: microseconds since 1970; host: this one. */
void wlcg_transfer_put(struct buf *b, const struct xrd_transfer *t, int64_t now, const char *host);

#define WLCG_ID_SIZE 37		/* a random UUID */
void wlcg_make_id(char id[WLCG_ID_SIZE]);

/* Object "metadata" at the end of a message of WLCG; .now as above. */
struct wlcg_metadata {
	const char *producer, *type, *host, *id;
	int64_t now;
};
void wlcg_put_metadata(struct buf *b, const struct wlcg_metadata *m);

struct osg_facts {
	bool any;			/* there is something to be put */
	int64_t start, end;		/* milliseconds */
	int64_t read, readv, write;
	struct byte_counts counts;	/* of which these are, as far as they are known */
	struct str path, host, domain, dn, vo, appinfo;
	const char *server, *site;	/* site: NULL, the server has not said who it is */
};
struct xrd_who;
struct osg_facts osg_facts_of(const struct xrd_transfer *t, const struct xrd_who *w);
struct str osg_domain(struct str host);		/* the last two words of a name */
