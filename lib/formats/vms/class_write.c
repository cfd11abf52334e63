/* SPDX-License-Identifier: BSD-3-Clause */
/* class_write.c - build and write class records of MONITOR recordings (H.4 of the manual) */
#include "formats/vms/class_record.h"

#include <string.h>
#include "formats/vms/fields.h"

size_t vms_set_block(struct vms_set *s)
{
	size_t bytes = vms_block_bytes(&vms_classes[s->number]);
	buf_reserve(&s->blocks, bytes);
	memset(s->blocks.p + s->blocks.n, 0, bytes);
	s->blocks.n += bytes;
	return s->n++;
}

/* Copy a field to its offset in the block. */
static void vms_set_field(struct vms_set *s, size_t block, size_t item, const struct buf *field)
{
	const struct vms_class *c = &vms_classes[s->number];
	memcpy(s->blocks.p + block * vms_block_bytes(c) + vms_item_at(c, item), field->p,
	       c->item[item].bytes);
}

/*
 * Set a number. A counter wraps at the size of its field; any other number is limited to the
 * largest value of the field.
 */
void vms_set_number(struct vms_set *s, size_t block, size_t item, uint64_t value)
{
	const struct vms_item *i = &vms_classes[s->number].item[item];
	char bytes[8];
	struct buf field = { bytes, 0, sizeof(bytes) };
	uint64_t most = UINT64_MAX >> (64 - 8 * i->bytes);
	field_put(&field, i->kind != VMS_COUNT && value > most ? most : value, i->bytes);
	vms_set_field(s, block, item, &field);
}

void vms_set_text(struct vms_set *s, size_t block, size_t item, struct str text)
{
	const struct vms_item *i = &vms_classes[s->number].item[item];
	char bytes[32];
	struct buf field = { bytes, 0, sizeof(bytes) };
	if (i->kind == VMS_TEXT)
		field_put_counted(&field, text, i->bytes);
	else
		field_put_text(&field, text, i->bytes, ' ');
	vms_set_field(s, block, item, &field);
}

void vms_put_framed(struct buf *b, struct str record)
{
	field_put(b, record.n, 2);
	buf_add(b, record);
	if (record.n % 2)
		buf_add_char(b, '\0');
}

static void vms_put_class_record(struct buf *b, const struct vms_set *s, size_t first, size_t n,
				 bool more)
{
	const struct vms_class *c = &vms_classes[s->number];
	struct buf r CLEANUP(buf_free) = { 0 };
	size_t bytes = vms_block_bytes(c);
	field_put(&r, s->number, 1);
	field_put(&r, more ? VMS_CONTINUES : 0, 1);
	field_put(&r, s->index, 1);
	field_put(&r, (uint64_t)s->stamp, 8);
	field_put(&r, 0, 2);
	if (c->component) {
		field_put(&r, n, 4);
		field_put(&r, s->number == VMS_PROCESSES ? s->n : 0, 4);
	}
	if (n)
		buf_add(&r, (struct str){ s->blocks.p + first * bytes, n * bytes });
	vms_put_framed(b, buf_str(&r));
}

size_t vms_put_set(struct buf *b, const struct vms_set *s, uint32_t *left_out)
{
	size_t bytes = vms_block_bytes(&vms_classes[s->number]);
	size_t most = (VMS_WRITTEN_MAX - VMS_CLASS_HEADER - VMS_CLASS_PREFIX) / bytes;
	size_t records = 0, first = 0;
	bool split = s->number == VMS_PROCESSES;

	*left_out = 0;
	do {
		size_t n = s->n - first < most ? s->n - first : most;
		vms_put_class_record(b, s, first, n, split && first + n < s->n);
		records++;
		first += n;
	} while (split && first < s->n);
	*left_out = (uint32_t)(s->n - first);
	return records;
}
