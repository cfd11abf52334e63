/* SPDX-License-Identifier: BSD-3-Clause */
/* load_programs.h - load BPF programs into the kernel for the enabled types */
#pragma once

#include "collectors/bpf/programs.h"
#include "recorder/config.h"

/*
 * Load the BPF programs that the configuration allows, then drop CAP_BPF. Call this at the start,
 * because the capability cannot be regained.
 */
void load_programs(struct programs *p, const struct config *c);
