/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_fields.h - decode the kernel's tracepoint records */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/str.h"
#include "tcp/tcp_event.h"

struct trace_fields;

/* Returns 0 or -ENOMEM. */
int trace_fields_new(struct trace_fields **ret) MUST_CHECK;
void trace_fields_free(struct trace_fields *f);	/* f may be NULL */

/*
 * Add a tracepoint. `format` is the text of its format file. Returns 0; -EBADMSG if the text is
 * malformed; -ENOMSG if the tracepoint's records do not identify a connection.
 */
int trace_fields_add(struct trace_fields *f, enum trace_kind kind, const char *system,
		     struct str format) MUST_CHECK;

/*
 * Return the tracepoint's id, or 0 if the tracepoint was not added. perf_event_open(2) needs this
 * id, and each record of the tracepoint contains it.
 */
uint16_t trace_fields_id(const struct trace_fields *f, enum trace_kind kind);

/*
 * Decode a record. The caller first sets *ret to zero and ret->at to the time. Members for which
 * the record has no value are left unchanged. Returns false if the record is too short, or of an
 * unknown tracepoint.
 */
bool trace_fields_decode(const struct trace_fields *f, void *record, size_t n,
			 struct tcp_event *ret);
