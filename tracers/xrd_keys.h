/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_keys.h - the types of record that servers' monitoring is added up in, and their keys */
#pragma once

#include "schema/metric.h"

/* In the order of the rows: each type has a part of them. */
enum xrd_key {
	OPENS, OPENS_RW, DISCONNECTS, CLOSES, CLOSES_FORCED, READ_BYTES, READV_BYTES, WRITE_BYTES,
	OPEN_FILES,
	READS, READVS, READV_SEGMENTS, WRITES,
	T_OPENS, T_CLOSES, T_READ_BYTES, T_WRITE_BYTES,
	IO_READS, IO_READVS, IO_WRITES, IO_READ_BYTES, IO_WRITE_BYTES,
	REDIRECTS,
	LOGINS,
	DATAGRAMS, LOST, REORDERED, DUPLICATE, TRANSFERS, INCOMPLETE, STARTED,
	XRD_KEYS
};

/* A type is told of servers that have sent what it is made from: missing is not zero. */
enum xrd_type_id {
	TYPE_FILES, TYPE_OPENS, TYPE_OPS, TYPE_T, TYPE_IO, TYPE_REDIRECT, TYPE_USER, TYPE_SERVER,
	XRD_TYPES
};

struct xrd_type {
	const char *name;
	enum xrd_key first, last;
};

extern const struct metric xrd_keys[XRD_KEYS];
extern const struct xrd_type xrd_types[XRD_TYPES];
