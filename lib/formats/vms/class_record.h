/* SPDX-License-Identifier: BSD-3-Clause */
/* class_record.h - class records (H.4 of the manual): data of one class and node at one time */
#pragma once

#include "formats/vms/control.h"

#define VMS_RECORD_MAX  32767	/* bytes of any record that is read; RMS allows no more */
#define VMS_WRITTEN_MAX 32000	/* bytes of a written record (H.4.1.2: "the maximum size record") */
#define VMS_CLASS_HEADER 13	/* bytes of a class header before V8.3; 16 bytes since V8.3 */
#define VMS_CLASS_HEADER_V83 16
#define VMS_CLASS_PREFIX  8
/* elements of one class; more processes mean that the file is damaged */
#define VMS_ELEMENTS_MAX 65536
#define VMS_CONTINUES     1	/* flag: the next record continues PROCESSES of the same time */

struct vms_class_record {
	uint8_t type, flags, index;
	int64_t stamp;			/* VMS system time */
	size_t header;			/* size of the class header, 13 or 16 bytes */
	/* .n: blocks in this record; .processes: processes in the whole set */
	uint32_t n, processes;
	const struct vms_class *class;	/* NULL: unknown class number */
	bool known;			/* layout is known: .n blocks of .size bytes follow */
	size_t size;
	/* data blocks; if the layout is unknown, everything after the header */
	struct str blocks;
};

/*
 * Parse a class record. revision: revision levels from the file header. Returns 0, or -EBADMSG if
 * it is no class record.
 */
int vms_take_class(struct str record, const unsigned char revision[128],
		   struct vms_class_record *ret) MUST_CHECK;

/*
 * All blocks of one class at one time, in the layout of vms_classes, whichever release wrote them.
 * All zero is a valid empty set; vms_set_free() releases it.
 */
struct vms_set {
	size_t number;		/* class number */
	uint8_t index;		/* node index */
	int64_t stamp;
	size_t n;		/* number of blocks */
	struct buf blocks;
	uint16_t absent;	/* bit n is set if item n has no source */
	bool opaque;		/* the layout is unknown, and .blocks has the record's raw bytes */
};

void vms_set_free(struct vms_set *s);
void vms_set_clear(struct vms_set *s, size_t number);
void vms_set_add(struct vms_set *s, const struct vms_class_record *r);

uint32_t vms_number(const struct vms_set *s, size_t block, size_t item);
struct str vms_text(const struct vms_set *s, size_t block, size_t item);
/* Append device, node and volume of a block of class DISK: "$1$DKA100 (ALPHA) SYSDISK". */
void vms_put_disk(struct buf *b, const struct vms_set *s, size_t block);

/* Add a block of zeros, and return its index. */
size_t vms_set_block(struct vms_set *s);
void vms_set_number(struct vms_set *s, size_t block, size_t item, uint64_t value);
void vms_set_text(struct vms_set *s, size_t block, size_t item, struct str text);

/*
 * Append the set as one or more records, each with its two bytes of length and its pad byte.
 * Returns the number of records. *left_out gets the number of elements that did not fit, since only
 * class PROCESSES can have more than one record.
 */
size_t vms_put_set(struct buf *b, const struct vms_set *s, uint32_t *left_out);
/* Append any record with its length and its pad byte. */
void vms_put_framed(struct buf *b, struct str record);
