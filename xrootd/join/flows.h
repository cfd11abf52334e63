/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flows.h - find the TCP connection (flow) that an access used, from fireflies: UDP packets of
 * SciTags that report flows
 */
#pragma once

#include "formats/xrootd/firefly.h"
#include "xrootd/join/xrd_put.h"

#define FLOWS_MAX 4096		/* maximum number of flows; a new flow replaces the oldest */

struct xrd_flow {
	struct firefly firefly;	/* newest firefly about the flow */
	struct in6_addr from;	/* sender of the firefly */
	char name[XRD_TEXT];	/* host name of the client; empty if not looked up */
};

/* All zero is a valid empty list. */
struct flows {
	struct xrd_flow *of;	/* ring of FLOWS_MAX flows */
	size_t n, next;
	uint64_t seen, bad;	/* number of fireflies received; number of malformed fireflies */
};

/*
 * Store the flow that a firefly reports. The datagram has passed firefly_is(). Returns the flow, so
 * that the caller can set its name, valid until the next call; or NULL if the firefly is malformed.
 */
struct xrd_flow *flows_note(struct flows *all, const struct in6_addr *from, struct str datagram);

/*
 * The flow that an access used, or NULL unless exactly one flow is possible; and the number of
 * flows that match before program and bytes are compared.
 */
struct flow_match {
	const struct xrd_flow *flow;
	size_t n;
};

/*
 * Find the flow that an access used, by server, client, the server's port and the time. If several
 * flows match, also compare program and bytes.
 */
struct flow_match flows_match(const struct flows *all, const struct xrd_transfer *t,
			      const struct xrd_who *w);
void flows_free(struct flows *all);
