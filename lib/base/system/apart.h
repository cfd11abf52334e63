/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.h - run work in a short-lived process */
#pragma once

#include "base/files.h"

/*
 * Run work() in a child process, so that a library uses no memory of the caller, and a crash or a
 * hang only loses the result. The child works in the directory `root`, without output, with up to
 * 256 MB more memory; work() stores its result in memory shared with the caller. Returns 0, even if
 * the child crashed before work() ended; -ETIMEDOUT after 5 s; or another -errno.
 */
int apart_run(void (*work)(void *arg), void *arg, const struct files *root) MUST_CHECK;
