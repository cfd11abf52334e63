/* SPDX-License-Identifier: BSD-3-Clause */
/* rms.c - convert recorded operations to class RMS of an OpenVMS MONITOR recording */
#include "filetrace/rms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/files.h"
#include "formats/vms/class_record.h"
#include "formats/vms/vms_time.h"

#define FILES_MAX (1u << 20)
#define CELLS_MAX (1u << 22)
#define NAME_BYTES 255		/* longest name in a file record (type 131), in bytes */
#define MOMENTS_MAX 100000	/* limit of intervals in a recording; each takes up to 32 kB */
#define NS_PER_SECOND    ((int64_t)1000000000)
#define OUTPUT_BYTES_MAX   (1u << 20)

/* Items of class RMS, in the order of its layout. */
enum { READS, READ_KIB, WRITES, WRITTEN_KIB, OPENS, CLOSES, EXTENDS, FLUSHES, ITEMS };

static size_t rms_get_file(struct rms *r, struct str name)
{
	uint64_t hash = map_hash(name);
	for (struct map_slot *at = NULL; (at = map_next(&r->by_name, hash, at));)
		if (str_eq(str_of(r->file[at->value.n].name), name))
			return (size_t)at->value.n;
	if (r->n_files == FILES_MAX)
		return SIZE_MAX;
	r->file = vec_reserve(r->file, &r->cap_files, r->n_files + 1, sizeof(*r->file));
	r->file[r->n_files] = (struct rms_file){ .name = xstrdup(name), .last = SIZE_MAX };
	map_add(&r->by_name, hash, (union map_value){ .n = r->n_files });
	return r->n_files++;
}

/* Return the cell for a file and a second, or NULL if there is no room. */
static struct rms_cell *rms_get_cell(struct rms *r, struct str name, int64_t second)
{
	size_t at = rms_get_file(r, name);
	struct rms_file *f = at < r->n_files ? &r->file[at] : NULL;
	if (f && f->last < r->n_cells && r->cell[f->last].second == second)
		return &r->cell[f->last];
	if (!f || r->n_cells == CELLS_MAX) {
		r->full = true;
		return NULL;
	}
	r->cell = vec_reserve(r->cell, &r->cap_cells, r->n_cells + 1, sizeof(*r->cell));
	r->cell[r->n_cells] = (struct rms_cell){ .second = second, .file = (uint32_t)at };
	f->last = r->n_cells;
	return &r->cell[r->n_cells++];
}

static void rms_count_operation(struct rms_cell *c, const struct event *e)
{
	switch (e->op) {
	case OP_READ:
		c->n[0]++;
		c->read += e->done;
		break;
	case OP_WRITE:
		c->n[1]++;
		c->written += e->done;
		break;
	case OP_OPEN:
	case OP_CREAT:
		c->n[2]++;
		break;
	case OP_CLOSE:
		c->n[3]++;
		break;
	default:
		c->flushes++;
	}
}

static void rms_add_operation(struct rms *r, const struct event *e)
{
	struct rms_cell *c = rms_get_cell(r, e->path, (e->start + e->ns) / NS_PER_SECOND);
	if (!c)
		return;
	rms_count_operation(c, e);
	r->file[c->file].ops++;
}

/*
 * A copy counts as a read of its source and a write of its destination. If the destination is a
 * pipe or socket, which has no path, only the read counts. Operations that are known to have failed
 * are skipped.
 */
void rms_add(struct rms *r, const struct event *e)
{
	static const uint32_t counted =
		OPERATION(OP_READ) | OPERATION(OP_WRITE) | OPERATION(OP_OPEN) |
		OPERATION(OP_CREAT) | OPERATION(OP_CLOSE) | OPERATION(OP_FLUSH) |
		OPERATION(OP_FSYNC);
	struct event half = *e;
	r->lost += e->op == OP_LOST ? e->lost : 0;
	if (e->is_dir || e->result)
		return;
	if (counted & OPERATION(e->op)) {
		rms_add_operation(r, e);
	} else if (e->op == OP_COPY) {
		half.op = OP_READ;
		rms_add_operation(r, &half);
		half.op = OP_WRITE;
		half.path = e->text;
		if (half.path.n)
			rms_add_operation(r, &half);
	}
}

static int rms_compare_time(const void *a, const void *b)
{
	const struct rms_cell *x = a, *y = b;
	return x->second < y->second ? -1 : x->second > y->second;
}

static int rms_compare_ops(const void *a, const void *b)
{
	const struct rms_file *const *x = a, *const *y = b;
	if ((*x)->ops != (*y)->ops)
		return (*x)->ops < (*y)->ops ? 1 : -1;
	return strcmp((*x)->name, (*y)->name);
}

/* Choose the busiest files and give each a block. Returns their number. */
static size_t rms_choose_files(struct rms *r, struct rms_file **chosen)
{
	struct rms_file **all = xrealloc(NULL, (r->n_files + 1) * sizeof(*all));
	size_t n = r->n_files < RMS_FILES ? r->n_files : RMS_FILES;
	for (size_t i = 0; i < r->n_files; i++)
		all[i] = &r->file[i];
	qsort(all, r->n_files, sizeof(*all), rms_compare_ops);
	for (size_t i = 0; i < r->n_files; i++)
		all[i]->block = i < n ? i : SIZE_MAX;
	memcpy(chosen, all, n * sizeof(*all));
	free(all);
	return n;
}

struct writing {
	struct buf out;
	struct vms_header header;
	struct vms_node node;
	struct vms_set set;
	/* sums for the file of each block; READ_KIB and WRITTEN_KIB hold bytes */
	uint64_t (*count)[ITEMS];
	size_t n;
};

