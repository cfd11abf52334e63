/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_vms.c - read any MONITOR recording, and write again the parts that were read */
#include <stdlib.h>
#include "formats/vms/dump.h"
#include "formats/vms/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ssize_t give(void *arg, char *to, size_t n)
{
	struct str *s = arg;
	size_t few = s->n < n ? s->n : n;
	memcpy(to, s->p, few);
	*s = str_skip(*s, few);
	return (ssize_t)few;
}

/*
 * Check that a set that was read is whole, and that the record written from it can be read again.
 */
static void check_set(const struct vms_set *s, const unsigned char revision[128])
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct vms_class_record r;
	uint32_t left_out;
	if (s->opaque)
		return;
	const struct vms_class *c = &vms_classes[s->number];
	if (s->blocks.n != s->n * vms_block_bytes(c) || s->n > VMS_ELEMENTS_MAX)
		abort();
	for (size_t block = 0; block < s->n; block++)
		for (size_t i = 0; i < c->n_items; i++)
			if (c->item[i].kind == VMS_TEXT || c->item[i].kind == VMS_BLANKS)
				vms_text(s, block, i);
			else
				vms_number(s, block, i);
	vms_put_set(&b, s, &left_out);
	struct str record = { b.p + 2, (size_t)(unsigned char)b.p[0] |
			      (size_t)(unsigned char)b.p[1] << 8 };
	if (vms_take_class(record, revision, &r) < 0 || !r.known)
		abort();
}

static void check_records(struct str s)
{
	struct byte_source src = { give, &s };
	struct vms_records r;
	struct str record;
	uint64_t offset;
	enum vms_end end;
	static const unsigned char revision[128];

	vms_records_init(&r, &src);
	while (vms_records_next(&r, &record, &offset, &end)) {
		struct buf b CLEANUP(buf_free) = { 0 };
		vms_dump(&b, 1, offset, record, revision);
	}
	vms_records_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str s = { (const char *)data, size };
	struct byte_source src = { give, &s };
	struct vms_recording r;
	check_records(s);
	if (vms_recording_open(&r, &src, NULL) == 0) {
		enum vms_event e;
		while ((e = vms_recording_next(&r)) != VMS_RECORDING_ENDS)
			if (e == VMS_CLASS_IS)
				check_set(&r.set, r.header.revision);
	}
	vms_recording_close(&r);
	return 0;
}
