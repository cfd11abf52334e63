/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.h - give up root, network and programs before files that others made are parsed */
#pragma once

#include <stdint.h>
#include "base/listener.h"

/*
 * Confine a process that parses files that others made. Call this once all files are open that only
 * root can open. Root becomes user nodometer, or nobody, with no capability but those in `kept`,
 * which are not in force. From then on this process can only read files, write below the folders of
 * `output`, a list of paths that ends with NULL, and do what the bits of `may` allow (enum
 * confine_may). The listener is told about each of these limits that the system cannot enforce.
 */
void foreign_confine(const char *const *output, uint64_t kept, unsigned may,
		     const struct listener *listener);

/*
 * Call this before files that others made are opened. Root becomes user nodometer, or nobody. This
 * process can still read all files, because the folders of hosts may belong to any user. Programs
 * that this process starts have no such right.
 */
void foreign_leave_root(const struct listener *listener);

/* Put the right to read all files into force, if foreign_confine() was told to keep it. */
void foreign_may_read(const struct listener *listener);
