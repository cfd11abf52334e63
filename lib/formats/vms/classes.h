/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.h - the classes of MONITOR recordings: numbers, names, and data blocks */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

/* OpenVMS System Management Utilities Reference Manual, H.1: "Record Type ... Type Number". */
enum vms_class_number {
	VMS_PROCESSES = 0, VMS_STATES, VMS_MODES, VMS_PAGE, VMS_IO, VMS_FCP, VMS_POOL, VMS_LOCK,
	VMS_DECNET, VMS_FILE_SYSTEM_CACHE = 11, VMS_DISK, VMS_DLOCK = 14, VMS_SCS,
	VMS_SYSTEM = 17, VMS_CLUSTER = 19, VMS_RMS, VMS_MSCP_SERVER, VMS_TRANSACTION, VMS_VECTOR,
	VMS_VBS, VMS_CLASSES,
};

#define VMS_ITEMS_MAX 16
#define VMS_BLOCK_MAX 67	/* bytes of the largest known data block */
#define VMS_OWN_REVLEVEL 0xF0

enum vms_kind {
	VMS_COUNT,	/* counter of 32 bits, which wraps */
	VMS_AMOUNT,	/* level, which rises and falls */
	VMS_NUMBER,	/* identifier or state */
	VMS_TEXT,	/* counted string: a length byte, then the text */
	VMS_BLANKS,	/* text padded with blanks */
};

struct vms_item {
	const char *name;	/* DDDDD in the symbol MNR_CCC$X_DDDDD */
	enum vms_kind kind;
	unsigned char bytes;
	const char *title;	/* label on the screen */
};

struct vms_class {
	const char *name;	/* class name, such as "MODES" */
	const char *title;	/* title, such as "Time in processor modes" */
	/* the CCC of the manual's symbols for the class, such as MNR_CCC$X_DDDDD */
	const char *mnemonic;
	bool component;	/* the data have a prefix, and a block for each element, such as a disk */
	/*
	 * nodometer defined the layout and marks it by VMS_OWN_REVLEVEL; layouts of other programs
	 * for this class are unknown
	 */
	bool own;
	/* the items are known, but not their order; VMS_OWN_REVLEVEL marks this layout, too */
	bool order_guessed;
	const struct vms_item *item;	/* items of the layout; NULL: the layout is unknown */
	size_t n_items;
};

extern const struct vms_class vms_classes[VMS_CLASSES];	/* All classes, by number. */

/* Return the number of a class by its name, case-insensitive, or VMS_CLASSES. */
size_t vms_class_find(struct str name);
/* Return the size of a data block; 0 if the layout is unknown. */
size_t vms_block_bytes(const struct vms_class *c);
/* Return an item's offset in the block. */
size_t vms_item_at(const struct vms_class *c, size_t item);
/* Return an item's index, or .n_items. */
size_t vms_item_find(const struct vms_class *c, struct str name);
/*
 * Since V8.3, longwords are aligned to multiples of 4, as the manual's size of MODES shows.
 * vms_item_padding() returns the padding before an item at offset `at`, vms_aligned_bytes() the
 * size of an aligned block.
 */
size_t vms_item_padding(const struct vms_item *i, size_t at);
size_t vms_aligned_bytes(const struct vms_class *c);
/*
 * Return the letter of the item's type, X in its name MNR_CCC$X_DDDDD: B, W or L for 1, 2 or 4
 * bytes (8 bytes are L, too), T for text.
 */
char vms_item_letter(const struct vms_item *i);
/* Return the revision level that nodometer writes in file headers for class `number`. */
unsigned vms_revision(size_t number);
