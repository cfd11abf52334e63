/* SPDX-License-Identifier: BSD-3-Clause */
/* owner.h - root becomes the owner of the archive before it reads what others wrote */
#pragma once

#include "recorder/config.h"

/* Capabilities that the types need that are switched on, see base/system/privileges.h. */
uint64_t owner_privileges(const struct config *c);

/*
 * Of root: makes the archive and the runtime directory where they are not there, takes user and
 * group of the archive's owner, with no other groups, and keeps the capabilities that the types
 * need. Where the archive is root's, or the runtime directory is not the owner's, it stays root,
 * and keeps besides what writing another user's archive takes. Other users stay what they are.
 * 0 or -errno.
 */
int owner_become(const struct config *c) MUST_CHECK;

/* "uid 992, gid 992, capabilities cap_perfmon": as what owner_become() would leave root. */
void owner_put(struct buf *b, const struct config *c);
