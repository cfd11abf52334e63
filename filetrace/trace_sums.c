/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_sums.c - what recorded operations come to: by program, process, file, operation and time */
#include "tracers/files/trace_sums.h"

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

static size_t find(const struct trace_table *t, struct str name)
{
	uint64_t hash = map_hash(name);
	for (struct map_slot *at = NULL; (at = map_next(&t->found, hash, at));)
		if (str_eq(str_of(t->sum[at->value.n].name), name))
			return at->value.n;
	return t->n;
}

/* Adds a sum if the name is new and there is room; "(others)" has room always. */
static size_t place_of(struct trace_sums *s, struct trace_table *t, struct str name)
{
	size_t i = find(t, name);
	if (i == t->n && s->bytes > SUMS_BYTES_MAX) {
		name = STR("(others)");
		i = find(t, name);
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

static enum part part_of(enum operation op)
{
	return op == OP_READ ? PART_READ : op == OP_WRITE || op == OP_COPY ? PART_WRITE : PART_META;
}

/* Returns the bytes that it has become larger. */
static size_t add_use(struct trace_use *u, const struct event *e)
{
	enum part part = part_of(e->op);
	size_t bytes = histogram_add(&u->ns[part], e->ns > 0 ? (uint64_t)e->ns : 0);
	return part == PART_META ? bytes : bytes + histogram_add(&u->size[part], e->asked);
}

static void add_to(struct trace_sums *s, struct trace_sum *sum, const struct event *e)
{
	enum part part = part_of(e->op);
	sum->ops++;
	sum->meta += part == PART_META;
	time_add(&sum->ns, e->ns);
	if (part == PART_READ)
		sum->read += e->done;
	else if (part == PART_WRITE)
		sum->written += e->done;
	if (sum->use)
		s->bytes += add_use(sum->use, e);
}

/* Without room in the tables all further processes are one place, in each file. */
static struct trace_place *flows_of(struct trace_sums *s, size_t process, size_t file)
{
	uint64_t key[2] = { process, file };
	uint64_t hash = map_hash((struct str){ (const char *)key, sizeof(key) });
	for (struct map_slot *at = NULL; (at = map_next(&s->found, hash, at));) {
		struct trace_place *p = &s->place[at->value.n];
		if (p->process == process && p->file == file)
			return p;
	}
	if (s->bytes > SUMS_BYTES_MAX && process != SIZE_MAX)
		return flows_of(s, SIZE_MAX, file);
	s->place = vec_reserve(s->place, &s->cap_places, s->n_places + 1, sizeof(*s->place));
	s->place[s->n_places] = (struct trace_place){ process, file, { { 0 } } };
	map_add(&s->found, hash, (union map_value){ .n = s->n_places });
	s->bytes += sizeof(*s->place) + 2 * sizeof(struct map_slot);
	return &s->place[s->n_places++];
}

/* Processes that share a file, as ranks do, each go their own way. */
static void add_data(struct trace_sums *s, const struct event *e, size_t process, size_t file)
{
	enum part part = part_of(e->op);
	struct trace_place *place = flows_of(s, process, file);
	s->data++;
	s->small += e->asked < SMALL_BYTES;
	s->jumps += flow_add(&place->flow[part], e->position, e->done);
	rates_add(&s->rates, e->start + e->ns, part == PART_READ ? e->done : 0,
		  part == PART_WRITE ? e->done : 0);
}

static void slow_free(struct slow *s)
{
	free(s->path);
	free(s->process);
}

static void add_slow(struct trace_sums *s, const struct event *e, struct str process)
{
	size_t i = SLOWEST - 1;
	if (s->slowest[i].path && s->slowest[i].ns >= e->ns)
		return;
	slow_free(&s->slowest[i]);
	for (; i > 0 && (!s->slowest[i - 1].path || s->slowest[i - 1].ns < e->ns); i--)
		s->slowest[i] = s->slowest[i - 1];
	s->slowest[i] = (struct slow){ e->op, xstrdup(e->path), xstrdup(process), e->start,
				       e->ns };
}

/* "22902 /usr/bin/bash"; the kernel names none for pid 0. */
static void put_process(struct buf *b, const struct event *e)
{
	if (e->pid == 0) {
		buf_add(b, STR("(kernel)"));
		return;
	}
	buf_addf(b, "%u ", e->pid);
	buf_add(b, e->process.n ? e->process : STR("?"));
}

/* The operation's own sums, and the time that all records are of. */
static void add_moment(struct trace_sums *s, const struct event *e)
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

static size_t use_bytes(const struct trace_use *u)
{
	size_t n = sizeof(*u);
	for (int i = 0; i < PARTS; i++)
		n += u->ns[i].cap * sizeof(*u->ns[i].count);
	for (int i = 0; i < PART_META; i++)
		n += u->size[i].cap * sizeof(*u->size[i].count);
	return n;
}

static void free_use(struct trace_use *u)
{
	for (int i = 0; i < PARTS; i++)
		histogram_free(&u->ns[i]);
	for (int i = 0; i < PART_META; i++)
		histogram_free(&u->size[i]);
}

static void drop_use(struct trace_sums *s, struct trace_table *t)
{
	for (size_t i = 0; i < t->n && !t->plain; i++) {
		s->bytes -= use_bytes(t->sum[i].use);
		free_use(t->sum[i].use);
		free(t->sum[i].use);
		t->sum[i].use = NULL;
	}
	t->plain = true;
}

/* Histograms give way to names: those of processes first, then those of programs. */
static void make_room(struct trace_sums *s)
{
	if (s->bytes > SUMS_BYTES_MAX)
		drop_use(s, &s->by_process);
	if (s->bytes > SUMS_BYTES_MAX)
		drop_use(s, &s->by_program);
}

static void add_losses(struct trace_sums *s, const struct event *e)
{
	s->states_losses = true;
	s->lost += e->lost;
	s->calls32 += e->calls32;
}

static void add_operation(struct trace_sums *s, const struct event *e, bool has_result)
{
	struct buf process CLEANUP(buf_free) = { 0 };
	struct str program = e->process.n ? e->process : STR("(kernel)");
	put_process(&process, e);
	s->by_file.plain = true;
	make_room(s);
	size_t file = place_of(s, &s->by_file, e->path);
	size_t by = place_of(s, &s->by_process, buf_str(&process));
	size_t of = place_of(s, &s->by_program, program);
	add_to(s, &s->by_file.sum[file], e);
	add_to(s, &s->by_process.sum[by], e);
	add_to(s, &s->by_program.sum[of], e);
	s->bytes += add_use(&s->all, e);
	if (part_of(e->op) != PART_META)
		add_data(s, e, by, file);
	add_moment(s, e);
	s->missing += e->op == OP_STAT && e->result == ENOENT;
	s->results = s->records ? s->results && has_result : has_result;
	s->records++;
	add_slow(s, e, buf_str(&process));
}

void trace_sums_add(struct trace_sums *s, const struct event *e, bool has_result)
{
	s->at_end = e->op == OP_LOST;
	if (s->at_end)
		add_losses(s, e);
	else
		add_operation(s, e, has_result);
}

/* By file, then by where the process began in it. */
static int by_file(const void *a, const void *b, enum part part)
{
	const struct trace_place *x = a, *y = b;
	const struct flow *f = &x->flow[part], *g = &y->flow[part];
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (f->from > g->from) - (f->from < g->from);
}

/* The processes that read, or write, a file. */
struct group {
	size_t n, whole;	/* processes; of them with nine of ten parts of the extent */
	uint64_t from, to, bytes;
	bool apart;		/* nobody has bytes of another */
	enum order order;
};

static void join(struct group *g, const struct flow *f)
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

static struct group group_of(const struct trace_place *p, size_t n, enum part part)
{
	struct group g = { .order = ORDER_NONE };
	for (size_t i = 0; i < n; i++)
		join(&g, &p[i].flow[part]);
	for (size_t i = 0; i < n; i++) {
		const struct flow *f = &p[i].flow[part];
		uint64_t most = (g.to - g.from) / 10 * 9;
		g.whole += f->n && f->to - f->from >= most && f->bytes >= most;
	}
	return g;
}

static enum sharing sharing_of(const struct group *r, const struct group *w, bool others)
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

/* Whether somebody reads who does not write. */
static bool has_other_reader(const struct trace_place *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].flow[PART_READ].n && p[i].flow[PART_WRITE].n == 0)
			return true;
	return false;
}

