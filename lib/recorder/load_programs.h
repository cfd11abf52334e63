/* SPDX-License-Identifier: BSD-3-Clause */
/* load_programs.h - load BPF programs into the kernel for the enabled types */
#pragma once

#include "collectors/bpf/programs.h"
#include "recorder/config.h"

/*
 * Load the programs that the configuration allows. Call this at the start. Loading needs CAP_BPF,
 * which is dropped afterwards and cannot be regained; CAP_PERFMON is dropped unless a type needs
 * it.
 */
void load_programs(struct programs *p, const struct config *c);
