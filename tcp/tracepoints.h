/* SPDX-License-Identifier: BSD-3-Clause */
/* tracepoints.h - what the kernel says of TCP connections at the moment, by its tracepoints */
#pragma once

#include <stdint.h>
#include "base/base.h"
#include "tracers/tcp/ports.h"
#include "tracers/tcp/tcp_event.h"

struct tracepoints;

#define TRACEPOINTS_WHY 160
/*
 * Opens those tracepoints that this kernel has, with a ring on each CPU; of the connections that
 * are wanted, the kernel passes no others on. why: what is missing, "" for nothing. 0 or -errno.
 */
int tracepoints_open(struct tracepoints **ret, const struct ports_list *only,
		     char why[TRACEPOINTS_WHY]) MUST_CHECK;
void tracepoints_free(struct tracepoints *t);	/* NULL is fine */
int tracepoints_fd(const struct tracepoints *t);	/* readable where a ring fills */

void tracepoints_stop(struct tracepoints *t);	/* no more come; those that wait are still taken */

/*
 * When all that waited were taken: says for each tracepoint of which the kernel has counted more
 * than it has handed out, as some (6.18) do on idle CPUs, how many of both. Nothing, where some
 * were lost for want of room: of which tracepoint, the kernel does not say.
 */
void tracepoints_missed(struct tracepoints *t,
			void (*say)(const char *name, uint64_t counted, uint64_t taken));

/* All events that wait, the oldest first; returns how many the kernel has lost besides. */
uint64_t tracepoints_take(struct tracepoints *t, void (*take)(void *arg, const struct tcp_event *e),
			  void *arg);
