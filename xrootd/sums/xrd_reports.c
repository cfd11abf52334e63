/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_reports.c - convert servers' summary packets (xrd.report) into rows of records */
#include "xrootd/sums/xrd_reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "formats/raw_write.h"
#include "schema/marks.h"
#include "formats/json_read.h"
#include "formats/xrootd/xrd_gline.h"
#include "formats/xrootd/xrdflat.h"
#include "formats/xrootd/xrdsummary_keys.h"
#include "xrootd/sums/reports_parts.h"
#include "xrootd/sums/sums_parts.h"
#include "xrootd/sums/xrd_sums.h"

/* age in microseconds at which the total of a silent device may be dropped */
#define TOTAL_KEPT_US      ((int64_t)86400 * 1000000)
/* servers send their start time in whole seconds, and send packets some time after the start */
#define START_TOLERANCE_US 5000000

/*
 * Types and the blocks of a packet that they are made from. .name: the block is a list, and each
 * item is a device whose name is the value of this key. .each: each counter of the block is a
 * device, and its value is the metric of this name.
 */
static const struct report_kind {
	const char *type, *block, *name, *each;
	enum metric_kind is;	/* kind of the metric `each` */
	const char *unit;	/* unit of the metric `each`, or NULL */
} kinds[] = {
	{ "xrd_link",          "link.",                 NULL,   NULL,        COUNTER },
	{ "xrd_sched",         "sched.",                NULL,   NULL,        COUNTER },
	{ "xrd_proc",          "proc.",                 NULL,   NULL,        COUNTER },
	{ "xrd_ops",           "xrootd.",               NULL,   NULL,        COUNTER },
	{ "xrd_ofs",           "ofs.",                  NULL,   NULL,        COUNTER },
	{ "xrd_cache",         "cache.",                NULL,   NULL,        COUNTER },
	{ "xrd_buff",          "buff.",                 NULL,   NULL,        COUNTER },
	{ "xrd_poll",          "poll.",                 NULL,   NULL,        COUNTER },
	{ "xrd_sgen",          "sgen.",                 NULL,   NULL,        GAUGE   },
	{ "xrd_cmsm_node",     "cmsm.node.",            "host", NULL,        COUNTER },
	{ "xrd_cmsm",          "cmsm.",                 NULL,   NULL,        COUNTER },
	{ "xrd_path",          "oss.paths.",            "lp",   NULL,        COUNTER },
	{ "xrd_space",         "oss.space.",            "name", NULL,        COUNTER },
	{ "xrd_http_request",  "http_plugin.request.",  NULL,   "requests",  COUNTER },
	{ "xrd_http_response", "http_plugin.response.", NULL,   "responses", COUNTER },
	{ "xrd_set",           "",                      NULL,   "value",     GAUGE   },
	{ "xrd_g_count",       NULL,                    NULL,   "value",     COUNTER },
	{ "xrd_g_now",         NULL,                    NULL,   "value",     GAUGE   },
	{ "xrd_g_time",        NULL,                    NULL,   "value",     COUNTER, "us" },
};

/* XRD_SET: values outside all blocks, in JSON; G_*: values in the g-stream */
enum { XRD_LINK, XRD_SET = REPORT_KINDS - 4, G_COUNT, G_NOW, G_TIME };
_Static_assert(ARRAY_SIZE(kinds) == REPORT_KINDS, "a kind has no row");

/*
 * Remove the unit from a name: "sys.s" and "sys.u" are the seconds and microseconds of one time.
 * Returns the factor to microseconds, or 0 if the name has no unit.
 */
static uint32_t reports_unit_factor(struct str *name)
{
	if (str_ends(*name, STR(".s")))
		name->n -= 2;
	else if (str_ends(*name, STR(".u")))
		name->n -= 2;
	else
		return 0;
	return name->p[name->n + 1] == 's' ? 1000000 : 1;
}

