/* SPDX-License-Identifier: BSD-3-Clause */
/* class_record.h - class records, H.4: what one class of one node had at one moment */
#pragma once

#include "formats/vms/control.h"

#define VMS_RECORD_MAX  32767	/* of any record that is read; RMS holds no more */
#define VMS_WRITTEN_MAX 32000	/* H.4.1.2: "the maximum size record" */
#define VMS_CLASS_HEADER 13	/* from V8.3 on 16 */
#define VMS_CLASS_HEADER_V83 16
#define VMS_CLASS_PREFIX  8
#define VMS_ELEMENTS_MAX 65536	/* of one class: more processes than that are damage */
#define VMS_CONTINUES     1	/* flag: PROCESSES of this moment go on in the next record */

struct vms_class_record {
	uint8_t type, flags, index;
	int64_t stamp;			/* system time */
	size_t header;			/* 13 or 16 */
	uint32_t n, processes;		/* blocks in this record; of PROCESSES: in all of the set */
	const struct vms_class *class;	/* NULL: no class has this number */
	bool known;			/* the layout is: .n blocks of .size bytes follow */
	size_t size;
	struct str blocks;		/* or whatever follows header and prefix */
};

/* revision: of the file's header. 0, or -EBADMSG: it is no class record. */
int vms_take_class(struct str record, const unsigned char revision[128],
		   struct vms_class_record *ret) MUST_CHECK;

/*
 * Blocks of one class at one moment, in the layout of our table, whatever release wrote them. All
 * zero is a valid empty one; vms_set_free() ends it.
 */
struct vms_set {
	size_t number;		/* of the class */
	uint8_t index;		/* of the node */
	int64_t stamp;
	size_t n;		/* blocks */
	struct buf blocks;
	uint16_t absent;	/* bit n: item n has no source */
	bool opaque;		/* the layout is not known: .blocks is what the record holds */
};

void vms_set_free(struct vms_set *s);
void vms_set_clear(struct vms_set *s, size_t number);
void vms_set_add(struct vms_set *s, const struct vms_class_record *r);

uint32_t vms_number(const struct vms_set *s, size_t block, size_t item);
struct str vms_text(const struct vms_set *s, size_t block, size_t item);
/* The device, node and volume of a block of class DISK: "$1$DKA100 (ALPHA) SYSDISK". */
void vms_put_disk(struct buf *b, const struct vms_set *s, size_t block);

/* The block that is filled next; zeros at first. */
size_t vms_set_block(struct vms_set *s);
void vms_set_number(struct vms_set *s, size_t block, size_t item, uint64_t value);
void vms_set_text(struct vms_set *s, size_t block, size_t item, struct str text);

/*
 * Adds the records of a set, one after the other, each with its two bytes of length and its pad
 * byte. Returns how many; *left_out: elements beyond the largest record, of other classes than
 * PROCESSES, which are not written.
 */
size_t vms_put_set(struct buf *b, const struct vms_set *s, uint32_t *left_out);
/* Any record in its frame. */
void vms_put_framed(struct buf *b, struct str record);
