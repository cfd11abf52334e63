/* SPDX-License-Identifier: BSD-3-Clause */
/* played.c - read samples from MONITOR recordings and raw files */
#include "openvms/played.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/when.h"
#include "formats/format.h"
#include "formats/vms/vms_time.h"
#include "openvms/mapper.h"

#define PAGE_BYTES 4096		/* assumed page size, which raw files do not state */

/*
 * An input file. .seen keeps the first bytes, which are read to detect the format and then again.
 */
struct played_input {
	struct input *in;
	struct byte_source src;
	struct buf seen;
	size_t at;
	bool decided;
};

static ssize_t played_read_again(void *arg, char *to, size_t n)
{
	struct played_input *in = arg;
	if (in->at < in->seen.n) {
		size_t few = in->seen.n - in->at < n ? in->seen.n - in->at : n;
		memcpy(to, in->seen.p + in->at, few);
		in->at += few;
		return (ssize_t)few;
	}
	ssize_t got = in->src.read(in->src.arg, to, n);
	if (got > 0 && !in->decided) {
		buf_add(&in->seen, (struct str){ to, (size_t)got });
		in->at = in->seen.n;
	}
	return got;
}

static struct byte_source played_source(struct played_input *in)
{
	return (struct byte_source){ played_read_again, in };
}

static void played_input_free(struct played_input *in)
{
	input_free(in->in);
	buf_free(&in->seen);
	free(in);
}

struct played_recording {
	struct vms_recording r;
	struct played_input *in;
	const char *name;
	uint32_t wanted;
	/* .event was read, but belongs to the next moment: handle it then */
	bool waits;
	enum vms_event event;
	size_t last;		/* number of the class that was read last */
};

static void played_log_recording(void *arg, uint64_t offset, const char *what)
{
	struct played_recording *p = arg;
	log_warning("%s: at byte %" PRIu64 ": %s", p->name, offset, what);
}

static void played_log_end(struct moments *m, const struct played_recording *p)
{
	if (p->r.end == VMS_END_WHOLE)
		return;
	log_warning("%s: %s", p->name, vms_end_text(p->r.end));
	m->failed = p->r.end != VMS_END_TORN;
}

/* Move the class just read into the moment. Buffers are swapped, so no data is copied. */
static void played_add_set(struct moments *m, struct played_recording *p)
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

static void played_take_node(struct moments *m, const struct played_recording *p)
{
	const struct vms_node *n = p->r.node[p->r.index];
	m->index = p->r.index;
	if (n)
		*moments_node(m, m->index) = *n;
}

static void played_add_file(struct moments *m, struct str name)
{
	if (m->n_files == VMS_ELEMENTS_MAX)
		return;
	buf_add(&m->files, name);
	buf_add_char(&m->files, '\0');
	m->n_files++;
}

static bool played_ends_moment(const struct moments *m, const struct played_recording *p)
{
	const struct vms_set *s = &p->r.set;
	return m->moment.has && (p->event != VMS_CLASS_IS || s->number <= p->last ||
				 s->index != m->moment.index);
}

/* Handle p->event. Returns the enum step to report, or -1 if there is nothing to report. */
static int played_take_event(struct moments *m, struct played_recording *p)
{
	switch (p->event) {
	case VMS_CLASS_IS:
		played_add_set(m, p);
		return -1;
	case VMS_FILE_IS:
		played_add_file(m, p->r.file);
		return -1;
	case VMS_NODE_IS:
		played_take_node(m, p);
		return STEP_NODE;
	case VMS_NODE_LEFT:
		m->index = p->r.index;
		free(m->node[m->index]);
		m->node[m->index] = NULL;
		return STEP_GONE;
	case VMS_RECORDING_ENDS:
		played_log_end(m, p);
		return STEP_END;
	}
	return -1;
}

static enum step played_next_of_recording(struct moments *m)
{
	struct played_recording *p = m->state;
	moment_clear(&m->moment);
	for (;;) {
		if (!p->waits)
			p->event = vms_recording_next(&p->r);
		p->waits = played_ends_moment(m, p);
		if (p->waits)
			return STEP_MOMENT;
		int step = played_take_event(m, p);
		if (step >= 0)
			return (enum step)step;
	}
}

static void played_close_recording(struct moments *m)
{
	struct played_recording *p = m->state;
	vms_recording_close(&p->r);
	played_input_free(p->in);
	free(p);
}

/* Remove from *wanted the classes that the file does not have. Returns -ENODATA if none is left. */
static int played_choose_classes(const struct played_recording *p, uint32_t *wanted)
{
	uint32_t has = 0;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (vms_has_class(p->r.header.classes, i))
			has |= 1u << i;
	*wanted &= has;
	return *wanted ? 0 : -ENODATA;
}

static int played_open_recording(struct moments *m, struct played_input *in, uint32_t *wanted)
{
	struct played_recording *p = xrealloc(NULL, sizeof(*p));
	struct byte_source src = played_source(in);
	struct vms_listener listener = { played_log_recording, p };
	*p = (struct played_recording){ .in = in, .name = m->name };
	int r = vms_recording_open(&p->r, &src, &listener);
	if (r < 0 && p->r.end == VMS_END_NOT_VMS && !p->r.records) {
		vms_recording_close(&p->r);
		free(p);
		return -ENOEXEC;
	}
	m->state = p;
	m->next = played_next_of_recording;
	m->close = played_close_recording;
	in->decided = true;
	if (r < 0) {
		log_error("%s: %s", m->name, vms_end_text(p->r.end));
		return r;
	}
	r = played_choose_classes(p, wanted);
	if (r < 0)
		log_error("%s: has none of these classes", m->name);
	p->wanted = *wanted;
	m->interval = p->r.header.interval;
	str_copy(m->comment, sizeof(m->comment), str_of(p->r.header.comment));
	return r;
}

