/* SPDX-License-Identifier: BSD-3-Clause */
/* load_programs.h - programs in the kernel for the types that are on */
#pragma once

#include "collectors/bpf/programs.h"
#include "recorder/config.h"

/*
 * Loads those that the configuration allows, at the start: CAP_BPF, which that takes, is dropped
 * for good, and CAP_PERFMON with what else no type needs.
 */
void load_programs(struct programs *p, const struct config *c);
