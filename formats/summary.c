/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - a record group as XRootD summary packets */
#include "formats/summary.h"

#include <stdio.h>

static struct summary_place stats(struct str id)
{
	return (struct summary_place){ id, false, { NULL, 0 } };
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

static void put_info(struct summary_pack *p, const struct summary_sender *s)
{
	summary_open(p, stats(STR("info")));
	summary_put(p, STR("host"), s->host);
	summary_put(p, STR("port"), STR("0"));
	summary_put(p, STR("name"), STR("anon"));
	summary_close(p);
}

static void put_link(struct summary_pack *p, const struct raw_group *g)
{
	uint64_t in = 0, out = 0, v;
	bool any = false;
	for (size_t i = 0; i < g->n_rows; i++) {
		const struct raw_row *row = &g->row[i];
		if (!is_type(row, STR("net")) || str_eq(row->device, STR("lo")))
			continue;
		if (take_value(row, "rx_bytes", &v))
			in += v, any = true;
		if (take_value(row, "tx_bytes", &v))
			out += v, any = true;
	}
	if (!any)
		return;
	summary_open(p, stats(STR("link")));
	summary_put_u64(p, STR("in"), in);
	summary_put_u64(p, STR("out"), out);
	summary_close(p);
}

static void put_cpu_time(struct summary_pack *p, struct str name, uint64_t us)
{
	summary_open(p, (struct summary_place){ name, true, { NULL, 0 } });
	summary_put_u64(p, STR("s"), us / 1000000);
	summary_put_u64(p, STR("u"), us % 1000000);
	summary_close(p);
}

static void put_proc(struct summary_pack *p, const struct summary_extra *e)
{
	summary_open(p, stats(STR("proc")));
	put_cpu_time(p, STR("usr"), e->user_us);
	put_cpu_time(p, STR("sys"), e->system_us);
	summary_close(p);
}

static void put_fs(struct summary_pack *p, size_t i, const struct summary_fs *fs)
{
	char number[U64_DIGITS];
	summary_open(p, stats((struct str){ number, (size_t)(u64_put(number, i) - number) }));
	summary_put(p, STR("lp"), fs->dir);
	summary_put(p, STR("rp"), fs->dir);
	summary_put_u64(p, STR("tot"), fs->total);
	summary_put_u64(p, STR("free"), fs->free);
	summary_put_u64(p, STR("ino"), fs->inodes);
	summary_put_u64(p, STR("ifr"), fs->free_inodes);
	summary_close(p);
}

static void put_oss(struct summary_pack *p, const struct summary_extra *e)
{
	char n[U64_DIGITS];
	if (e->n_fs == 0)
		return;
	summary_open(p, stats(STR("oss")));
	summary_open(p, (struct summary_place){ STR("paths"), true,
			{ n, (size_t)(u64_put(n, e->n_fs) - n) } });
	for (size_t i = 0; i < e->n_fs; i++)
		put_fs(p, i, &e->fs[i]);
	summary_close(p);
	summary_put(p, STR("space"), STR("0"));
	summary_close(p);
}

/* A node's threads are to its kernel what a server's are to its scheduler. */
static void put_sched(struct summary_pack *p, const struct raw_group *g)
{
	const struct raw_row *ps = NULL;
	uint64_t made, running, threads;
	for (size_t i = 0; i < g->n_rows && !ps; i++)
		if (is_type(&g->row[i], STR("ps")))
			ps = &g->row[i];
	if (!ps || !take_value(ps, "processes", &made) || !take_value(ps, "nr_running", &running) ||
	    !take_value(ps, "nr_threads", &threads))
		return;
	summary_open(p, stats(STR("sched")));
	summary_put_u64(p, STR("jobs"), made);
	summary_put_u64(p, STR("inq"), running);
	summary_put_u64(p, STR("threads"), threads);
	summary_put_u64(p, STR("idle"), threads > running ? threads - running : 0);
	summary_put_u64(p, STR("tcr"), made);
	summary_close(p);
}

static void put_job(struct summary_pack *p, uint64_t i, struct str id)
{
	char number[U64_DIGITS];
	summary_open(p, stats((struct str){ number, (size_t)(u64_put(number, i) - number) }));
	summary_put(p, STR("id"), id);
	summary_close(p);
}

static void put_jobs(struct summary_pack *p, struct str jobs)
{
	uint64_t n = jobs.n && !str_eq(jobs, STR("-")), i;
	struct str id;
	for (i = 0; n && i < jobs.n; i++)
		n += jobs.p[i] == ',';
	summary_open(p, stats(STR("jobs")));
	summary_put_u64(p, STR("num"), n);
	for (i = 0; i + 1 < n && str_take_until(&jobs, ',', &id); i++)
		put_job(p, i, id);
	if (n)
		put_job(p, i, jobs);
	summary_close(p);
}

static void put_row(struct summary_pack *p, const struct raw_row *row)
{
	bool nested = !str_eq(row->device, STR("-"));
	if (nested)
		summary_open(p, stats(row->device));
	for (size_t k = 0; k < row->type->n_keys; k++)
		if (!row->absent || !row->absent[k])
			summary_put_u64(p, str_of(row->type->key[k].name), row->value[k]);
	if (nested)
		summary_close(p);
}

/* Rows of one type stand together. */
static void put_types(struct summary_pack *p, const struct raw_group *g,
		      bool (*wanted)(void *arg, struct str type), void *arg)
{
	for (size_t i = 0, next; i < g->n_rows; i = next) {
		const struct raw_type *type = g->row[i].type;
		for (next = i; next < g->n_rows && g->row[next].type == type; next++)
			;
		if (!wanted(arg, str_of(type->name)))
			continue;
		summary_open(p, stats(str_of(type->name)));
		for (size_t at = i; at < next; at++)
			put_row(p, &g->row[at]);
		summary_close(p);
	}
}

void summary_put_group(struct summary_pack *p, const struct raw_group *g,
		       const struct summary_sender *s, const struct summary_extra *extra,
		       bool (*wanted)(void *arg, struct str type), void *arg)
{
	summary_begin(p, s);
	put_info(p, s);
	put_link(p, g);
	put_proc(p, extra);
	put_oss(p, extra);
	put_sched(p, g);
	put_jobs(p, g->jobs);
	put_types(p, g, wanted, arg);
	summary_end(p);
}
