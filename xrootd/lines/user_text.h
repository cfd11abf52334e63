/* SPDX-License-Identifier: BSD-3-Clause */
/* user_text.h - what lines say of a user, made once for all of its accesses */
#pragma once

#include "base/buf.h"
#include "tracers/xrootd/join/xrd_put.h"

#define USER_TEXTS 256
#define USER_BYTES 4096		/* of a client: one that has more is made each time */

struct user_text {
	uint64_t of;		/* .texts of the client, 0: of none */
	struct xrd_who who;	/* borrowed from the client */
	struct str vo;
	struct buf name, json;	/* .json: members, with this name of the client's address */
};

/* All zero is a valid empty one. */
struct user_texts {
	struct user_text one[USER_TEXTS], other;
};

/* The user of an access, until the next call. */
struct user_text *user_text_of(struct user_texts *all, const struct xrd_client *c,
			       const struct xrd_file *f);
struct str user_text_json(struct user_text *u, struct str name);

void user_text_put(struct buf *b, const struct xrd_who *w, struct str name);
void user_texts_free(struct user_texts *all);
