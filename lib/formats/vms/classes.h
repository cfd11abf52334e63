/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.h - the classes of MONITOR recordings and their data blocks */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/str.h"

/*
 * Type numbers of class records, from the OpenVMS System Management Utilities Reference Manual,
 * H.1.
 */
enum vms_class_number {
	VMS_PROCESSES = 0, VMS_STATES, VMS_MODES, VMS_PAGE, VMS_IO, VMS_FCP, VMS_POOL, VMS_LOCK,
	VMS_DECNET, VMS_FILE_SYSTEM_CACHE = 11, VMS_DISK, VMS_DLOCK = 14, VMS_SCS,
	VMS_SYSTEM = 17, VMS_CLUSTER = 19, VMS_RMS, VMS_MSCP_SERVER, VMS_TRANSACTION, VMS_VECTOR,
	VMS_VBS, VMS_CLASSES,
};

#define VMS_ITEMS_MAX 16
#define VMS_BLOCK_MAX 67	/* largest known data block without padding, in bytes */
#define VMS_OWN_REVLEVEL 0xF0

enum vms_kind {
	VMS_COUNT,	/* 32-bit counter, which wraps */
	VMS_AMOUNT,	/* level, which rises and falls */
	VMS_NUMBER,	/* identifier or state */
	VMS_TEXT,	/* length byte, then the text */
	VMS_BLANKS,	/* text padded with blanks */
};

struct vms_item {
	const char *name;	/* DDDDD of the symbol MNR_CCC$X_DDDDD */
	enum vms_kind kind;
	unsigned char bytes;
	const char *title;	/* label on the screen, or NULL */
};

struct vms_class {
	const char *name;	/* class name, such as "MODES" */
	const char *title;	/* title, such as "Time in processor modes" */
	/* CCC of the symbol MNR_CCC$X_DDDDD */
	const char *mnemonic;
	/* the data consist of a prefix and a block for each element, such as a disk */
	bool component;
	/*
	 * the layout is nodometer's own, marked by VMS_OWN_REVLEVEL; the layout that MONITOR uses
	 * for this class is unknown
	 */
	bool own;
	/*
	 * the order of the items is a guess, so files have VMS_OWN_REVLEVEL as the class's revision
	 * level, as with .own
	 */
	bool order_guessed;
	const struct vms_item *item;	/* NULL: unknown layout */
	size_t n_items;
};

extern const struct vms_class vms_classes[VMS_CLASSES];	/* classes by number */

/* Return the number of the class with this name, case-insensitive, or VMS_CLASSES. */
size_t vms_class_find(struct str name);
/* Return the size of a data block, or 0 if the layout is unknown. */
size_t vms_block_bytes(const struct vms_class *c);
/* Return the offset of an item in the data block. */
size_t vms_item_at(const struct vms_class *c, size_t item);
/* Return the index of an item, or c->n_items if there is none. */
size_t vms_item_find(const struct vms_class *c, struct str name);
/*
 * Return the bytes of padding before an item that would start at offset `at`. Since V8.3, items of
 * 4 bytes start at a multiple of 4, as the manual shows for MODES.
 */
size_t vms_item_padding(const struct vms_item *i, size_t at);
/* Return the size of a data block with the padding that V8.3 uses. */
size_t vms_aligned_bytes(const struct vms_class *c);
/*
 * Return the letter X of the symbol MNR_CCC$X_DDDDD: B for 1 byte, W for 2 bytes, L for 4 or 8
 * bytes, T for text.
 */
char vms_item_letter(const struct vms_item *i);
/* Return the revision level of a class that nodometer writes in file headers. */
unsigned vms_revision(size_t number);
