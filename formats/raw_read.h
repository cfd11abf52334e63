/* SPDX-License-Identifier: BSD-3-Clause */
/* raw_read.h - reads hpcperfstats raw files of every public dialect, group by group */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "base/base.h"
#include "base/str.h"
#include "formats/raw_limits.h"
#include "schema/record.h"

/*
 * When is a group whole? In a file whose header has "$agent nodometer" its last row, of type
 * nodometer and device "-", says in key "rows" how many there are, and a blank line, a header
 * or the end of the file follows; this holds from that header on to the end of the file. In any
 * other file: if something follows it, or if the file ends in the newline of a good row.
 */

/* Where the bytes come from: n bytes at most, 0 at the end, or -errno. */
struct raw_source {
	ssize_t (*read)(void *arg, char *to, size_t n);
	void *arg;
};

/* What is wrong, and where. Reading goes on behind it. */
enum raw_defect {
	RAW_BAD_LINE,		/* this line was left out */
	RAW_TORN_GROUP,		/* the group that begins there is not whole and was left out */
	RAW_UNREADABLE,		/* not a raw file at all, or reading failed: nothing more comes */
};
struct raw_listener {
	void (*defect)(void *arg, enum raw_defect kind, uint64_t line, const char *what);
	void *arg;
};

struct raw_reader;

/* Never NULL. The structures are copied; listener may be NULL. */
struct raw_reader *raw_reader_new(const struct raw_source *src,
				  const struct raw_listener *listener);
void raw_reader_free(struct raw_reader *r);	/* NULL is fine */

/* 1 and the next group, 0 at the end, or -errno (-EBADMSG: not a raw file). */
int raw_read_group(struct raw_reader *r, const struct raw_group **ret) MUST_CHECK;

/*
 * The value of "$name" in the newest header read so far ("hostname", "uptime"), empty if there
 * is none; "" names the first line's program and version ("hpcperfstats 2.3.5").
 */
struct str raw_property(const struct raw_reader *r, const char *name);

/* Whose records the group has: its own line says, or else the header. May be empty. */
struct str raw_host(const struct raw_reader *r, const struct raw_group *g);

/* The schemas in force, in the order of their lines; NULL past the last. */
const struct raw_type *raw_type_at(const struct raw_reader *r, size_t i);
/* The schema in force of this type, or NULL. */
const struct raw_type *raw_type_find(const struct raw_reader *r, struct str name);

uint64_t raw_bad_lines(const struct raw_reader *r);	/* how many so far */
bool raw_torn(const struct raw_reader *r);		/* there was a torn group */
