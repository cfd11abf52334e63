/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_mad.h - read the counters of the switch that an InfiniBand port is cabled to (libibmad) */
#pragma once

#include <stdint.h>

struct ibmad_port;	/* port of this node opened by libibmad */

/* The switch port at the other end of a cable. */
struct ib_switch {
	int lid;		/* local identifier (address) of the switch */
	int port;		/* port number on the switch */
};

enum ib_switch_key { IB_RCV_DATA, IB_RCV_PACKETS, IB_XMIT_DATA, IB_XMIT_PACKETS, IB_SWITCH_KEYS };

struct ib_mad {
	/*
	 * Open a port of this node, such as port 1 of "mlx5_0". Returns NULL, with errno set, on
	 * failure.
	 */
	struct ibmad_port *(*open)(const char *adapter, int port);
	void (*close)(struct ibmad_port *mad);

	/*
	 * Find the switch at the other end of the cable. Returns 0; -ENOTCONN if there is no
	 * switch; -EOPNOTSUPP if the switch has no 64-bit counters; or another -errno. Each request
	 * times out after 0.2 s.
	 */
	int (*find_switch)(const struct ibmad_port *mad, int port, struct ib_switch *ret);

	/*
	 * Read the counters of the switch's port: packets, and data in words of 4 bytes. Directions
	 * are seen from the switch: "xmit" counts what the switch sent. Returns 0 or -errno.
	 */
	int (*counters)(const struct ibmad_port *mad, const struct ib_switch *at,
			uint64_t value[IB_SWITCH_KEYS]);
};

/*
 * Load libibmad, and redirect standard error to /dev/null, because the library prints errors. Call
 * this only in a worker process. Returns NULL on failure, with the reason in *why.
 */
const struct ib_mad *ib_mad_load(const char **why);