static size_t reports_metric(struct report_columns *t, struct str name)
{
	char text[sizeof(t->name[0])];
	str_copy(text, sizeof(text), name);
	for (char *p = text; *p; p++)
		if (*p == '.')
			*p = '_';
	size_t i = 0;
	while (i < t->n_metrics && strcmp(t->name[i], text) != 0)
		i++;
	if (i == t->n_metrics) {
		memcpy(t->name[i], text, sizeof(text));
		t->metric[t->n_metrics++].name = t->name[i];
	}
	return i;
}

static void reports_add_part(struct report_columns *t, const struct xrd_summary_key *k,
			     struct str key,
			     bool times)
{
	struct str name = key;
	uint32_t factor = times ? reports_unit_factor(&name) : 0;
	size_t i = reports_metric(t, name);
	struct metric *m = &t->metric[i];
	m->kind = k->kind == XRD_KEY_COUNTER || factor ? COUNTER : GAUGE;
	m->unit = factor ? "us" : k->unit;
	m->help = k->text;
	t->part[t->n_parts++] = (struct report_part){ key, i, factor ? factor : 1 };
}

/* Define the type of a block. The metrics are all documented numbers that every version sends. */
static void reports_define_type(struct report_columns *t, const struct report_kind *kind)
{
	if (kind->each) {
		t->metric[t->n_metrics++] = (struct metric){ kind->each, kind->is,
							      kind->unit ? kind->unit : "", "" };
		return;
	}
	for (size_t i = 0; i < xrd_summary_n_keys; i++) {
		const struct xrd_summary_key *k = &xrd_summary_keys[i];
		struct str key = str_of(k->key);
		if (k->kind == XRD_KEY_TEXT || k->optional ||
		    !str_take_prefix(&key, str_of(kind->block)) ||
		    str_starts(key, STR("node.i.")) ||
		    (kind->name && !str_take_prefix(&key, STR("i."))))
			continue;
		reports_add_part(t, k, key, strcmp(kind->block, "proc.") == 0);
	}
}

struct xrd_reports *xrd_reports_new(int64_t since)
{
	struct xrd_reports *r = calloc(1, sizeof(*r));
	if (!r)
		abort();
	for (size_t i = 0; i < REPORT_KINDS; i++)
		reports_define_type(&r->type[i], &kinds[i]);
	r->link_in = reports_metric(&r->type[XRD_LINK], STR("in"));
	r->link_out = reports_metric(&r->type[XRD_LINK], STR("out"));
	r->since = since;
	r->row = xrealloc(NULL, ROWS_MAX * sizeof(*r->row));
	r->total = xrealloc(NULL, ROWS_MAX * sizeof(*r->total));
	return r;
}

void xrd_reports_free(struct xrd_reports *r)
{
	if (!r)
		return;
	map_free(&r->by_minute);
	map_free(&r->by_device);
	buf_free(&r->name);
	free(r->row);
	free(r->total);
	free(r);
}

static struct sums_row *reports_get_row(struct xrd_reports *r, size_t kind, uint64_t index)
{
	struct sums_row *last = r->n_read ? &r->row[r->n + r->n_read - 1] : NULL;
	if (last && last->kind == kind && last->index == index)
		return last;
	if (r->n_read == r->room)
		return NULL;
	struct sums_row *row = &r->row[r->n + r->n_read++];
	*row = (struct sums_row){ .kind = (uint8_t)kind, .index = index, .at = r->at,
				   .from = r->from };
	return row;
}

static void reports_take_number(const struct report_columns *t, struct sums_row *row,
				struct str key,
				struct str value)
{
	uint64_t v;
	if (!str_is_u64(value) || !str_take_u64(&value, &v))
		return;
	for (size_t i = 0; i < t->n_parts; i++) {
		const struct report_part *p = &t->part[i];
		if (!str_eq(p->key, key) || row->got >> i & 1)
			continue;
		row->got |= (uint64_t)1 << i;
		row->value[p->metric] += v * p->factor;
	}
}

