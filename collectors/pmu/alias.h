/* SPDX-License-Identifier: BSD-3-Clause */
/* alias.h - encode events by the kernel's own names, from a PMU's directories events and format */
#pragma once

#include "collectors/pmu/named.h"

#define ALIAS_WHY_MAX 200

/*
 * Encode terms ("cas_count_read" or "event=0x3c,umask=1") for perf_event_open(2) into e. Sets unit
 * to the unit of the counts, or to "" if the kernel does not state it. folder is the PMU's
 * directory in PMU_SOURCES. Returns 0, or -EINVAL for an unknown term, with a suggestion in why.
 */
int alias_encode(struct source *s, const char *folder, struct str terms, struct pmu_event *e,
		 char unit[16], char why[ALIAS_WHY_MAX]) MUST_CHECK;

/*
 * Put the bits of a value where a format says: "config:0-7,32-35" means these bits of e->config;
 * config1 and config2 are possible, too. Returns false if the value has more bits than the format.
 */
bool alias_place(struct str format, uint64_t value, struct pmu_event *e);
