/* SPDX-License-Identifier: BSD-3-Clause */
/* xml_summary_pack.h - split values into <statistics> packets of a limited size */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

#define SUMMARY_BYTES_MIN 1024	/* smallest .limit, enough for the longest name and value */
/* largest .limit: mpxstats of XRootD reads no more bytes of a packet */
#define SUMMARY_BYTES_MAX 8190
#define SUMMARY_DEPTH     3	/* largest number of open elements */

/* The sender and the times of a packet. */
struct xml_summary_sender {
	struct str host, site;
	/*
	 * .started (tos) and .read (tod) in seconds since the epoch, .now in microseconds since the
	 * epoch
	 */
	int64_t started, read, now;
	int64_t elapsed_ms;		/* milliseconds from reading the values to .now */
	int pid;
};

/*
 * An open element: <stats id="NAME">, or <NAME>TEXT if .tag is set. The texts are borrowed until
 * the element is closed.
 */
struct xml_summary_place {
	struct str name;
	bool tag;
	struct str text;
};

struct xml_summary_pack {
	size_t limit;	/* largest packet, SUMMARY_BYTES_MIN to SUMMARY_BYTES_MAX bytes */
	void (*send)(void *arg, struct str packet);
	void *arg;

	struct buf head, tail, packet, next;
	struct xml_summary_place at[SUMMARY_DEPTH];
	/* number of open elements, and how many of them have a start tag in the current packet */
	size_t depth, open;
};

/*
 * Begin a record. The caller sets .limit, .send and .arg. A packet is one line of XML in the form
 * that XRootD's readers expect: double quotes, quotes around a value that begins with "/", and
 * block sgen at the end. In names of elements, bytes that are not letters or digits become "_". In
 * ids and values, blanks, control characters, quotes, "<", ">", "&", "=" and bytes beyond ASCII
 * become octal escapes. Names and ids are limited to 80 bytes and values to 160; the end of a
 * longer id or value is replaced by "~" and a hash of the whole text.
 */
void xml_summary_begin(struct xml_summary_pack *p, const struct xml_summary_sender *sender);
void xml_summary_end(struct xml_summary_pack *p);	/* Send the last packet. */
void xml_summary_free(struct xml_summary_pack *p);

void xml_summary_open(struct xml_summary_pack *p, struct xml_summary_place place);
void xml_summary_close(struct xml_summary_pack *p);
void xml_summary_put(struct xml_summary_pack *p, struct str key, struct str value);
void xml_summary_put_u64(struct xml_summary_pack *p, struct str key, uint64_t value);
