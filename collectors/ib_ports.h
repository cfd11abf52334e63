/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_ports.h - collect counters of RDMA ports from one file per counter */
#pragma once

#include "collectors/collector.h"

/* A directory with counters of a port, and the names of its files. */
struct port_source {
	const char *dir;		/* directory in the port's directory; NULL ends the list */
	const char *proof;	/* file that must exist for this source to be used, or NULL */
	/* file names in the order of the metrics; NULL: each file has the name of its key */
	const char *const *files;
};

struct port_type {
	enum { ANY_ADAPTER, OMNI_PATH, NOT_OMNI_PATH } of;
	char separator;	/* character between adapter and port in a device's name: '.' or '/' */
	bool saturates;	/* a 32-bit counter with 4294967295 is full, so its value is unknown */
	struct port_source source[2];	/* the first existing source of each port is used */
};

/*
 * Add a row for each active port of /sys/class/infiniband. s->data is a struct port_type. Ports,
 * states and sources are looked up at each rescan; any other sample only costs one read per
 * counter. If a file has no number ("N/A (no PMA)"), its key is missing. Returns 0 or -errno.
 */
int ib_ports_collect(struct source *s) MUST_CHECK;

/*
 * Returns true if the port "mlx5_0/ports/1" has a state other than ACTIVE. A port without the file,
 * as in some captured trees, counts as active.
 */
bool ib_port_is_down(struct source *s, const char *port);
