/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ib_sw - traffic of each active InfiniBand port, as counted by the switch that it is cabled to
 *
 * The keys are seen from this node: "received" is what the switch's port sent. The counters
 * continue when the node reboots, and decrease when somebody clears the counters in the switch.
 */
#include "collectors/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "collectors/ib_mad.h"
#include "collectors/ib_ports.h"
#include "schema/types/ib_sw.h"

#define UMADS "sys/class/infiniband_mad"
#define ADAPTERS "sys/class/infiniband"
#define ADAPTER_MAX 64		/* as IB_DEVICE_NAME_MAX of the kernel */
#define PORTS_MAX 64

static const enum ib_switch_key key[] = {
	IB_XMIT_DATA, IB_XMIT_PACKETS, IB_RCV_DATA, IB_RCV_PACKETS,
};
_Static_assert(ARRAY_SIZE(key) == IB_SW_KEYS, "one counter each");

struct ib_sw_port {
	char adapter[ADAPTER_MAX];
	int number;
	struct ibmad_port *mad;
	struct ib_switch at;
};

struct ib_sw_ports {
	const struct ib_mad *lib;	/* NULL until the library is loaded */
	size_t n;
	struct ib_sw_port port[PORTS_MAX];
};

static void close_ports(struct ib_sw_ports *p)
{
	while (p->n)
		p->lib->close(p->port[--p->n].mad);
}

static void ib_sw_free_state(void *state)
{
	close_ports(state);
}

/*
 * Find the active InfiniBand port (not Ethernet) of a umad device. Returns false if there is none.
 */
static bool ib_sw_read_port(struct source *s, const char *umad, struct ib_sw_port *p)
{
	char dir[ADAPTER_MAX + sizeof("/ports/255")];
	struct str text;
	uint64_t number;
	if (source_read_in(s, UMADS, umad, "ibdev", &text) < 0 ||
	    !str_copy(p->adapter, sizeof(p->adapter), str_trim(text)) ||
	    source_read_in(s, UMADS, umad, "port", &text) < 0 ||
	    !str_take_u64(&text, &number) || number > UINT8_MAX)
		return false;

	p->number = (int)number;
	snprintf(dir, sizeof(dir), "%s/ports/%d", p->adapter, p->number);
	return source_read_in(s, ADAPTERS, dir, "link_layer", &text) == 0 &&
	       str_eq(str_trim(text), STR("InfiniBand")) && !ib_port_is_down(s, dir);
}

static int list_umads(struct source *s)
{
	if (s->files.in_root)
		return source_absent(s, "captured tree: no switch to query");
	int n = source_devices(s, UMADS, "umad");
	return n < 0 ? source_absent(s, "/" UMADS ": %s; is module ib_umad loaded?", strerror(-n)) :
		       n;
}

static int no_port(struct source *s)
{
	return source_absent(s, "/" UMADS " has no active InfiniBand port");
}

static int ib_sw_present(struct source *s)
{
	struct ib_sw_port p;
	int n = list_umads(s);
	for (int i = 0; i < n; i++)
		if (ib_sw_read_port(s, source_device_name(s, (size_t)i), &p))
			return 0;
	return n < 0 ? n : no_port(s);
}

/* Check that the umad device can be opened: libibumad would report any failure as EIO. */
static int try_device(struct source *s, const char *umad)
{
	char path[64];
	snprintf(path, sizeof(path), "dev/infiniband/%s", umad);
	int fd CLEANUP(close_fd) = files_open(&s->files, path, O_RDWR | O_NONBLOCK);
	return fd < 0 ? source_absent(s, "/%s: %s", path, strerror(-fd)) : 0;
}

/*
 * Explain error r in s->why. Returns -ENOENT if no suitable switch is at the other end of the
 * cable, or -EIO if the request failed.
 */
static int ib_sw_report(struct source *s, const struct ib_sw_port *p, int r)
{
	if (r == -ENOTCONN)
		return source_absent(s, "%s/%d is cabled to another adapter, not to a switch",
				     p->adapter, p->number);
	if (r == -EOPNOTSUPP)
		return source_absent(s, "the switch at %s/%d has no 64-bit counters", p->adapter,
				     p->number);
	source_absent(s, "the switch at %s/%d: %s", p->adapter, p->number, strerror(-r));
	return -EIO;
}

static int ib_sw_add_port(struct source *s, struct ib_sw_ports *all, const char *umad,
			  struct ib_sw_port *p)
{
	int r = try_device(s, umad);
	if (r < 0)
		return r;
	p->mad = all->lib->open(p->adapter, p->number);
	if (!p->mad)
		return source_absent(s, "libibmad cannot open %s/%d: %s", p->adapter, p->number,
				     strerror(errno));
	r = all->lib->find_switch(p->mad, p->number, &p->at);
	if (r < 0) {
		all->lib->close(p->mad);
		return ib_sw_report(s, p, r);
	}
	all->port[all->n++] = *p;
	return 0;
}

/*
 * Find the ports. Returns 0 if at least one port's switch answers, else the error of the last port.
 */
static int ib_sw_find_ports(struct source *s, struct ib_sw_ports *all)
{
	const char *why;
	int n = list_umads(s), r = 0;
	bool any = false;
	close_ports(all);
	if (n < 0)
		return n;
	all->lib = ib_mad_load(&why);
	if (!all->lib)
		return source_absent(s, "%s", why);

	for (int i = 0; i < n && all->n < PORTS_MAX; i++) {
		struct ib_sw_port p;
		const char *umad = source_device_name(s, (size_t)i);
		if (!ib_sw_read_port(s, umad, &p))
			continue;
		any = true;
		r = ib_sw_add_port(s, all, umad, &p);
	}
	return all->n ? 0 : any ? r : no_port(s);
}

static int ib_sw_collect_port(struct source *s, const struct ib_mad *lib,
			      const struct ib_sw_port *p)
{
	char device[ADAPTER_MAX + sizeof("/255")];
	uint64_t value[IB_SWITCH_KEYS];
	int r = lib->counters(p->mad, &p->at, value);
	if (r < 0)
		return ib_sw_report(s, p, r);

	snprintf(device, sizeof(device), "%s/%d", p->adapter, p->number);
	struct row row = rows_add(&s->rows, str_of(device));
	for (size_t i = 0; i < s->rows.n_metrics; i++)
		row_set(row, i, value[key[i]]);
	return 0;
}

static int ib_sw_collect(struct source *s)
{
	struct ib_sw_ports *all = source_state(s, sizeof(*all));
	int r = 0;
	s->end_state = ib_sw_free_state;
	if (s->rescan || !all->n) {
		r = ib_sw_find_ports(s, all);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < all->n; i++)
		r = ib_sw_collect_port(s, all->lib, &all->port[i]);
	return s->rows.n ? 0 : r;
}

const struct collector ib_sw_collector = {
	.type    = &ib_sw_type,
	.collect = ib_sw_collect,
	.present = ib_sw_present,
};
