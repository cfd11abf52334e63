/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_pcap.h - datagrams from what tcpdump has captured */
#pragma once

#include <stdio.h>
#include "tracers/xrootd/input/xrd_capture.h"

/*
 * pcap and, since libpcap reads them, pcapng; f is closed. Without a port: all datagrams that are
 * XRootD's monitoring by their first bytes. 0, -ENOTSUP without libpcap, or -EBADMSG: c->why.
 */
int xrd_read_pcap(FILE *f, struct xrd_capture *c, const struct xrd_datagrams *to) MUST_CHECK;
