/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_input.h - read datagrams from a file */
#pragma once

#include <stdio.h>
#include "base/base.h"
#include "xrootd/input/xrd_capture.h"

/*
 * Open the file, or standard input if the path is "-", without reading it. Returns NULL and sets
 * errno if that fails.
 */
FILE *xrd_open_capture(const char *path);

/*
 * Read and close a file. The start of the file tells its format:
 * - "XDGRAM1\n": each datagram follows a header in network order: 8 bytes time of arrival
 *   (microseconds since 1970), 4 bytes IPv4 address of the sender, 2 bytes source port, 2 bytes
 *   destination port, 4 bytes length of the datagram, 4 bytes zero.
 * - "{": messages of the shoveler, one per line.
 * - Anything else: a tcpdump capture.
 *
 * Returns 0, or -errno after describing the error in c->why. Datagrams before the error are
 * delivered.
 */
int xrd_take_capture(FILE *f, struct xrd_capture *c, const struct xrd_datagrams *to) MUST_CHECK;
