/* SPDX-License-Identifier: BSD-3-Clause */
/* record_source.h - where records come from: a file of any format, or the sampler of this node */
#pragma once

#include "schema/record.h"

/* Kinds of defects in a file; reading goes on after them. */
enum record_defect {
	RECORD_BAD_LINE,	/* a line, or a part of a record, was left out */
	RECORD_TORN,		/* the record that begins there is not whole and was left out */
	RECORD_UNREADABLE,	/* of another format, or reading failed: nothing more comes */
};
struct record_listener {
	void (*defect)(void *arg, enum record_defect kind, uint64_t line, const char *what);
	void *arg;
};

struct record_source {
	/* 1 and the next record, 0 at the end, or -errno (-EBADMSG: not of this format). */
	int (*next)(void *arg, const struct record **ret);
	/*
	 * The newest header's line of this name ("hostname", "uptime", "boot_id"), empty if it has
	 * none; "" is for the name and version of the program that wrote it.
	 */
	struct str (*property)(const void *arg, const char *name);
	/* The types of which there can be rows now, NULL after the last. */
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

/* Whose records these are: the record itself says, or else the header. May be empty. */
static inline struct str record_host(const struct record_source *s, const struct record *r)
{
	return r->host.n ? r->host : record_property(s, "hostname");
}