/* Split the index from a key such as "12.free", if the block is a list. */
static bool reports_take_index(const struct report_kind *kind, struct str *key, uint64_t *index)
{
	struct str number;
	*index = 0;
	return !kind->name || (str_take_until(key, '.', &number) && str_is_u64(number) &&
			       str_take_u64(&number, index));
}

static void reports_add_each(struct xrd_reports *r, size_t kind, struct str name, uint64_t v)
{
	struct sums_row *row = reports_get_row(r, kind, r->n_read + 1);
	if (!row)
		return;
	row->value[0] = v;
	if (!str_copy(row->device, sizeof(row->device), name))
		row->device[0] = '\0';
}

/* Add a counter as a device. Ignore a value that is not a whole number. */
static void reports_take_each(struct xrd_reports *r, size_t kind, struct str name, struct str value)
{
	uint64_t v;
	if (str_is_u64(value) && str_take_u64(&value, &v))
		reports_add_each(r, kind, name, v);
}

static void reports_take_block(struct xrd_reports *r, size_t kind, struct str key, struct str value)
{
	const struct report_kind *k = &kinds[kind];
	uint64_t index;
	if (k->each) {
		reports_take_each(r, kind, key, value);
		return;
	}
	if (!reports_take_index(k, &key, &index))
		return;
	struct sums_row *row = reports_get_row(r, kind, index);
	if (row && k->name && str_eq(key, str_of(k->name)))
		str_copy(row->device, sizeof(row->device), value);
	else if (row)
		reports_take_number(&r->type[kind], row, key, value);
}

static void reports_take_process(struct xrd_reports *r, struct str key, struct str value)
{
	const struct {
		struct str key;
		uint64_t *to;
	} all[] = { { STR("tod"), &r->tod }, { STR("tos"), &r->tos }, { STR("pid"), &r->pid } };
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (str_eq(key, all[i].key) && !str_take_u64(&value, all[i].to))
			*all[i].to = 0;
}

static void reports_take_value(void *arg, struct str key, struct str value)
{
	struct xrd_reports *r = arg;
	reports_take_process(r, key, value);
	if (str_eq(key, STR("src")))
		str_copy(r->source, sizeof(r->source), value);
	else if (str_eq(key, STR("pgm")))
		str_copy(r->program, sizeof(r->program), value);
	for (size_t i = 0; i < XRD_SET; i++) {
		struct str rest = key;
		if (!str_take_prefix(&rest, str_of(kinds[i].block)))
			continue;
		reports_take_block(r, i, rest, value);
		return;
	}
	if (r->is_json && key.n && memchr(key.p, '.', key.n))
		reports_take_block(r, XRD_SET, key, value);
}

/* Check that the source is HOST:PORT. Other forms would make "HOST:PORT:PATH" ambiguous. */
static bool reports_is_source(const char *source)
{
	const char *colon = strrchr(source, ':');
	return colon && colon > source && str_is_u64(str_of(colon + 1)) &&
	       (strchr(source, ':') == colon ||
		(*source == '[' && strchr(source, ']') == colon - 1));
}

/*
 * Set the name of the packet's server, as in the detailed monitoring: "HOST:PORT", or
 * "HOST:PROGRAM" without a port. Returns false if the packet has no valid source.
 */
static bool reports_name_source(struct xrd_reports *r, const struct xrd_report *in)
{
	struct str s = str_of(r->source);
	r->name.n = 0;
	r->sums = in->sums;
	if (!reports_is_source(r->source) || strpbrk(r->program, ":@"))
		return false;
	bool portless = str_ends(s, STR(":0")) && *r->program;
	buf_addf(&r->name, "%.*s%s%c", (int)(s.n - portless), s.p, portless ? r->program : "",
		 '\0');
	if (!in->sums)
		return true;
	const char *name = xrd_sums_name(in->sums, r->name.p, in->from);
	r->name.n = 0;
	buf_addf(&r->name, "%s%c", name, '\0');
	return true;
}

