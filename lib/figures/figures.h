/* SPDX-License-Identifier: BSD-3-Clause */
/* figures.h - the table of the figures of a job report, and the keys of records that they use */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"
#include "figures/quantity.h"

enum figure_how {
	FIGURE_COUNTED,	/* counter: growth during the job, summed over the devices */
	/*
	 * counter, like FIGURE_COUNTED, but shown as percent of the sum of all shares of its record
	 * type
	 */
	FIGURE_SHARE,
	FIGURE_PEAK,	/* gauge: largest sum over the devices in any sample */
	FIGURE_MEAN,	/* gauge: mean over time, by the trapezoidal rule */
	/* gauge that is a limit: newest value; NO_LIMIT or more if there is no limit */
	FIGURE_LIMIT,
	/* gauge that covers the time since the last sample: sum over all samples but the first */
	FIGURE_ADDED,
};

/* bytes: this or a larger memory limit of a cgroup means that it has no limit */
#define NO_LIMIT 0x1p62

enum figure_unit {
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_SECONDS,
	UNIT_JOULES,	/* rates are shown in watts */
};

/*
 * Bits of key "whole" of type job (schema/types/job.c). If the job's last row was written after its
 * cgroup had been removed, a figure of the job itself is complete only if "whole" of this row has
 * the figure's bit, .job_row.
 */
enum { JOB_ROW_TIMES = 1, JOB_ROW_OTHERS = 2 };

/*
 * A figure: a row of the report, computed from a key of one record type. Figures of the same type
 * are adjacent in the table. Job summaries add up the figures that have the same .summary.
 */
struct figure {
	/* heading and row of the report; NULL: no page shows the figure */
	const char *section, *label;
	const char *type, *key;
	/* keys whose values are subtracted from the value of .key */
	const char *less[2];
	enum figure_how how;
	enum figure_unit unit;
	/* factor for the value, if the unit of the key has none (unit_scale()); 0 means 1 */
	double scale;
	bool saturates;	/* the counter stops at 4294967295, so this reading is not a value */
	/* a device outside the node counts: a boot of the node does not reset the counter */
	bool counts_after_reboot;
	bool whole_only;	/* only device "-" is in the sum: other devices are parts of "-" */
	/* JOB_ROW_... if the figure is of the job itself (its device counts from 0); else 0 */
	unsigned job_row;
	/*
	 * a peak also uses the samples at the begin and end marks: the kernel keeps the peak, or
	 * the value never changes
	 */
	bool holds_at_edge;
	/* a device that appears, or whose counter is reopened, during the job counts from 0 */
	bool starts_at_zero;
	/* the sum leaves out devices on top of others (schema/below.h) */
	bool once;
	bool each;		/* gauge: also keep the largest value of each device */
	/* fnmatch(3) pattern of the devices in the sum; NULL: all */
	const char *only_device;
	const char *id;		/* name in JSON; NULL: type.key */
	const char *summary;	/* name in a job's summary, one of summary_names[]; NULL: none */
	/* panel of the default page of plots, one of usual_panels[]; NULL: none */
	const char *panel;
	const char *packet;	/* name in XRootD's summary packets, "BLOCK.NAME"; NULL: none */
	/* quantity that the figure counts, for derived figures; Q_NONE: none */
	enum quantity quantity;
	bool floor;		/* the counter may count only a part of .quantity */
	/* quantity to which a part of the count may belong instead of .quantity */
	enum quantity rather;
	/*
	 * If .ctl_mask is not 0, use each counter CTRn with (CTLn & .ctl_mask) == .ctl, where CTLn
	 * is its control register. .key is then any name for the event, or "CTRn" to use only this
	 * counter.
	 */
	uint64_t ctl_mask, ctl;
};

/*
 * Whether samples at the begin and end marks count like all other samples; see .edge of struct
 * value_sample.
 */
static inline bool figure_holds_at_edge(const struct figure *f)
{
	return f->holds_at_edge || (f->job_row && f->how != FIGURE_PEAK);
}

extern const struct figure figures[];
extern const size_t n_figures;

/* A table of figures: figures[], or another table of the caller. */
struct figures {
	const struct figure *row;
	size_t n;
};

/*
 * Find the figures of a record type: the rows [*first, *end) of the table. The type may have a name
 * of HPCPerfStats, such as "host_cpu" (schema/foreign.h). Returns false if there are none.
 */
bool figures_of_type(struct figures table, struct str type, size_t *first, size_t *end);

/*
 * Whether a device name equals `pattern`, or matches it as an fnmatch(3) pattern. A name such as
 * "[::1]:1094" may look like a pattern.
 */
bool device_matches(struct str device, const char *pattern);
/*
 * Whether the sum of figure f includes a device. Figures of the job itself include only device
 * `job`.
 */
bool figure_counts(const struct figure *f, struct str device, struct str job);

/* Return the factor that converts the unit `name` to `unit`, or 0 if it cannot be converted. */
double unit_scale(enum figure_unit unit, const char *name);

/*
 * Return the factor that converts the key's unit to the figure's unit: 512 for "512B", 1024 for
 * "KB", 0.01 for "cs".
 */
double figure_scale(const struct figure *f, const char *unit_name, unsigned scale);

/* Id of a figure, its name in JSON, such as "cpu.user". */
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
