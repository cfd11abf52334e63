/* SPDX-License-Identifier: BSD-3-Clause */
/* attributes.h - parse attributes of a job from its scheduler: "key=value" words after its marks */
#pragma once

#include "base/buf.h"

#define ATTRIBUTES_MAX 512	/* largest size of all attributes of a job, in bytes */

/*
 * Append " key=value" to b, which has only attributes. A key is a lowercase letter followed by up
 * to 31 lowercase letters, digits or "_". The value becomes one word, in which special characters
 * are replaced; an empty value adds nothing. Returns 0; -EINVAL if the key is invalid or one of the
 * reserved keys "source", "at" and "request"; -ENOSPC if the attributes exceed ATTRIBUTES_MAX in
 * total.
 */
int attributes_add(struct buf *b, struct str attribute) MUST_CHECK;

/*
 * Attributes that the recorder uses, with the escapes of buf_add_word(); "" if missing. If a key is
 * repeated, its last value counts.
 */
struct attributes {
	struct str uid, user, account;
	struct str gpus;	/* list of GPU numbers, "0,2-3" */
	struct str exclusive;	/* "yes" if the job has the node alone */
};

/*
 * Parse attributes as attributes_add() writes them, optionally followed by the id of the request
 * (schema/marks.h). Returns false if the text contains anything else, or more than ATTRIBUTES_MAX
 * bytes of attributes. *ret borrows from the text.
 */
bool attributes_read(struct str text, struct attributes *ret);
