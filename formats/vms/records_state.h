/* SPDX-License-Identifier: BSD-3-Clause */
/* records_state.h - where a reader of a recording is, and why it ends */
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
