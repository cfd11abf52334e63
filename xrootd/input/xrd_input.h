/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_input.h - read datagrams from a file */
#pragma once

#include <stdio.h>
#include "base/base.h"
#include "xrootd/input/xrd_capture.h"

/* Open the file, without reading it. Returns NULL and sets errno if that fails. */
FILE *xrd_open_capture(const char *path);

/*
 * Read and close a file, which has one of three formats:
 * - It starts with "XDGRAM1\n". For each datagram follow, in network order, 8 bytes time of arrival
 *   (microseconds since 1970), 4 IPv4 address, 2 and 2 ports of source and destination, 4 length,
 *   4 zero, and its bytes.
 * - It starts with "{": messages of the shoveler, one a line.
 * - Any other file is a tcpdump capture.
 *
 * Returns 0 or -errno, and c->why describes the error. Datagrams before the error are delivered.
 */
int xrd_take_capture(FILE *f, struct xrd_capture *c, const struct xrd_datagrams *to) MUST_CHECK;