struct played_raw {
	struct record_source from;
	struct played_input *in;
	struct mapper mapper;
	const char *name;
	bool held;		/* STEP_NODE was returned for .record; STEP_MOMENT is next */
	const struct record *record;
	struct moments *moments;
	int64_t last;
};

static void played_log_defect(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	struct played_raw *p = arg;
	if (kind == RECORD_UNREADABLE) {
		p->moments->failed = true;
		if (input_error(p->in->in))
			what = input_why(input_error(p->in->in));
	}
	log_warning("%s:%" PRIu64 ": %s", p->name, line, what);
}

static size_t played_count_rows(const struct record *g, const char *type)
{
	size_t n = 0;
	for (size_t i = 0; i < g->n_types; i++)
		n += strcmp(g->rows[i].type->name, type) == 0 ? g->rows[i].n : 0;
	return n;
}

static uint64_t played_sum_rows(const struct record_rows *rows, const char *name)
{
	int key = record_key_find(rows->type, name);
	uint64_t v = 0;
	for (size_t i = 0; key >= 0 && i < rows->n; i++)
		if (row_has(&rows->row[i], (size_t)key))
			v += rows->row[i].value[key];
	return v;
}

static uint64_t played_sum_type(const struct record *g, const char *type, const char *name)
{
	uint64_t v = 0;
	for (size_t i = 0; i < g->n_types; i++)
		if (strcmp(g->rows[i].type->name, type) == 0)
			v += played_sum_rows(&g->rows[i], name);
	return v;
}

/* Describe the node by the properties of the file header and the rows of the first record. */
static void played_describe_node(struct moments *m, const struct played_raw *p)
{
	const struct record *g = p->record;
	struct vms_node *n = moments_node(m, 0);
	struct str host = record_host(&p->from, g), uptime = record_property(&p->from, "uptime");
	uint64_t up, memory = played_sum_type(g, "mem", "MemTotal") * 1024 / PAGE_BYTES;
	size_t cpus = played_count_rows(g, "cpu");

	str_copy(n->host, sizeof(n->host), host);
	str_copy(n->name, sizeof(n->name),
		 (struct str){ n->host, strcspn(n->host, ".") });
	if (str_take_u64(&uptime, &up) && up <= RECORD_USEC_MAX / 1000000)
		n->boot = vms_time(g->usec - (int64_t)up * 1000000);
	n->cpus = (uint8_t)(cpus < 255 ? cpus : 255);
	n->all_cpus = (uint32_t)cpus;
	n->cpu_mask = cpus < 32 ? (1u << cpus) - 1 : UINT32_MAX;
	n->memory = memory < UINT32_MAX ? (uint32_t)memory : UINT32_MAX;
	n->page_bytes = PAGE_BYTES;
	n->cpu_type = 128;
	n->utc_offset = when_utc_offset(g->usec);
	n->noted = true;
}

static enum step played_next_of_raw(struct moments *m)
{
	struct played_raw *p = m->state;
	m->index = 0;
	if (!p->held && record_next(&p->from, &p->record) <= 0)
		return STEP_END;
	if (!p->held && (p->record->restart || !m->node[0])) {
		p->held = true;
		played_describe_node(m, p);
		return STEP_NODE;
	}
	p->held = false;
	int64_t stamp = vms_time(p->record->usec);
	m->moment.stamp = p->last = stamp < p->last ? p->last : stamp;
	m->moment.index = 0;
	moments_node(m, 0)->utc_offset = when_utc_offset(p->record->usec);
	mapper_take(&p->mapper, p->record, &m->moment);
	return STEP_MOMENT;
}

static void played_close_raw(struct moments *m)
{
	struct played_raw *p = m->state;
	record_source_end(&p->from);
	mapper_free(&p->mapper);
	played_input_free(p->in);
	free(p);
}

static void played_open_raw(struct moments *m, struct played_input *in, uint32_t wanted)
{
	struct played_raw *p = xrealloc(NULL, sizeof(*p));
	struct byte_source src = played_source(in);
	*p = (struct played_raw){ .in = in, .name = m->name, .moments = m };
	p->from = records_open(&src, &(struct record_listener){ played_log_defect, p });
	mapper_init(&p->mapper, wanted, PAGE_BYTES);
	m->state = p;
	m->next = played_next_of_raw;
	m->close = played_close_raw;
}

int played_open(struct moments *m, const struct played_file *file, uint32_t *wanted)
{
	struct played_input *in = xrealloc(NULL, sizeof(*in));
	*in = (struct played_input){ 0 };
	*m = (struct moments){ .name = file->path };
	int r = input_take_file(file->fd, &in->in);
	if (r < 0) {
		struct buf why CLEANUP(buf_free) = { 0 };
		input_explain(&why, file->path, r);
		log_error("%s: " STR_FMT, file->path, STR_ARG(buf_str(&why)));
		free(in);
		return r;
	}
	in->src = input_bytes(in->in);
	r = played_open_recording(m, in, wanted);
	if (r == 0 || r != -ENOEXEC)
		return r;
	in->at = 0;
	in->decided = true;
	played_open_raw(m, in, *wanted);
	return 0;
}
