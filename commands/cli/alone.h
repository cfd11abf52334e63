/* SPDX-License-Identifier: BSD-3-Clause */
/* alone.h - mark a job without an agent: one of the waiting commands makes all marks */
#pragma once

#include "cli/hook.h"
#include "recorder/config.h"

/*
 * Make the mark. Returns the exit status; EXIT_WAITS if the request stays in the runtime directory,
 * where the agent or another command finds it.
 */
int alone_mark(const struct hook *h, const struct config *c);
