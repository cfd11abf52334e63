/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.h - find out where a systemd service may write, from its unit and the rights of its user */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

struct unit {
	const char *name;		/* name, such as "nodometerd" */
	/* whether ProtectSystem=strict forbids writing outside .managed and .writable */
	bool strict;
	/* user of the service, or "" if unknown */
	char user[64];
	/*
	 * folders that the service may write to, one per line; .managed: those that systemd creates
	 * for the service; .writable: the others
	 */
	struct buf managed, writable;
};

/*
 * Read the properties of a unit with systemctl(1). If systemctl is not installed, unit_may_write()
 * assumes that systemd does not restrict where the unit writes. Release with unit_free().
 */
void unit_look(struct unit *u, const char *name);
void unit_free(struct unit *u);

/*
 * Return whether the service can find the folder and write there; if not, append the reason and a
 * remedy to `why`. If `makes` is true, a missing folder is fine, because the service creates it.
 * Only root can check the rights of another user.
 */
bool unit_may_write(const struct unit *u, const char *path, bool makes, struct buf *why);

/*
 * Return whether the service's user can read the file; if not, append the reason and a remedy to
 * `why`.
 */
bool unit_may_read(const struct unit *u, const char *path, struct buf *why);

/*
 * Store in `to` the folder `path`, an absolute path, or its nearest existing parent if it does not
 * exist; "" if that does not fit.
 */
void unit_nearest(const char *path, char *to, size_t size);
