/* SPDX-License-Identifier: BSD-3-Clause */
/* owner.h - change from root to the owner of the archive before reading other users' files */
#pragma once

#include "recorder/config.h"

/* Returns the capabilities needed by the enabled types, see base/system/privileges.h. */
uint64_t owner_privileges(const struct config *c);

/*
 * As root, change to the user and group of the archive. Keep only the capabilities that the enabled
 * types need. Create a missing archive or runtime directory.
 *
 * Root stays root if the archive belongs to root or cannot be created, or if the archive and the
 * runtime directory belong to different users. It then keeps the capabilities for writing the
 * archive of another user.
 *
 * If asks_agent is set (the caller only asks the agent), or the archive's file system hangs, use
 * the owner of the runtime directory and do not touch the archive.
 *
 * Does nothing for other users than root. Returns 0 or -errno.
 */
int owner_become(const struct config *c, bool asks_agent) MUST_CHECK;

/*
 * Append the identity that owner_become() takes: "uid 992, gid 992, capabilities cap_perfmon".
 * Hangs if the archive's file system hangs.
 */
void owner_put(struct buf *b, const struct config *c);
