/* SPDX-License-Identifier: BSD-3-Clause */
/* osg_summary.c - summary packets as messages of OSG's collector */
#include "xrootd/lines/osg_summary.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include "base/json.h"
#include "formats/xrootd/packet.h"
#include "formats/xrootd/xrdflat.h"

/* maximum number of server processes; a new process replaces the process that was silent longest */
#define PROCESSES_MAX 4096
#define TEXT_MAX      256

static const struct summary_field {
	struct str key;		/* name of the key in the summary packet */
	const char *name;
	bool counter;
} fields[] = {
	{ STR("link.num"),        "link_num",                  false },
	{ STR("sched.inq"),       "sched_in_queue",            false },
	{ STR("sched.threads"),   "sched_threads",             false },
	{ STR("sched.idle"),      "sched_idle_threads",        false },
	{ STR("sgen.as"),         "sgen_as",                   false },
	{ STR("link.tot"),        "link_total",                true  },
	{ STR("link.in"),         "link_in",                   true  },
	{ STR("link.out"),        "link_out",                  true  },
	{ STR("link.ctime"),      "link_ctime",                true  },
	{ STR("link.tmo"),        "link_tmo",                  true  },
	{ STR("proc.usr.s"),      "proc_usr",                  true  },
	{ STR("proc.sys.s"),      "proc_sys",                  true  },
	{ STR("xrootd.ops.open"), "ops_open",                  true  },
	{ STR("xrootd.ops.pr"),   "ops_preread",               true  },
	{ STR("xrootd.ops.rd"),   "ops_read",                  true  },
	{ STR("xrootd.ops.rv"),   "ops_readv",                 true  },
	{ STR("xrootd.ops.sync"), "ops_sync",                  true  },
	{ STR("xrootd.ops.wr"),   "ops_write",                 true  },
	{ STR("xrootd.err"),      "xrootd_errors",             true  },
	{ STR("xrootd.dly"),      "xrootd_delays",             true  },
	{ STR("xrootd.rdr"),      "xrootd_redirections",       true  },
	{ STR("xrootd.lgn.num"),  "login_attempts",            true  },
	{ STR("xrootd.lgn.af"),   "authentication_failures",   true  },
	{ STR("xrootd.lgn.au"),   "authentication_successes",  true  },
	{ STR("xrootd.lgn.ua"),   "unauthenticated_successes", true  },
};
#define FIELDS ARRAY_SIZE(fields)
_Static_assert(FIELDS <= 32, "has is 32 bits");

struct summary_report {
	uint64_t tod, tos, pid, toe;
	uint64_t value[FIELDS];
	uint32_t has;		/* bit i: the packet has field i */
	bool has_site;		/* the packet has a site, which may be "" */
	char version[TEXT_MAX], site[TEXT_MAX], host[TEXT_MAX], program[TEXT_MAX];
};

struct summary_process {
	struct in6_addr from;
	uint64_t pid, tos, tod;
	uint64_t value[FIELDS];
	uint32_t has;
};

struct osg_summaries {
	size_t n;
	struct summary_process process[PROCESSES_MAX];
};

struct osg_summaries *osg_summaries_new(void)
{
	struct osg_summaries *s = xrealloc(NULL, sizeof(*s));
	s->n = 0;
	return s;
}

void osg_summaries_free(struct osg_summaries *s)
{
	free(s);
}

static void summary_take_head(struct summary_report *r, struct str key, struct str value)
{
	const struct {
		struct str key;
		uint64_t *to;
	} numbers[] = {
		{ STR("tod"), &r->tod }, { STR("tos"), &r->tos }, { STR("pid"), &r->pid },
		{ STR("sgen.toe"), &r->toe },
	};
	const struct {
		struct str key;
		char *to;
	} texts[] = {
		{ STR("ver"), r->version }, { STR("site"), r->site }, { STR("pgm"), r->program },
		{ STR("info.host"), r->host },
	};
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (str_eq(key, numbers[i].key) && !str_take_u64(&value, numbers[i].to))
			*numbers[i].to = 0;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (str_eq(key, texts[i].key))
			str_copy(texts[i].to, TEXT_MAX, value);
	r->has_site |= str_eq(key, STR("site"));
}

