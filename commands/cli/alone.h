/* SPDX-License-Identifier: BSD-3-Clause */
/* alone.h - write the mark of a job without an agent; one of several commands writes all marks */
#pragma once

#include "cli/hook.h"
#include "recorder/config.h"

/*
 * Write the mark that h describes to the archive. Returns the exit status; EXIT_WAITS if the mark
 * was not written in time: its request then stays in the runtime directory, where the agent or
 * another command finds it.
 */
int alone_mark(const struct hook *h, const struct config *c);
