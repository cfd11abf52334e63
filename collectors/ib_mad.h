/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_mad.h - read the counters of the switch that an InfiniBand port is cabled to (libibmad) */
#pragma once

#include <stdint.h>

struct ibmad_port;	/* opaque: a port of this node opened by libibmad */

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
	 * Find the switch that the port is cabled to. Returns 0; -ENOTCONN if there is no switch;
	 * -EOPNOTSUPP if the switch has no 64-bit counters; or another -errno if the reply was
	 * missing or malformed. Each request times out after 0.2 s.
	 */
	int (*find_switch)(const struct ibmad_port *mad, int port, struct ib_switch *ret);

	/*
	 * Read the counters of the switch's port. Directions are seen from the switch ("xmit": sent
	 * by the switch); data is in words of 4 bytes.
	 */
	int (*counters)(const struct ibmad_port *mad, const struct ib_switch *at,
			uint64_t value[IB_SWITCH_KEYS]);
};

/*
 * Load the library. Call this in a worker only: libibmad prints to standard error, so standard
 * error is redirected to /dev/null. Returns NULL on failure, with the reason in *why, which is
 * valid until the next call.
 */
const struct ib_mad *ib_mad_load(const char **why);
