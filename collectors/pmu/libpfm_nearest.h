/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm_nearest.h - encode an event by its name, or suggest the name that may be meant */
#pragma once

#include "collectors/pmu/libpfm.h"

/*
 * Encode "PMU::EVENT:UMASK:MODIFIER". If the name has no PMU, try the n PMUs in `ours` (by
 * libpfm4's names), then all PMUs that libpfm4 finds on this machine. Call libpfm_load() first.
 */
void libpfm_encode(const char *event, const char *const *ours, size_t n, struct libpfm_answer *a);
