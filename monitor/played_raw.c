/* SPDX-License-Identifier: BSD-3-Clause */
/* played_raw.c - the moments of a raw file: its records as classes of MONITOR */
#include "monitor/played.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "formats/format.h"
#include "formats/vms/vms_time.h"
#include "monitor/mapper.h"

#define PAGE_BYTES 4096		/* a raw file does not say */

struct playing {
	struct record_source from;
	struct looked *in;
	struct mapper mapper;
	const char *name;
	bool held;		/* the record that named the node is still to come */
	const struct record *record;
	struct moments *moments;
	int64_t last;
};

static void note(void *arg, enum record_defect kind, uint64_t line, const char *what)
{
	struct playing *p = arg;
	if (kind == RECORD_UNREADABLE) {
		p->moments->failed = true;
		if (input_error(p->in->in))
			what = input_why(input_error(p->in->in));
	}
	log_warning("%s:%" PRIu64 ": %s", p->name, line, what);
}

static size_t count_rows(const struct record *g, const char *type)
{
	size_t n = 0;
	for (size_t i = 0; i < g->n_types; i++)
		n += strcmp(g->rows[i].type->name, type) == 0 ? g->rows[i].n : 0;
	return n;
}

static uint64_t sum_rows(const struct record_rows *rows, const char *name)
{
	int key = record_key_find(rows->type, name);
	uint64_t v = 0;
	for (size_t i = 0; key >= 0 && i < rows->n; i++)
		if (row_has(&rows->row[i], (size_t)key))
			v += rows->row[i].value[key];
	return v;
}

static uint64_t sum(const struct record *g, const char *type, const char *name)
{
	uint64_t v = 0;
	for (size_t i = 0; i < g->n_types; i++)
		if (strcmp(g->rows[i].type->name, type) == 0)
			v += sum_rows(&g->rows[i], name);
	return v;
}

/* Takes the node's facts from the header and from the first rows. */
static void tell_node(struct moments *m, const struct playing *p)
{
	const struct record *g = p->record;
	struct vms_node *n = moments_node(m, 0);
	struct str host = record_host(&p->from, g), uptime = record_property(&p->from, "uptime");
	uint64_t up, memory = sum(g, "mem", "MemTotal") * 1024 / PAGE_BYTES;
	size_t cpus = count_rows(g, "cpu");

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
	n->noted = true;
}

static enum step next(struct moments *m)
{
	struct playing *p = m->state;
	m->index = 0;
	if (!p->held && record_next(&p->from, &p->record) <= 0)
		return STEP_END;
	if (!p->held && (p->record->restart || !m->node[0])) {
		p->held = true;
		tell_node(m, p);
		return STEP_NODE;
	}
	p->held = false;
	int64_t stamp = vms_time(p->record->usec);
	m->moment.stamp = p->last = stamp < p->last ? p->last : stamp;
	m->moment.index = 0;
	mapper_take(&p->mapper, p->record, &m->moment);
	return STEP_MOMENT;
}

static void close_playing(struct moments *m)
{
	struct playing *p = m->state;
	record_source_end(&p->from);
	mapper_free(&p->mapper);
	looked_free(p->in);
	free(p);
}

void played_raw(struct moments *m, struct looked *in, uint32_t wanted)
{
	struct playing *p = xrealloc(NULL, sizeof(*p));
	struct byte_source src = looked_source(in);
	*p = (struct playing){ .in = in, .name = m->name, .moments = m };
	p->from = records_open(&src, &(struct record_listener){ note, p });
	mapper_init(&p->mapper, wanted, PAGE_BYTES);
	m->state = p;
	m->next = next;
	m->close = close_playing;
}
