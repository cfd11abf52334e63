/* SPDX-License-Identifier: BSD-3-Clause */
/* state_parts.h - parts of a saved state, and the format of texts and times */
#pragma once

#include "base/wire.h"
#include "xrootd/join/xrd_join.h"
#include "xrootd/sums/xrd_reports.h"
#include "xrootd/sums/xrd_sums.h"

/* Append a part to a state, or restore it. Restoring sets w->bad if the part is not consistent. */
void join_put_state(struct buf *b, const struct xrd_join *j);
void join_take_state(struct wire *w, struct xrd_join *j);
void servers_put_state(struct buf *b, const struct xrd_servers *all);
void servers_take_state(struct wire *w, struct xrd_servers *all);
void sums_put_state(struct buf *b, const struct xrd_sums *s);
void sums_take_state(struct wire *w, struct xrd_sums *s);
void reports_put_state(struct buf *b, const struct xrd_reports *r);
void reports_take_state(struct wire *w, struct xrd_reports *r);

static inline void state_put_text(struct buf *b, struct str s)
{
	wire_put(b, s.n, 4);
	buf_add(b, s);
}

static inline struct str state_take_text(struct wire *w)
{
	return wire_bytes(w, wire_u32(w));
}

/* Read a time in microseconds, limited so that sums of times cannot overflow. */
static inline int64_t state_take_time(struct wire *w)
{
	int64_t t = (int64_t)wire_u64(w);
	w->bad |= t < 0 || t > INT64_MAX / 4;
	return w->bad ? 0 : t;
}
