/* SPDX-License-Identifier: BSD-3-Clause */
/* control.h - control records of MONITOR recordings (H.3), and nodometer's customer record */
#pragma once

#include "formats/vms/classes.h"
#include "base/base.h"
#include "base/buf.h"

enum vms_record_type {
	VMS_HEADER = 128, VMS_SYSTEM_INFO, VMS_NODE_GONE, VMS_FILE_NAME,
	VMS_CUSTOMER = 192,	/* customer records: 192 and above */
};

#define VMS_HEADER_BYTES  259
/* bytes of a system information record without the two vector fields; it has 52 bytes with them */
#define VMS_NODE_BYTES     47
#define VMS_GONE_BYTES      2
#define VMS_COMMENT_MAX    60
#define VMS_IDENT "MON30050"
#define VMS_HOST_MAX      256

struct vms_header {
	uint32_t flags;
	/* VMS system time; .ending is 0 if the file was not closed */
	int64_t beginning, ending;
	uint32_t interval;		/* time between samples, in seconds */
	/* number of records in the file; 0 if the file was not closed */
	uint32_t records;
	char ident[9], comment[VMS_COMMENT_MAX + 1];
	unsigned char classes[16];	/* bit n: class n is in the file */
	unsigned char revision[128];
};

static inline bool vms_has_class(const unsigned char bits[16], size_t number)
{
	return bits[number / 8] >> number % 8 & 1;
}

static inline void vms_add_class(unsigned char bits[16], size_t number)
{
	bits[number / 8] |= (unsigned char)(1 << number % 8);
}

struct vms_node {
	uint16_t flags, max_processes;
	int64_t boot;			/* VMS system time */
	uint8_t cpus, index, vector_cpus;
	char name[16];
	uint32_t memory, modified_limit;	/* pages */
	uint32_t cpu_type, cpu_mask, vector_mask;
	bool vector;	/* the record has the two vector fields, and so 52 bytes */

	/*
	 * The members below are from nodometer's customer record; 0 if the file has no such record.
	 */
	bool noted;
	char host[VMS_HOST_MAX];
	/* seconds to add to the time stamps of the records to get local time */
	int32_t utc_offset;
	uint32_t page_bytes, all_cpus;
	uint32_t missed;		/* number of samples missed */
	uint16_t absent[VMS_CLASSES];	/* bit n: item n was not measured */
	/* for each class: number of elements that did not fit into a record */
	uint32_t left_out[VMS_CLASSES];
};

/* Append a file header, 259 bytes. */
void vms_put_header(struct buf *b, const struct vms_header *h);
/* Parse a file header. Returns 0 or -EBADMSG. */
int vms_take_header(struct str record, struct vms_header *ret) MUST_CHECK;

/* Append a system information record: 52 bytes if .vector is set, else 47. */
void vms_put_node(struct buf *b, const struct vms_node *n);
int vms_take_node(struct str record, struct vms_node *ret) MUST_CHECK;

void vms_put_gone(struct buf *b, uint8_t index);
/*
 * Parse a record that says that a node has left the cluster. Checks only the record's size. Returns
 * 0 or -EBADMSG.
 */
int vms_take_gone(struct str record, uint8_t *index) MUST_CHECK;

void vms_put_file(struct buf *b, struct str name);
/*
 * Take the next file name from *rest. Before the first call, set *rest to the record without its
 * type byte. Returns false at the end.
 */
bool vms_take_file(struct str *rest, struct str *name);

/*
 * Append nodometer's customer record, for data that MONITOR has no field for: type 192,
 * "NODOMETER1", then lines KEY=VALUE.
 */
void vms_put_customer(struct buf *b, const struct vms_node *n);
/*
 * Read nodometer's customer record into *n, which vms_take_node() has filled. Returns false if the
 * customer record is another program's, or about another node.
 */
bool vms_take_customer(struct str record, struct vms_node *n);
