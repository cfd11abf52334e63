/* SPDX-License-Identifier: BSD-3-Clause */
/* apart.h - work that is done in a process of its own, which ends with it */
#pragma once

#include "base/files.h"

/*
 * A library that is asked this way costs the caller no memory, and what makes it fail or hang costs
 * its answer. The work has the root as its working directory, no output, and memory that it shares
 * with the caller to leave its answer in. 0, also where it crashed; -ETIMEDOUT after 5 s, or
 * -errno.
 */
int apart_run(void (*work)(void *arg), void *arg, const struct files *root) MUST_CHECK;