static bool reports_name_row(const struct xrd_reports *r, struct sums_row *row)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	bool is_part = kinds[row->kind].name || kinds[row->kind].each;
	if (is_part && !*row->device)
		return false;
	buf_addf(&name, "%s", r->name.p);
	if (is_part)
		buf_addf(&name, ":%s", row->device);
	return str_copy(row->device, sizeof(row->device), buf_str(&name));
}

static uint64_t reports_row_hash(const struct sums_row *row, int64_t minute)
{
	return map_hash(str_of(row->device)) + row->kind + (uint64_t)minute * REPORT_KINDS;
}

/* Find the row in this minute of the same type and device as `like`, or NULL. */
static struct sums_row *reports_find_row(struct xrd_reports *r, const struct sums_row *like,
					 int64_t minute)
{
	uint64_t hash = reports_row_hash(like, minute);
	for (struct map_slot *at = NULL; (at = map_next(&r->by_minute, hash, at));) {
		struct sums_row *row = &r->row[at->value.n];
		if (row->kind == like->kind && row->at / MINUTE_US == minute &&
		    strcmp(row->device, like->device) == 0)
			return row;
	}
	return NULL;
}

void reports_keep_row(struct xrd_reports *r, const struct sums_row *row)
{
	struct sums_row *to = reports_find_row(r, row, row->at / MINUTE_US);
	if (!to) {
		map_add(&r->by_minute, reports_row_hash(row, row->at / MINUTE_US),
			(union map_value){ .n = r->n });
		to = &r->row[r->n++];
	}
	memmove(to, row, sizeof(*to));
}

static int reports_read_packet(struct xrd_reports *r, struct str packet)
{
	const struct xrd_values to = { .put = reports_take_value, .arg = r };
	r->is_json = xrd_is_json(packet);
	if (r->is_json)
		return xrd_read_json(packet, &to);
	int e = xrd_read_plain(packet, &to, NULL);
	if (e != -EAGAIN)
		return e;
	r->n_read = 0;
	return xrd_read_xml(packet, &to);
}

struct report_total *reports_add_total(struct xrd_reports *r, const struct report_total *t)
{
	map_add(&r->by_device, map_hash(str_of(t->device)) + t->kind,
		(union map_value){ .n = r->n_totals });
	r->total[r->n_totals] = *t;
	return &r->total[r->n_totals++];
}

static struct report_total *reports_find_total(const struct xrd_reports *r,
					       const struct sums_row *row)
{
	uint64_t hash = map_hash(str_of(row->device)) + row->kind;
	for (struct map_slot *at = NULL; (at = map_next(&r->by_device, hash, at));) {
		struct report_total *t = &r->total[at->value.n];
		if (t->kind == row->kind && strcmp(t->device, row->device) == 0)
			return t;
	}
	return NULL;
}

/*
 * Drop totals of silent devices. The counters of a device that returns must not start at 0, so set
 * .since to the present.
 */
static void reports_forget_silent(struct xrd_reports *r)
{
	size_t n = r->n_totals;
	map_clear(&r->by_device);
	r->n_totals = 0;
	for (size_t i = 0; i < n; i++)
		if (r->at - r->total[i].at < TOTAL_KEPT_US)
			reports_add_total(r, &r->total[i]);
	if (r->n_totals < n)
		r->since = r->at;
}

static bool reports_has_counters(const struct report_columns *c)
{
	for (size_t i = 0; i < c->n_metrics; i++)
		if (c->metric[i].kind == COUNTER)
			return true;
	return false;
}

static struct report_total *reports_new_total(struct xrd_reports *r, const struct sums_row *row)
{
	struct report_total t = { .kind = row->kind, .at = r->at, .from = row->from,
				  .tos = r->tos, .pid = r->pid };
	if (!r->totals_room)
		return NULL;
	r->totals_room--;
	str_copy(t.device, sizeof(t.device), str_of(row->device));
	return reports_add_total(r, &t);
}

