/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_ports.h - types that are counters of the ports of RDMA adapters, one file per counter */
#pragma once

#include "collectors/collector.h"

/* A directory of a port that has the counters, and what they are called there. */
struct port_source {
	const char *dir;		/* NULL: no more sources */
	const char *proof;		/* a file without which it is not this source; NULL: none */
	const char *const *files;	/* for each metric; NULL: the metrics' keys */
};

struct port_type {
	enum { ANY_ADAPTER, OMNI_PATH, NOT_OMNI_PATH } of;
	char separator;			/* of adapter and port in a device's name: '.' or '/' */
	bool saturates;			/* 4294967295 is the end of a 32-bit scale: unknown */
	struct port_source source[2];	/* of each port the first that it has */
};

/*
 * Adds a row for each port of /sys/class/infiniband, unless its state is another than ACTIVE;
 * s->data is a struct port_type. Ports, their states and sources are looked at when devices are;
 * after that a sample is one read per counter. A file that has no number ("N/A (no PMA)") is a
 * missing key. 0 or -errno.
 */
int ib_ports_collect(struct source *s) MUST_CHECK;

/* Whether "mlx5_0/ports/1" says another state than ACTIVE; a captured tree may lack the file. */
bool ib_port_is_down(struct source *s, const char *port);
