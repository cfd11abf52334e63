/* SPDX-License-Identifier: BSD-3-Clause */
/* xml.c - elements and texts of an XML document without a document type, by expat */
#include "formats/xml.h"

#include <errno.h>

#ifdef HAVE_EXPAT
#include <expat.h>
#include <stdlib.h>

void xml_give_up(struct xml *x, int error)
{
	x->error = error;
	XML_StopParser(x->parser, XML_FALSE);
}

static void on_start(void *arg, const char *name, const char **attribute)
{
	struct xml *x = arg;
	x->start(x, name, attribute);
}

static void on_end(void *arg, const char *name)
{
	struct xml *x = arg;
	x->end(x, name);
}

static void on_text(void *arg, const char *bytes, int n)
{
	struct xml *x = arg;
	buf_add(&x->text, (struct str){ bytes, (size_t)n });
}

/* No document type: so no entities but the five, nothing to expand and nothing to load. */
static void on_doctype(void *arg, const char *name, const char *system_id, const char *public_id,
		       int internal)
{
	(void)name, (void)system_id, (void)public_id, (void)internal;
	xml_give_up(arg, -EBADMSG);
}

int xml_read(struct xml *x, struct str document)
{
	XML_Parser parser = x->parser = XML_ParserCreate(NULL);
	if (!parser)
		abort();
	XML_SetUserData(parser, x);
	XML_SetElementHandler(parser, on_start, on_end);
	XML_SetCharacterDataHandler(parser, on_text);
	XML_SetStartDoctypeDeclHandler(parser, on_doctype);
	enum XML_Status status = XML_Parse(parser, document.p, (int)document.n, XML_TRUE);
	XML_ParserFree(parser);
	buf_free(&x->text);
	if (x->error)
		return x->error;
	return status == XML_STATUS_OK ? 0 : -EBADMSG;
}
#else
void xml_give_up(struct xml *x, int error)
{
	x->error = error;
}

int xml_read(struct xml *x, struct str document)
{
	(void)x, (void)document;
	return -EOPNOTSUPP;
}
#endif
