/* SPDX-License-Identifier: BSD-3-Clause */
/* events.h - snapshots of connections at what happens to them */
#pragma once

#include "tracers/tcp/recorder.h"

/* 0; or -errno, and said why. Warns of tracepoints that this kernel lacks. */
int tcp_recorder_open_events(struct tcp_recorder *r) MUST_CHECK;

/* A snapshot of each connection to which something has happened; none where nobody asked for it. */
void tcp_recorder_events(struct tcp_recorder *r);

/* Of all that come until now; no others come, and what the kernel has kept back is warned of. */
void tcp_recorder_last_events(struct tcp_recorder *r);
