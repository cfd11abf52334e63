/* SPDX-License-Identifier: BSD-3-Clause */
/* owner.h - change from root to the owner of the archive before reading other users' files */
#pragma once

#include "recorder/config.h"

/* Returns the capabilities needed by the enabled types, see base/system/privileges.h. */
uint64_t owner_privileges(const struct config *c);

/*
 * As root, become the owner of the archive: take its user and group, with no supplementary groups,
 * and keep the capabilities that the types need. Archive and runtime directory are created if
 * missing. Root stays root, with the capabilities needed to write another user's archive, if the
 * archive belongs to root, or if the runtime directory belongs to another user than the archive. If
 * the caller only asks the agent (asks_agent), or if the archive's file system hangs, the owner of
 * the runtime directory is used instead and the archive is not touched. Does nothing for users
 * other than root. Returns 0 or -errno.
 */
int owner_become(const struct config *c, bool asks_agent) MUST_CHECK;

/*
 * Append "uid 992, gid 992, capabilities cap_perfmon": what owner_become() changes root to. Hangs
 * if the archive's file system hangs.
 */
void owner_put(struct buf *b, const struct config *c);
