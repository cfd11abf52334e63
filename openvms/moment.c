/* SPDX-License-Identifier: BSD-3-Clause */
/* moment.c - a moment, which is a sample of all classes of one node, and streams of moments */
#include "openvms/moment.h"

#include <stdlib.h>

void moment_clear(struct monitor_moment *m)
{
	m->has = 0;
	for (size_t i = 0; i < VMS_CLASSES; i++)
		vms_set_clear(&m->set[i], i);
}

struct vms_node *moments_node(struct moments *m, uint8_t index)
{
	if (!m->node[index]) {
		m->node[index] = xrealloc(NULL, sizeof(*m->node[index]));
		*m->node[index] = (struct vms_node){ .index = index };
	}
	return m->node[index];
}

void moments_close(struct moments *m)
{
	if (m->close)
		m->close(m);
	for (size_t i = 0; i < VMS_NODES_MAX; i++)
		free(m->node[i]);
	for (size_t i = 0; i < VMS_CLASSES; i++)
		vms_set_free(&m->moment.set[i]);
	buf_free(&m->files);
}

struct str moments_host(const struct vms_node *n)
{
	if (!n)
		return STR("?");
	return str_of(n->host[0] ? n->host : n->name);
}
