/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.h - run work in a short-lived process */
#pragma once

#include "base/files.h"

/*
 * Run work() in a child process, so that a library uses no memory of the caller, and a crash or a
 * hang loses only the result. The child's working directory is `root`; its output is discarded; it
 * may use up to 256 MB more memory than the caller. work() must store its result in memory shared
 * with the caller. Returns 0, even if the child crashed before work() ended; -ETIMEDOUT after 5 s;
 * or another -errno.
 */
int apart_run(void (*work)(void *arg), void *arg, const struct files *root) MUST_CHECK;
