/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm.h - look up the names of events in libpfm4, and their encodings for perf_event_open(2) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

#define LIBPFM_TEXT_MAX 160	/* bytes of an event's name or an error message, with the NUL */
#define LIBPFM_PMU_MAX  48
#define LIBPFM_OURS_MAX 32

/*
 * Load libpfm4, with the PMUs of all processors. Changes the environment of the process. Returns 0,
 * or -ENOENT with the reason in *why: the library is not installed, or this build does not support
 * it.
 */
int libpfm_load(const char **why) MUST_CHECK;

enum libpfm_kind { LIBPFM_CORE, LIBPFM_BOX, LIBPFM_KERNEL };

enum libpfm_result {
	LIBPFM_UNASKED,
	LIBPFM_FOUND,
	LIBPFM_WRONG,	/* the event's name is wrong; .why may have a suggestion */
	LIBPFM_ABSENT,	/* libpfm4 cannot look up the event on this machine; .why has the reason */
};

enum {
	LIBPFM_NO_USER = 1, LIBPFM_NO_KERNEL = 2, LIBPFM_NO_HV = 4, LIBPFM_NO_HOST = 8,
	LIBPFM_NO_GUEST = 16,
};

struct libpfm_answer {
	enum libpfm_result result;
	enum libpfm_kind kind;
	char pmu[LIBPFM_PMU_MAX];	/* libpfm4's name of the PMU: "skx_unc_imc0" */
	bool present;			/* this machine has the PMU */
	unsigned counters;		/* number of the PMU's counters; 0: unknown */
	/* perf_event_attr.type, if .kind is LIBPFM_KERNEL: PERF_TYPE_SOFTWARE, ... */
	uint32_t type;
	uint64_t config, config1, config2;
	unsigned exclude;	/* mask of LIBPFM_NO_...: modes in which the event does not count */
	char why[LIBPFM_TEXT_MAX];
	char message[64];		/* libpfm4's error message */
};

/*
 * Encode the event "EVENT:UMASK:MODIFIER" of a PMU. If pmu is "", the event's name may start with
 * its PMU and "::"; otherwise all PMUs of this machine are tried. Call libpfm_load() first; *a must
 * be all zero. Returns 0 and fills *a except .result; -ENOENT if there is no such event; or -EINVAL
 * with details in a->why or a->message.
 */
int libpfm_try(const char *pmu, const char *event, struct libpfm_answer *a) MUST_CHECK;

/* A PMU that libpfm4 knows. */
struct libpfm_pmu {
	const char *name, *desc;
	enum libpfm_kind kind;
	bool present;
	int first;		/* index of the first event of the PMU */
};
/* An event of a PMU. */
struct libpfm_event {
	const char *name, *desc;
	int index, n_attributes;
};
/* A unit mask or modifier of an event. */
struct libpfm_attribute {
	const char *name, *desc;
	bool umask, usual;
};

/*
 * Get PMU i of libpfm4. Returns 1; 0 if there is no PMU with this number; or -1 after the last one.
 */
int libpfm_pmu_at(int i, struct libpfm_pmu *ret);
/* Get the event with this index. *next becomes the index of the next event, or -1. */
bool libpfm_event_at(int index, struct libpfm_event *ret, int *next);
bool libpfm_attribute_at(const struct libpfm_event *e, int i, struct libpfm_attribute *ret);
