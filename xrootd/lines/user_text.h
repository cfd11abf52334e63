/* SPDX-License-Identifier: BSD-3-Clause */
/* user_text.h - JSON members about a user, cached for all accesses of the user */
#pragma once

#include "base/buf.h"
#include "xrootd/join/xrd_put.h"

#define USER_TEXTS 256
/* maximum memory of a client in bytes; a larger client is not cached */
#define USER_BYTES 4096

struct user_text {
	uint64_t of;		/* xrd_client.texts of the cached client; 0: this element is free */
	struct xrd_who who;	/* parts of the client's texts, borrowed from the client */
	struct str vo;
	struct buf name, json;	/* name of the client's host; JSON members about the user */
};

/* All zero is a valid empty state. */
struct user_texts {
	struct user_text one[USER_TEXTS], other;
};

/* Get the texts about the user of an access, valid until the next call or a change of c or f. */
struct user_text *user_text_of(struct user_texts *all, const struct xrd_client *c,
			       const struct xrd_file *f);
struct str user_text_json(struct user_text *u, struct str name);

void user_text_put(struct buf *b, const struct xrd_who *w, struct str name);
void user_texts_free(struct user_texts *all);
