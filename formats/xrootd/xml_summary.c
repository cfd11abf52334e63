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
static bool take_value(const struct raw_row *row, const char *key, uint64_t *v)
{
	int at = raw_key_find(row->type, key);
	if (at < 0 || (row->absent && row->absent[at]))
		return false;
	*v = row->value[at];
	return true;
}

static bool is_type(const struct raw_row *row, struct str type)
{
	return str_eq(str_of(row->type->name), type);
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
	const struct raw_row **row;
	struct below_device *device;
};

static struct net_rows find_links(const struct raw_group *g)
{
	struct net_rows l = { 0, xrealloc(NULL, (g->n_rows + 1) * sizeof(struct raw_row *)),
			   xrealloc(NULL, (g->n_rows + 1) * sizeof(*l.device)) };
	for (size_t i = 0; i < g->n_rows; i++) {
		if (!is_type(&g->row[i], STR("net")))
			continue;
		l.row[l.n] = &g->row[i];
		l.device[l.n++].name = g->row[i].device;
	}
	below_decide(g->below, STR("net"), l.device, l.n);
	return l;
}

/* Nothing where no interface that counts has the key. */
static void put_bytes(struct xml_summary_pack *p, const struct net_rows *l, struct str name,
		      const char *key)
{
	uint64_t sum = 0, v;
	bool any = false;
	for (size_t i = 0; i < l->n; i++) {
		if (l->device[i].how != BELOW_COUNTS || !take_value(l->row[i], key, &v))
			continue;
		sum += v;
		any = true;
	}
	if (any)
		xml_summary_put_u64(p, name, sum);
}

static void put_link(struct xml_summary_pack *p, const struct raw_group *g)
{
	struct net_rows l = find_links(g);
	xml_summary_open(p, stats(STR("link")));
	put_bytes(p, &l, STR("in"), "rx_bytes");
	put_bytes(p, &l, STR("out"), "tx_bytes");
	xml_summary_close(p);
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
static void put_sched(struct xml_summary_pack *p, const struct raw_group *g)
{
	const struct raw_row *ps = NULL;
	uint64_t made, running, threads;
	for (size_t i = 0; i < g->n_rows && !ps; i++)
		if (is_type(&g->row[i], STR("ps")))
			ps = &g->row[i];
	if (!ps || !take_value(ps, "processes", &made) || !take_value(ps, "nr_running", &running) ||
	    !take_value(ps, "nr_threads", &threads))
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

static void put_jobs(struct xml_summary_pack *p, struct str jobs)
{
	uint64_t n = jobs.n && !str_eq(jobs, STR("-")), i;
	struct str id;
	for (i = 0; n && i < jobs.n; i++)
		n += jobs.p[i] == ',';
	xml_summary_open(p, stats(STR("jobs")));
	xml_summary_put_u64(p, STR("num"), n);
	for (i = 0; i + 1 < n && str_take_until(&jobs, ',', &id); i++)
		put_job(p, i, id);
	if (n)
		put_job(p, i, jobs);
	xml_summary_close(p);
}

static void put_row(struct xml_summary_pack *p, const struct raw_row *row)
{
	bool nested = !str_eq(row->device, STR("-"));
	if (nested)
		xml_summary_open(p, stats(row->device));
	for (size_t k = 0; k < row->type->n_keys; k++)
		if (!row->absent || !row->absent[k])
			xml_summary_put_u64(p, str_of(row->type->key[k].name), row->value[k]);
	if (nested)
		xml_summary_close(p);
}

/* Rows of one type stand together. */
static void put_types(struct xml_summary_pack *p, const struct raw_group *g,
		      bool (*wanted)(void *arg, struct str type), void *arg)
{
	for (size_t i = 0, next; i < g->n_rows; i = next) {
		const struct raw_type *type = g->row[i].type;
		for (next = i; next < g->n_rows && g->row[next].type == type; next++)
			;
		if (!wanted(arg, str_of(type->name)))
			continue;
		xml_summary_open(p, stats(str_of(type->name)));
		for (size_t at = i; at < next; at++)
			put_row(p, &g->row[at]);
		xml_summary_close(p);
	}
}

void xml_summary_put_group(struct xml_summary_pack *p, const struct raw_group *g,
		       const struct xml_summary_sender *s, const struct xml_summary_extra *extra,
		       bool (*wanted)(void *arg, struct str type), void *arg)
{
	xml_summary_begin(p, s);
	put_info(p, s);
	put_link(p, g);
	put_proc(p, extra);
	put_oss(p, extra);
	put_sched(p, g);
	put_jobs(p, g->jobs);
	put_types(p, g, wanted, arg);
	xml_summary_end(p);
}