/* Check if the server started after .since, according to its own clock. */
static bool reports_started_since(const struct xrd_reports *r)
{
	uint64_t age = r->tod - r->tos;
	return r->tos && r->tod >= r->tos && age <= UINT32_MAX &&
	       r->at - (int64_t)age * 1000000 + START_TOLERANCE_US >= r->since;
}

/*
 * Start the counters of a new process. Returns false if the packet is late: of an earlier process,
 * or older than the newest packet of this process.
 */
static bool reports_note_process(const struct xrd_reports *r, struct report_total *t)
{
	bool same = t->tos == r->tos && t->pid == r->pid;
	if ((same ? r->tod < t->tod : r->tos < t->tos) && r->at - t->at < MINUTE_US)
		return false;
	t->tod = r->tod;
	if (same)
		return true;
	for (size_t i = 0; i < r->type[t->kind].n_metrics; i++) {
		t->closed[i] = sums_plus(t->closed[i], t->last[i]);
		t->last[i] = 0;
	}
	t->tos = r->tos;
	t->pid = r->pid;
	return true;
}

/*
 * Add a baseline row at the end of the minute before a device's first packet. Its counters are 0 if
 * the server started later than the receiver, else they are those of the packet.
 */
static void reports_add_start(struct xrd_reports *r, const struct sums_row *row, size_t *n)
{
	const struct report_columns *c = &r->type[row->kind];
	if (r->n + *n == ROWS_MAX || r->at < MINUTE_US)
		return;
	struct sums_row *start = &r->row[r->n + (*n)++];
	*start = *row;
	start->whole = true;
	start->at = r->at / MINUTE_US * MINUTE_US - 1;
	if (!reports_started_since(r))
		return;
	for (size_t i = 0; i < c->n_metrics; i++)
		if (c->metric[i].kind == COUNTER)
			start->value[i] = 0;
}

/* Add the link's bytes since the last packet to the sums, before the total is updated. */
static void reports_note_link(const struct xrd_reports *r, const struct report_total *t,
			      const uint64_t *now,
			      bool first)
{
	struct xrd_link_bytes more = { .name = r->name.p, .from = &r->from };
	const size_t in = r->link_in, out = r->link_out;
	if (t->kind != XRD_LINK || !r->sums)
		return;
	if (!first || reports_started_since(r)) {
		more.in = now[in] > t->last[in] ? now[in] - t->last[in] : 0;
		more.out = now[out] > t->last[out] ? now[out] - t->last[out] : 0;
	}
	xrd_sums_link(r->sums, &more);
}

/* Add the counters of the server's earlier processes. Returns false if the packet is late. */
static bool reports_add_earlier(struct xrd_reports *r, struct sums_row *row, size_t *n)
{
	const struct report_columns *c = &r->type[row->kind];
	if (!reports_has_counters(c))
		return true;
	struct report_total *t = reports_find_total(r, row);
	bool first = !t;
	if (first && (t = reports_new_total(r, row)))
		reports_add_start(r, row, n);
	if (!t)
		return true;
	if (!reports_note_process(r, t))
		return false;
	reports_note_link(r, t, row->value, first);
	t->at = r->at;
	for (size_t i = 0; i < c->n_metrics; i++) {
		if (c->metric[i].kind != COUNTER)
			continue;
		if (t->last[i] < row->value[i])
			t->last[i] = row->value[i];
		row->value[i] = sums_plus(t->closed[i], row->value[i]);
	}
	return true;
}

/* Keep the complete rows of the packet, unless the packet is late. */
static void reports_keep_rows(struct xrd_reports *r)
{
	struct sums_row *row = &r->row[r->n];
	size_t n = r->n_read;
	for (size_t i = 0; i < r->n_read; i++) {
		uint64_t all = ((uint64_t)1 << r->type[row[i].kind].n_parts) - 1;
		row[i].whole = row[i].got == all && reports_name_row(r, &row[i]) &&
			       reports_add_earlier(r, &row[i], &n);
	}
	for (size_t i = 0; i < n; i++)
		if (row[i].whole)
			reports_keep_row(r, &row[i]);
}

