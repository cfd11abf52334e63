/* SPDX-License-Identifier: BSD-3-Clause */
/* attributes.h - parse attributes of a job from its scheduler: "key=value" words after its marks */
#pragma once

#include "base/buf.h"

#define ATTRIBUTES_MAX 512	/* limit of all attributes of a job together, bytes */

/*
 * Append " key=value" for "key=value"; the value becomes one word without special characters. A key
 * is a small letter followed by up to 31 small letters, digits or "_". An empty value adds nothing,
 * so a hook may pass variables that can be empty. Returns 0; -EINVAL if there is no valid key, or
 * if the key is "source" or "at" (set by the agent) or "request" (set by the hook's command);
 * -ENOSPC if all attributes together exceed ATTRIBUTES_MAX.
 */
int attributes_add(struct buf *b, struct str attribute) MUST_CHECK;

/* Attributes that the recorder uses; "" if missing. If a key is repeated, its last value counts. */
struct attributes {
	struct str uid, user, account;
	struct str gpus;	/* list of GPU numbers, "0,2-3" */
	struct str exclusive;	/* "yes" if the job has the node alone */
};

/*
 * Parse attributes as attributes_add() writes them, optionally followed by the id of the request
 * (schema/marks.h). Returns false if the text contains anything else. *ret borrows from the text.
 */
bool attributes_read(struct str text, struct attributes *ret);
