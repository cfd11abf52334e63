/* SPDX-License-Identifier: BSD-3-Clause */
/* ib_ports.c - collect counters of RDMA ports from one file per counter */
#include "collectors/ib_ports.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "base/vec.h"

#define ADAPTERS "sys/class/infiniband"
/* bytes of an adapter's name: more than IB_DEVICE_NAME_MAX (64) */
#define PORT_NAME_MAX 128
#define PORTS_MAX 4096
#define KEYS_MAX 192		/* largest number of keys of a type */

struct ib_port {
	char device[PORT_NAME_MAX];
	/* directory of the port's counters below ADAPTERS, such as mlx5_0/ports/1/counters */
	char counters[PORT_NAME_MAX];
	const struct port_source *source;
	/* mask of the keys that have a file; most drivers have files for a dozen of some 90 keys */
	uint64_t has[KEYS_MAX / 64];
};

struct ib_port_list {
	size_t n, cap;
	struct ib_port *port;
	struct names adapters, numbers;
};

static void ib_ports_free_state(void *state)
{
	struct ib_port_list *p = state;
	free(p->port);
	names_free(&p->adapters);
	names_free(&p->numbers);
}

/* The file "state" contains "4: ACTIVE" if the port is up. */
bool ib_port_is_down(struct source *s, const char *port)
{
	struct str text, number;
	return source_read_in(s, ADAPTERS, port, "state", &text) == 0 &&
	       !(str_take_until(&text, ':', &number) && str_eq(str_trim(text), STR("ACTIVE")));
}

static bool ib_ports_has_source(struct source *s, const char *counters,
				const struct port_source *source)
{
	struct str text;
	uint64_t v;
	return !source->proof ||
	       (source_read_in(s, ADAPTERS, counters, source->proof, &text) == 0 &&
		str_take_u64(&text, &v));
}

static bool ib_ports_name_fits(int printed)
{
	return printed >= 0 && printed < PORT_NAME_MAX;
}

static bool ib_ports_find_source(struct source *s, const char *dir, struct ib_port *port)
{
	const struct port_type *type = s->data;
	for (size_t i = 0; i < ARRAY_SIZE(type->source) && type->source[i].dir; i++) {
		port->source = &type->source[i];
		if (ib_ports_name_fits(snprintf(port->counters, PORT_NAME_MAX, "%s/%s", dir,
						port->source->dir)) &&
		    ib_ports_has_source(s, port->counters, port->source))
			return true;
	}
	return false;
}

static void ib_ports_add(struct source *s, struct ib_port_list *p, const char *adapter,
			 const char *number)
{
	const struct port_type *type = s->data;
	struct ib_port port = { .source = NULL };
	char dir[PORT_NAME_MAX];

	if (!ib_ports_name_fits(snprintf(dir, sizeof(dir), "%s/ports/%s", adapter, number)) ||
	    ib_port_is_down(s, dir) || !ib_ports_find_source(s, dir, &port) || p->n == PORTS_MAX)
		return;
	snprintf(port.device, sizeof(port.device), "%s%c%s", adapter, type->separator, number);
	p->port = vec_reserve(p->port, &p->cap, p->n + 1, sizeof(*p->port));
	p->port[p->n++] = port;
}

/*
 * Returns true for an Omni-Path adapter (driver hfi1, or a name such as opap59s0 given by
 * rdma_rename). In files where other drivers count words of 4 bytes, hfi1 counts flits of 8 bytes:
 * drivers/infiniband/hw/hfi1/mad.c, pma_get_ib_portcounters_ext().
 */
static bool is_omni_path(const char *adapter)
{
	return str_starts(str_of(adapter), STR("hfi1")) || str_starts(str_of(adapter), STR("opa"));
}

static bool ib_ports_is_wanted(const struct port_type *type, const char *adapter)
{
	return type->of == ANY_ADAPTER || is_omni_path(adapter) == (type->of == OMNI_PATH);
}

static int ib_ports_find(struct source *s, struct ib_port_list *p)
{
	p->n = 0;
	int r = names_list(&p->adapters, &s->files, ADAPTERS, "");
	if (r < 0)
		return source_absent(s, "/" ADAPTERS ": %s", strerror(-r));

	for (size_t i = 0; i < p->adapters.n; i++) {
		const char *adapter = p->adapters.name[i];
		char dir[sizeof(ADAPTERS) + NAME_SIZE + sizeof("/ports")];
		snprintf(dir, sizeof(dir), ADAPTERS "/%s/ports", adapter);
		if (!ib_ports_is_wanted(s->data, adapter) ||
		    names_list(&p->numbers, &s->files, dir, "") < 0)
			/*
			 * ports/ may also be missing because the adapter is a dangling link, such
			 * as scif0 without its driver
			 */
			continue;
		for (size_t k = 0; k < p->numbers.n; k++)
			ib_ports_add(s, p, adapter, p->numbers.name[k]);
	}
	return 0;
}

static const char *ib_ports_file(const struct source *s, const struct ib_port *port, size_t metric)
{
	const struct metric *m = &s->rows.metrics[metric];
	return port->source->files ? port->source->files[metric] : m->key ? m->key : m->name;
}

/* Read the file of one key. A missing file is tried again only at the next rescan. */
static bool read_counter(struct source *s, struct ib_port *port, size_t key, bool look,
			 struct str *ret)
{
	uint64_t bit = (uint64_t)1 << key % 64;
	if (!look && !(port->has[key / 64] & bit))
		return false;

	int r = source_read_in(s, ADAPTERS, port->counters, ib_ports_file(s, port, key), ret);
	if (r != -ENOENT)
		port->has[key / 64] |= bit;
	return r == 0;
}

static void ib_ports_collect_port(struct source *s, struct ib_port *port, bool look)
{
	const struct port_type *type = s->data;
	struct row row = rows_add(&s->rows, str_of(port->device));
	bool found = false;

	for (size_t i = 0; i < s->rows.n_metrics; i++) {
		struct str text;
		uint64_t v;
		if (!read_counter(s, port, i, look, &text) || !str_take_u64(&text, &v) ||
		    (type->saturates && v == UINT32_MAX))
			continue;
		row_set(row, i, v);
		found = true;
	}
	if (!found)
		rows_drop(&s->rows);
}

int ib_ports_collect(struct source *s)
{
	struct ib_port_list *p = source_state(s, sizeof(*p));
	bool look = s->rescan || !p->n;
	assert(s->rows.n_metrics <= KEYS_MAX);
	s->end_state = ib_ports_free_state;
	if (look) {
		int r = ib_ports_find(s, p);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < p->n; i++)
		ib_ports_collect_port(s, &p->port[i], look);

	return s->rows.n ? 0 : source_absent(s, "/" ADAPTERS ": no active port has these counters");
}
