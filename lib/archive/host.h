/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h - identify this node and write the header of a raw file */
#pragma once

#include "base/buf.h"
#include "base/files.h"
#include "base/system/topology.h"

struct host {
	/* hostname, fully qualified if that is possible without a name server */
	char name[256];
	char boot_id[64];	/* boot id, empty if the kernel has none */
};

/*
 * Fill in the boot id and the hostname: the configured name `given`, or the kernel's if `given` is
 * NULL or "". If the kernel's name has no dot, its domain is taken from /etc/hosts. Name servers
 * are not asked, because an answer can take longer than a hook may run. Characters that are unsafe
 * in the name of a folder become "_".
 */
void host_identify(struct host *h, const struct files *root, const char *given);

/* Append the "$" lines of a header in the order of nodometer-raw(5). Reads the topology again. */
void host_put_header(struct buf *b, const struct host *h, const struct files *root,
		     struct topology *topology, const char *version);
