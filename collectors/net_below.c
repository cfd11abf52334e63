/* SPDX-License-Identifier: BSD-3-Clause */
/* net_below.c - which network interfaces stand on which, from /sys/class/net */
#include "collectors/net_below.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"

#define NET "sys/class/net"

struct interfaces {
	struct names names;
	struct names files;	/* of one of them */
	enum kind {
		OTHER,		/* no directory */
		WIRE,		/* has hardware */
		STACKED,	/* the kernel says on what it stands */
		GUEST,		/* neither: veth, tun, dummy, VPNs */
	} *kind;
};

/* lower_eth0: kernels since 3.13, for all that stands on others; slave_eth0: bonds before that. */
static enum kind take_lowers(struct source *s, const char *name, const struct names *files)
{
	enum kind kind = GUEST;
	for (size_t i = 0; i < files->n; i++) {
		struct str lower = str_of(files->name[i]);
		if (str_eq(lower, STR("device")) && kind == GUEST)
			kind = WIRE;
		if (!str_take_prefix(&lower, STR("lower_")))
			continue;
		rows_stands_on(&s->rows, str_of(name), lower, false);
		kind = STACKED;
	}
	for (size_t i = 0; i < files->n && kind == GUEST; i++) {
		struct str lower = str_of(files->name[i]);
		if (str_take_prefix(&lower, STR("slave_")))
			rows_stands_on(&s->rows, str_of(name), lower, false);
	}
	return kind == GUEST && rows_has_below(&s->rows, str_of(name)) ? STACKED : kind;
}

/* No hardware, and still a wire of its own: modems, and the Gemini and Aries networks of Cray. */
static bool is_own_wire(const char *name)
{
	static const char *const patterns[] = { "lo", "ppp*", "sl[0-9]*", "ipogif*" };
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		if (fnmatch(patterns[i], name, 0) == 0)
			return true;
	return false;
}

/* "eth0.1015" on "eth0", of kernels that have no lower_eth0. */
static bool take_vlan(struct source *s, const struct interfaces *n, const char *name)
{
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot && i < n->names.n; i++) {
		struct str lower = str_of(n->names.name[i]);
		if (!str_eq(lower, (struct str){ name, (size_t)(dot - name) }))
			continue;
		rows_stands_on(&s->rows, str_of(name), lower, false);
		return true;
	}
	return false;
}

/*
 * Traffic of such an interface also goes through a wire, nobody knows which, or never leaves the
 * node. In a container it is the only interface: then it stands on nothing, and counts.
 */
static void take_guest(struct source *s, const struct interfaces *n, const char *name)
{
	if (is_own_wire(name) || take_vlan(s, n, name))
		return;
	for (size_t i = 0; i < n->names.n; i++)
		if (n->kind[i] == WIRE)
			rows_stands_on(&s->rows, str_of(name), str_of(n->names.name[i]), false);
}

void net_below(struct source *s)
{
	struct interfaces n = { 0 };
	bool any = false;
	if (names_list(&n.names, &s->files, NET, "") == 0 && n.names.n) {
		rows_below(&s->rows);
		n.kind = xrealloc(NULL, n.names.n * sizeof(*n.kind));
	}
	for (size_t i = 0; n.kind && i < n.names.n; i++) {
		char path[sizeof(NET) + 1 + NAME_SIZE];
		snprintf(path, sizeof(path), NET "/%s", n.names.name[i]);
		n.kind[i] = OTHER;
		if (names_list(&n.files, &s->files, path, "") == 0)
			n.kind[i] = take_lowers(s, n.names.name[i], &n.files);
		any |= n.kind[i] == WIRE || n.kind[i] == STACKED;
	}
	for (size_t i = 0; n.kind && i < n.names.n; i++)
		if (n.kind[i] == GUEST)
			take_guest(s, &n, n.names.name[i]);
	if (!any)
		rows_below_unknown(&s->rows);
	names_free(&n.names);
	names_free(&n.files);
	free(n.kind);
}
