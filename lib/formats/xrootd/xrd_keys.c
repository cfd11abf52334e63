/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_keys.c - record types with the sums over a server's monitoring, and their keys */
#include "formats/xrootd/xrd_keys.h"

/*
 * If a value comes from a single stream, its help text begins with the letter of the stream: f, t,
 * r or g, or u for map records (System Monitoring Reference, part 3).
 */
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
	[CLOSES_BYTES_UNKNOWN] = { "closes_untold",  COUNTER, "",  "f: closed, bytes not known" },

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

	[CACHE_CLOSES]       = { "closes",       COUNTER, "",  "g: files of the cache closed" },
	[CACHE_HITS]         = { "hits",         COUNTER, "",  "g: of them, all was there" },
	[CACHE_HIT_BYTES]    = { "hit_bytes",    COUNTER, "B", "g: served from the cache" },
	[CACHE_MISS_BYTES]   = { "miss_bytes",   COUNTER, "B", "g: fetched, then served" },
	[CACHE_BYPASS_BYTES] = { "bypass_bytes", COUNTER, "B", "g: served past the cache" },

	[CACHE_DISK_BYTES]     = { "disk_bytes",     COUNTER, "B", "g: written to the cache" },
	[CACHE_PREFETCH_BYTES] = { "prefetch_bytes", COUNTER, "B", "g: of them, ahead of reads" },
	[CACHE_REMOTE_BYTES]   = { "remote_bytes",   COUNTER, "B", "g: from the origin" },

	[COPIES]            = { "copies",       COUNTER, "",  "g: third-party copies done" },
	[COPIES_FAILED]     = { "failed",       COUNTER, "",  "g: those that failed" },
	[COPIES_PUSHED]     = { "pushed",       COUNTER, "",  "g: of both, sent from here" },
	[COPIED_BYTES]      = { "bytes",        COUNTER, "B", "g: of copies done" },
	[COPIES_SIZELESS]   = { "size_unknown", COUNTER, "",  "g: copies done, size not known" },
	[COPIES_BELOW_1M]   = { "below_1MB",    COUNTER, "",  "g: of less than 10^6 bytes" },
	[COPIES_BELOW_100M] = { "below_100MB",  COUNTER, "",  "g: less than 10^8" },
	[COPIES_BELOW_1G]   = { "below_1GB",    COUNTER, "",  "g: less than 10^9" },
	[COPIES_BELOW_10G]  = { "below_10GB",   COUNTER, "",  "g: less than 10^10" },
	[COPIES_LARGER]     = { "larger",       COUNTER, "",  "g: more" },

	[TCP_CONNECTIONS]   = { "connections",   COUNTER, "",  "g: connections that ended" },
	[TCP_IN_BYTES]      = { "in_bytes",      COUNTER, "B", "g: received by these" },
	[TCP_OUT_BYTES]     = { "out_bytes",     COUNTER, "B", "g: sent" },
	[TCP_LOST]          = { "lost",          COUNTER, "",  "g: segments lost at their ends" },
	[TCP_RETRANSMITTED] = { "retransmitted", COUNTER, "",  "g: segments not acknowledged" },

	[ORG_TRANSFERS]     = { "transfers",   COUNTER, "",  "accesses to files" },
	[ORG_READ_BYTES]    = { "read_bytes",  COUNTER, "B", "read, but for vectors" },
	[ORG_READV_BYTES]   = { "readv_bytes", COUNTER, "B", "read by vectors" },
	[ORG_WRITE_BYTES]   = { "write_bytes", COUNTER, "B", "written" },
	[ORG_BYTES_UNKNOWN] = { "untold",      COUNTER, "",  "transfers, some bytes not known" },

	[PACKETS]        = { "packets",        COUNTER, "",  "datagrams received" },
	[RECORDS]        = { "records",        COUNTER, "",  "in them" },
	[PACKETS_LOST]   = { "lost",           COUNTER, "",  "datagrams missing" },
	[GAPS]           = { "gaps",           COUNTER, "",  "places where they are missing" },
	[DAMAGED]        = { "damaged",        COUNTER, "",  "datagrams, not wholly understood" },
	[FORGOTTEN]      = { "evicted",        COUNTER, "",  "users, files: no memory for them" },
	[JOINED]         = { "joined",         COUNTER, "",  "accesses to files, whole" },
	[NOT_JOINED]     = { "incomplete",     COUNTER, "",  "with something missing" },

	[LINK_IN]        = { "in",             COUNTER, "B", "received, as the server counts" },
	[LINK_OUT]       = { "out",            COUNTER, "B", "sent, as the server counts" },
	[IN_EXPLAINED]   = { "in_explained",   COUNTER, "B", "received and written to files" },
	[OUT_EXPLAINED]  = { "out_explained",  COUNTER, "B", "read from files and sent" },

	[DATAGRAMS]      = { "datagrams",      COUNTER, "",  "received" },
	[LOST]           = { "lost",           COUNTER, "",  "datagrams missing" },
	[REORDERED]      = { "reordered",      COUNTER, "",  "datagrams out of order" },
	[DUPLICATE]      = { "duplicate",      COUNTER, "",  "datagrams received twice" },
	[TRANSFERS]      = { "transfers",      COUNTER, "",  "accesses to files" },
	[INCOMPLETE]     = { "incomplete",     COUNTER, "",  "of them, with something missing" },
	[STARTED]        = { "started",        GAUGE,   "s", "Unix time of the server's start" },
};

/*
 * A server that sends no xfr records reports the bytes of a file at its close. Type xrootd_opens is
 * for servers that have sent neither xfr nor close records.
 */
const struct xrd_type xrd_types[XRD_TYPES] = {
	[TYPE_FILES]    = { "xrootd",              OPENS,            CLOSES_BYTES_UNKNOWN },
	[TYPE_OPENS]    = { "xrootd_opens",        OPENS,            DISCONNECTS          },
	[TYPE_OPS]      = { "xrootd_ops",          READS,            WRITES               },
	[TYPE_T]        = { "xrootd_t",            T_OPENS,          T_WRITE_BYTES        },
	[TYPE_IO]       = { "xrootd_io",           IO_READS,         IO_WRITE_BYTES       },
	[TYPE_REDIRECT] = { "xrootd_redirect",     REDIRECTS,        REDIRECTS            },
	[TYPE_USER]     = { "xrootd_user",         LOGINS,           LOGINS               },
	[TYPE_CACHE]    = { "xrootd_cache",        CACHE_CLOSES,     CACHE_BYPASS_BYTES   },
	[TYPE_ORIGIN]   = { "xrootd_cache_origin", CACHE_DISK_BYTES, CACHE_REMOTE_BYTES   },
	[TYPE_TPC]      = { "xrootd_tpc",          COPIES,           COPIES_LARGER        },
	[TYPE_TCP]      = { "xrootd_tcp",          TCP_CONNECTIONS,  TCP_RETRANSMITTED    },
	[TYPE_TRANSFER] = { "xrootd_transfer",     ORG_TRANSFERS,    ORG_BYTES_UNKNOWN    },
	[TYPE_RECEIVER] = { "xrootd_receiver",     PACKETS,          NOT_JOINED           },
	[TYPE_BYTES]    = { "xrootd_bytes",        LINK_IN,          OUT_EXPLAINED        },
	[TYPE_SERVER]   = { "xrootd_server",       DATAGRAMS,        STARTED              },
};
