/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_input.h - datagrams from a file in which they were kept */
#pragma once

#include <stdio.h>
#include "base/base.h"
#include "tracers/xrootd/input/xrd_capture.h"

/* The file, or NULL and errno, before a byte is read. */
FILE *xrd_open_capture(const char *path);

/*
 * Reads and closes a file that starts with "XDGRAM1\n"; for each datagram then, in network order, 8
 * bytes time of arrival (microseconds since 1970), 4 IPv4 address, 2 and 2 ports of source and
 * destination, 4 length, 4 zero, and its bytes. Or a file that starts with "{": lines as OSG's
 * shoveler sends them, without a time of their own. Any other file is a capture of tcpdump.
 *
 * 0 or -errno, and c->why says what is wrong. Datagrams before the defect have been taken.
 */
int xrd_take_capture(FILE *f, struct xrd_capture *c, const struct xrd_datagrams *to) MUST_CHECK;
