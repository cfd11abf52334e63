/* SPDX-License-Identifier: BSD-3-Clause */
/* xml.h - elements and texts of an XML document without a document type, by expat */
#pragma once

#include "base/buf.h"

/* The document bounds the text, and no entity makes more of it. */
struct xml {
	void (*start)(struct xml *x, const char *name, const char **attribute);
	void (*end)(struct xml *x, const char *name);
	void *arg;		/* theirs */
	struct buf text;	/* since they emptied it */
	int error;		/* of xml_give_up() */
	void *parser;
};

/*
 * 0; what a handler gave up with; -EBADMSG: it is no such document; -EOPNOTSUPP: built without
 * expat. Frees the text.
 */
int xml_read(struct xml *x, struct str document) MUST_CHECK;
void xml_give_up(struct xml *x, int error);