/*
 * Get the number of rows or totals that the packet's address may still add, at most ROWS_SHARE in
 * all. `first` is the address in the first of n elements, each of `size` bytes.
 */
static size_t reports_room_left(const struct xrd_reports *r, const struct in6_addr *first,
				size_t size,
				size_t n)
{
	size_t used = n;
	if (used > ROWS_SHARE / 2)
		for (size_t i = used = 0; i < n; i++)
			used += memcmp((const char *)first + i * size, &r->from,
				      sizeof(r->from)) == 0;
	size_t room = used < ROWS_SHARE ? ROWS_SHARE - used : 0;
	return room < ROWS_MAX - n ? room : ROWS_MAX - n;
}

static void reports_begin_packet(struct xrd_reports *r, int64_t at, const struct in6_addr *from)
{
	r->n_read = 0;
	r->source[0] = r->program[0] = '\0';
	r->tod = r->tos = r->pid = 0;
	r->sums = NULL;
	r->at = at;
	r->from = from ? *from : in6addr_any;
	if (r->n_totals == ROWS_MAX)
		reports_forget_silent(r);
	r->room = reports_room_left(r, &r->row[0].from, sizeof(*r->row), r->n);
	r->totals_room = reports_room_left(r, &r->total[0].from, sizeof(*r->total), r->n_totals);
}

int xrd_reports_add(struct xrd_reports *r, const struct xrd_report *in)
{
	struct str packet = in->packet;
	if (!r->since)
		r->since = in->at;
	if (!str_starts(packet, STR("<")) && !str_starts(packet, STR("{\"statistics\"")))
		return -ENOMSG;
	reports_begin_packet(r, in->at, in->from);
	int e = reports_read_packet(r, packet);
	if (e < 0)
		return e;
	bool full = r->n_read == r->room;
	if (reports_name_source(r, in))
		reports_keep_rows(r);
	r->n_read = 0;
	return full ? -ENOSPC : 0;
}

/*
 * Add a value of the g-stream. The ending of its key shows its type, as in XrdOssStats,
 * XrdThrottle, XrdHttpMon and the S3 plug-in.
 */
static void reports_take_g_value(struct xrd_reports *r, struct str set, struct str key,
				 struct str value)
{
	static const struct {
		struct str end;
		size_t kind;
	} ends[] = {
		{ STR("_t"), G_TIME }, { STR("_s"), G_TIME }, { STR("_seconds"), G_TIME },
		{ STR("io_wait"), G_TIME }, { STR("io_active"), G_NOW }, { STR(""), G_COUNT },
	};
	struct buf name CLEANUP(buf_free) = { 0 };
	double v;
	size_t i = 0;
	if (!xrd_g_real(value, &v))
		return;
	while (!str_ends(key, ends[i].end))
		i++;
	v *= ends[i].kind == G_TIME ? 1e6 : 1;
	buf_add(&name, set);
	buf_add_char(&name, '.');
	buf_add(&name, key);
	if (v < 0x1p63)
		reports_add_each(r, ends[i].kind, buf_str(&name), (uint64_t)v);
}

/*
 * Add the values of a JSON object. Their names begin with the event ("oss_stats_pfc") or, for HTTP,
 * with the kind of request ("http.GET_200").
 */
static void reports_take_g_object(struct xrd_reports *r, struct str set, struct str object)
{
	struct str members, key, value;
	if (!json_take_object(object, &members))
		return;
	while (json_take_member(&members, &key, &value)) {
		struct buf name CLEANUP(buf_free) = { 0 };
		if (str_peek(value) != '{') {
			reports_take_g_value(r, set, key, value);
			continue;
		}
		str_take_prefix(&key, STR("HTTP_"));
		buf_addf(&name, "%.*s.%.*s", (int)set.n, set.p, (int)key.n, key.p);
		if (set.n && !str_has(set, '.'))
			reports_take_g_object(r, buf_str(&name), value);
	}
}

