/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h - who this node is: what stands in a raw file's header */
#pragma once

#include "base/buf.h"
#include "base/files.h"
#include "base/system/topology.h"

struct host {
	char name[256];		/* the full name if it can be had without a name server */
	char boot_id[64];	/* empty where the kernel has none */
};

/*
 * The name: given in the configuration, else the kernel's; a name without a dot is completed
 * from /etc/hosts. Never asks a name server: that can take longer than a hook may.
 */
void host_identify(struct host *h, const struct files *root, const char *given);

/*
 * The "$" lines: dialect and version first, $hostname second (seed; DESIGN 5). The topology is
 * looked at again.
 */
void host_put_header(struct buf *b, const struct host *h, const struct files *root,
		     struct topology *topology, const char *version);
