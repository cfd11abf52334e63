/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.h - the wait of a program that lets signals in nowhere else */
#pragma once

#include <poll.h>
#include <signal.h>
#include <time.h>

/*
 * As ppoll(2), which lets a signal in only if nothing is ready: beside a source that never is quiet
 * none would ever come in. Handlers have run when this returns.
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
