/* SPDX-License-Identifier: BSD-3-Clause */
/* rms.c - recorded operations as class RMS of a MONITOR recording: what was done to each file */
#include "tracers/files/rms.h"

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
#define NAME_BYTES 255		/* of a record 131 */
#define MOMENTS_MAX 100000	/* 32 kB each at most */
#define SECOND    ((int64_t)1000000000)
#define OUT_MAX   (1u << 20)

/* Items of the class, in the order of its layout. */
enum { READS, READ_KIB, WRITES, WRITTEN_KIB, OPENS, CLOSES, EXTENDS, FLUSHES, ITEMS };

static size_t file_of(struct rms *r, struct str name)
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

/* NULL: there is no room. */
static struct rms_cell *cell_of(struct rms *r, struct str name, int64_t second)
{
	size_t at = file_of(r, name);
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

static void count(struct rms_cell *c, const struct event *e)
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

static void add(struct rms *r, const struct event *e)
{
	struct rms_cell *c = cell_of(r, e->path, (e->start + e->ns) / SECOND);
	if (!c)
		return;
	count(c, e);
	r->file[c->file].ops++;
}

/* A copy reads one file and writes another. A failed operation did nothing, if known as such. */
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
		add(r, e);
	} else if (e->op == OP_COPY) {
		half.op = OP_READ;
		add(r, &half);
		half.op = OP_WRITE;
		half.path = e->text;
		add(r, &half);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct rms_cell *x = a, *y = b;
	return x->second < y->second ? -1 : x->second > y->second;
}

static int by_ops(const void *a, const void *b)
{
	const struct rms_file *const *x = a, *const *y = b;
	if ((*x)->ops != (*y)->ops)
		return (*x)->ops < (*y)->ops ? 1 : -1;
	return strcmp((*x)->name, (*y)->name);
}

/* The files that have a block each: the busiest. Returns how many. */
static size_t choose(struct rms *r, struct rms_file **chosen)
{
	struct rms_file **all = xrealloc(NULL, (r->n_files + 1) * sizeof(*all));
	size_t n = r->n_files < RMS_FILES ? r->n_files : RMS_FILES;
	for (size_t i = 0; i < r->n_files; i++)
		all[i] = &r->file[i];
	qsort(all, r->n_files, sizeof(*all), by_ops);
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
	uint64_t (*count)[ITEMS];	/* by block; of KiB: bytes */
	size_t n;
};

static void put(struct writing *w, struct buf *one)
{
	vms_put_framed(&w->out, buf_str(one));
	one->n = 0;
}

/* The end of a long name says more than its start. */
static struct str short_name(const char *name)
{
	struct str s = str_of(name);
	return s.n > NAME_BYTES ? str_skip(s, s.n - NAME_BYTES) : s;
}

static void put_front(struct writing *w, struct rms_file *const *files)
{
	struct buf one CLEANUP(buf_free) = { 0 };
	vms_put_header(&one, &w->header);
	put(w, &one);
	vms_put_node(&one, &w->node);
	put(w, &one);
	vms_put_customer(&one, &w->node);
	put(w, &one);
	for (size_t i = 0; i < w->n; i++) {
		vms_put_file(&one, short_name(files[i]->name));
		put(w, &one);
	}
}

static void put_moment(struct writing *w, int64_t second)
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

static void add_cell(struct writing *w, const struct rms *r, const struct rms_cell *c)
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

static int flush(struct writing *w, int fd, size_t most)
{
	if (w->out.n <= most)
		return 0;
	int e = files_write(fd, buf_str(&w->out));
	w->out.n = 0;
	return e;
}

/* Zeros at the start, then what each interval added. */
static int put_moments(struct writing *w, const struct rms *r, int64_t first, uint32_t moments,
		       int fd)
{
	size_t at = 0;
	int e = 0;
	for (uint32_t i = 0; i < moments && e == 0; i++) {
		int64_t until = first + (int64_t)i * w->header.interval;
		for (; at < r->n_cells && r->cell[at].second < until; at++)
			add_cell(w, r, &r->cell[at]);
		put_moment(w, until);
		e = flush(w, fd, OUT_MAX);
	}
	return e < 0 ? e : flush(w, fd, 0);
}

static void describe(struct writing *w, int64_t first, uint32_t moments, size_t left_out,
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
	qsort(r->cell, r->n_cells, sizeof(*r->cell), by_time);
	int64_t first = r->cell[0].second;
	int64_t steps = (r->cell[r->n_cells - 1].second - first) / interval + 1;
	if (steps > MOMENTS_MAX)
		return -ERANGE;

	w.n = choose(r, files);
	*left_out = r->n_files - w.n;
	w.count = xrealloc(NULL, w.n * sizeof(*w.count));
	memset(w.count, 0, w.n * sizeof(*w.count));
	describe(&w, first, (uint32_t)steps + 1, *left_out, r->lost);
	put_front(&w, files);
	int e = put_moments(&w, r, first, (uint32_t)steps + 1, fd);
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
