/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.h - facts of records i, U and T about a client, and the facts that were valid at an open */
#pragma once

#include "xrootd/join/xrd_accesses.h"

#define FACTS_MAX 200		/* sets of facts kept for a client */

enum fact_kind { FACT_INFO, FACT_FLOW, FACT_TOKEN, FACT_KINDS };

/*
 * One set of facts. A server numbers map records and files with one counter, so a file with a
 * larger number than `since` was opened after the record that completed this set.
 */
struct facts {
	char *text[FACT_KINDS];	/* NULL if no record arrived */
	/* largest dictionary id of the set's records; for U records, the id minus 2 */
	uint32_t since;
	/* number of files that were opened while this was the current set */
	uint32_t files;
};

/* All sets of facts about one client. Most clients have one set. */
struct xrd_facts {
	uint8_t n, now;		/* number of sets; index of the current set */
	bool forgotten;		/* a set was dropped or reused because there were too many */
	uint32_t forgotten_since;	/* largest `since` of a forgotten set */
	struct facts of[];
};

/* Values of xrd_file.facts */
enum {
	FACTS_UNSET,	/* no open of the file by a known client has arrived */
	FACTS_NONE,	/* the client had no facts at the open */
	FACTS_UNKNOWN,	/* the set that was current at the open was dropped */
	FACTS_EARLY,	/* the file was opened before the client's oldest set */
	FACTS_FIRST,	/* FACTS_FIRST + i: set i was the current set at the open */
};

/* The facts at the time when a file was opened; without a file, the current facts. */
struct facts_found {
	const struct facts *facts;	/* the facts, or NULL */
	bool current;			/* the client has the same facts now */
	const char *why;		/* reason why the facts are unknown, or NULL */
};
struct facts_found facts_find(const struct xrd_client *c, const struct xrd_file *f);

/*
 * Set the text of a record with dictionary id `id`. Files that were opened before keep their facts.
 * Returns false if nothing changed: the client had the same text.
 */
bool facts_set(struct xrd_table *t, struct xrd_client *c, enum fact_kind kind, uint32_t id,
	       struct str text);

/* Give a file that was opened just now the facts of its client. */
void facts_stamp(struct xrd_file *f);

/*
 * Count a file in .files of its set when the file is linked to its client. Undo this with
 * facts_release() before the file is unlinked.
 */
void facts_hold(struct xrd_file *f);
void facts_release(struct xrd_file *f);

/* Append a set with these texts, without changing files; used to restore a client. */
void facts_restore(struct xrd_table *t, struct xrd_client *c, const struct str text[FACT_KINDS],
		   const bool is[FACT_KINDS], uint32_t since);
void facts_free(struct xrd_client *c);
