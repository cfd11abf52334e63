/* SPDX-License-Identifier: BSD-3-Clause */
/* records.h - read the records of a MONITOR recording, with or without RMS length fields */
#pragma once

#include "formats/vms/class_record.h"
#include "formats/window.h"

/*
 * The reader. RMS sequential files with variable-length records have two bytes of length before
 * each record, and a pad byte after a record of odd length. Some transfers drop the lengths; then
 * the length follows from the record's type and its count of elements.
 */
struct vms_records {
	struct window window;
	bool looked, framed;
	/* time of the first sample, for files without lengths: no stamp is earlier */
	int64_t beginning;
	/* size of class headers in bytes, for files without lengths; 0: not known yet */
	size_t class_header;
};

enum vms_end {
	VMS_END_WHOLE,
	VMS_END_TORN,		/* the file ends within a record, which was left out */
	VMS_END_NOT_VMS,	/* the file is no MONITOR recording */
	/* the file has no length fields, and begins with a customer record of unknown length */
	VMS_END_CUSTOMER_FIRST,
	/* the file has no length fields, and a record has an unknown length */
	VMS_END_UNKNOWN,
	VMS_END_DAMAGED,	/* invalid length, or bytes that are no record */
	VMS_END_UNREADABLE,	/* read error */
};

/* Tell if a file begins with a file header that has no length field. */
bool vms_is_unframed(struct str first);

/* Return the reason why reading ended, as a clause without a full stop. */
const char *vms_end_text(enum vms_end end);

void vms_records_init(struct vms_records *r, const struct byte_source *src);
void vms_records_free(struct vms_records *r);

/*
 * Return the next record, of at least one byte, and its offset in the file. The record is valid
 * until the next call. Returns false if there is none; *end tells why.
 */
bool vms_records_next(struct vms_records *r, struct str *ret, uint64_t *offset,
		      enum vms_end *end);
