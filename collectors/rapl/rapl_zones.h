/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rapl_zones.h - the zones in which the kernel counts energy: /sys/class/powercap/intel-rapl:*, and
 * where there are none, or none that may be read, what the perf PMU "power" counts, as such zones
 */
#pragma once

#include "base/buf.h"
#include "base/names.h"
#include "collectors/rapl/rapl_power.h"

struct zone {
	char dir[96];		/* of the zone, below the root */
	char id[32];		/* name of that directory: "intel-rapl:1:0" */
	char name[32];		/* "package-0", "dram", "psys" */
	uint64_t range;		/* largest value of the counter; 0: without end */
	int package, slot;	/* of the counter of the PMU; -1: a file of powercap */
	uint64_t last, total;	/* the newest reading, and what it were without going round */
	bool started;
};

struct zones {
	struct zone *zone;
	size_t n, cap;
};

/* The state of a sample of these types. */
struct rapl {
	bool looked, amd;
	struct zones now, before;
	struct power power;	/* not in use: no packages */
	struct names flat, nested;
	struct buf device;
};

/*
 * The zones there are, looked for at the first call and when s->rescan is set; what is known of a
 * zone stays with it. NULL and s->why if there are none.
 */
struct rapl *rapl_zones(struct source *s);

/* The zone's energy in uJ, as the kernel has it. 0 or -errno. */
int zone_energy(struct source *s, const struct zone *z, uint64_t *ret) MUST_CHECK;

/* Reads its energy in uJ, without going back to 0 after .range. 0 or -errno. */
int zone_odometer(struct source *s, struct zone *z, uint64_t *ret) MUST_CHECK;
