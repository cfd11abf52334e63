/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs - operations on each NFS mount and requests to its server, from mountstats */
#include "collectors/collector.h"

#include <string.h>
#include "base/system/mounts.h"
#include "collectors/nfs_below.h"
#include "collectors/nfs_xprt.h"
#include "schema/types/nfs.h"

#define OP_NAME(op) { op, sizeof(op) - 1 },
static const struct str ops[] = { NFS_OPS(OP_NAME) };

#define NFS_MOUNTS_MAX 4096	/* largest number of NFS mounts; the rows of so many take 22 MB */

_Static_assert(XPRT_END - XPRT == NFS_XPRT_KEYS, "the keys of a connection");

struct nfs {
	struct mounts mounts;
	bool mounted;			/* the list of mounts has an NFS mount */
	bool changed;			/* mountinfo must be read again */
	bool seen[ARRAY_SIZE(ops)];	/* operations that any mount has had so far */
	struct nfs_xprts xprts;		/* connections of the mount being parsed */
	struct part_table sums;		/* sums over each mount's connections */
	size_t mount;			/* index in mountstats of the mount being parsed */
	uint64_t mount_id;		/* id in .sums of the mount that is being parsed */
};

/* The mount being parsed. */
struct mount_stats {
	bool open;
	bool in_ops;		/* the lines after "per-op statistics" are being parsed */
	bool broken;		/* a line was malformed */
	struct row row;
	size_t op;		/* index in ops[] at which to search first */
};

static bool is_nfs(struct str type)
{
	return str_eq(type, STR("nfs")) || str_eq(type, STR("nfs4"));
}

static void nfs_set_numbers(struct row row, size_t from, size_t to, struct str line)
{
	uint64_t v;
	for (size_t i = from; i < to && str_take_u64(&line, &v); i++)
		row_set(row, i, v);	/* older kernels print fewer numbers */
}

static bool find_op(struct str name, size_t *at)
{
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		size_t op = (*at + i) % ARRAY_SIZE(ops);
		if (str_eq(name, ops[op])) {
			*at = op;
			return true;
		}
	}
	return false;
}

/* Parse "READ: " and eight numbers; a ninth, since Linux 5.3 (RPC iostats 1.1), counts errors. */
static bool nfs_parse_op(struct nfs *nfs, struct mount_stats *rec, struct str line)
{
	struct str name;
	uint64_t v;
	if (!str_take_until(&line, ':', &name) || !find_op(name, &rec->op))
		return true;	/* the line has no operation, or one without a key */

	size_t at = OP_FIRST + rec->op * OP_WIDTH;
	for (size_t i = at; i < at + OP_WIDTH; i++) {
		if (!str_take_u64(&line, &v))
			return false;
		row_set(rec->row, i, v);
	}
	nfs->seen[rec->op++] = true;
	return true;
}

static void nfs_parse_line(struct nfs *nfs, struct mount_stats *rec, struct str line)
{
	bool ok = true;
	if (rec->in_ops)
		ok = nfs_parse_op(nfs, rec, line);
	else if (str_take_prefix(&line, STR("events:")))
		nfs_set_numbers(rec->row, EVENTS, BYTES, line);
	else if (str_take_prefix(&line, STR("bytes:")))
		nfs_set_numbers(rec->row, BYTES, XPRT, line);
	else if (str_take_prefix(&line, STR("xprt:")))
		ok = nfs_xprt_take(&nfs->xprts, line);
	else if (str_starts(line, STR("per-op statistics")))
		rec->in_ops = true;
	rec->broken |= !ok;
}

/* Begin the sums of a mount. Two mounts on the same directory get different ids. */
static void nfs_begin_sums(struct nfs *nfs, struct str dir)
{
	nfs->xprts.n = 0;
	nfs->mount_id = str_hash(dir);
	while (part_table_has_seen(&nfs->sums, nfs->mount_id, nfs->mount))
		nfs->mount_id++;
	part_table_see(&nfs->sums, nfs->mount_id, nfs->mount);	/* keep sums of unreadable mounts */
}

static void nfs_end_sums(struct nfs *nfs, struct row row)
{
	uint64_t sum[NFS_XPRT_KEYS];
	nfs_xprt_sum(&nfs->sums, nfs->mount_id, nfs->mount, &nfs->xprts, sum);
	for (size_t k = 0; nfs->xprts.n && k < NFS_XPRT_KEYS; k++)
		row_set(row, XPRT + k, sum[k]);
}

