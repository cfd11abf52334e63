/* SPDX-License-Identifier: BSD-3-Clause */
/* call_read.h - records of system calls, as the kernel's programs made them, as events */
#pragma once

#include "tracers/files/calls/calls_shared.h"
#include "tracers/files/event.h"

/* All zero is a valid new one. */
struct call_reader {
	int64_t epoch;		/* CLOCK_REALTIME less CLOCK_MONOTONIC */
	struct {
		uint64_t id;
		char *text;
	} path[CALL_PATHS];
	struct buf from, to;	/* the paths of the last event */
};

/*
 * An event of a record; its texts hold until the next one, and .user and .group are left out.
 * 0; -EAGAIN: it tells a path for those to come; -EBADMSG: it is no record.
 */
int call_read(struct call_reader *c, struct str record, struct event *ret) MUST_CHECK;
void call_reader_free(struct call_reader *c);
