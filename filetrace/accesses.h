/* SPDX-License-Identifier: BSD-3-Clause */
/* accesses.h - files that are opened, read, written and closed, as XRootD's servers say so */
#pragma once

#include "base/map.h"
#include "formats/xrootd/xrdstream_records.h"
#include "tracers/files/event.h"

/*
 * The datagrams of "System Monitoring Reference" of September 2018, part 3: "=" says who sends, u
 * stands for a process and d for a file that it opened, and the f-stream has opens, closes with
 * OPS and SSQ, bytes so far (xfr), and processes that have ended (disc). Pure: no I/O, no clock.
 */

#define ACCESS_DATAGRAM 1400	/* bytes of records in one: it fits into an Ethernet frame */

struct access_user;

/* A file that is open. */
struct access {
	struct access_user *by;
	struct access *before, *after;	/* of all */
	struct xrd_record sums;		/* for its close */
	bool moved;			/* since the last xfr */
};

struct accesses {
	void (*send)(void *arg, struct str datagram);	/* the caller's */
	void *arg;
	char host[256];
	uint32_t pid;			/* our own */
	uint64_t sid;
	uint32_t start, ids;
	uint8_t map_seq, f_seq;
	struct access *open;
	struct access_user *users;
	struct map by_text;
	struct buf records;		/* of the next datagram of the f-stream */
	uint32_t n, n_xfr, begin;	/* in it; and when the first of them was added */
};

/* Times are seconds of the Unix epoch. "=" is sent by accesses_identify() only. */
void accesses_init(struct accesses *a, const char *host, uint32_t pid, uint32_t start);
void accesses_identify(struct accesses *a);

/* Of an event of open or creat; size: that of the file. */
struct access *access_open(struct accesses *a, const struct event *e, int64_t size, uint32_t now);
void access_read(struct access *f, uint64_t bytes);
void access_written(struct access *f, uint64_t bytes);
void access_close(struct accesses *a, struct access *f, uint32_t now);	/* and frees it */

/* Bytes so far of all that is open and has moved some since. */
void accesses_report(struct accesses *a, uint32_t now);

/* Processes that have no file open and are no more. */
void accesses_part(struct accesses *a, bool (*lives)(uint32_t pid), uint32_t now);

/* Sends the f-stream's records, if there are any. */
void accesses_flush(struct accesses *a, uint32_t now);
void accesses_free(struct accesses *a);
