/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.h - figures of XRootD's summary packets: counters and gauges of one record */
#pragma once

#include "schema/record.h"

/* A figure that has a name in packets, summed over the devices. */
struct packet_figure {
	const char *name;	/* name in packets, such as "link.in" */
	uint64_t value;	/* in the figure's unit, rounded down */
};

#define PACKET_FIGURES_MAX 64

/* Compute the record's figures, in the order of its types. Returns their number. */
size_t packet_figures(const struct record *r, struct packet_figure ret[PACKET_FIGURES_MAX]);
