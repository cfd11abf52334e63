/* SPDX-License-Identifier: BSD-3-Clause */
/* played_recording.c - the moments of a MONITOR recording */
#include "monitor/played.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/log.h"

struct playing {
	struct vms_recording r;
	struct looked *in;
	const char *name;
	uint32_t wanted;
	bool waits;		/* .event was read, and is of the next moment */
	enum vms_event event;
	size_t last;		/* the class that the moment had last */
};

static void note(void *arg, uint64_t offset, const char *what)
{
	struct playing *p = arg;
	log_warning("%s: at byte %" PRIu64 ": %s", p->name, offset, what);
}

static void say_end(struct moments *m, const struct playing *p)
{
	if (p->r.end == VMS_END_WHOLE)
		return;
	log_warning("%s: %s", p->name, vms_end_text(p->r.end));
	m->failed = p->r.end != VMS_END_TORN;
}

/* Takes the set over: the moment's memory goes to the reader. */
static void add_set(struct moments *m, struct playing *p)
{
	struct vms_set *s = &p->r.set, *to = &m->moment.set[s->number];
	p->last = s->number;
	if (!(p->wanted >> s->number & 1) || s->opaque)
		return;
	if (!m->moment.has) {
		m->moment.stamp = s->stamp;
		m->moment.index = s->index;
	}
	struct buf memory = to->blocks;
	*to = *s;
	s->blocks = memory;
	vms_set_clear(s, s->number);
	m->moment.has |= 1u << to->number;
}

static void take_node(struct moments *m, const struct playing *p)
{
	const struct vms_node *n = p->r.node[p->r.index];
	m->index = p->r.index;
	if (n)
		*moments_node(m, m->index) = *n;
}

static void add_file(struct moments *m, struct str name)
{
	if (m->n_files == VMS_ELEMENTS_MAX)
		return;
	buf_add(&m->files, name);
	buf_add_char(&m->files, '\0');
	m->n_files++;
}

static bool ends_moment(const struct moments *m, const struct playing *p)
{
	const struct vms_set *s = &p->r.set;
	return m->moment.has && (p->event != VMS_CLASS_IS || s->number <= p->last ||
				 s->index != m->moment.index);
}

/* Takes an event. Returns its step; -1: the caller waits for no such event. */
static int take(struct moments *m, struct playing *p)
{
	switch (p->event) {
	case VMS_CLASS_IS:
		add_set(m, p);
		return -1;
	case VMS_FILE_IS:
		add_file(m, p->r.file);
		return -1;
	case VMS_NODE_IS:
		take_node(m, p);
		return STEP_NODE;
	case VMS_NODE_LEFT:
		m->index = p->r.index;
		return STEP_GONE;
	case VMS_RECORDING_ENDS:
		say_end(m, p);
		return STEP_END;
	}
	return -1;
}

static enum step next(struct moments *m)
{
	struct playing *p = m->state;
	moment_clear(&m->moment);
	for (;;) {
		if (!p->waits)
			p->event = vms_recording_next(&p->r);
		p->waits = ends_moment(m, p);
		if (p->waits)
			return STEP_MOMENT;
		int step = take(m, p);
		if (step >= 0)
			return (enum step)step;
	}
}

static void close_playing(struct moments *m)
{
	struct playing *p = m->state;
	vms_recording_close(&p->r);
	looked_free(p->in);
	free(p);
}

/* Classes that the file has, by its header; -ENODATA: none of those that are wanted. */
static int choose(const struct playing *p, uint32_t *wanted)
{
	uint32_t has = 0;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (vms_has_class(p->r.header.classes, i))
			has |= 1u << i;
	*wanted &= has;
	return *wanted ? 0 : -ENODATA;
}

int played_recording(struct moments *m, struct looked *in, uint32_t *wanted)
{
	struct playing *p = xrealloc(NULL, sizeof(*p));
	struct byte_source src = looked_source(in);
	struct vms_listener listener = { note, p };
	*p = (struct playing){ .in = in, .name = m->name };
	int r = vms_recording_open(&p->r, &src, &listener);
	if (r < 0 && p->r.end == VMS_END_NOT_VMS && !p->r.records) {
		vms_recording_close(&p->r);
		free(p);
		return -ENOEXEC;
	}
	m->state = p;
	m->next = next;
	m->close = close_playing;
	in->decided = true;
	if (r < 0) {
		log_error("%s: %s", m->name, vms_end_text(p->r.end));
		return r;
	}
	r = choose(p, wanted);
	if (r < 0)
		log_error("%s: has none of these classes", m->name);
	p->wanted = *wanted;
	m->interval = p->r.header.interval;
	str_copy(m->comment, sizeof(m->comment), str_of(p->r.header.comment));
	return r;
}
