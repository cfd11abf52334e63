/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_pcap.h - read datagrams from a tcpdump capture */
#pragma once

#include <stdio.h>
#include "xrootd/input/xrd_capture.h"

/*
 * Read and close a pcap or pcapng file. Without a port, take all datagrams that start like XRootD
 * monitoring. Returns 0; or, after describing the error in c->why, -ENOTSUP if built without
 * libpcap, or -EBADMSG.
 */
int xrd_read_pcap(FILE *f, struct xrd_capture *c, const struct xrd_datagrams *to) MUST_CHECK;
