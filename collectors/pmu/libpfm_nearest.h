/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm_nearest.h - encode an event by its name, or suggest a similar name */
#pragma once

#include "collectors/pmu/libpfm.h"

/*
 * Encode "PMU::EVENT:UMASK:MODIFIER". If the name has no PMU, the n PMUs in `ours` are tried, and
 * then all PMUs of this machine. The result is in *a. Call libpfm_load() first.
 */
void libpfm_encode(const char *event, const char *const *ours, size_t n, struct libpfm_answer *a);