static int by_reads(const void *a, const void *b)
{
	return by_file(a, b, PART_READ);
}

static int by_writes(const void *a, const void *b)
{
	return by_file(a, b, PART_WRITE);
}

/* How many places from p on are of its file. */
static size_t same_file(const struct trace_place *p, const struct trace_place *end)
{
	size_t n = 1;
	while (p + n < end && p[n].file == p->file)
		n++;
	return n;
}

static void find_sharing(struct trace_sum *file, struct trace_place *p, size_t n)
{
	struct group readers = group_of(p, n, PART_READ);	/* the caller has sorted them */
	qsort(p, n, sizeof(*p), by_writes);
	struct group writers = group_of(p, n, PART_WRITE);
	file->readers = readers.n;
	file->writers = writers.n;
	file->reads = readers.order;
	file->writes = writers.order;
	file->sharing = sharing_of(&readers, &writers, has_other_reader(p, n));
}

static void find_all_sharing(struct trace_sums *s)
{
	struct trace_place *p = s->place;
	size_t n;
	if (s->n_places == 0)
		return;
	qsort(p, s->n_places, sizeof(*p), by_reads);
	for (struct trace_place *end = p + s->n_places; p < end; p += n) {
		n = same_file(p, end);
		find_sharing(&s->by_file.sum[p->file], p, n);
	}
}

static int compare(const void *a, const void *b)
{
	const struct trace_sum *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void sort(struct trace_table *t)
{
	if (t->n)
		qsort(t->sum, t->n, sizeof(*t->sum), compare);
}

void trace_sums_sort(struct trace_sums *s)
{
	find_all_sharing(s);
	sort(&s->by_file);
	sort(&s->by_process);
	sort(&s->by_program);
}

static void free_table(struct trace_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->sum[i].use)
			free_use(t->sum[i].use);
		free(t->sum[i].use);
		free(t->sum[i].name);
	}
	free(t->sum);
	map_free(&t->found);
}

void trace_sums_free(struct trace_sums *s)
{
	free_table(&s->by_file);
	free_table(&s->by_process);
	free_table(&s->by_program);
	free_use(&s->all);
	free(s->place);
	map_free(&s->found);
	for (size_t i = 0; i < SLOWEST; i++)
		slow_free(&s->slowest[i]);
}
