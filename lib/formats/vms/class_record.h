/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * class_record.h - class records of MONITOR recordings: the data of one class, node and time (H.4)
 */
#pragma once

#include "formats/vms/control.h"

#define VMS_RECORD_MAX  32767	/* largest record that is read, in bytes; the limit of RMS */
#define VMS_WRITTEN_MAX 32000	/* bytes of a written record (H.4.1.2: "the maximum size record") */
#define VMS_CLASS_HEADER 13	/* bytes of a class header before V8.3 */
#define VMS_CLASS_HEADER_V83 16
#define VMS_CLASS_PREFIX  8
/* largest number of elements, such as disks, in a class; a file with more is damaged */
#define VMS_ELEMENTS_MAX 65536
/* flag of a record of class PROCESSES: the next record has further processes */
#define VMS_CONTINUES     1

struct vms_class_record {
	uint8_t type, flags, index;
	int64_t stamp;			/* VMS system time */
	size_t header;			/* bytes of the class header: 13 or 16 */
	/* number of blocks in this record; number of processes in all records of this time */
	uint32_t n, processes;
	const struct vms_class *class;	/* NULL: unknown class */
	bool known;			/* the layout is known: .n blocks of .size bytes */
	size_t size;
	/* data blocks or, if the layout is unknown, all bytes after the header */
	struct str blocks;
};

/*
 * Parse a class record. revision: the classes' revision levels, from the file header. ret->blocks
 * borrows from record. Returns 0, or -EBADMSG if record is no class record.
 */
int vms_take_class(struct str record, const unsigned char revision[128],
		   struct vms_class_record *ret) MUST_CHECK;

/*
 * The data of one class, node and time. Blocks have the layout that vms_classes describes. All zero
 * is an empty set; vms_set_free() releases it.
 */
struct vms_set {
	size_t number;		/* class number */
	uint8_t index;		/* node index */
	int64_t stamp;
	size_t n;		/* number of blocks */
	struct buf blocks;
	uint16_t absent;	/* bit n: item n was not measured */
	bool opaque;		/* unknown layout: .blocks has the bytes of the record */
};

void vms_set_free(struct vms_set *s);
void vms_set_clear(struct vms_set *s, size_t number);
void vms_set_add(struct vms_set *s, const struct vms_class_record *r);

uint32_t vms_number(const struct vms_set *s, size_t block, size_t item);
struct str vms_text(const struct vms_set *s, size_t block, size_t item);
/* Append the name, node and volume of a disk, such as "$1$DKA100 (ALPHA) SYSDISK". */
void vms_put_disk(struct buf *b, const struct vms_set *s, size_t block);

/* Add a block of zeros. Returns its index. */
size_t vms_set_block(struct vms_set *s);
void vms_set_number(struct vms_set *s, size_t block, size_t item, uint64_t value);
void vms_set_text(struct vms_set *s, size_t block, size_t item, struct str text);

/*
 * Append the set as framed records, see vms_put_framed(). Returns the number of records, which is 1
 * except for class PROCESSES. *left_out gets the number of elements that did not fit.
 */
size_t vms_put_set(struct buf *b, const struct vms_set *s, uint32_t *left_out);
/*
 * Append a record with two bytes of length before it and, if the length is odd, a pad byte after
 * it.
 */
void vms_put_framed(struct buf *b, struct str record);
