/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_mad.h - asks the switch of an InfiniBand port, with management datagrams (libibmad) */
#pragma once

#include <stdint.h>

struct ibmad_port;	/* libibmad's: an open port of this node */

/* The other end of a port's cable. */
struct ib_switch {
	int lid;		/* the switch's address */
	int port;		/* of the switch */
};

enum ib_switch_key { IB_RCV_DATA, IB_RCV_PACKETS, IB_XMIT_DATA, IB_XMIT_PACKETS, IB_SWITCH_KEYS };

struct ib_mad {
	/* Opens a port of this node: "mlx5_0", 1. NULL with errno. */
	struct ibmad_port *(*open)(const char *adapter, int port);
	void (*close)(struct ibmad_port *mad);

	/*
	 * Finds the switch that the port is cabled to. 0, -ENOTCONN: no switch, -EOPNOTSUPP: a
	 * switch without 64-bit counters, or another -errno: no answer, or a bad one. A question
	 * waits for 0.2 s at most.
	 */
	int (*find_switch)(const struct ibmad_port *mad, int port, struct ib_switch *ret);

	/* Counters of the switch's port: sent is what the switch sent; data in words of 4 bytes. */
	int (*counters)(const struct ibmad_port *mad, const struct ib_switch *at,
			uint64_t value[IB_SWITCH_KEYS]);
};

/*
 * Loads the library and sends what it prints, to this process's standard error, to nowhere: for a
 * worker. NULL: *why says what is missing, borrowed until the next call.
 */
const struct ib_mad *ib_mad_load(const char **why);
