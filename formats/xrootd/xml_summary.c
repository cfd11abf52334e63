/* SPDX-License-Identifier: BSD-3-Clause */
/* xml_summary.c - a record group as XRootD summary packets */
#include "formats/xrootd/xml_summary.h"

#include <stdio.h>
#include <stdlib.h>

static struct xml_summary_place stats(struct str id)
{
	return (struct xml_summary_place){ id, false, { NULL, 0 } };
}

/* The value of a key of a row; false: it has none. */
static bool take_value(const struct record_type *type, const struct record_row *row,
		       const char *key, uint64_t *v)
{
	int at = record_key_find(type, key);
	if (at < 0 || !row_has(row, (size_t)at))
		return false;
	*v = row->value[at];
	return true;
}

static bool is_type(const struct record_rows *rows, struct str type)
{
	return str_eq(str_of(rows->type->name), type);
}

static void put_info(struct xml_summary_pack *p, const struct xml_summary_sender *s)
{
	xml_summary_open(p, stats(STR("info")));
	xml_summary_put(p, STR("host"), s->host);
	xml_summary_put(p, STR("port"), STR("0"));
	xml_summary_put(p, STR("name"), STR("anon"));
	xml_summary_close(p);
}

/* The network's rows, and which of them count, so that each byte is in the sum once. */
struct net_rows {
	size_t n;
	const struct record_type **type;
	const struct record_row **row;
	struct below_device *device;
};

static void add_links(struct net_rows *l, const struct record_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++, l->n++) {
		l->type[l->n] = rows->type;
		l->row[l->n] = &rows->row[i];
		l->device[l->n].name = rows->row[i].device;
	}
}

static struct net_rows find_links(const struct record *r)
{
	struct net_rows l = { 0, xrealloc(NULL, (r->n_rows + 1) * sizeof(*l.type)),
			   xrealloc(NULL, (r->n_rows + 1) * sizeof(*l.row)),
			   xrealloc(NULL, (r->n_rows + 1) * sizeof(*l.device)) };
	for (size_t i = 0; i < r->n_types; i++)
		if (is_type(&r->rows[i], STR("net")))
			add_links(&l, &r->rows[i]);
	below_decide(r->below, STR("net"), l.device, l.n);
	return l;
}

/* Nothing where no interface that counts has the key. */
static void put_bytes(struct xml_summary_pack *p, const struct net_rows *l, struct str name,
		      const char *key)
{
	uint64_t sum = 0, v;
	bool any = false;
	for (size_t i = 0; i < l->n; i++) {
		if (l->device[i].how != BELOW_COUNTS || !take_value(l->type[i], l->row[i], key, &v))
			continue;
		sum += v;
		any = true;
	}
	if (any)
		xml_summary_put_u64(p, name, sum);
}

static void put_link(struct xml_summary_pack *p, const struct record *r)
{
	struct net_rows l = find_links(r);
	xml_summary_open(p, stats(STR("link")));
	put_bytes(p, &l, STR("in"), "rx_bytes");
	put_bytes(p, &l, STR("out"), "tx_bytes");
	xml_summary_close(p);
	free(l.type);
	free(l.row);
	free(l.device);
}

static void put_cpu_time(struct xml_summary_pack *p, struct str name, uint64_t us)
{
	xml_summary_open(p, (struct xml_summary_place){ name, true, { NULL, 0 } });
	xml_summary_put_u64(p, STR("s"), us / 1000000);
	xml_summary_put_u64(p, STR("u"), us % 1000000);
	xml_summary_close(p);
}

static void put_proc(struct xml_summary_pack *p, const struct xml_summary_extra *e)
{
	xml_summary_open(p, stats(STR("proc")));
	put_cpu_time(p, STR("usr"), e->user_us);
	put_cpu_time(p, STR("sys"), e->system_us);
	xml_summary_close(p);
}

static void put_fs(struct xml_summary_pack *p, size_t i, const struct xml_summary_fs *fs)
{
	char number[U64_DIGITS];
	xml_summary_open(p, stats((struct str){ number, (size_t)(u64_put(number, i) - number) }));
	xml_summary_put(p, STR("lp"), fs->dir);
	xml_summary_put(p, STR("rp"), fs->dir);
	xml_summary_put_u64(p, STR("tot"), fs->total);
	xml_summary_put_u64(p, STR("free"), fs->free);
	xml_summary_put_u64(p, STR("ino"), fs->inodes);
	xml_summary_put_u64(p, STR("ifr"), fs->free_inodes);
	xml_summary_close(p);
}

