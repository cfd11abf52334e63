/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.h - run work in a short-lived process */
#pragma once

#include "base/files.h"

/*
 * Run work in a process of its own, so that a library costs the caller no memory, and a failure or
 * a hang costs only its answer. The working directory is the root, there is no output, and the
 * process leaves its answer in memory that it shares with the caller. Returns 0, even if the
 * process crashed; -ETIMEDOUT after 5 s; or another -errno.
 */
int apart_run(void (*work)(void *arg), void *arg, const struct files *root) MUST_CHECK;
