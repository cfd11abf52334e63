/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm_nearest.h - what an event is by its name, or what the name may have meant */
#pragma once

#include "collectors/pmu/libpfm.h"

/*
 * Of "PMU::EVENT:UMASK:MODIFIER"; without a PMU one of ours, which are n names of libpfm4, or one
 * that it sees has the event. After libpfm_load().
 */
void libpfm_encode(const char *event, const char *const *ours, size_t n, struct libpfm_answer *a);
