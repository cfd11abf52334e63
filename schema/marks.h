/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.h - marks about counters that are opened and closed, see nodometer-raw(5) */
#pragma once

#define RAW_MARK_COUNTERS "counters_"		/* what they all begin with */
#define RAW_MARK_RELEASE  "counters_release"	/* JOB: it has the hardware counters from here on */
#define RAW_MARK_ACQUIRE  "counters_acquire"	/* JOB: it has them no more */
#define RAW_MARK_RESTART  "counters_restart"	/* TYPE [DEVICE...]: opened anew since last time */
