/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_keys.c - the types of record that servers' monitoring is added up in, and their keys */
#include "tracers/xrd_keys.h"

/* f, t, r, u: the stream or record they are from (System Monitoring Reference, part 3). */
const struct metric xrd_keys[XRD_KEYS] = {
	[OPENS]          = { "opens",          COUNTER, "",  "f: files opened" },
	[OPENS_RW]       = { "opens_rw",       COUNTER, "",  "f: of them, for writing, too" },
	[DISCONNECTS]    = { "disconnects",    COUNTER, "",  "f: users who left" },
	[CLOSES]         = { "closes",         COUNTER, "",  "f: files closed" },
	[CLOSES_FORCED]  = { "closes_forced",  COUNTER, "",  "f: as the connection ended" },
	[READ_BYTES]     = { "read_bytes",     COUNTER, "B", "f: read, but for vectors" },
	[READV_BYTES]    = { "readv_bytes",    COUNTER, "B", "f: read by vectors" },
	[WRITE_BYTES]    = { "write_bytes",    COUNTER, "B", "f: written" },
	[OPEN_FILES]     = { "open_files",     GAUGE,   "",  "f: open at the minute's end" },

	[READS]          = { "reads",          COUNTER, "",  "f, ops: reads, but for vectors" },
	[READVS]         = { "readvs",         COUNTER, "",  "f, ops: reads by vectors" },
	[READV_SEGMENTS] = { "readv_segments", COUNTER, "",  "f, ops: parts of these" },
	[WRITES]         = { "writes",         COUNTER, "",  "f, ops: writes" },

	[T_OPENS]        = { "opens",          COUNTER, "",  "t: files opened" },
	[T_CLOSES]       = { "closes",         COUNTER, "",  "t: files closed" },
	[T_READ_BYTES]   = { "read_bytes",     COUNTER, "B", "t: read in both ways" },
	[T_WRITE_BYTES]  = { "write_bytes",    COUNTER, "B", "t: written" },

	[IO_READS]       = { "reads",          COUNTER, "",  "t, io: reads, parts of vectors" },
	[IO_READVS]      = { "readvs",         COUNTER, "",  "t, io: reads by vectors" },
	[IO_WRITES]      = { "writes",         COUNTER, "",  "t, io: writes" },
	[IO_READ_BYTES]  = { "read_bytes",     COUNTER, "B", "t, io: asked for" },
	[IO_WRITE_BYTES] = { "write_bytes",    COUNTER, "B", "t, io: written" },

	[REDIRECTS]      = { "redirects",      COUNTER, "",  "r: requests sent to another server" },

	[LOGINS]         = { "logins",         COUNTER, "",  "u: users who came" },

	[DATAGRAMS]      = { "datagrams",      COUNTER, "",  "received" },
	[LOST]           = { "lost",           COUNTER, "",  "datagrams missing" },
	[REORDERED]      = { "reordered",      COUNTER, "",  "datagrams out of order" },
	[DUPLICATE]      = { "duplicate",      COUNTER, "",  "datagrams received twice" },
	[TRANSFERS]      = { "transfers",      COUNTER, "",  "accesses to files" },
	[INCOMPLETE]     = { "incomplete",     COUNTER, "",  "of them, with something missing" },
	[STARTED]        = { "started",        GAUGE,   "s", "Unix time of the server's start" },
};

/* A file that has moved bytes is told at its close: servers without xfr tell neither. */
const struct xrd_type xrd_types[XRD_TYPES] = {
	[TYPE_FILES]    = { "xrootd",          OPENS,     OPEN_FILES },
	[TYPE_OPENS]    = { "xrootd_opens",    OPENS,     DISCONNECTS },
	[TYPE_OPS]      = { "xrootd_ops",      READS,     WRITES },
	[TYPE_T]        = { "xrootd_t",        T_OPENS,   T_WRITE_BYTES },
	[TYPE_IO]       = { "xrootd_io",       IO_READS,  IO_WRITE_BYTES },
	[TYPE_REDIRECT] = { "xrootd_redirect", REDIRECTS, REDIRECTS },
	[TYPE_USER]     = { "xrootd_user",     LOGINS,    LOGINS },
	[TYPE_SERVER]   = { "xrootd_server",   DATAGRAMS, STARTED },
};