static void rms_put_framed(struct writing *w, struct buf *one)
{
	vms_put_framed(&w->out, buf_str(one));
	one->n = 0;
}

/* Cut off the front of a long name, because the end of a path is more specific. */
static struct str rms_short_name(const char *name)
{
	struct str s = str_of(name);
	return s.n > NAME_BYTES ? str_skip(s, s.n - NAME_BYTES) : s;
}

static void rms_put_front(struct writing *w, struct rms_file *const *files)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	vms_put_header(&one, &w->header);
	rms_put_framed(w, &one);
	vms_put_node(&one, &w->node);
	rms_put_framed(w, &one);
	vms_put_customer(&one, &w->node);
	rms_put_framed(w, &one);
	for (size_t i = 0; i < w->n; i++) {
		vms_put_file(&one, rms_short_name(files[i]->name));
		rms_put_framed(w, &one);
	}
}

static void rms_put_interval(struct writing *w, int64_t second)
{
	uint32_t left_out;
	vms_set_clear(&w->set, VMS_RMS);
	w->set.stamp = vms_time(second * 1000000);
	w->set.absent = 1u << EXTENDS;
	for (size_t i = 0; i < w->n; i++) {
		size_t block = vms_set_block(&w->set);
		for (size_t k = 0; k < ITEMS; k++) {
			uint64_t v = w->count[i][k];
			bool bytes = k == READ_KIB || k == WRITTEN_KIB;
			vms_set_number(&w->set, block, k, (uint32_t)(bytes ? v >> 10 : v));
		}
	}
	vms_put_set(&w->out, &w->set, &left_out);
}

static void rms_sum_cell(struct writing *w, const struct rms *r, const struct rms_cell *c)
{
	static const size_t item[] = { READS, WRITES, OPENS, CLOSES };
	size_t block = r->file[c->file].block;
	if (block == SIZE_MAX)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(item); i++)
		w->count[block][item[i]] += c->n[i];
	w->count[block][FLUSHES] += c->flushes;
	w->count[block][READ_KIB] += c->read;
	w->count[block][WRITTEN_KIB] += c->written;
}

static int rms_flush(struct writing *w, int fd, size_t most)
{
	if (w->out.n <= most)
		return 0;
	int e = files_write(fd, buf_str(&w->out));
	w->out.n = 0;
	return e;
}

/*
 * Write a record of zeros for the start, then at the end of each interval the sums since the start.
 */
static int rms_put_intervals(struct writing *w, const struct rms *r, int64_t first,
			     uint32_t moments, int fd)
{
	size_t at = 0;
	int e = 0;
	for (uint32_t i = 0; i < moments && e == 0; i++) {
		int64_t until = first + (int64_t)i * w->header.interval;
		for (; at < r->n_cells && r->cell[at].second < until; at++)
			rms_sum_cell(w, r, &r->cell[at]);
		rms_put_interval(w, until);
		e = rms_flush(w, fd, OUTPUT_BYTES_MAX);
	}
	return e < 0 ? e : rms_flush(w, fd, 0);
}

static void rms_fill_header(struct writing *w, int64_t first, uint32_t moments, size_t left_out,
			    uint64_t lost)
{
	struct vms_header *h = &w->header;
	char losses[40] = "";
	h->beginning = vms_time(first * 1000000);
	h->ending = vms_time((first + (int64_t)(moments - 1) * h->interval) * 1000000);
	h->records = 3 + (uint32_t)w->n + moments;
	(void)str_copy(h->ident, sizeof(h->ident), STR(VMS_IDENT));
	if (lost)
		snprintf(losses, sizeof(losses), ", %" PRIu64 " records lost", lost);
	snprintf(h->comment, sizeof(h->comment), "nodometer trace%s", losses);
	for (size_t i = 0; i < VMS_CLASSES; i++)
		h->revision[i] = (unsigned char)vms_revision(i);
	vms_add_class(h->classes, VMS_RMS);
	(void)str_copy(w->node.name, sizeof(w->node.name), STR("trace"));
	(void)str_copy(w->node.host, sizeof(w->node.host), STR("trace"));
	w->node.absent[VMS_RMS] = 1u << EXTENDS;
	w->node.left_out[VMS_RMS] = (uint32_t)left_out;
}

int rms_write(struct rms *r, uint32_t interval, int fd, size_t *left_out)
{
	struct rms_file *files[RMS_FILES];
	struct writing w = { .header = { .interval = interval } };
	if (r->n_cells == 0)
		return -ENODATA;
	qsort(r->cell, r->n_cells, sizeof(*r->cell), rms_compare_time);
	int64_t first = r->cell[0].second;
	int64_t steps = (r->cell[r->n_cells - 1].second - first) / interval + 1;
	if (steps > MOMENTS_MAX)
		return -ERANGE;

	w.n = rms_choose_files(r, files);
	*left_out = r->n_files - w.n;
	w.count = xrealloc(NULL, w.n * sizeof(*w.count));
	memset(w.count, 0, w.n * sizeof(*w.count));
	rms_fill_header(&w, first, (uint32_t)steps + 1, *left_out, r->lost);
	rms_put_front(&w, files);
	int e = rms_put_intervals(&w, r, first, (uint32_t)steps + 1, fd);
	vms_set_free(&w.set);
	buf_free(&w.out);
	free(w.count);
	return e;
}

void rms_free(struct rms *r)
{
	for (size_t i = 0; i < r->n_files; i++)
		free(r->file[i].name);
	free(r->file);
	free(r->cell);
	map_free(&r->by_name);
}
