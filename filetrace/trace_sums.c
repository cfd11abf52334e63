/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_sums.c - sum up recorded operations by program, process, file, operation and time */
#include "filetrace/trace_sums.h"

#include <errno.h>
#include <stdlib.h>
#include "base/clock.h"

const char *const part_names[PARTS] = {
	[PART_READ]  = "reads",
	[PART_WRITE] = "writes",
	[PART_META]  = "metadata",
};

const char *const sharing_names[SHARINGS] = {
	[SHARING_NONE]              = "none",
	[SHARING_READ_WHOLE]        = "read-whole",
	[SHARING_READ_PARTS]        = "read-parts",
	[SHARING_READ]              = "read",
	[SHARING_ONE_WRITER]        = "one-writer",
	[SHARING_WRITE_PARTS]       = "write-parts",
	[SHARING_WRITE_INTERLEAVED] = "write-interleaved",
	[SHARING_WRITE_OVERLAPPING] = "write-overlapping",
};

static size_t sums_find_name(const struct trace_table *t, struct str name)
{
	uint64_t hash = map_hash(name);
	for (struct map_slot *at = NULL; (at = map_next(&t->found, hash, at));)
		if (str_eq(str_of(t->sum[at->value.n].name), name))
			return at->value.n;
	return t->n;
}

/*
 * Return the index of a name's sum in the table, and add the name if there is room. Without room,
 * return the index of "(others)".
 */
static size_t sums_get_place(struct trace_sums *s, struct trace_table *t, struct str name)
{
	size_t i = sums_find_name(t, name);
	if (i == t->n && s->bytes > SUMS_BYTES_MAX) {
		name = STR("(others)");
		i = sums_find_name(t, name);
	}
	if (i < t->n)
		return i;
	t->sum = vec_reserve(t->sum, &t->cap, t->n + 1, sizeof(*t->sum));
	t->sum[i] = (struct trace_sum){ .name = xstrdup(name) };
	if (!t->plain) {
		t->sum[i].use = xrealloc(NULL, sizeof(struct trace_use));
		*t->sum[i].use = (struct trace_use){ 0 };
		s->bytes += sizeof(struct trace_use);
	}
	map_add(&t->found, map_hash(name), (union map_value){ .n = i });
	s->bytes += sizeof(*t->sum) + 2 * sizeof(struct map_slot) + name.n;
	return t->n++;
}

static enum part sums_part_of(enum operation op)
{
	return op == OP_READ ? PART_READ : op == OP_WRITE || op == OP_COPY ? PART_WRITE : PART_META;
}

/* Add an operation. Returns the number of bytes by which the histograms grew. */
static size_t sums_add_use(struct trace_use *u, const struct event *e)
{
	enum part part = sums_part_of(e->op);
	size_t bytes = histogram_add(&u->ns[part], e->ns > 0 ? (uint64_t)e->ns : 0);
	return part == PART_META ? bytes : bytes + histogram_add(&u->size[part], e->requested);
}

/* Add an operation, and the bytes that it read or wrote, to a sum. */
static void sums_add_operation(struct trace_sums *s, struct trace_sum *sum, const struct event *e,
			       bool reads, bool writes)
{
	sum->ops++;
	sum->meta += sums_part_of(e->op) == PART_META;
	time_add(&sum->ns, e->ns);
	sum->read += reads ? e->done : 0;
	sum->written += writes ? e->done : 0;
	if (sum->use)
		s->bytes += sums_add_use(sum->use, e);
}

/*
 * Return the entry for a process and a file, and add it if it is new. Once the memory limit is
 * reached, all further processes share one entry for each file.
 */
