/* SPDX-License-Identifier: BSD-3-Clause */
/* nfs_xprt.c - sum up the connections of each NFS mount (nconnect= makes several) */
#include "collectors/nfs_xprt.h"

#include <string.h>

/*
 * Values of a mount in the table: the sums, the number of connections, and a struct nfs_xprt for
 * each connection.
 */
enum {
	SUMS, COUNT = SUMS + NFS_XPRT_KEYS, FIRST,
	WIDTH = FIRST + NFS_XPRT_MAX * sizeof(struct nfs_xprt) / sizeof(uint64_t),
};

bool nfs_xprt_take(struct nfs_xprts *x, struct str line)
{
	struct nfs_xprt one;
	struct str word;
	if (!str_take_word(&line, &word))
		return false;
	size_t skip = str_eq(word, STR("udp")) ? 1 : 4;
	if (!str_take_u64(&line, &one.port))
		return false;
	for (; skip; skip--)
		if (!str_take_word(&line, &word))
			return false;
	for (size_t k = 0; k < NFS_XPRT_KEYS; k++)
		if (!str_take_u64(&line, &one.value[k]))
			return false;
	if (x->n < NFS_XPRT_MAX) {
		x->xprt[x->n++] = one;
		return true;
	}
	for (size_t k = 0; k < NFS_XPRT_KEYS; k++)
		x->xprt[x->n - 1].value[k] += one.value[k];
	return true;
}

void nfs_xprt_init(struct part_table *t)
{
	t->width = WIDTH;
}

/*
 * Remove the readings of closed connections. Connections have no names, but keep their order. So
 * each connection continues the next old reading that has its port or, if none has, the next old
 * reading.
 */
static void nfs_xprt_drop_closed(struct nfs_xprt *last, size_t before, const struct nfs_xprts *x)
{
	size_t closed = before - x->n, from = 0;
	for (size_t i = 0; i < x->n; i++, from++) {
		size_t skip = 0;
		while (skip <= closed && last[from + skip].port != x->xprt[i].port)
			skip++;
		if (skip <= closed) {
			from += skip;
			closed -= skip;
		}
		last[i] = last[from];
	}
}

void nfs_xprt_sum(struct part_table *t, uint64_t id, size_t i, const struct nfs_xprts *x,
		  uint64_t sum[NFS_XPRT_KEYS])
{
	uint64_t *mount = part_table_see(t, id, i), before = mount[COUNT];
	struct nfs_xprt *last = (struct nfs_xprt *)(mount + FIRST);
	if (x->n < before)
		nfs_xprt_drop_closed(last, before, x);
	for (size_t n = before; n < x->n; n++)
		last[n] = (struct nfs_xprt){ 0 };
	mount[COUNT] = x->n;
	for (size_t n = 0; n < x->n; n++) {
		last[n].port = x->xprt[n].port;
		for (size_t k = 0; k < NFS_XPRT_KEYS; k++)
			mount[SUMS + k] += part_growth(&last[n].value[k], x->xprt[n].value[k]);
	}
	memcpy(sum, mount + SUMS, NFS_XPRT_KEYS * sizeof(*sum));
}
