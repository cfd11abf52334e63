/* SPDX-License-Identifier: BSD-3-Clause */
/* records.h - split a MONITOR recording into records, with or without length fields */
#pragma once

#include "formats/vms/class_record.h"
#include "formats/window.h"

/*
 * A reader of records. RMS stores two bytes of length before each record, and a pad byte after an
 * odd length. Some file transfers drop these bytes; the length then follows from the contents of
 * the record.
 */
struct vms_records {
	struct window window;
	bool looked, framed;
	/*
	 * for files without length fields: start time from the file header, to recognize valid
	 * stamps
	 */
	int64_t beginning;
	/* bytes of a class header, for files without length fields; 0: unknown yet */
	size_t class_header;
};

enum vms_end {
	VMS_END_WHOLE,
	VMS_END_TORN,		/* the file ends within a record, which was left out */
	VMS_END_NOT_VMS,	/* not a MONITOR recording */
	/*
	 * the file has no length fields, and begins with a customer record, whose length is unknown
	 */
	VMS_END_CUSTOMER_FIRST,
	/* the file has no length fields, and the length of a record cannot be determined */
	VMS_END_UNKNOWN,
	VMS_END_DAMAGED,	/* invalid length, or not a record */
	VMS_END_UNREADABLE,	/* read error */
};

/* Return true if the file begins with a file header without a length field. */
bool vms_is_unframed(struct str first);

/* Describe the end for a message, as a clause without a full stop. */
const char *vms_end_text(enum vms_end end);

void vms_records_init(struct vms_records *r, const struct byte_source *src);
void vms_records_free(struct vms_records *r);

/*
 * Return the next record, of at least one byte, and its offset in the file. The record is valid
 * until the next call. Returns false if no record is left or readable; *end has the reason.
 */
bool vms_records_next(struct vms_records *r, struct str *ret, uint64_t *offset,
		      enum vms_end *end);
