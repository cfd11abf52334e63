/* SPDX-License-Identifier: BSD-3-Clause */
/* look.h - one sample of this node, to see what there is */
#pragma once

#include "recorder/config.h"
#include "recorder/recorder.h"

/* 0: sampler_free() ends it; or -errno, and said why. Counters that jobs have are not opened. */
int look_at_node(struct sampler *s, const struct config *c) MUST_CHECK;

static inline bool type_is_absent(const struct type_state *t)
{
	return !t->on || t->result != 0;
}

/* The state of a type on this node, NULL: it is not built in. */
const struct type_state *look_find(const struct sampler *s, const char *type);
