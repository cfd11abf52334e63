/* SPDX-License-Identifier: BSD-3-Clause */
/* flows.h - TCP connections reported by fireflies, and which connection an access used */
#pragma once

#include "formats/xrootd/firefly.h"
#include "xrootd/join/xrd_put.h"

#define FLOWS_MAX 4096		/* number of flows that are kept; a new flow replaces the oldest */

struct xrd_flow {
	struct firefly firefly;	/* latest firefly of the flow */
	struct in6_addr from;	/* sender of the firefly */
	char name[XRD_TEXT];	/* host name of the client; empty if the name was not looked up */
};

/* All zero is a valid empty list. */
struct flows {
	struct xrd_flow *of;	/* ring of FLOWS_MAX flows */
	size_t n, next;
	uint64_t seen, bad;	/* fireflies received; damaged fireflies */
};

/*
 * Record a firefly, a datagram that passed firefly_is(). Returns its flow, in which the caller may
 * set the name, or NULL if the firefly is damaged.
 */
struct xrd_flow *flows_note(struct flows *all, const struct in6_addr *from, struct str datagram);

/*
 * The flow that an access used, and the number of flows that match the access. The flow is NULL
 * unless exactly one flow is possible.
 */
struct flow_match {
	const struct xrd_flow *flow;
	size_t n;
};

/*
 * Find the flow that an access used: by address or name of the server and the client, the server's
 * port, and the time. If several flows match, decide by program and bytes.
 */
struct flow_match flows_match(const struct flows *all, const struct xrd_transfer *t,
			      const struct xrd_who *w);
void flows_free(struct flows *all);
