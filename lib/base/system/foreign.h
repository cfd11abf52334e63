/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.h - give up root, the network and execve(2) before parsing files of other users */
#pragma once

#include <stdint.h>
#include "base/listener.h"

/*
 * Confine a process that parses files of other users; first open all files that only root can open.
 * Root becomes user nodometer, or nobody, with only the capabilities in `kept`, which are
 * permitted, but not effective. The process can then only read files, write in the folders of the
 * files that the NULL-terminated list `output` names (up to 4; NULL: none), and do what the bits of
 * `may` allow (enum confine_may). Limits that the system cannot enforce are reported to the
 * listener.
 */
void foreign_confine(const char *const *output, uint64_t kept, unsigned may,
		     const struct listener *listener);

/*
 * Call this before opening files of other users. Root becomes user nodometer, or nobody, but can
 * still read all files, because the folders of hosts may belong to any user. Programs that this
 * process starts cannot read all files.
 */
void foreign_leave_root(const struct listener *listener);

/* Make the capability to read all files effective, if foreign_confine() has kept it. */
void foreign_may_read(const struct listener *listener);
