/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * held.c - GPUs allocated to a job: how busy they are, and how long they had no process of the job
 */
#include "figures/held.h"

#include <string.h>
#include "figures/allocation.h"

/* microseconds: in a longer interval between samples, a GPU may have been used unseen */
#define MAX_GAP_US 3600000000

void held_give(struct held *h, struct str gpus)
{
	bool has[GPUS_MAX];
	if (h->n || gpu_list(gpus, has) < 0)
		return;
	for (unsigned i = 0; i < GPUS_MAX && h->n < HELD_GPUS; i++)
		if (has[i])
			h->gpu[h->n++].number = i;
}

/*
 * Masks of indexes in .gpu of struct held: .listed: GPUs that a sample lists; .used: GPUs with a
 * process of the job.
 */
struct held_seen {
	uint32_t listed, used;
};

bool held_take_device(struct str device, uint64_t *gpu, struct str *job)
{
	struct str driver, place;
	if (!str_take_until(&device, '/', &driver))
		return false;
	bool of_job = str_take_until(&device, '@', &place);
	*job = of_job ? device : (struct str){ NULL, 0 };
	if (!of_job)
		place = device;
	return str_take_u64(&place, gpu) && (!place.n || str_peek(place) == '/');
}

/*
 * Return the index in .gpu of the GPU with this number, or .n if this GPU was not allocated to the
 * job.
 */
static unsigned held_index(const struct held *h, uint64_t number)
{
	unsigned i = 0;
	while (i < h->n && h->gpu[i].number != number)
		i++;
	return i;
}

/*
 * Add a row of type gpu_job. A MIG instance counts as its whole GPU. any: the row has at least one
 * process.
 */
static void held_take_row(const struct held *h, struct str device, bool any, struct str job,
			  struct held_seen *seen)
{
	struct str of;
	uint64_t number;
	if (!held_take_device(device, &number, &of))
		return;
	unsigned i = held_index(h, number);
	if (i == h->n)
		return;
	if (!of.p)
		seen->listed |= 1u << i;
	else if (any && str_eq(of, job))
		seen->used |= 1u << i;
}

static struct held_seen held_find_gpus(const struct held *h, const struct record *r, struct str job)
{
	struct held_seen seen = { 0 };
	for (size_t i = 0; i < r->n_types; i++) {
		const struct record_rows *rows = &r->rows[i];
		int key = strcmp(rows->type->name, "gpu_job") == 0 ?
			  record_key_find(rows->type, "processes") : -1;
		for (size_t k = 0; key >= 0 && k < rows->n; k++)
			if (row_has(&rows->row[k], (size_t)key))
				held_take_row(h, rows->row[k].device, rows->row[k].value[key] > 0,
					      job,
					      &seen);
	}
	return seen;
}

/*
 * Prepare to merge a record with the newest sample, which has the same time. Returns false if the
 * record cannot change the state of the GPU.
 */
static bool held_reopen_sample(struct held_gpu *g, bool listed, int64_t usec)
{
	if (!listed || g->used == usec)
		return false;
	g->since = g->before;
	return true;
}

static void held_update_gpu(struct held_gpu *g, bool listed, bool used, int64_t usec, bool apart)
{
	g->known = listed;
	if (used)
		g->used = usec;
	if (!listed || used)
		g->since = 0;
	else if (g->since == 0 || apart)
		g->since = usec;
	if (g->since && usec - g->since > g->longest)
		g->longest = usec - g->since;
}

void held_take(struct held *h, const struct record *sample, struct str job)
{
	if (h->n == 0)
		return;
	struct held_seen seen = held_find_gpus(h, sample, job);
	bool far = sample->usec < h->usec || sample->usec - h->usec > MAX_GAP_US;
	for (unsigned i = 0; i < h->n; i++) {
		struct held_gpu *g = &h->gpu[i];
		bool listed = seen.listed >> i & 1;
		if (sample->usec != h->usec)
			g->before = g->since;
		else if (!held_reopen_sample(g, listed, sample->usec))
			continue;
		held_update_gpu(g, listed, seen.used >> i & 1, sample->usec, far);
	}
	h->usec = sample->usec;
}

