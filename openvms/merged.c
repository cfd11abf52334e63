/* SPDX-License-Identifier: BSD-3-Clause */
/* merged.c - the moments of several files as those of one, a node for each file */
#include "monitor/merged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

struct input_file {
	struct moments from;
	uint32_t wanted;
	enum step step;		/* newest step of the file, not passed on yet */
	bool over;
};

struct merged {
	struct input_file *file;
	size_t n;
	size_t passed;		/* file whose step was passed on; its next one is asked for */
};

static void read_on(struct input_file *f)
{
	if (!f->over)
		f->step = f->from.next(&f->from);
	f->over = f->step == STEP_END;
}

static bool comes_first(const struct input_file *a, const struct input_file *b)
{
	bool waits = a->step == STEP_MOMENT;
	if (waits != (b->step == STEP_MOMENT))
		return !waits;	/* facts of a node come before moments */
	return waits && a->from.moment.stamp < b->from.moment.stamp;
}

/* The file whose step is next; .n: all have ended. */
static size_t choose(const struct merged *g)
{
	size_t first = g->n;
	for (size_t i = 0; i < g->n; i++)
		if (!g->file[i].over &&
		    (first == g->n || comes_first(&g->file[i], &g->file[first])))
			first = i;
	return first;
}

static void take_moment(struct moments *m, struct input_file *f, uint8_t index)
{
	struct moment was = m->moment;
	m->moment = f->from.moment;
	f->from.moment = was;
	m->moment.index = index;
	m->moment.has &= f->wanted;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		m->moment.set[i].index = index;
}

static void take_node(struct moments *m, const struct input_file *f, uint8_t index)
{
	const struct vms_node *n = f->from.node[f->from.index];
	struct vms_node *to = moments_node(m, index);
	if (n)
		*to = *n;
	to->index = index;
}

/* The last one's end is that of the file; others leave it. */
static enum step end_of(struct moments *m, struct merged *g, size_t i)
{
	m->failed |= g->file[i].from.failed;
	g->passed = g->n;
	m->index = (uint8_t)i;
	return choose(g) == g->n ? STEP_END : STEP_GONE;
}

static enum step next(struct moments *m)
{
	struct merged *g = m->state;
	if (g->passed < g->n) {
		read_on(&g->file[g->passed]);
		if (g->file[g->passed].over)
			return end_of(m, g, g->passed);
	}
	size_t i = g->passed = choose(g);
	if (i == g->n)
		return STEP_END;
	struct input_file *f = &g->file[i];
	m->index = (uint8_t)i;
	if (f->step == STEP_MOMENT)
		take_moment(m, f, m->index);
	else if (f->step == STEP_NODE)
		take_node(m, f, m->index);
	return f->step;
}

static void close_merged(struct moments *m)
{
	struct merged *g = m->state;
	for (size_t i = 0; i < g->n; i++)
		moments_close(&g->file[i].from);
	free(g->file);
	free(g);
}

/* Opens a file and reads its first step. The intervals of recordings must be equal. */
static int open_file(struct moments *m, struct input_file *f, const struct played_file *file,
		     uint32_t wanted)
{
	f->wanted = wanted & ~(1u << VMS_RMS);
	int e = played_open(&f->from, file, &f->wanted);
	if (e < 0)
		return e;
	if (m->interval && f->from.interval && m->interval != f->from.interval) {
		log_error("%s: was recorded every %u s, others every %u s: a recording has one "
			  "interval", file->path, f->from.interval, m->interval);
		return -EINVAL;
	}
	if (f->from.interval)
		m->interval = f->from.interval;
	read_on(f);
	return 0;
}

int merged_open(struct moments *m, const struct played_file *file, size_t n, uint32_t wanted)
{
	struct merged *g = xrealloc(NULL, sizeof(*g));
	int e = n > VMS_NODES_MAX ? -E2BIG : 0;

	*g = (struct merged){ .file = xrealloc(NULL, n * sizeof(*g->file)), .n = n, .passed = n };
	memset(g->file, 0, n * sizeof(*g->file));
	*m = (struct moments){ .next = next, .close = close_merged, .state = g,
			       .name = file->path };
	if (e < 0)
		log_error("a recording holds %d nodes", VMS_NODES_MAX);
	for (size_t i = 0; i < n && e == 0; i++)
		e = open_file(m, &g->file[i], &file[i], wanted);
	return e;
}
