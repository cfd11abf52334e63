/* SPDX-License-Identifier: BSD-3-Clause */
/* nfsd - what type nfsd is: requests that this node's NFS server answered */
#include "schema/type.h"
#include "schema/types/nfsd.h"

/* Before Linux 5.13 most of them have 32 bits. */
static const struct metric metrics[] = {
	[NFSD_CALLS]       = { "calls",       COUNTER, "",  "requests of all versions"            },
	[NFSD_BAD_CALLS]   = { "bad_calls",   COUNTER, "",  "of them damaged or refused"          },
	[NFSD_READ_BYTES]  = { "read_bytes",  COUNTER, "B", "read by clients"                     },
	[NFSD_WRITE_BYTES] = { "write_bytes", COUNTER, "B", "written by clients"                  },
	[NFSD_READ]        = { "read",        COUNTER, "",  "reads, of versions 3 and 4 as below" },
	[NFSD_WRITE]       = { "write",       COUNTER, "",  "writes"                              },
	[NFSD_COMMIT]      = { "commit",      COUNTER, "",  "writes to disk that were asked for"  },
	[NFSD_GETATTR]     = { "getattr",     COUNTER, "",  "attributes asked for"                },
	[NFSD_SETATTR]     = { "setattr",     COUNTER, "",  "attributes set"                      },
	[NFSD_LOOKUP]      = { "lookup",      COUNTER, "",  "names looked up"                     },
	[NFSD_ACCESS]      = { "access",      COUNTER, "",  "permissions asked for"               },
	[NFSD_READDIR]     = { "readdir",     COUNTER, "",  "directories read, a part each"       },
	[NFSD_REMOVE]      = { "remove",      COUNTER, "",  "files removed"                       },
	[NFSD_RENAME]      = { "rename",      COUNTER, "",  "files renamed"                       },
	[NFSD_OPEN]        = { "open",        COUNTER, "",  "files opened, of version 4"          },
};

const struct type nfsd_type = {
	.name    = "nfsd",
	.about   = "requests that this node's NFS server answered",
	.source  = "/proc/net/rpc/nfsd, lines rpc, io, proc3 and proc4ops",
	.device  = "the whole node",
	.off     = true,
	METRICS(metrics),
};
