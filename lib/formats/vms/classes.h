/* SPDX-License-Identifier: BSD-3-Clause */
/* classes.h - the classes of MONITOR recordings: numbers, names, and what a data block holds */
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
	VMS_COUNT,	/* 32 bits that grow and wrap */
	VMS_AMOUNT,	/* a level: goes up and down */
	VMS_NUMBER,	/* says which, or what */
	VMS_TEXT,	/* counted: its length, then the text */
	VMS_BLANKS,	/* filled up with blanks */
};

struct vms_item {
	const char *name;	/* after MNR_CCC$X_ */
	enum vms_kind kind;
	unsigned char bytes;
	const char *title;	/* on the screen */
};

struct vms_class {
	const char *name;	/* "MODES" */
	const char *title;	/* "Time in processor modes" */
	const char *mnemonic;	/* CCC in MNR_CCC$X_DDDDD */
	bool component;		/* a prefix, and a block per element */
	bool own;		/* nodometer's layout: VMS_OWN_REVLEVEL, nobody else's is known */
	bool order_guessed;	/* the items are known, their order is not: VMS_OWN_REVLEVEL, too */
	const struct vms_item *item;	/* NULL: no layout is known */
	size_t n_items;
};

extern const struct vms_class vms_classes[VMS_CLASSES];	/* by number */

size_t vms_class_find(struct str name);		/* number, any case; VMS_CLASSES: none */
size_t vms_block_bytes(const struct vms_class *c);	/* of one data block; 0: not known */
size_t vms_item_at(const struct vms_class *c, size_t item);	/* offset in the block */
size_t vms_item_find(const struct vms_class *c, struct str name);	/* or .n_items */
/*
 * From V8.3 on longwords stand at multiples of 4, by the manual's size of MODES: bytes before an
 * item that follows `at` others, and of such a block.
 */
size_t vms_item_padding(const struct vms_item *i, size_t at);
size_t vms_aligned_bytes(const struct vms_class *c);
char vms_item_letter(const struct vms_item *i);		/* X in MNR_CCC$X_DDDDD */
unsigned vms_revision(size_t number);			/* as we write it */
