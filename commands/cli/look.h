/* SPDX-License-Identifier: BSD-3-Clause */
/* look.h - take one sample of this node, to see which types of data it has */
#pragma once

#include "recorder/config.h"
#include "recorder/recorder.h"

/*
 * Take a sample, without the hardware counters that the agent released to jobs. Reports errors.
 * Returns 0, or -errno. After success, the caller must call sampler_free().
 */
int sample_this_node(struct sampler *s, const struct config *c) MUST_CHECK;

static inline bool type_is_absent(const struct type_state *t)
{
	return !t->on || t->result != 0;
}

/* Returns the state of a type on this node, or NULL if it is neither built in nor configured. */
const struct type_state *look_find(const struct sampler *s, const char *type);
