/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm.h - what libpfm4 knows of events: names, and what perf_event_open(2) wants for them */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/base.h"

#define LIBPFM_TEXT_MAX 160	/* bytes of an event or of a reason, with its NUL */
#define LIBPFM_PMU_MAX  48
#define LIBPFM_OURS_MAX 32

/*
 * Loads the library and asks it for PMUs of other processors, too. 0, or -ENOENT and *why: it is
 * not installed, or this program was built without it. The environment of the process is changed.
 */
int libpfm_load(const char **why) MUST_CHECK;

enum libpfm_kind { LIBPFM_CORE, LIBPFM_BOX, LIBPFM_KERNEL };

enum libpfm_result {
	LIBPFM_UNASKED,
	LIBPFM_FOUND,
	LIBPFM_WRONG,	/* .why says what is wrong with the name, and what may have been meant */
	LIBPFM_ABSENT,	/* .why says why nothing can be said of it here */
};

enum {
	LIBPFM_NO_USER = 1, LIBPFM_NO_KERNEL = 2, LIBPFM_NO_HV = 4, LIBPFM_NO_HOST = 8,
	LIBPFM_NO_GUEST = 16,
};

struct libpfm_answer {
	enum libpfm_result result;
	enum libpfm_kind kind;
	char pmu[LIBPFM_PMU_MAX];	/* libpfm4's name of it: "skx_unc_imc0" */
	bool present;			/* libpfm4 sees this PMU on this machine */
	unsigned counters;		/* of that PMU, as libpfm4 knows; 0: unknown */
	uint32_t type;			/* of the kernel's own events: PERF_TYPE_SOFTWARE, ... */
	uint64_t config, config1, config2;
	unsigned exclude;		/* LIBPFM_NO_..., ored */
	char why[LIBPFM_TEXT_MAX];
	char word[64];			/* libpfm4's own for an error */
};

/*
 * Of "EVENT:UMASK:MODIFIER" of a PMU; pmu "": the event names one, or it is of any that it sees.
 * After libpfm_load(). 0 and a, -ENOENT: there is no such event, -EINVAL: a.why or a.word has more.
 */
int libpfm_try(const char *pmu, const char *event, struct libpfm_answer *a) MUST_CHECK;

/* A PMU, an event of it, and an attribute of that: a unit mask, or a modifier. */
struct libpfm_pmu {
	const char *name, *desc;
	enum libpfm_kind kind;
	bool present;
	int first;		/* event */
};
struct libpfm_event {
	const char *name, *desc;
	int index, n_attributes;
};
struct libpfm_attribute {
	const char *name, *desc;
	bool umask, usual;
};

/* The i-th of libpfm4's numbers for PMUs: 1, 0: it has none of this number, -1: no more come. */
int libpfm_pmu_at(int i, struct libpfm_pmu *ret);
/* The event of this index, and the index of the next one in *next, -1 after the last. */
bool libpfm_event_at(int index, struct libpfm_event *ret, int *next);
bool libpfm_attribute_at(const struct libpfm_event *e, int i, struct libpfm_attribute *ret);
