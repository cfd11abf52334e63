/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_fields.h - where the fields of tracepoints stand in this kernel's records of them */
#pragma once

#include <stdbool.h>
#include "base/base.h"
#include "base/str.h"
#include "tracers/tcp/tcp_event.h"

struct trace_fields;

int trace_fields_new(struct trace_fields **ret) MUST_CHECK;
void trace_fields_free(struct trace_fields *f);	/* NULL is fine */

/*
 * A tracepoint by the text of its file format. 0; -EBADMSG: it is none; -ENOMSG: it does not say
 * which connection it is of.
 */
int trace_fields_add(struct trace_fields *f, enum trace_kind kind, const char *system,
		     struct str format) MUST_CHECK;

/* The tracepoint's number for perf_event_open(2) and in its records; 0: it was not added. */
uint16_t trace_fields_id(const struct trace_fields *f, enum trace_kind kind);

/* Reads a record; false: it is of none of these tracepoints, or too short. */
bool trace_fields_take(const struct trace_fields *f, void *record, size_t n, struct tcp_event *ret);
