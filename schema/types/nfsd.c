/* SPDX-License-Identifier: BSD-3-Clause */
/* nfsd.c - type nfsd: requests answered by this node's NFS server */
#include "schema/type.h"
#include "schema/types/nfsd.h"

/*
 * Linux before 5.13 counts all keys with 32 bits; newer kernels do so only for calls and bad_calls
 * (include/linux/sunrpc/stats.h). All keys are declared with 32 bits: a reading above 2^32 shows
 * that a counter is wider, and did not wrap (delta_wraps() in schema/delta.c).
 */
#define COUNT(what, unit, help) { what, COUNTER, unit, help, .bits = 32 }

static const struct metric metrics[] = {
	[NFSD_CALLS]       = COUNT("calls", "", "requests of all versions"),
	[NFSD_BAD_CALLS]   = COUNT("bad_calls", "", "of them damaged or refused"),
	[NFSD_READ_BYTES]  = COUNT("read_bytes", "B", "read by clients"),
	[NFSD_WRITE_BYTES] = COUNT("write_bytes", "B", "written by clients"),
	[NFSD_READ]        = COUNT("read", "", "reads, of versions 3 and 4 as below"),
	[NFSD_WRITE]       = COUNT("write", "", "writes"),
	[NFSD_COMMIT]      = COUNT("commit", "", "writes to disk that were asked for"),
	[NFSD_GETATTR]     = COUNT("getattr", "", "attributes asked for"),
	[NFSD_SETATTR]     = COUNT("setattr", "", "attributes set"),
	[NFSD_LOOKUP]      = COUNT("lookup", "", "names looked up"),
	[NFSD_ACCESS]      = COUNT("access", "", "permissions asked for"),
	[NFSD_READDIR]     = COUNT("readdir", "", "directories read, a part each"),
	[NFSD_REMOVE]      = COUNT("remove", "", "files removed"),
	[NFSD_RENAME]      = COUNT("rename", "", "files renamed"),
	[NFSD_OPEN]        = COUNT("open", "", "files opened, of version 4"),
};

const struct type nfsd_type = {
	.name    = "nfsd",
	.about   = "requests that this node's NFS server answered",
	.source  = "/proc/net/rpc/nfsd, lines rpc, io, proc3 and proc4ops",
	.device  = "the whole node",
	.off     = true,
	METRICS(metrics),
};
