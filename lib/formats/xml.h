/* SPDX-License-Identifier: BSD-3-Clause */
/* xml.h - parse elements and texts of an XML document with expat; document types are rejected */
#pragma once

#include "base/buf.h"

/*
 * A parser and its handlers. The texts cannot be longer than the document, because no entity
 * expands.
 */
struct xml {
	void (*start)(struct xml *x, const char *name, const char **attribute);
	void (*end)(struct xml *x, const char *name);
	void *arg;		/* for use by the handlers */
	struct buf text;	/* text since a handler last emptied it */
	int error;		/* error that a handler passed to xml_give_up() */
	void *parser;
};

/*
 * Parse the document, and free x->text. Returns 0, the error of xml_give_up(), -EBADMSG if the
 * document is not valid XML, or -EOPNOTSUPP if built without expat.
 */
int xml_read(struct xml *x, struct str document) MUST_CHECK;
void xml_give_up(struct xml *x, int error);