static bool reports_g_set(const struct xrd_event *e, struct str *set)
{
	struct str members, event;
	*set = STR("http");
	if (e->packet->provider == 'H')
		return true;
	if (!json_take_object(e->object, &members))
		return false;
	event = json_find(members, STR("event"));
	if (event.n < 2)
		return false;
	*set = (struct str){ event.p + 1, event.n - 2 };
	return str_starts(*set, STR("oss_stats")) || str_eq(*set, STR("s3file_stats")) ||
	       str_eq(*set, STR("throttle_update"));
}

void xrd_reports_event(struct xrd_reports *r, struct xrd_sums *sums, const struct xrd_event *e)
{
	char name[XRD_NAME_SIZE];
	struct str set;
	char provider = e->packet->code == 'g' ? e->packet->provider : '\0';
	if ((provider != 'O' && provider != 'R' && provider != 'H') || !reports_g_set(e, &set))
		return;
	if (!r->since)
		r->since = e->arrived;
	reports_begin_packet(r, e->arrived, &e->server->source.address);
	r->tod = e->packet->end;
	r->tos = e->server->start;
	xrd_server_name(e->server, name, sizeof(name));
	r->name.n = 0;
	buf_addf(&r->name, "%s%c", xrd_sums_name(sums, name, &r->from), '\0');
	reports_take_g_object(r, set, e->object);
	reports_keep_rows(r);
	r->n_read = 0;
}

void xrd_reports_put_restart(struct buf *b)
{
	for (size_t i = 0; i < REPORT_KINDS; i++) {
		struct buf mark CLEANUP(buf_free) = { 0 };
		buf_addf(&mark, "%s %s", mark_verbs[MARK_RESTART], kinds[i].type);
		raw_put_mark(b, buf_str(&mark));
	}
}

void xrd_reports_put_schema(const struct xrd_reports *r, struct buf *b)
{
	const uint64_t all = UINT64_MAX;
	for (size_t i = 0; i < REPORT_KINDS; i++)
		raw_put_schema(b, kinds[i].type, r->type[i].metric, r->type[i].n_metrics, &all);
}

static void reports_put_row(const struct xrd_reports *r, struct buf *b, const struct sums_row *row)
{
	buf_add(b, str_of(kinds[row->kind].type));
	buf_add_char(b, ' ');
	buf_add_word(b, str_of(row->device), false);
	for (size_t i = 0; i < r->type[row->kind].n_metrics; i++) {
		buf_add_char(b, ' ');
		buf_add_u64(b, row->value[i]);
	}
	buf_add_char(b, '\n');
}

static bool reports_is_newest(struct xrd_reports *r, const struct sums_row *row, int64_t until)
{
	for (int64_t i = 1; i <= WAITING_MINUTES; i++) {
		const struct sums_row *later = reports_find_row(r, row, row->at / MINUTE_US + i);
		if (later && later->at <= until)
			return false;
	}
	return true;
}

void xrd_reports_forget(struct xrd_reports *r, int64_t until)
{
	size_t n = r->n;
	map_clear(&r->by_minute);
	r->n = 0;
	for (size_t i = 0; i < n; i++)
		if (r->row[i].at > until)
			reports_keep_row(r, &r->row[i]);
}

size_t xrd_reports_put_rows(struct xrd_reports *r, struct buf *b, int64_t until)
{
	size_t rows = 0;
	for (size_t kind = 0; kind < REPORT_KINDS; kind++)
		for (size_t i = 0; i < r->n; i++) {
			const struct sums_row *row = &r->row[i];
			if (row->kind != kind || row->at > until ||
			    !reports_is_newest(r, row, until))
				continue;
			reports_put_row(r, b, row);
			rows++;
		}
	xrd_reports_forget(r, until);
	return rows;
}
