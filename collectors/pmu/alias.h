/* SPDX-License-Identifier: BSD-3-Clause */
/* alias.h - encode events by the kernel's names, in a PMU's directories events and format */
#pragma once

#include "collectors/pmu/named.h"

#define ALIAS_WHY_MAX 200

/*
 * Encode terms such as "cas_count_read" or "event=0x3c,umask=1" into the perf_event_open(2) members
 * of e. folder is the PMU's directory in PMU_SOURCES. unit is set to the unit of the counts, unless
 * the kernel shows no unit. Returns 0, or -EINVAL for an unknown term or an unsuitable value, with
 * a message in why.
 */
int alias_encode(struct source *s, const char *folder, struct str terms, struct pmu_event *e,
		 char unit[16], char why[ALIAS_WHY_MAX]) MUST_CHECK;

/*
 * Put a value into the bits of e that a format lists: "config:0-7,32-35" means bits 0 to 7 and 32
 * to 35 of e->config. Formats may also name config1 or config2. Returns false if the format is
 * invalid or the value has too many bits.
 */
bool alias_place(struct str format, uint64_t value, struct pmu_event *e);
