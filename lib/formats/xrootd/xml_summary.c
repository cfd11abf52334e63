/* SPDX-License-Identifier: BSD-3-Clause */
/* xml_summary.c - write a record as XRootD summary packets */
#include "formats/xrootd/xml_summary.h"


static struct xml_summary_place xml_summary_stats_place(struct str id)
{
	return (struct xml_summary_place){ id, false, { NULL, 0 } };
}

static void xml_summary_put_info(struct xml_summary_pack *p, const struct xml_summary_sender *s)
{
	xml_summary_open(p, xml_summary_stats_place(STR("info")));
	xml_summary_put(p, STR("host"), s->host);
	xml_summary_put(p, STR("port"), STR("0"));
	xml_summary_put(p, STR("name"), STR("anon"));
	xml_summary_close(p);
}

static struct str xml_summary_block_of(const struct xml_summary_value *v, struct str *name)
{
	struct str block;
	*name = str_of(v->place);
	return str_take_until(name, '.', &block) ? block : STR("");
}

/* Write all values of the block of value `first`, unless an earlier value has the same block. */
static void xml_summary_put_block(struct xml_summary_pack *p, const struct xml_summary_extra *e,
				  size_t first)
{
	struct str name, block = xml_summary_block_of(&e->value[first], &name);

	for (size_t i = 0; i < first; i++)
		if (str_eq(xml_summary_block_of(&e->value[i], &name), block))
			return;
	xml_summary_open(p, xml_summary_stats_place(block));
	for (size_t i = first; i < e->n_values; i++)
		if (str_eq(xml_summary_block_of(&e->value[i], &name), block))
			xml_summary_put_u64(p, name, e->value[i].value);
	xml_summary_close(p);
}

static void xml_summary_put_cpu_time(struct xml_summary_pack *p, struct str name, uint64_t us)
{
	xml_summary_open(p, (struct xml_summary_place){ name, true, { NULL, 0 } });
	xml_summary_put_u64(p, STR("s"), us / 1000000);
	xml_summary_put_u64(p, STR("u"), us % 1000000);
	xml_summary_close(p);
}

static void xml_summary_put_proc(struct xml_summary_pack *p, const struct xml_summary_extra *e)
{
	xml_summary_open(p, xml_summary_stats_place(STR("proc")));
	xml_summary_put_cpu_time(p, STR("usr"), e->user_us);
	xml_summary_put_cpu_time(p, STR("sys"), e->system_us);
	xml_summary_close(p);
}

static void xml_summary_put_fs(struct xml_summary_pack *p, size_t i,
			       const struct xml_summary_fs *fs)
{
	char number[U64_DIGITS];
	xml_summary_open(p,
			 xml_summary_stats_place((struct str){ number,
							      (size_t)(u64_put(number,
									       i) - number) }));
	xml_summary_put(p, STR("lp"), fs->dir);
	xml_summary_put(p, STR("rp"), fs->dir);
	xml_summary_put_u64(p, STR("tot"), fs->total);
	xml_summary_put_u64(p, STR("free"), fs->free);
	xml_summary_put_u64(p, STR("ino"), fs->inodes);
	xml_summary_put_u64(p, STR("ifr"), fs->free_inodes);
	xml_summary_close(p);
}

static void xml_summary_put_oss(struct xml_summary_pack *p, const struct xml_summary_extra *e)
{
	char n[U64_DIGITS];
	if (e->n_fs == 0)
		return;
	xml_summary_open(p, xml_summary_stats_place(STR("oss")));
	xml_summary_open(p, (struct xml_summary_place){ STR("paths"), true,
			{ n, (size_t)(u64_put(n, e->n_fs) - n) } });
	for (size_t i = 0; i < e->n_fs; i++)
		xml_summary_put_fs(p, i, &e->fs[i]);
	xml_summary_close(p);
	xml_summary_put(p, STR("space"), STR("0"));
	xml_summary_close(p);
}

static void xml_summary_put_job(struct xml_summary_pack *p, uint64_t i, struct str id)
{
	char number[U64_DIGITS];
	xml_summary_open(p,
			 xml_summary_stats_place((struct str){ number,
							      (size_t)(u64_put(number,
									       i) - number) }));
	xml_summary_put(p, STR("id"), id);
	xml_summary_close(p);
}

static void xml_summary_put_jobs(struct xml_summary_pack *p, const struct record *r)
{
	xml_summary_open(p, xml_summary_stats_place(STR("jobs")));
	xml_summary_put_u64(p, STR("num"), r->n_jobs);
	for (size_t i = 0; i < r->n_jobs; i++)
		xml_summary_put_job(p, i, r->job[i]);
	xml_summary_close(p);
}

static void xml_summary_put_row(struct xml_summary_pack *p, const struct record_type *type,
				const struct record_row *row)
{
	bool nested = !str_eq(row->device, STR("-"));
	if (nested)
		xml_summary_open(p, xml_summary_stats_place(row->device));
	for (size_t k = 0; k < type->n_keys; k++)
		if (row_has(row, k))
			xml_summary_put_u64(p, str_of(type->key[k].name), row->value[k]);
	if (nested)
		xml_summary_close(p);
}

static void xml_summary_put_types(struct xml_summary_pack *p, const struct record *r,
				  bool (*wanted)(void *arg, struct str type), void *arg)
{
	for (size_t i = 0; i < r->n_types; i++) {
		const struct record_rows *rows = &r->rows[i];
		struct str name = str_of(rows->type->name);
		if (!wanted(arg, name))
			continue;
		xml_summary_open(p, xml_summary_stats_place(name));
		for (size_t at = 0; at < rows->n; at++)
			xml_summary_put_row(p, rows->type, &rows->row[at]);
		xml_summary_close(p);
	}
}

void xml_summary_put_record(struct xml_summary_pack *p, const struct record *r,
		       const struct xml_summary_sender *s, const struct xml_summary_extra *extra,
		       bool (*wanted)(void *arg, struct str type), void *arg)
{
	xml_summary_begin(p, s);
	xml_summary_put_info(p, s);
	for (size_t i = 0; i < extra->n_values; i++)
		xml_summary_put_block(p, extra, i);
	xml_summary_put_proc(p, extra);
	xml_summary_put_oss(p, extra);
	xml_summary_put_jobs(p, r);
	xml_summary_put_types(p, r, wanted, arg);
	xml_summary_end(p);
}
