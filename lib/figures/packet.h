/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.h - figures of XRootD's summary packets: counters and gauges of one record */
#pragma once

#include "schema/record.h"

/* The value of a figure that summary packets have, summed over the devices. */
struct packet_figure {
	const char *name;	/* name in summary packets, such as "link.in" */
	uint64_t value;	/* value in the unit of the figure, rounded down */
};

#define PACKET_FIGURES_MAX 64

/*
 * Compute the figures of a record that summary packets have, in the order of the record's types.
 * Returns their number.
 */
size_t packet_figures(const struct record *r, struct packet_figure ret[PACKET_FIGURES_MAX]);