static void summary_take_value(void *arg, struct str key, struct str value)
{
	struct summary_report *r = arg;
	uint64_t v;
	summary_take_head(r, key, value);
	if (!str_is_u64(value) || !str_take_u64(&value, &v))
		return;
	for (size_t i = 0; i < FIELDS; i++) {
		if (!str_eq(key, fields[i].key))
			continue;
		r->value[i] = v;
		r->has |= (uint32_t)1 << i;
	}
}

static int summary_read_report(struct str packet, struct summary_report *r)
{
	const struct xrd_values to = { .put = summary_take_value, .arg = r, .site = true,
				       .empty_site = true };
	*r = (struct summary_report){ .tod = 0 };
	int e = xrd_read_plain(packet, &to, NULL);
	if (e != -EAGAIN)
		return e;
	*r = (struct summary_report){ .tod = 0 };
	return xrd_read_xml(packet, &to);
}

static struct summary_process *summary_find_process(struct osg_summaries *s,
						    const struct in6_addr *from,
						    uint64_t pid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->process[i].pid == pid &&
		    memcmp(&s->process[i].from, from, sizeof(*from)) == 0)
			return &s->process[i];
	return NULL;
}

static struct summary_process *summary_add_process(struct osg_summaries *s)
{
	size_t oldest = 0;
	if (s->n < PROCESSES_MAX)
		return &s->process[s->n++];
	for (size_t i = 1; i < s->n; i++)
		if (s->process[i].tod < s->process[oldest].tod)
			oldest = i;
	return &s->process[oldest];
}

/* Append a time as datetime.isoformat() of Python does: "2026-11-20T22:07:28". */
static void summary_put_time(struct buf *b, const char *name, uint64_t unix_s)
{
	char text[32] = "";
	struct tm tm;
	time_t t = unix_s <= UINT32_MAX ? (time_t)unix_s : 0;
	if (t && gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		json_str(b, name, str_of(text));
}

static void summary_put_head(struct buf *b, const struct summary_report *r,
			     const struct xrd_source *from)
{
	char ip[INET6_ADDRSTRLEN];
	packet_address_text(&from->address, ip);
	json_str(b, "server_ip", str_of(from->name ? from->name : ip));
	json_str(b, "type", STR("summary"));
	json_u64(b, "pid", r->pid);
	summary_put_time(b, "timestamp", r->tod);
	summary_put_time(b, "tos", r->tos);
	summary_put_time(b, "cstart", r->tod);
	summary_put_time(b, "cend", r->toe);
	json_str(b, "version", str_of(r->version));
	json_str(b, "site", r->has_site ? str_of(r->site) : STR("UnknownSite"));
}

static bool summary_has_value(const struct summary_report *r, const struct summary_process *p,
			      size_t i)
{
	uint32_t both = fields[i].counter ? r->has & p->has : r->has;
	return both >> i & 1;
}

/* Append the values. Counters of a new process with the same pid start at 0. */
static void summary_put_values(struct buf *b, const struct summary_report *r,
			       const struct summary_process *p)
{
	if (*r->host)
		json_str(b, "host", str_of(r->host));
	for (size_t i = 0; i < FIELDS; i++) {
		uint64_t before = fields[i].counter && p->tos == r->tos ? p->value[i] : 0;
		if (summary_has_value(r, p, i))
			json_u64(b, fields[i].name,
				 r->value[i] >= before ? r->value[i] - before : r->value[i]);
	}
}

void osg_summary_put(struct buf *b, struct osg_summaries *s, struct str packet,
		     const struct xrd_source *from)
{
	struct summary_report r;
	if (!str_starts(packet, STR("<")) || summary_read_report(packet, &r) < 0 ||
	    strcmp(r.program, "xrootd") != 0)
		return;
	struct summary_process *p = summary_find_process(s, &from->address, r.pid);
	if (p && r.tod < p->tod)
		return;
	if (p || !r.has_site) {
		json_open(b, NULL, '{');
		summary_put_head(b, &r, from);
		if (p && r.has_site)
			summary_put_values(b, &r, p);
		buf_add(b, STR("}\n"));
	}
	p = p ? p : summary_add_process(s);
	*p = (struct summary_process){ .from = from->address, .pid = r.pid, .tos = r.tos,
				       .tod = r.tod, .has = r.has };
	memcpy(p->value, r.value, sizeof(p->value));
}
