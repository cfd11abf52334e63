/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdxml.c - reads summary packets that are XML of any form, with expat */
#include "formats/xrootd/xrdflat.h"

#include <errno.h>

#ifdef HAVE_EXPAT
#include <expat.h>
#include <stdlib.h>
#include "base/buf.h"
#include "formats/xrootd/xrdflat_parts.h"

/* The packet bounds the text: at most 65,507 bytes, and no entity makes more of them. */
struct xml_reading {
	XML_Parser parser;
	const struct xrd_values *to;
	struct xrd_key key;
	struct buf text;	/* of the element that we are in, since its last tag */
	bool in_root;
	int error;
};

static void give_up(struct xml_reading *r, int error)
{
	r->error = error;
	XML_StopParser(r->parser, XML_FALSE);
}

static void put_text(struct xml_reading *r)
{
	if (r->text.n && r->key.depth && !r->error)
		xrd_put_text(r->to, xrd_key_str(&r->key), buf_str(&r->text));
	r->text.n = 0;
}

static void on_root(struct xml_reading *r, const char *name, const char **attribute)
{
	struct xrd_header h = { { { NULL, 0 } } };
	if (strcmp(name, "statistics") != 0) {
		give_up(r, -EBADMSG);
		return;
	}
	for (; *attribute; attribute += 2)
		xrd_header_set(&h, str_of(attribute[0]), str_of(attribute[1]));
	xrd_header_put(&h, r->to, false);
	r->in_root = true;
}

static void on_start(void *arg, const char *name, const char **attribute)
{
	struct xml_reading *r = arg;
	const char *key = name;
	if (!r->in_root) {
		on_root(r, name, attribute);
		return;
	}
	put_text(r);
	for (; strcmp(name, "stats") == 0 && *attribute; attribute += 2)
		if (strcmp(attribute[0], "id") == 0 && *attribute[1])
			key = attribute[1];
	if (!xrd_key_enter_any(&r->key, str_of(key)))
		give_up(r, -E2BIG);
}

static void on_end(void *arg, const char *name)
{
	struct xml_reading *r = arg;
	(void)name;
	put_text(r);
	if (r->key.depth)
		xrd_key_leave(&r->key);
}

static void on_text(void *arg, const char *p, int n)
{
	struct xml_reading *r = arg;
	buf_add(&r->text, (struct str){ p, (size_t)n });
}

/* No document type: so no entities but the five, nothing to expand and nothing to load. */
static void on_doctype(void *arg, const char *name, const char *system_id, const char *public_id,
		       int internal)
{
	(void)name, (void)system_id, (void)public_id, (void)internal;
	give_up(arg, -EBADMSG);
}

int xrd_read_xml(struct str packet, const struct xrd_values *to)
{
	struct xml_reading r = { .to = to };
	while (packet.n && packet.p[packet.n - 1] == '\0')
		packet.n--;
	r.parser = XML_ParserCreate(NULL);
	if (!r.parser)
		abort();
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, on_start, on_end);
	XML_SetCharacterDataHandler(r.parser, on_text);
	XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
	enum XML_Status status = XML_Parse(r.parser, packet.p, (int)packet.n, XML_TRUE);
	XML_ParserFree(r.parser);
	buf_free(&r.text);
	if (r.error)
		return r.error;
	return status == XML_STATUS_OK ? 0 : -EBADMSG;
}
#else
int xrd_read_xml(struct str packet, const struct xrd_values *to)
{
	(void)to;
	return packet.n && *packet.p == '<' ? -EOPNOTSUPP : -EBADMSG;
}
#endif
