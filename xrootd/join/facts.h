/* SPDX-License-Identifier: BSD-3-Clause */
/* facts.h - info about a client (records i, U and T), in the version that applied at each open */
#pragma once

#include "xrootd/join/xrd_accesses.h"

#define FACTS_MAX 200		/* maximum number of versions of a client's info */

enum fact_kind { FACT_INFO, FACT_FLOW, FACT_TOKEN, FACT_KINDS };

/*
 * One version of the info about a client: application (record i), SciTags flow (U) and token (T). A
 * server numbers map records and files with one counter, so this version applies to files with a
 * number larger than .since.
 */
struct facts {
	char *text[FACT_KINDS];	/* NULL: no record of this kind arrived */
	/* largest dictionary id of the records; for a U record, the id minus 2 */
	uint32_t since;
	/* number of files that use this version now, see facts_hold() */
	uint32_t files;
};

/* All versions of the info about a client. Most clients have one version. */
struct xrd_facts {
	uint8_t n, now;		/* number of versions; index of the current version */
	bool forgotten;		/* versions were dropped because there were too many */
	uint32_t forgotten_since;	/* largest .since of a dropped version */
	struct facts of[];
};

/* Values of xrd_file.facts: the version of the client's info that applied at the open. */
enum {
	FACTS_UNSET,	/* the open has not arrived, or the client is unknown */
	FACTS_NONE,	/* there was no info about the client at the open */
	FACTS_UNKNOWN,	/* the version that applied at the open was dropped */
	FACTS_EARLY,	/* the file was opened before the client's oldest version */
	FACTS_FIRST,	/* FACTS_FIRST + i: version i applied at the open */
};

/* The info about a client at the open of a file; without a file, the current info. */
struct facts_found {
	const struct facts *facts;	/* NULL if there is none, or if it is unknown */
	bool current;			/* this version is still the client's current version */
	const char *why;		/* reason why the info is unknown, or NULL */
};
struct facts_found facts_find(const struct xrd_client *c, const struct xrd_file *f);

/*
 * Add the text of a record with dictionary id `id` to the info about a client. Files that were
 * opened before keep their version. Returns false if no version changed: the client had the same
 * text, or the record came late and the client has too many versions to keep it.
 */
bool facts_set(struct xrd_table *t, struct xrd_client *c, enum fact_kind kind, uint32_t id,
	       struct str text);

/* Choose the version of the client's info for a file that was just opened. */
void facts_stamp(struct xrd_file *f);

/*
 * Count the file as a user of its version, when the file is linked to its client. Undo this with
 * facts_release(), which also sets f->facts to FACTS_UNSET, before the file is unlinked.
 */
void facts_hold(struct xrd_file *f);
void facts_release(struct xrd_file *f);

/*
 * Append a version without changing files or .now, to restore a client from a saved state. is[k]:
 * text[k] is known.
 */
void facts_restore(struct xrd_table *t, struct xrd_client *c, const struct str text[FACT_KINDS],
		   const bool is[FACT_KINDS], uint32_t since);
void facts_free(struct xrd_client *c);