static void put_oss(struct xml_summary_pack *p, const struct xml_summary_extra *e)
{
	char n[U64_DIGITS];
	if (e->n_fs == 0)
		return;
	xml_summary_open(p, stats(STR("oss")));
	xml_summary_open(p, (struct xml_summary_place){ STR("paths"), true,
			{ n, (size_t)(u64_put(n, e->n_fs) - n) } });
	for (size_t i = 0; i < e->n_fs; i++)
		put_fs(p, i, &e->fs[i]);
	xml_summary_close(p);
	xml_summary_put(p, STR("space"), STR("0"));
	xml_summary_close(p);
}

/* A node's threads are to its kernel what a server's are to its scheduler. */
static void put_sched(struct xml_summary_pack *p, const struct record *r)
{
	const struct record_rows *ps = NULL;
	uint64_t made, running, threads;
	for (size_t i = 0; i < r->n_types && !ps; i++)
		if (is_type(&r->rows[i], STR("ps")))
			ps = &r->rows[i];
	if (!ps || !take_value(ps->type, ps->row, "processes", &made) ||
	    !take_value(ps->type, ps->row, "nr_running", &running) ||
	    !take_value(ps->type, ps->row, "nr_threads", &threads))
		return;
	xml_summary_open(p, stats(STR("sched")));
	xml_summary_put_u64(p, STR("jobs"), made);
	xml_summary_put_u64(p, STR("inq"), running);
	xml_summary_put_u64(p, STR("threads"), threads);
	xml_summary_put_u64(p, STR("idle"), threads > running ? threads - running : 0);
	xml_summary_put_u64(p, STR("tcr"), made);
	xml_summary_close(p);
}

static void put_job(struct xml_summary_pack *p, uint64_t i, struct str id)
{
	char number[U64_DIGITS];
	xml_summary_open(p, stats((struct str){ number, (size_t)(u64_put(number, i) - number) }));
	xml_summary_put(p, STR("id"), id);
	xml_summary_close(p);
}

static void put_jobs(struct xml_summary_pack *p, const struct record *r)
{
	xml_summary_open(p, stats(STR("jobs")));
	xml_summary_put_u64(p, STR("num"), r->n_jobs);
	for (size_t i = 0; i < r->n_jobs; i++)
		put_job(p, i, r->job[i]);
	xml_summary_close(p);
}

static void put_row(struct xml_summary_pack *p, const struct record_type *type,
		    const struct record_row *row)
{
	bool nested = !str_eq(row->device, STR("-"));
	if (nested)
		xml_summary_open(p, stats(row->device));
	for (size_t k = 0; k < type->n_keys; k++)
		if (row_has(row, k))
			xml_summary_put_u64(p, str_of(type->key[k].name), row->value[k]);
	if (nested)
		xml_summary_close(p);
}

static void put_types(struct xml_summary_pack *p, const struct record *r,
		      bool (*wanted)(void *arg, struct str type), void *arg)
{
	for (size_t i = 0; i < r->n_types; i++) {
		const struct record_rows *rows = &r->rows[i];
		struct str name = str_of(rows->type->name);
		if (!wanted(arg, name))
			continue;
		xml_summary_open(p, stats(name));
		for (size_t at = 0; at < rows->n; at++)
			put_row(p, rows->type, &rows->row[at]);
		xml_summary_close(p);
	}
}

void xml_summary_put_record(struct xml_summary_pack *p, const struct record *r,
		       const struct xml_summary_sender *s, const struct xml_summary_extra *extra,
		       bool (*wanted)(void *arg, struct str type), void *arg)
{
	xml_summary_begin(p, s);
	put_info(p, s);
	put_link(p, r);
	put_proc(p, extra);
	put_oss(p, extra);
	put_sched(p, r);
	put_jobs(p, r);
	put_types(p, r, wanted, arg);
	xml_summary_end(p);
}
