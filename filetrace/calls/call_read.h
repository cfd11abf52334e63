/* SPDX-License-Identifier: BSD-3-Clause */
/* call_read.h - convert records of system calls from the BPF programs to events */
#pragma once

#include "filetrace/calls/calls_shared.h"
#include "filetrace/event.h"

/* All zero is a valid new reader. */
struct call_reader {
	int64_t epoch;		/* CLOCK_REALTIME minus CLOCK_MONOTONIC, in nanoseconds */
	struct {
		uint64_t id;
		char *text;
	} path[CALL_PATHS];
	struct buf from, to;	/* the two paths of the last event */
};

/*
 * Convert one record to an event. The texts of the event may point into the record, and are valid
 * until the next call; .user and .group are not set. Returns 0; -EAGAIN if the record only defined
 * a path for later records; -EBADMSG if the record is malformed.
 */
int call_read(struct call_reader *c, struct str record, struct event *ret) MUST_CHECK;
void call_reader_free(struct call_reader *c);
