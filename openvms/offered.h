/* SPDX-License-Identifier: BSD-3-Clause */
/* offered.h - count the samples that were read and used, and explain why none was used */
#pragma once

#include "openvms/request.h"

struct offered_time {
	int64_t stamp;		/* VMS system time; 0: no sample */
	int32_t utc_offset;
};

/*
 * Numbers of samples; .moments: all; .with_classes: with a requested class; .of_node: those that
 * are also of the requested node; .taken: those used. All zero is a valid start.
 */
struct offered {
	uint64_t moments, with_classes, of_node, taken;
	/* .before: last sample before --begin; .after: first sample after --end */
	struct offered_time before, after;
	/* names of the nodes that --node excluded, as "A, B" */
	struct buf nodes;
};

/* Count the newest sample. Returns true if it has a requested class and the requested node. */
bool offered_wants(struct offered *o, const struct monitor_request *q, const struct moments *from);
/* Remember the time of a sample before --begin or after --end, for offered_explain(). */
void offered_pass_over(struct offered *o, const struct moments *from, bool is_before);
/* Log why no sample was used, or why the samples give no summary. */
void offered_explain(const struct offered *o, const struct monitor_request *q);
void offered_free(struct offered *o);
