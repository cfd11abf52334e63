/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs - what each NFS mount was asked for and what it asked the server, from mountstats */
#include "collectors/collector.h"

#include <string.h>
#include "base/system/mounts.h"
#include "collectors/nfs_below.h"
#include "schema/types/nfs.h"

#define OP_NAME(op) op,
static const char *const ops[] = { NFS_OPS(OP_NAME) };

#define NFS_MOUNTS_MAX 4096	/* rows are large: 22 MB of them */

struct nfs {
	struct mounts mounts;
	bool mounted;			/* the list has an NFS mount */
	bool changed;			/* since mountinfo was read */
	bool seen[ARRAY_SIZE(ops)];	/* a mount of this node has or had this operation */
};

/* The mount whose lines are being read. */
struct mount_stats {
	bool open;
	bool in_ops;		/* after "per-op statistics" */
	bool broken;		/* a line was not as it should be */
	struct row row;
	size_t op;		/* where the next operation is likely to be in ops[] */
};

static bool is_nfs(struct str type)
{
	return str_eq(type, STR("nfs")) || str_eq(type, STR("nfs4"));
}

static void take_numbers(struct row row, size_t from, size_t to, struct str line)
{
	uint64_t v;
	for (size_t i = from; i < to && str_take_u64(&line, &v); i++)
		row_set(row, i, v);	/* an older kernel has fewer of them */
}

/*
 * A mount with nconnect= has a line for each of its connections: they are added up. Before the
 * counters stand the port and the count of binds, for TCP and RDMA also the count, the time and
 * the idle time of connections (net/sunrpc/xprtsock.c, xprtrdma/transport.c: *_print_stats()).
 */
static bool take_xprt(struct row row, struct str line)
{
	struct str word;
	uint64_t v;
	if (!str_take_word(&line, &word))
		return false;

	for (size_t skip = str_eq(word, STR("udp")) ? 2 : 5; skip; skip--)
		if (!str_take_word(&line, &word))
			return false;
	for (size_t i = XPRT; i < XPRT_END; i++) {
		if (!str_take_u64(&line, &v))
			return false;
		row_add(row, i, v);
	}
	return true;
}

static bool find_op(struct str name, size_t *at)
{
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		size_t op = (*at + i) % ARRAY_SIZE(ops);
		if (str_eq(name, str_of(ops[op]))) {
			*at = op;
			return true;
		}
	}
	return false;
}

/* "READ: " and eight numbers; kernels since 5.3 (RPC iostats 1.1) add a ninth, the errors. */
static bool take_op(struct nfs *nfs, struct mount_stats *rec, struct str line)
{
	struct str name;
	uint64_t v;
	if (!str_take_until(&line, ':', &name) || !find_op(name, &rec->op))
		return true;	/* no operation, or one that we do not know */

	size_t at = OP_FIRST + rec->op * OP_WIDTH;
	for (size_t i = at; i < at + OP_WIDTH; i++) {
		if (!str_take_u64(&line, &v))
			return false;
		row_set(rec->row, i, v);
	}
	nfs->seen[rec->op++] = true;
	return true;
}

static void take_line(struct nfs *nfs, struct mount_stats *rec, struct str line)
{
	bool ok = true;
	if (rec->in_ops)
		ok = take_op(nfs, rec, line);
	else if (str_take_prefix(&line, STR("events:")))
		take_numbers(rec->row, EVENTS, BYTES, line);
	else if (str_take_prefix(&line, STR("bytes:")))
		take_numbers(rec->row, BYTES, XPRT, line);
	else if (str_take_prefix(&line, STR("xprt:")))
		ok = take_xprt(rec->row, line);
	else if (str_starts(line, STR("per-op statistics")))
		rec->in_ops = true;
	rec->broken |= !ok;
}

/* "device srv:/vol mounted on /mnt with fstype nfs4 statvers=1.1" (fs/proc_namespace.c) */
static void begin_record(struct source *s, struct mount_stats *rec, struct str line)
{
	struct str device, dir, type;
	*rec = (struct mount_stats){ 0 };
	if (str_take_word(&line, &device) && str_take_prefix(&line, STR(" mounted on ")) &&
	    str_take_word(&line, &dir) && str_take_prefix(&line, STR(" with fstype ")) &&
	    str_take_word(&line, &type) && is_nfs(type) && s->rows.n < NFS_MOUNTS_MAX) {
		rec->row = rows_add_escaped(&s->rows, dir);
		rec->open = true;
	}
}

/* Of several mounts on one directory the last is the one that programs see: it takes the place. */
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

static void end_record(struct source *s, struct mount_stats *rec)
{
	if (!rec->open)
		return;
	if (rec->broken || !rec->in_ops)
		rows_drop(&s->rows);	/* not read whole */
	else
		replace_hidden(s, rec->row);
	rec->open = false;
}

/*
 * All mounts share one schema, but a protocol version has its own operations. Each row that is left
 * had its table of operations read whole, so one that is not in it was sent 0 times: that is known,
 * not missing. An operation that was seen once stays in the schema, so that an automounter does not
 * change it.
 */
static void add_known_zeros(struct source *s, const struct nfs *nfs)
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

/* The kernel walks all mounts to make mountstats: ask first whether one of them is ours. */
static bool is_mounted(struct source *s, struct nfs *nfs)
{
	struct str list;
	struct mount m;
	nfs->changed |= s->rescan && (s->files.in_root || !s->rows.below_known);
	if (s->files.in_root)
		return true;	/* the tree may have no /proc/mounts */

	int r = mounts_changed(&nfs->mounts, &s->files, &list);
	if (r == 0)
		return nfs->mounted;
	nfs->changed = true;
	nfs->mounted = r < 0;	/* no list: see what mountstats says */
	while (r > 0 && !nfs->mounted && mount_take(&list, &m))
		nfs->mounted = is_nfs(m.type);
	return nfs->mounted;
}

static void look_below(struct source *s, struct nfs *nfs)
{
	struct str text;
	if (!nfs->changed)
		return;
	nfs->changed = false;
	if (source_read_as(s, "proc/self/mountinfo", FILE_TO_END, &text) == 0)
		nfs_below(s, text);
}

static void end(void *state)
{
	struct nfs *nfs = state;
	mounts_free(&nfs->mounts);
}

static int collect(struct source *s)
{
	struct nfs *nfs = source_state(s, sizeof(*nfs));
	struct mount_stats rec = { 0 };
	struct str text, line;

	s->end_state = end;
	if (!is_mounted(s, nfs))
		return source_absent(s, "no NFS mount");
	int r = source_read_as(s, "proc/self/mountstats", FILE_TO_END, &text);
	if (r < 0)
		return r;

	while (str_take_line(&text, &line)) {
		line = str_trim(line);
		if (str_take_prefix(&line, STR("device "))) {
			end_record(s, &rec);
			begin_record(s, &rec, line);
		} else if (rec.open) {
			take_line(nfs, &rec, line);
		}
	}
	end_record(s, &rec);
	add_known_zeros(s, nfs);
	if (s->rows.n)
		look_below(s, nfs);
	return s->rows.n ? 0 : source_absent(s, "no NFS mount");
}

const struct collector nfs_collector = {
	.type    = &nfs_type,
	.collect = collect,
};
