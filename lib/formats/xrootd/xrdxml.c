/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdxml.c - read summary packets in any form of XML, with expat */
#include "formats/xrootd/xrdflat.h"

#include <errno.h>
#include "formats/xml.h"
#include "formats/xrootd/xrdflat_parts.h"

/*
 * State of the reader. Texts need no limit of their own, because a packet has at most 65,507 bytes.
 */
struct xml_reading {
	struct xml xml;
	const struct xrd_values *to;
	struct xrd_key key;
	bool in_root;
};

static void xrdxml_put_text(struct xml_reading *r)
{
	if (r->xml.text.n && r->key.depth && !r->xml.error)
		xrd_put_text(r->to, xrd_key_str(&r->key), buf_str(&r->xml.text));
	r->xml.text.n = 0;
}

static void xrdxml_on_root_tag(struct xml_reading *r, const char *name, const char **attribute)
{
	struct xrd_header h = { { { NULL, 0 } } };
	if (strcmp(name, "statistics") != 0) {
		xml_give_up(&r->xml, -EBADMSG);
		return;
	}
	for (; *attribute; attribute += 2)
		xrd_header_set(&h, str_of(attribute[0]), str_of(attribute[1]));
	xrd_header_put(&h, r->to, false);
	r->in_root = true;
}

static void xrdxml_on_start_tag(struct xml *x, const char *name, const char **attribute)
{
	struct xml_reading *r = x->arg;
	const char *key = name;
	if (!r->in_root) {
		xrdxml_on_root_tag(r, name, attribute);
		return;
	}
	xrdxml_put_text(r);
	for (; strcmp(name, "stats") == 0 && *attribute; attribute += 2)
		if (strcmp(attribute[0], "id") == 0 && *attribute[1])
			key = attribute[1];
	if (!xrd_key_enter_any(&r->key, str_of(key)))
		xml_give_up(&r->xml, -E2BIG);
}

static void xrdxml_on_end_tag(struct xml *x, const char *name)
{
	struct xml_reading *r = x->arg;
	(void)name;
	xrdxml_put_text(r);
	if (r->key.depth)
		xrd_key_leave(&r->key);
}

int xrd_read_xml(struct str packet, const struct xrd_values *to)
{
	struct xml_reading r = { .xml = { .start = xrdxml_on_start_tag, .end = xrdxml_on_end_tag },
				.to = to };
	r.xml.arg = &r;
	packet = str_without_end(packet, '\0');
	int e = xml_read(&r.xml, packet);
	return e == -EOPNOTSUPP && str_peek(packet) != '<' ? -EBADMSG : e;
}
