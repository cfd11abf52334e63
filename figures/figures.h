/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.h - the figures of a job report: what is taken from the records, and how */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "figures/quantity.h"

enum figure_how {
	FIGURE_COUNTED,	/* a counter: end less begin, summed over the devices */
	FIGURE_SHARE,	/* the same, shown as its part of all the shares of this type */
	FIGURE_PEAK,	/* a gauge: the largest sum over the devices at one moment */
	FIGURE_MEAN,	/* a gauge: the mean over the time, by trapezoid from sample to sample */
	FIGURE_LIMIT,	/* a gauge that is set: the newest value, above NO_LIMIT only if all are */
	FIGURE_ADDED,	/* a gauge that speaks of "since the last sample": summed over samples */
};

#define NO_LIMIT 0x1p62	/* bytes: what a control group without a limit says is more */

enum figure_unit {
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_SECONDS,
	UNIT_JOULES,	/* a rate of it is watts */
};

/* Bits of a last row's key "whole" that the figure needs: see schema/types/job.c. */
enum { JOB_ROW_TIMES = 1, JOB_ROW_OTHERS = 2 };

/*
 * A figure: a row of the report, and all else that shows it. Rows of one type stand together;
 * values of figures that have one name in the summary of a job are added.
 */
struct figure {
	const char *section, *label;	/* of the report; NULL: it is not on the page */
	const char *type, *key;
	const char *less[2];	/* keys that are subtracted from it at the same moment */
	enum figure_how how;
	enum figure_unit unit;
	double scale;		/* of one, where the schema gives no unit; 0 is 1 */
	bool saturates;		/* 4294967295 is the end of the scale and no value */
	bool elsewhere;		/* counted outside of the node: goes on when it boots */
	bool whole_only;	/* device "-" only: the others are parts of it */
	unsigned job_row;	/* JOB_ROW_...: of the job's own device, which counts from 0 */
	bool from_0;		/* so does a device that comes, or is opened again */
	bool once;		/* in the sum is no device that stands on others, schema/below.h */
	bool each;		/* a gauge: the largest value of each device is kept, too */
	const char *not_device[4];	/* patterns as in fnmatch(3): left out of the sum */
	const char *only_device;	/* such a pattern: the others are; NULL: all count */
	const char *id;		/* in JSON: type.key unless this is set */
	const char *summary;	/* name in the summary of a job, one of summary_names[] */
	const char *panel;	/* of the usual plot, one of usual_panels[] */
	const char *packet;	/* in XRootD's summary packets: "BLOCK.NAME" */
	enum quantity quantity;	/* by which derived figures know it */
	bool floor;		/* there may be more of the quantity than this counts, */
	enum quantity rather;	/* or some of it may be of this one */
	/* Counters of whichever CTRn the CTLn has these bits; .key is a name, or CTRn. */
	uint64_t ctl_mask, ctl;
};

extern const struct figure figures[];
extern const size_t n_figures;

/* A table of them: figures[], or others of one's own. */
struct figures {
	const struct figure *row;
	size_t n;
};

/* The rows [*first, *end) of a type, "host_" in front of it ignored; false if there are none. */
bool figures_of_type(struct figures table, struct str type, size_t *first, size_t *end);

/* Whether a device is in the sums of the figures of its type; f is the first of them. */
bool figure_counts(const struct figure *f, struct str device, struct str job);

double unit_scale(enum figure_unit unit, const char *name);	/* 0: it is no such unit */

/* The factor from a key's unit to the figure's: 512 for "512B", 1024 for "KB", 0.01 for "cs". */
double figure_scale(const struct figure *f, const char *unit_name, unsigned scale);

/* "cpu.user": its name in JSON. */
struct figure_id {
	char s[64];
};
struct figure_id figure_id(const struct figure *f);
size_t figure_find(const char *id);	/* place in figures[], n_figures: there is none */

static inline bool figure_is_shown(const struct figure *f)
{
	return f->label;
}

static inline bool figure_is_counter(const struct figure *f)
{
	return f->how == FIGURE_COUNTED || f->how == FIGURE_SHARE;
}
