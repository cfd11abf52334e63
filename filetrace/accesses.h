/* SPDX-License-Identifier: BSD-3-Clause */
/* accesses.h - report opened, read, written and closed files as XRootD monitoring datagrams */
#pragma once

#include "base/map.h"
#include "formats/xrootd/xrdstream_records.h"
#include "filetrace/event.h"

/*
 * Datagrams of the XRootD "System Monitoring Reference" (September 2018), part 3. Map records
 * identify the sender ("="), a process (u) and a file that the process opened (d). The datagrams of
 * the f-stream report opened files, closed files with their OPS and SSQ sums, bytes so far of open
 * files (xfr), and processes that have ended (disc). The module does no I/O and reads no clock.
 */

/* limit of the records in one datagram, in bytes: the datagram must fit in one Ethernet frame */
#define ACCESS_DATAGRAM 1400

struct access_user;

/* An open file. */
struct access {
	struct access_user *by;
	struct access *before, *after;	/* neighbours in the list of all open files */
	struct xrd_record sums;		/* sums to report when the file is closed */
	bool moved;			/* bytes were read or written since the last xfr record */
};

struct accesses {
	void (*send)(void *arg, struct str datagram);	/* callback that sends one datagram */
	void *arg;
	char host[256];
	uint32_t pid;			/* process id of this program */
	uint64_t sid;
	uint32_t start, ids;
	uint8_t map_seq, f_seq;
	struct access *open;
	struct access_user *users;
	struct map by_text;
	/* records collected for the next datagram of the f-stream */
	struct buf records;
	/*
	 * .n, .n_xfr: number of all records and of xfr records in .records; .begin: time of the
	 * first record in .records, in seconds since the Unix epoch
	 */
	uint32_t n, n_xfr, begin;
};

/*
 * Initialize a. The caller then sets .send and .arg. Times in this header are seconds since the
 * Unix epoch; start is the start of this program.
 */
void accesses_init(struct accesses *a, const char *host, uint32_t pid, uint32_t start);
/* Send the map record "=", which identifies this program. No other function sends this record. */
void accesses_identify(struct accesses *a);

/* Report an open or creat event. size is the size of the file in bytes. */
struct access *access_open(struct accesses *a, const struct event *e, int64_t size, uint32_t now);
void access_read(struct access *f, uint64_t bytes);
void access_written(struct access *f, uint64_t bytes);
/* Report the close and free f. */
void access_close(struct accesses *a, struct access *f, uint32_t now);

/* Report the bytes so far of each open file that was read or written since the last call. */
void accesses_report(struct accesses *a, uint32_t now);

/* Report and forget each process that has no open file and no longer runs. */
void accesses_forget_ended(struct accesses *a, bool (*lives)(uint32_t pid), uint32_t now);

/* Send the collected records of the f-stream, if there are any. */
void accesses_flush(struct accesses *a, uint32_t now);
/* Free all memory and open files. Unsent records are dropped. */
void accesses_free(struct accesses *a);
