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
	uint32_t since;		/* largest dictionary id of the records in the set; U: minus 2 */
	uint32_t files;		/* files that were opened while the set held */
};

/* All sets of facts about one client. Most clients have one set. */
struct xrd_facts {
	uint8_t n, now;		/* sets; index of the current set */
	bool forgotten;		/* a set was dropped or reused because there were too many */
	uint32_t forgotten_since;	/* largest `since` of a forgotten set */
	struct facts of[];
};

/* Values of xrd_file.facts */
enum {
	FACTS_UNSET,	/* no open with a known client arrived */
	FACTS_NONE,	/* the client had no facts at the open */
	FACTS_UNKNOWN,	/* the set that held at the open was dropped */
	FACTS_EARLY,	/* the file was opened before all sets of the client */
	FACTS_FIRST,	/* FACTS_FIRST + i: set i held at the open */
};

/* Find the facts that held when the file was opened; without a file, the current facts. */
struct facts_found {
	const struct facts *facts;	/* NULL: none */
	bool current;			/* the client has the same facts now */
	const char *why;		/* reason why the facts are not known, or NULL */
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

/* Count a file that was linked to its client, or discount it before it leaves. */
void facts_hold(struct xrd_file *f);
void facts_release(struct xrd_file *f);

/* Append a set with these texts, without changing files; used to restore a client. */
void facts_restore(struct xrd_table *t, struct xrd_client *c, const struct str text[FACT_KINDS],
		   const bool is[FACT_KINDS], uint32_t since);
void facts_free(struct xrd_client *c);
