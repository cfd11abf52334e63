/* SPDX-License-Identifier: BSD-3-Clause */
/* asked.h - moments of this node that its agent samples */
#pragma once

#include "top/moment.h"

/* All zero is a valid new one; top_asked_free() ends it. */
struct top_asked {
	struct buf types;	/* names of types, for the agent */
	struct buf text;	/* the newest answer */
	size_t at;		/* how much of it was read */
};

/*
 * The agent's sample of now, which no file has, as the moment after before. False, and m is as it
 * was: no agent runs, or it has none that is newer.
 */
bool top_ask(struct top_asked *a, const char *runtime_dir, const struct top_moment *before,
	     struct top_moment *m);
void top_asked_free(struct top_asked *a);