static struct trace_place *sums_get_flows(struct trace_sums *s, size_t process, size_t file)
{
	uint64_t key[2] = { process, file };
	uint64_t hash = map_hash((struct str){ (const char *)key, sizeof(key) });
	for (struct map_slot *at = NULL; (at = map_next(&s->found, hash, at));) {
		struct trace_place *p = &s->place[at->value.n];
		if (p->process == process && p->file == file)
			return p;
	}
	if (s->bytes > SUMS_BYTES_MAX && process != SIZE_MAX)
		return sums_get_flows(s, SIZE_MAX, file);
	s->place = vec_reserve(s->place, &s->cap_places, s->n_places + 1, sizeof(*s->place));
	s->place[s->n_places] = (struct trace_place){ process, file, { { 0 } } };
	map_add(&s->found, hash, (union map_value){ .n = s->n_places });
	s->bytes += sizeof(*s->place) + 2 * sizeof(struct map_slot);
	return &s->place[s->n_places++];
}

/*
 * Keep one flow for each process, since processes that share a file (such as MPI ranks) each follow
 * their own pattern. The record of a copy lacks the position in the written file: assume that the
 * process continues where its last write ended.
 */
static void sums_add_flow(struct trace_sums *s, const struct event *e, enum part part,
			  size_t process, size_t file)
{
	struct request_flow *flow = &sums_get_flows(s, process, file)->flow[part];
	bool known = e->op != OP_COPY || part == PART_READ;
	s->jumps += flow_add(flow, known ? e->position : flow->next, e->done);
	rates_add(&s->rates, e->start + e->ns, part == PART_READ ? e->done : 0,
		  part == PART_WRITE ? e->done : 0);
}

/* Add the file that a copy writes; the file that it reads is the path of the record. */
static void sums_add_copied_file(struct trace_sums *s, const struct event *e, size_t process)
{
	size_t file = sums_get_place(s, &s->by_file, e->text);
	sums_add_operation(s, &s->by_file.sum[file], e, false, true);
	sums_add_flow(s, e, PART_WRITE, process, file);
}

static void sums_add_data(struct trace_sums *s, const struct event *e, size_t process, size_t file)
{
	enum part part = sums_part_of(e->op);
	if (part == PART_META)
		return;
	s->data++;
	s->small += e->requested < SMALL_BYTES;
	sums_add_flow(s, e, e->op == OP_COPY ? PART_READ : part, process, file);
	if (e->op == OP_COPY && e->text.n)
		sums_add_copied_file(s, e, process);
}

static void sums_free_slow(struct slow *s)
{
	free(s->path);
	free(s->process);
}

static void sums_add_slow(struct trace_sums *s, const struct event *e, struct str process)
{
	size_t i = SLOWEST - 1;
	if (s->slowest[i].path && s->slowest[i].ns >= e->ns)
		return;
	sums_free_slow(&s->slowest[i]);
	for (; i > 0 && (!s->slowest[i - 1].path || s->slowest[i - 1].ns < e->ns); i--)
		s->slowest[i] = s->slowest[i - 1];
	s->slowest[i] = (struct slow){ e->op, xstrdup(e->path), xstrdup(process), e->start,
				       e->ns };
}

/* Append "22902 /usr/bin/bash", or "(kernel)" for pid 0, for which the kernel names no process. */
static void sums_put_process(struct buf *b, const struct event *e)
{
	if (e->pid == 0) {
		buf_add(b, STR("(kernel)"));
		return;
	}
	buf_addf(b, "%u ", e->pid);
	buf_add(b, e->process.n ? e->process : STR("?"));
}

/* Add to the sums of the operation, and extend the time span of all records. */
static void sums_add_by_op(struct trace_sums *s, const struct event *e)
{
	s->by_op[e->op].n++;
	s->by_op[e->op].failed += e->result != 0;
	time_add(&s->by_op[e->op].ns, e->ns);
	if (e->ns > s->by_op[e->op].longest)
		s->by_op[e->op].longest = e->ns;
	if (s->records == 0 || e->start < s->first)
		s->first = e->start;
	if (e->start + e->ns > s->last)
		s->last = e->start + e->ns;
}

static size_t sums_use_bytes(const struct trace_use *u)
{
	size_t n = sizeof(*u);
	for (int i = 0; i < PARTS; i++)
		n += u->ns[i].cap * sizeof(*u->ns[i].count);
	for (int i = 0; i < PART_META; i++)
		n += u->size[i].cap * sizeof(*u->size[i].count);
	return n;
}

