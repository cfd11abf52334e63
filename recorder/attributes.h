/* SPDX-License-Identifier: BSD-3-Clause */
/* attributes.h - what a scheduler knows of a job: "key=value" words after the marks of the job */
#pragma once

#include "base/buf.h"

#define ATTRIBUTES_MAX 512	/* bytes of all of them */

/*
 * Adds " key=value" of "key=value", with the value as one safe word. A key is a small letter and up
 * to 31 more, digits or "_"; an empty value adds nothing: a hook passes what it may not have.
 * 0, -EINVAL: no key, or "source" or "at", which the agent says, or "request", which the hook's
 * command says; -ENOSPC: more than ATTRIBUTES_MAX in all.
 */
int attributes_add(struct buf *b, struct str attribute) MUST_CHECK;

/* The values that are used here, "" of what is not there; the last one of a key counts. */
struct attributes {
	struct str uid, user, account;
	struct str gpus;	/* "0,2-3" */
	struct str exclusive;	/* "yes": the job has the node alone */
};

/*
 * False: the text is not such words and nothing else, as attributes_add() makes them; behind them
 * may stand the identity of the request, see schema/marks.h. *ret borrows from the text.
 */
bool attributes_read(struct str text, struct attributes *ret);
