/* SPDX-License-Identifier: BSD-3-Clause */
/* xml_summary.h - write a record group as XRootD summary packets */
#pragma once

#include "schema/record.h"
#include "formats/xrootd/xml_summary_pack.h"

/* A file system, for the block oss. .total and .free are in KB. */
struct xml_summary_fs {
	struct str dir;
	uint64_t total, free, inodes, free_inodes;
};

/* A value and its place in the packet, "BLOCK.NAME". */
struct xml_summary_value {
	const char *place;
	uint64_t value;
};

/* Values that come from no row: CPU time of the sending process, file systems, and other values. */
struct xml_summary_extra {
	uint64_t user_us, system_us;
	const struct xml_summary_fs *fs;
	size_t n_fs;
	const struct xml_summary_value *value;
	size_t n_values;
};

/*
 * Write a record. XRootD's blocks that apply to a node come first (XRootD's System Monitoring
 * Reference, 2.2): info; the blocks of extra values, such as link and sched; proc; oss with the
 * file systems. Then come jobs, and a block for each type that wanted() accepts; each device except
 * "-" is a block inside.
 */
void xml_summary_put_record(struct xml_summary_pack *p, const struct record *g,
		       const struct xml_summary_sender *s, const struct xml_summary_extra *extra,
		       bool (*wanted)(void *arg, struct str type), void *arg);