static void sums_free_use(struct trace_use *u)
{
	for (int i = 0; i < PARTS; i++)
		histogram_free(&u->ns[i]);
	for (int i = 0; i < PART_META; i++)
		histogram_free(&u->size[i]);
}

static void sums_drop_use(struct trace_sums *s, struct trace_table *t)
{
	for (size_t i = 0; i < t->n && !t->plain; i++) {
		s->bytes -= sums_use_bytes(t->sum[i].use);
		sums_free_use(t->sum[i].use);
		free(t->sum[i].use);
		t->sum[i].use = NULL;
	}
	t->plain = true;
}

/* Free histograms to make room for names: first the histograms of processes, then of programs. */
static void sums_make_room(struct trace_sums *s)
{
	if (s->bytes > SUMS_BYTES_MAX)
		sums_drop_use(s, &s->by_process);
	if (s->bytes > SUMS_BYTES_MAX)
		sums_drop_use(s, &s->by_program);
}

static void sums_add_losses(struct trace_sums *s, const struct event *e)
{
	s->states_losses = true;
	s->lost += e->lost;
	s->calls32 += e->calls32;
}

static void sums_add_record(struct trace_sums *s, const struct event *e, bool has_result)
{
	struct buf process CLEANUP(buf_free) = { 0 };
	struct str program = e->process.n ? e->process : STR("(kernel)");
	bool reads = e->op == OP_READ || e->op == OP_COPY;
	bool writes = e->op == OP_WRITE || e->op == OP_COPY;
	sums_put_process(&process, e);
	s->by_file.plain = true;
	sums_make_room(s);
	size_t file = sums_get_place(s, &s->by_file, e->path);
	size_t by = sums_get_place(s, &s->by_process, buf_str(&process));
	size_t of = sums_get_place(s, &s->by_program, program);
	sums_add_operation(s, &s->by_file.sum[file], e, reads, e->op == OP_WRITE);
	sums_add_operation(s, &s->by_process.sum[by], e, reads, writes);
	sums_add_operation(s, &s->by_program.sum[of], e, reads, writes);
	s->bytes += sums_add_use(&s->all, e);
	sums_add_data(s, e, by, file);
	sums_add_by_op(s, e);
	s->missing += e->op == OP_STAT && e->result == ENOENT;
	s->results = s->records ? s->results && has_result : has_result;
	s->records++;
	sums_add_slow(s, e, buf_str(&process));
}

void trace_sums_add(struct trace_sums *s, const struct event *e, bool has_result)
{
	s->at_end = e->op == OP_LOST;
	if (s->at_end)
		sums_add_losses(s, e);
	else
		sums_add_record(s, e, has_result);
}

/* Compare by file, then by the lowest offset that the process read or wrote. */
static int sums_compare_places(const void *a, const void *b, enum part part)
{
	const struct trace_place *x = a, *y = b;
	const struct request_flow *f = &x->flow[part], *g = &y->flow[part];
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (f->from > g->from) - (f->from < g->from);
}

/* The processes that read, or that write, one file. */
struct sharing_group {
	/* .n: number of processes; .whole: of those that covered nine tenths of [from, to) */
	size_t n, whole;
	uint64_t from, to, bytes;
	bool apart;		/* the ranges of the processes do not overlap */
	enum order order;
};

static void sums_join_flow(struct sharing_group *g, const struct request_flow *f)
{
	enum order order = flow_order(f);
	if (f->n == 0)
		return;
	g->apart = g->n == 0 || (g->apart && f->from >= g->to);
	g->order = g->n == 0 || g->order == order ? order : ORDER_MIXED;
	if (g->n++ == 0)
		g->from = f->from;
	if (f->to > g->to)
		g->to = f->to;
	g->bytes += f->bytes;
}

