/* SPDX-License-Identifier: BSD-3-Clause */
/* offered.h - count which moments of the inputs were used, and explain why none was */
#pragma once

#include "openvms/request.h"

struct offered_time {
	int64_t stamp;		/* stamp of a moment; 0: there is no such moment */
	int32_t utc_offset;
};

/* All zero is valid and new; offered_free() releases it. */
struct offered {
	uint64_t moments, with_classes, of_node, taken;
	/* the last moment before --begin, and the first moment after --end */
	struct offered_time before, after;
	/* names of the nodes in the input, "A, B", if --node is given */
	struct buf nodes;
};

/*
 * Tell whether a request wants the classes and the node of the newest moment, and count the moment.
 */
bool offered_wants(struct offered *o, const struct monitor_request *q, const struct moments *from);
/* Note a moment that lies before --begin or after --end. */
void offered_pass_over(struct offered *o, const struct moments *from, bool is_before);
/* Log why there is nothing to show, to record or to sum up. */
void offered_explain(const struct offered *o, const struct monitor_request *q);
void offered_free(struct offered *o);
