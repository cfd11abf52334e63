/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.h - the figures of a job report: which keys of the records they use, and how */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "figures/quantity.h"

enum figure_how {
	FIGURE_COUNTED,	/* counter: its growth during the job, summed over the devices */
	FIGURE_SHARE,	/* counter, shown as percent of the sum of all shares of its type */
	FIGURE_PEAK,	/* gauge: largest sum over the devices at any sample */
	FIGURE_MEAN,	/* gauge: mean over time, by the trapezoidal rule */
	/* gauge with a limit: newest value; above NO_LIMIT if no device has a limit */
	FIGURE_LIMIT,
	/* gauge for the time since the last sample: sum over all samples but the first */
	FIGURE_ADDED,
};

#define NO_LIMIT 0x1p62	/* bytes: a larger limit means that a cgroup has none */

enum figure_unit {
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_SECONDS,
	UNIT_JOULES,	/* a rate in joules is shown in watts */
};

/*
 * Bits of the key "whole" (schema/types/job.c). If the job's cgroup was removed before its last
 * row, a figure of the job is complete only if this key has the figure's bit, .job_row, in that
 * row.
 */
enum { JOB_ROW_TIMES = 1, JOB_ROW_OTHERS = 2 };

/*
 * A figure: a row of the report, computed from a key of the records. Rows of one type are adjacent.
 * Figures with the same name in summaries are added.
 */
struct figure {
	/* heading and row of the report; NULL: no page shows the figure */
	const char *section, *label;
	const char *type, *key;
	/* keys whose values are subtracted from that of .key */
	const char *less[2];
	enum figure_how how;
	enum figure_unit unit;
	double scale;		/* factor if unit_scale() has none for the key; 0 means 1 */
	bool saturates;	/* the counter stops at 4294967295, which is not a value */
	/* counted outside the node: a boot of the node does not reset it */
	bool counts_after_reboot;
	bool whole_only;	/* only device "-" counts: other devices are parts of "-" */
	/* JOB_ROW_... if the figure is of the job's own device, which counts from 0; else 0 */
	unsigned job_row;
	/*
	 * samples at the begin and end marks also count for a peak: the kernel keeps the peak, or
	 * the size does not change
	 */
	bool holds_at_edge;
	/* a device that appears or is reopened during the job counts from 0 */
	bool starts_at_zero;
	/* devices on top of others (schema/below.h) are not in the sum */
	bool once;
	bool each;		/* gauge: keep the largest value of each device, too */
	/* fnmatch(3) pattern of the devices that count; NULL: all */
	const char *only_device;
	const char *id;		/* name in JSON; NULL: type.key */
	const char *summary;	/* name in a job's summary, one of summary_names[] */
	const char *panel;	/* panel of the default page of plots, one of usual_panels[] */
	const char *packet;	/* name in XRootD's summary packets, "BLOCK.NAME" */
	enum quantity quantity;	/* quantity that the figure counts, for derived figures */
	bool floor;		/* the counter may count only a part of the quantity */
	/* quantity to which a part of the count may belong instead */
	enum quantity rather;
	/*
	 * Use the counters CTRn whose control register CTLn, masked with .ctl_mask, equals .ctl.
	 * .key is any name for the event, or "CTRn" to use only this counter.
	 */
	uint64_t ctl_mask, ctl;
};

/* Whether samples at the begin and end marks count like all others; see struct value_sample. */
static inline bool figure_holds_at_edge(const struct figure *f)
{
	return f->holds_at_edge || (f->job_row && f->how != FIGURE_PEAK);
}

extern const struct figure figures[];
extern const size_t n_figures;

/* A table of figures: figures[], or a table of the caller. */
struct figures {
	const struct figure *row;
	size_t n;
};

/*
 * Find the rows [*first, *end) of a type. The type may have a name of HPCPerfStats, such as one
 * with a leading "host_" (schema/foreign.h). Returns false if there are no rows.
 */
bool figures_of_type(struct figures table, struct str type, size_t *first, size_t *end);

/*
 * Whether a device equals a name or matches an fnmatch(3) pattern. A name may look like a pattern,
 * such as "[::1]:1094".
 */
bool device_matches(struct str device, const char *pattern);
/* Whether a device is included in the sum of figure f. */
bool figure_counts(const struct figure *f, struct str device, struct str job);

/*
 * Return the factor that converts the unit `name` to `unit`, or 0 if both are of different kinds.
 */
double unit_scale(enum figure_unit unit, const char *name);

/*
 * Return the factor that converts the key's unit to the figure's unit: 512 for "512B", 1024 for
 * "KB", 0.01 for "cs".
 */
double figure_scale(const struct figure *f, const char *unit_name, unsigned scale);

/* Name of a figure in JSON, such as "cpu.user". */
struct figure_id {
	char s[64];
};
struct figure_id figure_id(const struct figure *f);
/* Find the figure with this id. Returns table.n if there is none. */
size_t figures_find(struct figures table, const char *id);
/* Find the figure with this id in figures[]. Returns n_figures if there is none. */
size_t figure_find(const char *id);

static inline bool figure_is_shown(const struct figure *f)
{
	return f->label;
}

static inline bool figure_is_counter(const struct figure *f)
{
	return f->how == FIGURE_COUNTED || f->how == FIGURE_SHARE;
}
