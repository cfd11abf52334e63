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
	 * folders that the unit may write to, one per line; .managed: folders that systemd creates
	 * for it
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
 * Return whether the service can find the folder and write there; if not, put the reason and a
 * remedy into `why`. A missing folder is fine if `makes` is set: the service creates it. Only root
 * can check the rights of another user.
 */
bool unit_may_write(const struct unit *u, const char *path, bool makes, struct buf *why);

/*
 * Return whether the service's user can read the file; if not, put the reason and a remedy into
 * `why`.
 */
bool unit_may_read(const struct unit *u, const char *path, struct buf *why);

/*
 * Get the folder or, if it does not exist, its nearest existing parent; "" if it does not fit. path
 * is absolute.
 */
void unit_nearest(const char *path, char *to, size_t size);
