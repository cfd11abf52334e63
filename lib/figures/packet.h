/* SPDX-License-Identifier: BSD-3-Clause */
/* packet.h - figures of a summary packet: the counters and gauges of one record */
#pragma once

#include "schema/record.h"

/* A figure with a name in packets, summed over the devices that count. */
struct packet_figure {
	const char *name;	/* "link.in" */
	uint64_t value;
};

#define PACKET_FIGURES_MAX 64

/* The record's figures in the order of its types; returns how many. */
size_t packet_figures(const struct record *r, struct packet_figure ret[PACKET_FIGURES_MAX]);