static struct sharing_group sums_group_of(const struct trace_place *p, size_t n, enum part part)
{
	struct sharing_group g = { .order = ORDER_NONE };
	for (size_t i = 0; i < n; i++)
		sums_join_flow(&g, &p[i].flow[part]);
	for (size_t i = 0; i < n; i++) {
		const struct request_flow *f = &p[i].flow[part];
		uint64_t most = (g.to - g.from) / 10 * 9;
		g.whole += f->n && f->to - f->from >= most && f->bytes >= most;
	}
	return g;
}

static enum sharing sums_sharing_of(const struct sharing_group *r, const struct sharing_group *w,
				    bool others)
{
	if (w->n > 1)
		return w->apart ? SHARING_WRITE_PARTS : w->bytes <= w->to - w->from ?
		       SHARING_WRITE_INTERLEAVED : SHARING_WRITE_OVERLAPPING;
	if (w->n == 1)
		return others ? SHARING_ONE_WRITER : SHARING_NONE;
	if (r->n < 2)
		return SHARING_NONE;
	return r->whole == r->n ? SHARING_READ_WHOLE : r->apart ? SHARING_READ_PARTS : SHARING_READ;
}

/* Return true if one of the n processes reads the file and does not write to it. */
static bool sums_has_other_reader(const struct trace_place *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].flow[PART_READ].n && p[i].flow[PART_WRITE].n == 0)
			return true;
	return false;
}

static int sums_compare_reads(const void *a, const void *b)
{
	return sums_compare_places(a, b, PART_READ);
}

static int sums_compare_writes(const void *a, const void *b)
{
	return sums_compare_places(a, b, PART_WRITE);
}

/* Count the entries that belong to p's file. They follow each other, starting with p. */
static size_t sums_count_same_file(const struct trace_place *p, const struct trace_place *end)
{
	size_t n = 1;
	while (p + n < end && p[n].file == p->file)
		n++;
	return n;
}

static void sums_find_sharing(struct trace_sum *file, struct trace_place *p, size_t n)
{
	/* the caller has sorted the places by reads */
	struct sharing_group readers = sums_group_of(p, n, PART_READ);
	qsort(p, n, sizeof(*p), sums_compare_writes);
	struct sharing_group writers = sums_group_of(p, n, PART_WRITE);
	file->readers = readers.n;
	file->writers = writers.n;
	file->reads = readers.order;
	file->writes = writers.order;
	file->sharing = sums_sharing_of(&readers, &writers, sums_has_other_reader(p, n));
}

static void sums_find_all_sharing(struct trace_sums *s)
{
	struct trace_place *p = s->place;
	size_t n;
	if (s->n_places == 0)
		return;
	qsort(p, s->n_places, sizeof(*p), sums_compare_reads);
	for (struct trace_place *end = p + s->n_places; p < end; p += n) {
		n = sums_count_same_file(p, end);
		sums_find_sharing(&s->by_file.sum[p->file], p, n);
	}
}

static int sums_compare_time(const void *a, const void *b)
{
	const struct trace_sum *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void sums_sort_table(struct trace_table *t)
{
	if (t->n)
		qsort(t->sum, t->n, sizeof(*t->sum), sums_compare_time);
}

void trace_sums_sort(struct trace_sums *s)
{
	sums_find_all_sharing(s);
	sums_sort_table(&s->by_file);
	sums_sort_table(&s->by_process);
	sums_sort_table(&s->by_program);
}

static void sums_free_table(struct trace_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->sum[i].use)
			sums_free_use(t->sum[i].use);
		free(t->sum[i].use);
		free(t->sum[i].name);
	}
	free(t->sum);
	map_free(&t->found);
}

void trace_sums_free(struct trace_sums *s)
{
	sums_free_table(&s->by_file);
	sums_free_table(&s->by_process);
	sums_free_table(&s->by_program);
	sums_free_use(&s->all);
	free(s->place);
	map_free(&s->found);
	for (size_t i = 0; i < SLOWEST; i++)
		sums_free_slow(&s->slowest[i]);
}
