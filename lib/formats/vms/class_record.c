/* SPDX-License-Identifier: BSD-3-Clause */
/* class_record.c - read class records of MONITOR recordings (H.4 of the manual) */
#include "formats/vms/class_record.h"

#include <errno.h>
#include "formats/vms/fields.h"

/*
 * Return true if a data block of the class can have this size. Blocks of PROCESSES from before V5
 * lack the item RBSTRAN.
 */
static bool vms_is_block_size(size_t number, size_t header, size_t size)
{
	size_t usual = vms_block_bytes(&vms_classes[number]);
	if (header == VMS_CLASS_HEADER_V83 && size == vms_aligned_bytes(&vms_classes[number]))
		return true;
	if (number == VMS_PROCESSES && size == usual - 4)
		return true;
	return size == usual;
}

/*
 * Parse the blocks after a class header of this size. Returns false if their sizes do not add up to
 * the size of the record.
 */
static bool vms_parse_blocks(size_t number, size_t header, struct str record,
			     struct vms_class_record *r)
{
	const struct vms_class *c = &vms_classes[number];
	size_t before = header + (c->component ? VMS_CLASS_PREFIX : 0);
	if (record.n < before)
		return false;
	struct wire w = wire_of(str_skip(record, header));
	r->header = header;
	r->n = c->component ? (uint32_t)field_take(&w, 4) : 1;
	r->processes = c->component ? (uint32_t)field_take(&w, 4) : 0;
	r->blocks = str_skip(record, before);
	if (r->n == 0)
		return r->blocks.n == 0;
	r->size = r->blocks.n / r->n;
	return r->size * r->n == r->blocks.n && vms_is_block_size(number, header, r->size);
}

/*
 * Return true if the layout of a class in this file is known. If .own of the class is set, only
 * nodometer's own layout is known.
 */
static bool vms_layout_is_known(size_t number, const unsigned char revision[128])
{
	const struct vms_class *c = &vms_classes[number];
	return c->item && (!c->own || revision[number] == VMS_OWN_REVLEVEL);
}

int vms_take_class(struct str record, const unsigned char revision[128],
		   struct vms_class_record *ret)
{
	struct wire w = wire_of(record);
	struct vms_class_record r = { .header = VMS_CLASS_HEADER };
	r.type = (uint8_t)field_take(&w, 1);
	r.flags = (uint8_t)field_take(&w, 1);
	r.index = (uint8_t)field_take(&w, 1);
	r.stamp = (int64_t)field_take(&w, 8);
	field_take(&w, 2);
	if (w.bad || r.type >= VMS_HEADER)
		return -EBADMSG;
	if (r.type < VMS_CLASSES) {
		r.class = &vms_classes[r.type];
		r.known = vms_layout_is_known(r.type, revision) &&
			  (vms_parse_blocks(r.type, VMS_CLASS_HEADER, record, &r) ||
			   vms_parse_blocks(r.type, VMS_CLASS_HEADER_V83, record, &r));
	}
	if (!r.known) {
		r.header = VMS_CLASS_HEADER;
		r.n = r.processes = 0;
		r.blocks = str_skip(record, VMS_CLASS_HEADER);
	}
	*ret = r;
	return 0;
}

void vms_set_free(struct vms_set *s)
{
	buf_free(&s->blocks);
	*s = (struct vms_set){ 0 };
}

void vms_set_clear(struct vms_set *s, size_t number)
{
	s->number = number;
	s->n = s->blocks.n = 0;
	s->absent = 0;
	s->opaque = false;
}

static void vms_set_add_block(struct vms_set *s, struct str block)
{
	const struct vms_class *c = &vms_classes[s->number];
	size_t usual = vms_block_bytes(c);
	struct wire w = wire_of(block);
	if (block.n <= usual)
		field_put_text(&s->blocks, block, usual, '\0');
	for (size_t i = 0; block.n > usual && i < c->n_items; i++) {
		wire_bytes(&w, vms_item_padding(&c->item[i], block.n - w.n));
		buf_add(&s->blocks, wire_bytes(&w, c->item[i].bytes));
	}
	s->n++;
}

void vms_set_add(struct vms_set *s, const struct vms_class_record *r)
{
	if (!r->known) {
		s->opaque = true;
		buf_add(&s->blocks, r->blocks);
		return;
	}
	if (r->type == VMS_PROCESSES && r->n && r->size < VMS_BLOCK_MAX)
		s->absent |= (uint16_t)(1u << (r->class->n_items - 1));
	for (size_t i = 0; i < r->n; i++)
		vms_set_add_block(s, (struct str){ r->blocks.p + i * r->size, r->size });
}

static struct str vms_item_bytes(const struct vms_set *s, size_t block, size_t item)
{
	const struct vms_class *c = &vms_classes[s->number];
	return (struct str){ s->blocks.p + block * vms_block_bytes(c) + vms_item_at(c, item),
			     c->item[item].bytes };
}

uint32_t vms_number(const struct vms_set *s, size_t block, size_t item)
{
	struct wire w = wire_of(vms_item_bytes(s, block, item));
	return (uint32_t)field_take(&w, w.n < 4 ? w.n : 4);
}

struct str vms_text(const struct vms_set *s, size_t block, size_t item)
{
	struct str bytes = vms_item_bytes(s, block, item);
	struct wire w = wire_of(bytes);
	if (vms_classes[s->number].item[item].kind == VMS_TEXT)
		return field_take_counted(&w, bytes.n);
	while (bytes.n && (bytes.p[bytes.n - 1] == ' ' || bytes.p[bytes.n - 1] == '\0'))
		bytes.n--;
	return bytes;
}

/*
 * In nodometer's own recordings, the node is empty and the volume is the complete name of the
 * device.
 */
void vms_put_disk(struct buf *b, const struct vms_set *s, size_t block)
{
	enum { ALLOCATION_CLASS, CONTROLLER, UNIT, NODE = 4, VOLUME };
	struct str device = vms_text(s, block, CONTROLLER), node = vms_text(s, block, NODE),
		   volume = vms_text(s, block, VOLUME);
	uint32_t class = vms_number(s, block, ALLOCATION_CLASS);

	if (node.n || !volume.n || !str_starts(volume, device)) {
		if (class)
			buf_addf(b, "$%u$", class);
		buf_addf(b, STR_FMT "%u", STR_ARG(device), vms_number(s, block, UNIT));
		if (node.n)
			buf_addf(b, " (" STR_FMT ")", STR_ARG(node));
		if (volume.n)
			buf_add_char(b, ' ');
	}
	buf_add(b, volume);
}
