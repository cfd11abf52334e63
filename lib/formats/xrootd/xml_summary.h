/* SPDX-License-Identifier: BSD-3-Clause */
/* xml_summary.h - write a record as XRootD summary packets */
#pragma once

#include "schema/record.h"
#include "formats/xrootd/xml_summary_pack.h"

/* A file system for the block "oss": sizes in KB, and numbers of inodes. */
struct xml_summary_fs {
	struct str dir;
	uint64_t total, free, inodes, free_inodes;
};

/* A value and its place in a packet, "BLOCK.NAME". */
struct xml_summary_value {
	const char *place;
	uint64_t value;
};

/*
 * Values for a packet that are not in the record, such as file systems and the CPU time of the
 * sending process.
 */
struct xml_summary_extra {
	uint64_t user_us, system_us;
	const struct xml_summary_fs *fs;
	size_t n_fs;
	const struct xml_summary_value *value;
	size_t n_values;
};

/*
 * Write a record as packets. XRootD's blocks (System Monitoring Reference, 2.2) come first: info;
 * the blocks of extra->value, such as link and sched; proc; oss with the file systems. The jobs
 * follow, and then a block for each type that wanted() accepts. It contains a block for each device
 * except "-".
 */
void xml_summary_put_record(struct xml_summary_pack *p, const struct record *g,
		       const struct xml_summary_sender *s, const struct xml_summary_extra *extra,
		       bool (*wanted)(void *arg, struct str type), void *arg);
