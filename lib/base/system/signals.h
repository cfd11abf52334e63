/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.h - wait for descriptors and signals in a program that blocks signals elsewhere */
#pragma once

#include <poll.h>
#include <signal.h>
#include <time.h>

/*
 * Wait like ppoll(2), but also run pending signal handlers if a descriptor is ready: ppoll(2)
 * delivers no signal while a descriptor is ready.
 */
static inline int poll_and_signals(struct pollfd *p, nfds_t n, const struct timespec *most,
				   const sigset_t *mask)
{
	const struct timespec no_time = { 0 };
	int ready = ppoll(p, n, most, mask);
	if (ready > 0)
		ppoll(NULL, 0, &no_time, mask);
	return ready;
}
