/* SPDX-License-Identifier: BSD-3-Clause */
/* record_source.h - a source of records: a file of any format, or the sampler of this node */
#pragma once

#include "schema/record.h"

/*
 * Kinds of defects in a file of records. Reading continues after RECORD_BAD_LINE and RECORD_TORN.
 */
enum record_defect {
	/* an invalid line or part of a record was left out */
	RECORD_BAD_LINE,
	/* the record that begins at the reported line is incomplete and was left out */
	RECORD_TORN,
	/* the format is unknown, or reading failed: no more records follow */
	RECORD_UNREADABLE,
};
/*
 * Receiver of the defects of a source. line: number of the line or, in binary files, of the entry
 * or record. what: description, valid during the call.
 */
struct record_listener {
	void (*defect)(void *arg, enum record_defect kind, uint64_t line, const char *what);
	void *arg;
};

struct record_source {
	/*
	 * Set *ret to the next record. Returns 1, 0 at the end, or -errno; -EBADMSG: the data has
	 * an unknown format, or is damaged.
	 */
	int (*next)(void *arg, const struct record **ret);
	/*
	 * Return a property of the newest header, such as "hostname", "uptime" or "boot_id", or an
	 * empty string if the header lacks it. Name "" gives the writing program with its version.
	 * The text is valid until next() is called.
	 */
	struct str (*property)(const void *arg, const char *name);
	/* Return the i-th type that can have rows in a record, or NULL after the last type. */
	const struct record_type *(*type)(const void *arg, size_t i);
	void (*end)(void *arg);
	void *arg;
};

static inline int record_next(const struct record_source *s, const struct record **ret)
{
	return s->next(s->arg, ret);
}

static inline struct str record_property(const struct record_source *s, const char *name)
{
	return s->property(s->arg, name);
}

static inline const struct record_type *record_type_at(const struct record_source *s, size_t i)
{
	return s->type(s->arg, i);
}

static inline void record_source_end(const struct record_source *s)
{
	s->end(s->arg);
}

/*
 * Return the host name in a record or, if the record has none, in the header. The name may be
 * empty.
 */
static inline struct str record_host(const struct record_source *s, const struct record *r)
{
	return r->host.n ? r->host : record_property(s, "hostname");
}
