/* SPDX-License-Identifier: BSD-3-Clause */
/* xml_summary.h - a record group as XRootD summary packets */
#pragma once

#include "schema/record.h"
#include "formats/xrootd/xml_summary_pack.h"

/* A file system, for the block oss; sizes in KB. */
struct xml_summary_fs {
	struct str dir;
	uint64_t total, free, inodes, free_inodes;
};

/* A value by its place, "BLOCK.NAME". */
struct xml_summary_value {
	const char *place;
	uint64_t value;
};

/* Values that no row has: the CPU time of the process that sends, file systems, figures. */
struct xml_summary_extra {
	uint64_t user_us, system_us;
	const struct xml_summary_fs *fs;
	size_t n_fs;
	const struct xml_summary_value *value;
	size_t n_values;
};

/*
 * Puts the blocks of XRootD's that mean something for a node (seed 000, 2.2): info; those of the
 * values, as link and sched; proc; oss: file systems; then jobs, and one block for each type that
 * is wanted, with a block within it for each device but "-".
 */
void xml_summary_put_record(struct xml_summary_pack *p, const struct record *g,
		       const struct xml_summary_sender *s, const struct xml_summary_extra *extra,
		       bool (*wanted)(void *arg, struct str type), void *arg);
