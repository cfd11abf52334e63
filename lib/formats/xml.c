/* SPDX-License-Identifier: BSD-3-Clause */
/* xml.c - parse elements and texts of an XML document with expat */
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

static void xml_on_start_tag(void *arg, const char *name, const char **attribute)
{
	struct xml *x = arg;
	x->start(x, name, attribute);
}

static void xml_on_end_tag(void *arg, const char *name)
{
	struct xml *x = arg;
	x->end(x, name);
}

static void xml_on_text(void *arg, const char *bytes, int n)
{
	struct xml *x = arg;
	buf_add(&x->text, (struct str){ bytes, (size_t)n });
}

/* Reject a document type, because it could define or load entities. */
static void xml_on_doctype(void *arg, const char *name, const char *system_id,
			   const char *public_id,
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
	XML_SetElementHandler(parser, xml_on_start_tag, xml_on_end_tag);
	XML_SetCharacterDataHandler(parser, xml_on_text);
	XML_SetStartDoctypeDeclHandler(parser, xml_on_doctype);
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
