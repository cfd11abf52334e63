/* SPDX-License-Identifier: BSD-3-Clause */
/* control.c - the control records of MONITOR recordings (H.3 of the manual) */
#include "formats/vms/control.h"

#include <errno.h>
#include <string.h>
#include "formats/vms/fields.h"

static void copy_text(char *to, size_t size, struct str s)
{
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\0'))
		s.n--;
	str_copy(to, size, s);
}

/* Append REV0CLSBITS. Bit n: class n is in the file and has revision level 0. */
static void put_rev0(struct buf *b, const struct vms_header *h)
{
	unsigned char bits[16] = { 0 };
	for (size_t i = 0; i < 128; i++)
		if (vms_has_class(h->classes, i) && h->revision[i] == 0)
			vms_add_class(bits, i);
	buf_add(b, (struct str){ (const char *)bits, sizeof(bits) });
}

void vms_put_header(struct buf *b, const struct vms_header *h)
{
	field_put(b, VMS_HEADER, 1);
	field_put(b, h->flags, 4);
	field_put(b, (uint64_t)h->beginning, 8);
	field_put(b, (uint64_t)h->ending, 8);
	field_put(b, h->interval, 4);
	put_rev0(b, h);
	field_put(b, h->records, 4);
	field_put_text(b, str_of(h->ident), 8, ' ');
	field_put_text(b, str_of(h->comment), VMS_COMMENT_MAX, ' ');
	field_put(b, strlen(h->comment), 2);
	buf_add(b, (struct str){ (const char *)h->classes, sizeof(h->classes) });
	buf_add(b, (struct str){ (const char *)h->revision, sizeof(h->revision) });
}

int vms_take_header(struct str record, struct vms_header *ret)
{
	struct wire w = wire_of(record);
	struct vms_header h = { 0 };
	if (record.n != VMS_HEADER_BYTES || field_take(&w, 1) != VMS_HEADER)
		return -EBADMSG;
	h.flags = (uint32_t)field_take(&w, 4);
	h.beginning = (int64_t)field_take(&w, 8);
	h.ending = (int64_t)field_take(&w, 8);
	h.interval = (uint32_t)field_take(&w, 4);
	/* skip REV0CLSBITS, because .classes and .revision have the same information */
	wire_bytes(&w, 16);
	h.records = (uint32_t)field_take(&w, 4);
	copy_text(h.ident, sizeof(h.ident), wire_bytes(&w, 8));
	struct str comment = wire_bytes(&w, VMS_COMMENT_MAX);
	uint64_t n = field_take(&w, 2);
	copy_text(h.comment, sizeof(h.comment),
		  (struct str){ comment.p, n < comment.n ? n : comment.n });
	memcpy(h.classes, wire_bytes(&w, sizeof(h.classes)).p, sizeof(h.classes));
	memcpy(h.revision, wire_bytes(&w, sizeof(h.revision)).p, sizeof(h.revision));
	*ret = h;
	return 0;
}

void vms_put_node(struct buf *b, const struct vms_node *n)
{
	field_put(b, VMS_SYSTEM_INFO, 1);
	field_put(b, n->flags, 2);
	field_put(b, (uint64_t)n->boot, 8);
	field_put(b, n->max_processes, 2);
	field_put(b, n->cpus, 1);
	field_put_counted(b, str_of(n->name), 16);
	field_put(b, n->memory, 4);
	field_put(b, n->modified_limit, 4);
	field_put(b, n->cpu_type, 4);
	field_put(b, n->index, 1);
	field_put(b, n->cpu_mask, 4);
	if (n->vector) {
		field_put(b, n->vector_cpus, 1);
		field_put(b, n->vector_mask, 4);
	}
}

int vms_take_node(struct str record, struct vms_node *ret)
{
	struct wire w = wire_of(record);
	struct vms_node n = { 0 };
	if (record.n < VMS_NODE_BYTES || field_take(&w, 1) != VMS_SYSTEM_INFO)
		return -EBADMSG;
	n.flags = (uint16_t)field_take(&w, 2);
	n.boot = (int64_t)field_take(&w, 8);
	n.max_processes = (uint16_t)field_take(&w, 2);
	n.cpus = (uint8_t)field_take(&w, 1);
	copy_text(n.name, sizeof(n.name), field_take_counted(&w, 16));
	n.memory = (uint32_t)field_take(&w, 4);
	n.modified_limit = (uint32_t)field_take(&w, 4);
	n.cpu_type = (uint32_t)field_take(&w, 4);
	n.index = (uint8_t)field_take(&w, 1);
	n.cpu_mask = (uint32_t)field_take(&w, 4);
	n.vector = w.n >= 5;
	if (n.vector) {
		n.vector_cpus = (uint8_t)field_take(&w, 1);
		n.vector_mask = (uint32_t)field_take(&w, 4);
	}
	*ret = n;
	return 0;
}

void vms_put_gone(struct buf *b, uint8_t index)
{
	field_put(b, VMS_NODE_GONE, 1);
	field_put(b, index, 1);
}

int vms_take_gone(struct str record, uint8_t *index)
{
	if (record.n != VMS_GONE_BYTES)
		return -EBADMSG;
	*index = (uint8_t)record.p[1];
	return 0;
}

void vms_put_file(struct buf *b, struct str name)
{
	field_put(b, VMS_FILE_NAME, 1);
	field_put_counted(b, name, (name.n < 255 ? name.n : 255) + 1);
}

bool vms_take_file(struct str *rest, struct str *name)
{
	size_t n = rest->n ? (unsigned char)*rest->p : 0;
	if (n == 0 || n + 1 > rest->n)
		return false;
	*name = (struct str){ rest->p + 1, n };
	*rest = str_skip(*rest, n + 1);
	return true;
}
