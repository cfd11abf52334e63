/* SPDX-License-Identifier: BSD-3-Clause */
/* bounded.h - work on a file system that may hang, done in a child process for a bounded time */
#pragma once

#include "base/buf.h"

/*
 * Run work() in a child process for up to ms milliseconds, and append its output to `out`. If the
 * child hangs in a file system, it is killed, and no other child is started until the kernel has
 * ended it. Returns 0; -ETIMEDOUT if the work hangs; or another -errno. `out` changes only on
 * success.
 */
int bounded_run(int ms, void (*work)(void *arg, struct buf *out), void *arg,
		struct buf *out) MUST_CHECK;
