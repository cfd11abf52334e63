/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.h - where a service of systemd may write: as its unit says, and as the user that it is */
#pragma once

#include <stdbool.h>
#include "base/buf.h"

struct unit {
	const char *name;		/* "nodometerd" */
	bool strict;			/* ProtectSystem=strict: elsewhere nothing can be written */
	char user[64];			/* empty: not known, there is no such unit here */
	struct buf own, writable;	/* folders, each with a newline; systemd makes the first */
};

/* Asks systemctl(1). A unit that is not here may write anywhere. unit_free() ends it. */
void unit_look(struct unit *u, const char *name);
void unit_free(struct unit *u);

/*
 * Whether the service finds the folder and may write there; makes: it makes a folder that is
 * missing. Else why gets the reason, and what to do. Rights of another user are known to root only.
 */
bool unit_may_write(const struct unit *u, const char *path, bool makes, struct buf *why);

/* The folder, or the nearest one above it that is there. */
void unit_nearest(const char *path, char *to, size_t size);
