/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdsummary_keys.c - the keys in XRootD's summary packets and their meaning */
#include "formats/xrootd/xrdsummary_keys.h"

#include "base/base.h"

/*
 * Source: System Monitoring Reference, 2.2, where column S marks counters. The reference is wrong
 * about sched.threads, tod and toe. In this table, maxima are no counters: they only grow, but do
 * not count events. Blocks "cache", "pss" and "sig", and keys of vector writes, are from packets of
 * XRootD 5.5.3.
 */
#define INT   XRD_INT
#define INT64 XRD_INT64
#define CHAR  XRD_CHAR
#define COUNT XRD_KEY_COUNTER
#define GAUGE XRD_KEY_GAUGE
#define MOST  XRD_KEY_MAXIMUM
#define TEXT  XRD_KEY_TEXT
#define OPTIONAL .optional = true
const struct xrd_summary_key xrd_summary_keys[] = {
	/* header attributes; "host" is not sent: the receiver adds it (option -s) */
	{ "host",                CHAR,   TEXT,   "",
	  "host that sent the packet, as the receiver saw it" },
	{ "tod",                 INT64,  GAUGE,  "s",
	  "Unix time when gathering these values started" },
	{ "ver",                 CHAR,   TEXT,   "",   "version of the server" },
	{ "src",                 CHAR,   TEXT,   "",   "\"host:port\" of the server" },
	{ "tos",                 INT64,  GAUGE,  "s",  "Unix time when the server was started" },
	{ "pgm",                 CHAR,   TEXT,   "",   "name of the program" },
	{ "ins",                 CHAR,   TEXT,   "",   "name of the instance, \"anon\" if none" },
	{ "pid",                 INT,    GAUGE,  "",   "process ID" },
	{ "site",                CHAR,   TEXT,   "",   "name of the site" },

	{ "buff.reqs",           INT,    COUNT,  "",
	  "requests for a buffer; the manual calls it buff.req" },
	{ "buff.mem",            INT64,  GAUGE,  "B",  "memory in buffers" },
	{ "buff.buffs",          INT,    GAUGE,  "",   "buffers" },
	{ "buff.adj",            INT,    COUNT,  "",   "adjustments of the buffer profile" },
	{ "buff.xlreqs",         INT,    COUNT,  "",
	  "requests for a buffer of extra size", OPTIONAL },
	{ "buff.xlmem",          INT64,  GAUGE,  "B",
	  "memory in buffers of extra size", OPTIONAL },
	{ "buff.xlbuffs",        INT,    GAUGE,  "",   "buffers of extra size", OPTIONAL },

	{ "cache.prerd.in",      INT64,  COUNT,  "B",  "prefetched" },
	{ "cache.prerd.hits",    INT64,  COUNT,  "",
	  "blocks that were prefetched and then used" },
	{ "cache.prerd.miss",    INT64,  COUNT,  "",   "blocks that were prefetched and not used" },
	{ "cache.rd.in",         INT64,  COUNT,  "B",  "read from the origin" },
	{ "cache.rd.out",        INT64,  COUNT,  "B",  "read from the cache" },
	{ "cache.rd.hits",       INT64,  COUNT,  "",   "reads that the cache served" },
	{ "cache.rd.miss",       INT64,  COUNT,  "",   "reads that went to the origin" },
	{ "cache.pass",          INT64,  COUNT,  "B",  "read past the cache" },
	{ "cache.pass.cnt",      INT64,  COUNT,  "",   "reads past the cache" },
	{ "cache.wr.out",        INT64,  COUNT,  "B",  "written" },
	{ "cache.wr.updt",       INT64,  COUNT,  "",   "writes that changed the cache" },
	{ "cache.saved",         INT64,  COUNT,  "B",  "written to the cache's disk" },
	{ "cache.purge",         INT64,  COUNT,  "B",  "removed from the cache's disk" },
	{ "cache.files.opened",  INT64,  COUNT,  "",   "files opened" },
	{ "cache.files.closed",  INT64,  COUNT,  "",   "files closed" },
	{ "cache.files.new",     INT64,  COUNT,  "",   "files created" },
	{ "cache.files.del",     INT64,  COUNT,  "",   "files removed" },
	{ "cache.files.now",     INT64,  GAUGE,  "",   "files in the cache" },
	{ "cache.files.full",    INT64,  GAUGE,  "",   "files that are in the cache whole" },
	{ "cache.store.size",    INT64,  GAUGE,  "B",  "size of the cache's disk" },
	{ "cache.store.used",    INT64,  GAUGE,  "B",  "used of the cache's disk" },
	{ "cache.store.min",     INT64,  GAUGE,  "B",  "use at which removal of files stops" },
	{ "cache.store.max",     INT64,  GAUGE,  "B",  "use at which removal of files starts" },
	{ "cache.mem.size",      INT64,  GAUGE,  "B",  "memory that the cache may use" },
	{ "cache.mem.used",      INT64,  GAUGE,  "B",  "memory that the cache uses" },
	{ "cache.mem.wq",        INT64,  GAUGE,  "B",  "memory that waits to be written to disk" },
	{ "cache.opcl.odefer",   INT64,  COUNT,  "",   "opens that were deferred" },
	{ "cache.opcl.defero",   INT64,  COUNT,  "",   "deferred opens that were carried out" },
	{ "cache.opcl.cdefer",   INT64,  COUNT,  "",   "closes that were deferred" },
	{ "cache.opcl.clost",    INT64,  COUNT,  "",   "closes that were lost" },

	{ "cms.role",            CHAR,   TEXT,   "",
	  "role of the sender: M manager, S server, R supervisor, P.. proxy, E.. peer" },
	{ "cmsc.role",           CHAR,   TEXT,   "",   "role of the sender, a client of cms" },
	{ "cmsm.role",           CHAR,   TEXT,   "",   "role of the sender, a manager" },
	{ "cmsm.sel.t",          INT64,  COUNT,  "",   "selections of a node" },
	{ "cmsm.sel.r",          INT64,  COUNT,  "",   "selections of a node for reading" },
	{ "cmsm.sel.w",          INT64,  COUNT,  "",   "selections of a node for writing" },
	{ "cmsm.node",           INT,    GAUGE,  "",   "nodes that follow" },
	{ "cmsm.node.i.host",    CHAR,   TEXT,   "",   "name or address of the node" },
	{ "cmsm.node.i.role",    CHAR,   TEXT,   "",   "role of the node" },
	{ "cmsm.node.i.run",     CHAR,   TEXT,   "",
	  "a active, d disabled, n no staging, o offline, s suspended, w writable" },
	{ "cmsm.node.i.ref.r",   INT,    COUNT,  "",   "times the node was selected for reading" },
	{ "cmsm.node.i.ref.w",   INT,    COUNT,  "",   "times the node was selected for writing" },
	{ "cmsm.node.i.shr",     INT,    GAUGE,  "",
	  "share of requests that the node should have", OPTIONAL },
	{ "cmsm.node.i.shr.use", INT64,  COUNT,  "",   "times the share was used up", OPTIONAL },
	{ "cmsm.frq.add",        INT64,  COUNT,  "",
	  "additions to the queue of fast responses", OPTIONAL },
	{ "cmsm.frq.add.d",      INT64,  COUNT,  "",
	  "additions that were there already", OPTIONAL },
	{ "cmsm.frq.rsp",        INT64,  COUNT,  "",   "responses received", OPTIONAL },
	{ "cmsm.frq.rsp.m",      INT64,  COUNT,  "",
	  "responses to several requests at once", OPTIONAL },
	{ "cmsm.frq.lf",         INT64,  COUNT,  "",   "look-ups that did not wait", OPTIONAL },
	{ "cmsm.frq.ls",         INT64,  COUNT,  "",   "look-ups that waited in full", OPTIONAL },
	{ "cmsm.frq.rf",         INT64,  COUNT,  "",   "redirects that did not wait", OPTIONAL },
	{ "cmsm.frq.rs",         INT64,  COUNT,  "",   "redirects that waited in full", OPTIONAL },

	{ "info.host",           CHAR,   TEXT,   "",   "host of the server" },
	{ "info.port",           INT,    GAUGE,  "",   "port of the server" },
	{ "info.name",           CHAR,   TEXT,   "",   "name of the instance, \"anon\" if none" },

	{ "link.num",            INT,    GAUGE,  "",   "connections" },
	{ "link.maxn",           INT,    MOST,   "",   "most connections at once" },
	{ "link.tot",            INT64,  COUNT,  "",   "connections since the start" },
	{ "link.in",             INT64,  COUNT,  "B",  "received" },
	{ "link.out",            INT64,  COUNT,  "B",  "sent" },
	{ "link.ctime",          INT64,  COUNT,  "s",  "time of connections, in sum" },
	{ "link.tmo",            INT,    COUNT,  "",   "read requests that timed out" },
	{ "link.stall",          INT,    COUNT,  "",
	  "times that only a part of the data was received" },
	{ "link.sfps",           INT,    COUNT,  "",   "sendfile() calls that sent only a part" },

	{ "ofs.role",            CHAR,   TEXT,   "",   "role of the sender" },
	{ "ofs.opr",             INT,    GAUGE,  "",   "files open for reading" },
	{ "ofs.opw",             INT,    GAUGE,  "",   "files open for reading and writing" },
	{ "ofs.opp",             INT,    GAUGE,  "",
	  "files open for writing that persist on a successful close only" },
	{ "ofs.ups",             INT,    COUNT,  "",
	  "files removed because their close was not successful" },
	{ "ofs.han",             INT,    GAUGE,  "",   "file handles in use" },
	{ "ofs.rdr",             INT,    COUNT,  "",   "redirects" },
	{ "ofs.bxq",             INT,    COUNT,  "",   "background tasks" },
	{ "ofs.rep",             INT,    COUNT,  "",   "replies to background tasks" },
	{ "ofs.err",             INT,    COUNT,  "",   "errors" },
	{ "ofs.dly",             INT,    COUNT,  "",   "delays" },
	{ "ofs.sok",             INT,    COUNT,  "",   "events that reported success" },
	{ "ofs.ser",             INT,    COUNT,  "",   "events that reported failure" },
	{ "ofs.tpc.grnt",        INT,    COUNT,  "",   "third-party copies that were allowed" },
	{ "ofs.tpc.deny",        INT,    COUNT,  "",   "third-party copies that were denied" },
	{ "ofs.tpc.err",         INT,    COUNT,  "",   "third-party copies that failed" },
	{ "ofs.tpc.exp",         INT,    COUNT,  "",
	  "third-party copies whose authorization expired" },

	{ "oss.paths",           INT,    GAUGE,  "",   "paths that follow" },
	{ "oss.paths.i.lp",      CHAR,   TEXT,   "",   "logical path" },
	{ "oss.paths.i.rp",      CHAR,   TEXT,   "",   "real path" },
	{ "oss.paths.i.tot",     INT64,  GAUGE,  "KB", "size of the file system" },
	{ "oss.paths.i.free",    INT64,  GAUGE,  "KB", "free in the file system" },
	{ "oss.paths.i.ino",     INT64,  GAUGE,  "",   "inodes" },
	{ "oss.paths.i.ifr",     INT64,  GAUGE,  "",   "free inodes" },
	{ "oss.space",           INT,    GAUGE,  "",   "spaces that follow" },
	{ "oss.space.i.name",    CHAR,   TEXT,   "",   "name of the space" },
	{ "oss.space.i.tot",     INT64,  GAUGE,  "KB", "size of the space" },
	{ "oss.space.i.free",    INT64,  GAUGE,  "KB", "free in the space" },
	{ "oss.space.i.maxf",    INT64,  GAUGE,  "KB",
	  "free in the space's file system that has the most" },
	{ "oss.space.i.fsn",     INT,    GAUGE,  "",   "file systems of the space" },
	{ "oss.space.i.usg",     INT64,  GAUGE,  "B",  "used under the space's name" },
	{ "oss.space.i.qta",     INT64,  GAUGE,  "B",  "quota", OPTIONAL },

	{ "poll.att",            INT,    GAUGE,  "",   "file descriptors attached for polling" },
	{ "poll.en",             INT,    COUNT,  "",   "times that polling was enabled" },
	{ "poll.ev",             INT,    COUNT,  "",   "polling events" },
	{ "poll.int",            INT,    COUNT,  "",   "polling events that nobody asked for" },

	{ "proc.usr.s",          INT,    COUNT,  "s",  "CPU time in user mode, whole seconds" },
	{ "proc.usr.u",          INT,    GAUGE,  "us", "CPU time in user mode, the rest of it" },
	{ "proc.sys.s",          INT,    COUNT,  "s",  "CPU time in system mode, whole seconds" },
	{ "proc.sys.u",          INT,    GAUGE,  "us", "CPU time in system mode, the rest of it" },

	{ "pss.open",            INT64,  COUNT,  "",   "files opened at other servers" },
	{ "pss.open.errs",       INT64,  COUNT,  "",   "errors in these" },
	{ "pss.close",           INT64,  COUNT,  "",   "files closed at other servers" },
	{ "pss.close.errs",      INT64,  COUNT,  "",   "errors in these" },

	{ "rootd.num",           INT,    COUNT,  "",   "times the protocol rootd was selected" },

	{ "sched.jobs",          INT,    COUNT,  "",   "jobs that needed a thread" },
	{ "sched.inq",           INT,    GAUGE,  "",   "jobs that wait for a thread" },
	{ "sched.maxinq",        INT,    MOST,   "",   "most jobs that waited at once" },
	{ "sched.threads",       INT,    GAUGE,  "",   "threads" },
	{ "sched.idle",          INT,    GAUGE,  "",   "threads that wait for a job" },
	{ "sched.tcr",           INT,    COUNT,  "",   "threads created" },
	{ "sched.tde",           INT,    COUNT,  "",   "threads ended" },
	{ "sched.tlimr",         INT,    COUNT,  "",   "times the limit of threads was reached" },

	{ "sgen.as",             INT,    GAUGE,  "",
	  "1: the values were gathered in the background" },
	{ "sgen.et",             INT64,  GAUGE,  "ms", "time that gathering took" },
	{ "sgen.toe",            INT64,  GAUGE,  "s",
	  "Unix time when gathering these values ended" },

	{ "xrootd.num",          INT,    COUNT,  "",   "times the protocol was selected" },
	{ "xrootd.ops.open",     INT,    COUNT,  "",   "opens" },
	{ "xrootd.ops.rf",       INT,    COUNT,  "",   "refreshes of a cache" },
	{ "xrootd.ops.rd",       INT64,  COUNT,  "",   "reads" },
	{ "xrootd.ops.pr",       INT64,  COUNT,  "",   "reads ahead" },
	{ "xrootd.ops.rv",       INT64,  COUNT,  "",   "reads of vectors" },
	{ "xrootd.ops.rs",       INT64,  COUNT,  "",   "segments of these" },
	{ "xrootd.ops.wv",       INT64,  COUNT,  "",   "writes of vectors", OPTIONAL },
	{ "xrootd.ops.ws",       INT64,  COUNT,  "",   "segments of these", OPTIONAL },
	{ "xrootd.ops.wr",       INT64,  COUNT,  "",   "writes" },
	{ "xrootd.ops.sync",     INT,    COUNT,  "",   "syncs" },
	{ "xrootd.ops.getf",     INT,    COUNT,  "",   "getfile requests" },
	{ "xrootd.ops.putf",     INT,    COUNT,  "",   "putfile requests" },
	{ "xrootd.ops.misc",     INT,    COUNT,  "",   "other requests" },
	{ "xrootd.sig.ok",       INT,    COUNT,  "",   "signed requests, verified", OPTIONAL },
	{ "xrootd.sig.bad",      INT,    COUNT,  "",   "signed requests, refused", OPTIONAL },
	{ "xrootd.sig.ign",      INT,    COUNT,  "",
	  "signed requests, signature ignored", OPTIONAL },
	{ "xrootd.aio.num",      INT64,  COUNT,  "",   "asynchronous requests" },
	{ "xrootd.aio.max",      INT,    MOST,   "",   "most asynchronous requests at once" },
	{ "xrootd.aio.rej",      INT64,  COUNT,  "",
	  "asynchronous requests that were made synchronous" },
	{ "xrootd.err",          INT,    COUNT,  "",   "requests that ended with an error" },
	{ "xrootd.rdr",          INT64,  COUNT,  "",   "requests that were redirected" },
	{ "xrootd.dly",          INT,    COUNT,  "",   "requests that ended with a delay" },
	{ "xrootd.lgn.num",      INT,    COUNT,  "",   "logins that were tried" },
	{ "xrootd.lgn.af",       INT,    COUNT,  "",   "logins that failed to authenticate" },
	{ "xrootd.lgn.au",       INT,    COUNT,  "",   "logins that authenticated" },
	{ "xrootd.lgn.ua",       INT,    COUNT,  "",   "logins without authentication" },
};
const size_t xrd_summary_n_keys = ARRAY_SIZE(xrd_summary_keys);

const char *xrd_value_type_name(enum xrd_value_type type)
{
	static const char *const names[] = {
		[XRD_INT] = "int", [XRD_INT64] = "int64", [XRD_CHAR] = "char",
	};
	return names[type];
}

const char *xrd_value_kind_name(enum xrd_value_kind kind)
{
	static const char *const names[XRD_KEY_KINDS] = {
		[XRD_KEY_COUNTER] = "counter", [XRD_KEY_GAUGE] = "gauge",
		[XRD_KEY_MAXIMUM] = "maximum", [XRD_KEY_TEXT] = "text",
	};
	return names[kind];
}
