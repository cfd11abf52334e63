/* SPDX-License-Identifier: BSD-3-Clause */
/* xml.h - parse XML with expat; documents with a document type are rejected */
#pragma once

#include "base/buf.h"

/*
 * A parser and its handlers. Only predefined entities such as "&lt;" are expanded, so texts are no
 * longer than the document.
 */
struct xml {
	void (*start)(struct xml *x, const char *name, const char **attribute);
	void (*end)(struct xml *x, const char *name);
	void *arg;		/* for use by the handlers */
	struct buf text;	/* text since a handler last emptied this buffer */
	int error;		/* set by xml_give_up() */
	void *parser;
};

/*
 * Parse a document, and free x->text. Returns 0; the error that a handler passed to xml_give_up();
 * -EBADMSG if the document is not valid XML; or -EOPNOTSUPP if built without expat.
 */
int xml_read(struct xml *x, struct str document) MUST_CHECK;
void xml_give_up(struct xml *x, int error);
