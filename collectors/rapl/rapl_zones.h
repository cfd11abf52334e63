/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rapl_zones.h - the energy zones of the kernel
 *
 * The zones are /sys/class/powercap/intel-rapl:*. If there are none, or they are unreadable, the
 * counters of the perf PMU "power" serve as zones.
 */
#pragma once

#include "base/buf.h"
#include "base/names.h"
#include "collectors/rapl/rapl_power.h"

struct zone {
	char dir[96];		/* directory of the zone's directory */
	char id[32];		/* name of the zone's directory: "intel-rapl:1:0" */
	char name[32];		/* "package-0", "dram", "psys" */
	uint64_t range;		/* value in uJ at which the counter wraps; 0: never */
	/*
	 * .package and .slot of the zone's counter in struct power; package is -1 for a zone of
	 * powercap
	 */
	int package, slot;
	/* in uJ: the counter at the last reading, and the energy including the counter's wraps */
	uint64_t last, total;
	int64_t read_ns;	/* time of the last reading; 0: never read */
	/*
	 * .total does not continue the value in the zone's previous row; the caller clears this
	 * flag
	 */
	bool reopened;
};

struct zones {
	struct zone *zone;
	size_t n, cap;
};

/* The state of a collector of energy. */
struct rapl {
	bool looked, amd;
	struct zones now, before;
	struct power power;	/* the PMU's counters; no packages if powercap is used */
	struct names flat, nested;
	struct buf device;
};

/*
 * Get the zones of this node. They are listed at the first call and at a rescan; zones listed
 * before keep their state. Returns NULL with s->why set if there are none.
 */
struct rapl *rapl_zones(struct source *s);

/*
 * Get the zone's energy in uJ, as the kernel shows it. For a zone of the PMU, this is the value
 * that the last rapl_zones() has read. Returns 0 or -errno.
 */
int zone_energy(struct source *s, const struct zone *z, uint64_t *ret) MUST_CHECK;

/*
 * Read the zone's energy in uJ. The value continues to grow when the kernel's counter wraps at
 * .range. Sets .reopened in two cases: at the first reading of this process, since an earlier
 * process may have counted wraps; and if the counter was reset. Returns 0 or -errno.
 */
int zone_odometer(struct source *s, struct zone *z, uint64_t *ret) MUST_CHECK;
