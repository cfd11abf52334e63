/* SPDX-License-Identifier: BSD-3-Clause */
/* tidy.h - starts nodometer-tidy, which packs and removes closed files of this host */
#pragma once

#include <sys/types.h>
#include "agent/config.h"

/* Its pid, or -errno. What it may do comes from the configuration. */
pid_t tidy_start(const struct config *c, const char *host);

/* For a command that ends only when it is done; pid may be -errno. */
void tidy_wait(pid_t pid);