void held_add(struct held *to, const struct held *more)
{
	for (unsigned i = 0; i < more->n; i++) {
		const struct held_gpu *from = &more->gpu[i];
		unsigned k = held_index(to, from->number);
		if (k == HELD_GPUS)
			continue;
		if (k == to->n)
			to->gpu[to->n++] = (struct held_gpu){ .number = from->number };
		if (from->longest > to->gpu[k].longest)
			to->gpu[k].longest = from->longest;
	}
}

const struct held_gpu *held_longest(const struct held *h, double usec, uint32_t *n)
{
	const struct held_gpu *longest = NULL;
	for (unsigned i = 0; i < h->n; i++) {
		*n += (double)h->gpu[i].longest >= usec;
		if (!longest || h->gpu[i].longest > longest->longest)
			longest = &h->gpu[i];
	}
	return longest;
}

/*
 * Keys of the record types of GPUs: percent busy, and used and total memory in units of .bytes. The
 * keys gpu_util and gpu_mem_* of type nvidia_gpu are written by other programs than nodometer.
 */
static const struct gpu_keys {
	const char *type, *busy, *used, *total;
	uint64_t bytes;
} gpu_keys[] = {
	{ "nvidia_gpu", "utilization", "memused",         "memtotal",         1       },
	{ "nvidia_gpu", "gpu_util",    "gpu_mem_used_mb", "gpu_mem_total_mb", 1 << 20 },
	{ "amd_gpu",    "gpu_util",    "gpu_mem_used_mb", "gpu_mem_total_mb", 1 << 20 },
};

/*
 * Add the time since the last sample. The GPU is assumed to have been as busy as the mean of both
 * samples.
 */
static void held_integrate_use(struct gpu_use *u, int64_t usec, float busy)
{
	if (u->last && usec > u->last) {
		u->area += (double)(busy + u->busy) / 2 * (double)(usec - u->last);
		u->over += usec - u->last;
	}
	u->last = usec;
	u->busy = busy;
}

static void held_take_use_rows(struct gpus *g, const struct gpu_keys *k,
			       const struct record_rows *rows,
			       int64_t usec)
{
	int busy = record_key_find(rows->type, k->busy);
	int used = record_key_find(rows->type, k->used);
	int total = record_key_find(rows->type, k->total);
	for (size_t i = 0; i < rows->n && busy >= 0; i++) {
		const struct record_row *row = &rows->row[i];
		struct str device = row->device;
		uint64_t n;
		bool has_memory = used >= 0 && total >= 0 && row_has(row, (size_t)used) &&
				  row_has(row, (size_t)total);
		if (!str_take_u64(&device, &n) || device.n || n >= GPUS_KEPT ||
		    !row_has(row, (size_t)busy))
			continue;
		if (row->value[busy] > 100 ||
		    (has_memory && row->value[used] > row->value[total]))
			continue;	/* impossibly large, see limits.h */
		held_integrate_use(&g->gpu[n], usec, (float)row->value[busy]);
		if (!has_memory)
			continue;
		if (row->value[used] * k->bytes > g->gpu[n].used)
			g->gpu[n].used = row->value[used] * k->bytes;
		g->gpu[n].total = row->value[total] * k->bytes;
	}
}

void gpus_take(struct gpus *g, const struct record *sample)
{
	for (size_t i = 0; i < sample->n_types; i++)
		for (size_t k = 0; k < ARRAY_SIZE(gpu_keys); k++)
			if (strcmp(sample->rows[i].type->name, gpu_keys[k].type) == 0)
				held_take_use_rows(g, &gpu_keys[k], &sample->rows[i], sample->usec);
}

void gpus_add(struct gpus *to, const struct gpus *more)
{
	for (size_t i = 0; i < GPUS_KEPT; i++) {
		struct gpu_use *t = &to->gpu[i];
		const struct gpu_use *m = &more->gpu[i];
		t->area += m->area;
		t->over += m->over;
		t->used = m->used > t->used ? m->used : t->used;
		t->total = m->total > t->total ? m->total : t->total;
	}
}

static bool held_lists_gpu(const struct held *h, size_t number)
{
	for (unsigned i = 0; i < h->n; i++)
		if (h->gpu[i].number == number)
			return true;
	return false;
}

bool gpu_was_used(const struct gpus *g, const struct held *given, bool shared, size_t number,
		  double *busy)
{
	const struct gpu_use *u = &g->gpu[number];
	if (!u->over || (given->n ? !held_lists_gpu(given, number) : shared))
		return false;
	*busy = u->area / (double)u->over;
	return true;
}
