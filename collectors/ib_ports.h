/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_ports.h - collect counters of RDMA ports from one file per counter */
#pragma once

#include "collectors/collector.h"

/* A directory below a port's directory, and the counter files in it. */
struct port_source {
	const char *dir;		/* name of the directory; NULL ends the list */
	const char *proof;	/* file that must hold a number to use this source, or NULL */
	/* file names in the order of the metrics; NULL: files are named like the keys */
	const char *const *files;
};

struct port_type {
	enum { ANY_ADAPTER, OMNI_PATH, NOT_OMNI_PATH } of;
	char separator;	/* character between adapter and port in a device's name: '.' or '/' */
	/* counters stop at 4294967295; this value means that the count is unknown */
	bool saturates;
	struct port_source source[2];	/* the first usable source is read, see .proof */
};

/*
 * Add a row for each active port in /sys/class/infiniband. s->data is a struct port_type. Ports,
 * their states and their counter files are looked up at each rescan, and at each sample while no
 * port is known; any other sample costs one read per counter. A key is missing if its file has no
 * number ("N/A (no PMA)"). Returns 0 or -errno.
 */
int ib_ports_collect(struct source *s) MUST_CHECK;

/*
 * Returns true if the port, such as "mlx5_0/ports/1", has a state other than ACTIVE. A port without
 * the file counts as active.
 */
bool ib_port_is_down(struct source *s, const char *port);
