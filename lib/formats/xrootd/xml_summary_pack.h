/* SPDX-License-Identifier: BSD-3-Clause */
/* xml_summary_pack.h - values as packets <statistics>, of which none is larger than it may be */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define SUMMARY_BYTES_MIN 1024	/* a name and a value of any length fit into that, see below */
#define SUMMARY_BYTES_MAX 8190	/* XRootD's mpxstats reads no more of a packet */
#define SUMMARY_DEPTH     3

/* The sender, and the moment of reading: each packet begins and ends with them. */
struct xml_summary_sender {
	struct str host, site;
	int64_t started, read, now;	/* tos, tod: seconds since the epoch; now: microseconds */
	int64_t elapsed_ms;		/* from reading to now */
	int pid;
};

/* Where values are put: within <stats id="NAME">, or within <NAME>TEXT. Borrowed until closed. */
struct xml_summary_place {
	struct str name;
	bool tag;
	struct str text;
};

struct xml_summary_pack {
	size_t limit;			/* bytes of a packet, SUMMARY_BYTES_MIN to _MAX */
	void (*send)(void *arg, struct str packet);
	void *arg;

	struct buf head, tail, packet, next;
	struct xml_summary_place at[SUMMARY_DEPTH];
	size_t depth, open;		/* places, and of these those that are in the packet */
};

/*
 * .limit, .send and .arg are the caller's. Packets are one line of well-formed XML, of the form
 * that XRootD's readers want: double quotes, no blanks, quotes, "<", ">" or "&" in names and values
 * (octal escapes are put in their place), quotes around a value that begins with "/"; sgen last.
 * Names have at most 80 bytes, values 160; of longer ones the end is cut, and "~" and a number of
 * the whole put there.
 */
void xml_summary_begin(struct xml_summary_pack *p, const struct xml_summary_sender *sender);
void xml_summary_end(struct xml_summary_pack *p);	/* sends what is left */
void xml_summary_free(struct xml_summary_pack *p);

void xml_summary_open(struct xml_summary_pack *p, struct xml_summary_place place);
void xml_summary_close(struct xml_summary_pack *p);
void xml_summary_put(struct xml_summary_pack *p, struct str key, struct str value);
void xml_summary_put_u64(struct xml_summary_pack *p, struct str key, uint64_t value);
