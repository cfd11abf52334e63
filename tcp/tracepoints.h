/* SPDX-License-Identifier: BSD-3-Clause */
/* tracepoints.h - receive TCP events from the kernel's tracepoints */
#pragma once

#include <stdint.h>
#include "base/base.h"
#include "tcp/ports.h"
#include "tcp/tcp_event.h"

struct tracepoints;

#define TRACEPOINTS_WHY 160
/*
 * Open the tracepoints that this kernel has, with a ring buffer for each CPU. The kernel filters
 * events by the ports in `only`, unless the list is too long. `why` gets the names of missing
 * tracepoints, or "", or the reason for an error. Returns 0 or -errno.
 */
int tracepoints_open(struct tracepoints **ret, const struct ports_list *only,
		     char why[TRACEPOINTS_WHY]) MUST_CHECK;
void tracepoints_free(struct tracepoints *t);	/* t may be NULL */
/* Return a descriptor that becomes readable when a ring buffer is a quarter full. */
int tracepoints_fd(const struct tracepoints *t);

/* Stop the tracepoints. Waiting events can still be read. */
void tracepoints_stop(struct tracepoints *t);

/*
 * Report each tracepoint that counted more events than it delivered, as some kernels (6.18) do on
 * idle CPUs. Call this after all waiting events were read. Reports nothing if a ring buffer
 * overflowed, because the lost events could be of any tracepoint.
 */
void tracepoints_missed(struct tracepoints *t,
			void (*report)(const char *name, uint64_t counted, uint64_t received));

/*
 * Pass all waiting events to `take`, oldest first. Returns the number of events that the kernel
 * lost.
 */
uint64_t tracepoints_read(struct tracepoints *t, void (*take)(void *arg, const struct tcp_event *e),
			  void *arg);
