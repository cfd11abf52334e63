/* SPDX-License-Identifier: BSD-3-Clause */
/* alias.h - events by the kernel's own names: the folders events and format of a PMU */
#pragma once

#include "collectors/pmu/named.h"

#define ALIAS_WHY_MAX 200

/*
 * Puts what perf_event_open(2) wants for terms, "cas_count_read" or "event=0x3c,umask=1", into e;
 * unit gets that of the counts, if the kernel says one. folder is the PMU's among PMU_SOURCES. 0,
 * or -EINVAL: there is no such term, and why says what may have been meant.
 */
int alias_encode(struct source *s, const char *folder, struct str terms, struct pmu_event *e,
		 char unit[16], char why[ALIAS_WHY_MAX]) MUST_CHECK;

/* "config:0-7,32-35" says where the bits of a value go, in *config, *config1 or *config2. */
bool alias_place(struct str format, uint64_t value, struct pmu_event *e);