/* Parse "device srv:/vol mounted on /mnt with fstype nfs4 statvers=1.1" (fs/proc_namespace.c). */
static void nfs_begin_record(struct source *s, struct nfs *nfs, struct mount_stats *rec,
			     struct str line)
{
	struct str device, dir, type;
	*rec = (struct mount_stats){ 0 };
	if (str_take_word(&line, &device) && str_take_prefix(&line, STR(" mounted on ")) &&
	    str_take_word(&line, &dir) && str_take_prefix(&line, STR(" with fstype ")) &&
	    str_take_word(&line, &type) && is_nfs(type) && s->rows.n < NFS_MOUNTS_MAX) {
		rec->row = rows_add_escaped(&s->rows, dir);
		rec->open = true;
		nfs_begin_sums(nfs, dir);
	}
}

/* Replace the row of an earlier mount on the same directory, which the new mount hides. */
static void replace_hidden(struct source *s, struct row row)
{
	size_t newest = s->rows.n - 1, words = rows_words(&s->rows);
	for (size_t i = 0; i < newest; i++) {
		if (!str_eq(rows_device(&s->rows, i), rows_device(&s->rows, newest)))
			continue;
		memcpy(s->rows.value + i * s->rows.n_metrics, row.value,
		       s->rows.n_metrics * sizeof(*row.value));
		memcpy(s->rows.present + i * words, row.present, words * sizeof(*row.present));
		rows_drop(&s->rows);
		return;
	}
}

static void nfs_end_record(struct source *s, struct nfs *nfs, struct mount_stats *rec)
{
	if (!rec->open)
		return;
	if (rec->broken || !rec->in_ops) {
		rows_drop(&s->rows);	/* the text was incomplete */
	} else {
		nfs_end_sums(nfs, rec->row);
		replace_hidden(s, rec->row);
	}
	nfs->mount++;
	rec->open = false;
}

/*
 * Set the operations that are missing from a row to 0. All mounts share one schema, but each
 * version of the protocol has its own operations. Only mounts that were read completely have a row,
 * so an operation that is missing was never sent. Once any mount had an operation, it stays in the
 * schema, so that an automounter does not change the schema.
 */
static void nfs_add_zeros(struct source *s, const struct nfs *nfs)
{
	for (size_t r = 0; r < s->rows.n; r++) {
		struct row row = { s->rows.value + r * s->rows.n_metrics,
				   s->rows.present + r * rows_words(&s->rows) };
		for (size_t op = 0; op < ARRAY_SIZE(ops); op++) {
			size_t at = OP_FIRST + op * OP_WIDTH;
			if (!nfs->seen[op] || row_is_set(row, at))
				continue;
			for (size_t i = at; i < at + OP_WIDTH; i++)
				row_set(row, i, 0);
		}
	}
}

/* Returns true if there may be an NFS mount, so that the slow mountstats must be read. */
static bool is_mounted(struct source *s, struct nfs *nfs)
{
	struct str list;
	struct mount m;
	nfs->changed |= s->rescan && (s->files.in_root || !s->rows.below_known);
	if (s->files.in_root)
		return true;	/* a captured tree may lack /proc/mounts */

	int r = mounts_changed(&nfs->mounts, &s->files, &list);
	if (r == 0)
		return nfs->mounted;
	nfs->changed = true;
	nfs->mounted = r < 0;	/* assume an NFS mount if the list is unreadable */
	while (r > 0 && !nfs->mounted && mount_take(&list, &m))
		nfs->mounted = is_nfs(m.type);
	return nfs->mounted;
}

static void nfs_find_below(struct source *s, struct nfs *nfs)
{
	struct str text;
	if (!nfs->changed)
		return;
	nfs->changed = false;
	if (source_read_as(s, "proc/self/mountinfo", FILE_TO_END, &text) == 0)
		nfs_below(s, text);
}

static void nfs_free_state(void *state)
{
	struct nfs *nfs = state;
	mounts_free(&nfs->mounts);
	part_table_free(&nfs->sums);
}

static int nfs_collect(struct source *s)
{
	struct nfs *nfs = source_state(s, sizeof(*nfs));
	struct mount_stats rec = { 0 };
	struct str text, line;

	s->end_state = nfs_free_state;
	nfs_xprt_init(&nfs->sums);
	nfs->mount = 0;
	if (!is_mounted(s, nfs))
		return source_absent(s, "no NFS mount");
	int r = source_read_as(s, "proc/self/mountstats", FILE_TO_END, &text);
	if (r < 0)
		return r;

	while (str_take_line(&text, &line)) {
		line = str_trim(line);
		if (str_take_prefix(&line, STR("device "))) {
			nfs_end_record(s, nfs, &rec);
			nfs_begin_record(s, nfs, &rec, line);
		} else if (rec.open) {
			nfs_parse_line(nfs, &rec, line);
		}
	}
	nfs_end_record(s, nfs, &rec);
	part_table_forget_unseen(&nfs->sums);
	nfs_add_zeros(s, nfs);
	if (s->rows.n)
		nfs_find_below(s, nfs);
	return s->rows.n ? 0 : source_absent(s, "no NFS mount");
}

const struct collector nfs_collector = {
	.type    = &nfs_type,
	.collect = nfs_collect,
};
