/* SPDX-License-Identifier: BSD-3-Clause */
/* records.h - the records of a MONITOR recording one by one, with or without their RMS frames */
#pragma once

#include "formats/vms/class_record.h"
#include "formats/window.h"

/*
 * RMS sequential files with variable-length records have two bytes of length before each record,
 * and a pad byte after those of odd length. Some transfers drop the lengths: then the record's type
 * and count of elements say how long it is.
 */
struct vms_records {
	struct window window;
	bool looked, framed;
	int64_t beginning;	/* unframed: stamps are not older, */
	size_t class_header;	/* and the bytes of class headers, if they are known */
};

enum vms_end {
	VMS_END_WHOLE,
	VMS_END_TORN,		/* in the middle of a record, which was left out */
	VMS_END_NOT_VMS,	/* no recording of MONITOR */
	VMS_END_CUSTOMER_FIRST,	/* unframed, and begins with a record whose length nobody knows */
	VMS_END_UNKNOWN,	/* unframed, and a record of unknown length */
	VMS_END_DAMAGED,	/* a length that no record has, or bytes that are none */
	VMS_END_UNREADABLE,	/* .error */
};

/* Whether a file that begins so has a file header at its start, and no lengths of records. */
bool vms_is_unframed(struct str first);

const char *vms_end_text(enum vms_end end);	/* a sentence without a full stop */

void vms_records_init(struct vms_records *r, const struct byte_source *src);
void vms_records_free(struct vms_records *r);

/*
 * The next record, of at least one byte, valid until the next call, and where in the file it
 * begins. False: *end says why there is none.
 */
bool vms_records_next(struct vms_records *r, struct str *ret, uint64_t *offset,
		      enum vms_end *end);
