/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_now.h - take a sample on request, for live viewers such as nodometer top */
#pragma once

#include "agent/control.h"
#include "recorder/live_tier.h"

struct newest_sample *newest_sample_new(void);
void newest_sample_free(struct newest_sample *s);

/*
 * Append a sample of the requested types in the raw format. At most one sample per second is taken,
 * for all clients together. Returns 0; -EAGAIN if the sample taken within the last second has other
 * types or failed; -EINVAL if the user may see none of the types; -ENODATA if the newest sample in
 * the archive has none of the types; -E2BIG if the sample does not fit into a reply; or -errno if
 * the archive cannot be written.
 */
int sample_now(struct newest_sample *s, struct recorder *r, const struct control_request *q,
	       struct buf *to) MUST_CHECK;
