/* SPDX-License-Identifier: BSD-3-Clause */
/* merged.c - merge the samples of several files into one stream, with a node for each file */
#include "openvms/merged.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"

struct input_file {
	struct moments from;
	uint32_t wanted;
	enum step step;		/* next event of the file */
	bool over;
	bool has_index;		/* .index is known */
	uint8_t index;
};

struct merged {
	struct input_file *file;
	size_t n;
	/*
	 * index of the file whose event was returned last, and whose next event must be read; .n
	 * (the number of files) if there is none
	 */
	size_t passed;
};

/* End a file with an error if it has a second node: the merged stream has one node per file. */
static void merged_check_index(struct input_file *f)
{
	uint8_t index = f->step == STEP_MOMENT ? f->from.moment.index : f->from.index;
	if (f->step != STEP_END && f->has_index && index != f->index) {
		log_error("%s: has several nodes; record each one with --node first",
			  f->from.name);
		f->from.failed = true;
		f->step = STEP_END;
	}
	f->has_index = true;
	f->index = index;
}

static void merged_read_step(struct input_file *f)
{
	if (!f->over)
		f->step = f->from.next(&f->from);
	merged_check_index(f);
	f->over = f->step == STEP_END;
}

static bool merged_comes_first(const struct input_file *a, const struct input_file *b)
{
	bool waits = a->step == STEP_MOMENT;
	if (waits != (b->step == STEP_MOMENT))
		return !waits;	/* STEP_NODE and STEP_GONE come before samples */
	return waits && a->from.moment.stamp < b->from.moment.stamp;
}

/* Return the index of the file whose event comes next, or .n if all files have ended. */
static size_t merged_choose_file(const struct merged *g)
{
	size_t first = g->n;
	for (size_t i = 0; i < g->n; i++)
		if (!g->file[i].over &&
		    (first == g->n || merged_comes_first(&g->file[i], &g->file[first])))
			first = i;
	return first;
}

static void merged_take_node(struct moments *m, const struct input_file *f, uint8_t index)
{
	const struct vms_node *n = f->from.node[f->index];
	struct vms_node *to = moments_node(m, index);
	if (n)
		*to = *n;
	to->index = index;
}

static void merged_take_moment(struct moments *m, struct input_file *f, uint8_t index)
{
	struct monitor_moment was = m->moment;
	m->moment = f->from.moment;
	f->from.moment = was;
	m->moment.index = index;
	m->moment.has &= f->wanted;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		m->moment.set[i].index = index;
	merged_take_node(m, f, index);
}

/* End file i. Returns STEP_END if no file is left, otherwise STEP_GONE, because its node leaves. */
static enum step merged_end_file(struct moments *m, struct merged *g, size_t i)
{
	m->failed |= g->file[i].from.failed;
	g->passed = g->n;
	m->index = (uint8_t)i;
	return merged_choose_file(g) == g->n ? STEP_END : STEP_GONE;
}

static enum step merged_next(struct moments *m)
{
	struct merged *g = m->state;
	if (g->passed < g->n) {
		merged_read_step(&g->file[g->passed]);
		if (g->file[g->passed].over)
			return merged_end_file(m, g, g->passed);
	}
	size_t i = g->passed = merged_choose_file(g);
	if (i == g->n)
		return STEP_END;
	struct input_file *f = &g->file[i];
	m->index = (uint8_t)i;
	if (f->step == STEP_MOMENT)
		merged_take_moment(m, f, m->index);
	else if (f->step == STEP_NODE)
		merged_take_node(m, f, m->index);
	return f->step;
}

static void merged_close(struct moments *m)
{
	struct merged *g = m->state;
	for (size_t i = 0; i < g->n; i++)
		moments_close(&g->file[i].from);
	free(g->file);
	free(g);
}

/*
 * Open a file and read its first event. Fails if its interval differs from that of earlier files.
 */
static int merged_open_file(struct moments *m, struct input_file *f, const struct played_file *file,
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
	merged_read_step(f);
	return 0;
}

int merged_open(struct moments *m, const struct played_file *file, size_t n, uint32_t wanted)
{
	struct merged *g = xrealloc(NULL, sizeof(*g));
	int e = n > VMS_NODES_MAX ? -E2BIG : 0;

	*g = (struct merged){ .file = xrealloc(NULL, n * sizeof(*g->file)), .n = n, .passed = n };
	memset(g->file, 0, n * sizeof(*g->file));
	*m = (struct moments){ .next = merged_next, .close = merged_close, .state = g,
			       .name = file->path };
	if (e < 0)
		log_error("a recording holds at most %d nodes", VMS_NODES_MAX);
	for (size_t i = 0; i < n && e == 0; i++)
		e = merged_open_file(m, &g->file[i], &file[i], wanted);
	return e;
}
