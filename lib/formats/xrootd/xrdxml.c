/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdxml.c - reads summary packets that are XML of any form, with expat */
#include "formats/xrootd/xrdflat.h"

#include <errno.h>
#include "formats/xml.h"
#include "formats/xrootd/xrdflat_parts.h"

/* The packet bounds the text: at most 65,507 bytes. */
struct xml_reading {
	struct xml xml;
	const struct xrd_values *to;
	struct xrd_key key;
	bool in_root;
};

static void put_text(struct xml_reading *r)
{
	if (r->xml.text.n && r->key.depth && !r->xml.error)
		xrd_put_text(r->to, xrd_key_str(&r->key), buf_str(&r->xml.text));
	r->xml.text.n = 0;
}

static void on_root(struct xml_reading *r, const char *name, const char **attribute)
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

static void on_start(struct xml *x, const char *name, const char **attribute)
{
	struct xml_reading *r = x->arg;
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
		xml_give_up(&r->xml, -E2BIG);
}

static void on_end(struct xml *x, const char *name)
{
	struct xml_reading *r = x->arg;
	(void)name;
	put_text(r);
	if (r->key.depth)
		xrd_key_leave(&r->key);
}

int xrd_read_xml(struct str packet, const struct xrd_values *to)
{
	struct xml_reading r = { .xml = { .start = on_start, .end = on_end }, .to = to };
	r.xml.arg = &r;
	packet = str_without_end(packet, '\0');
	int e = xml_read(&r.xml, packet);
	return e == -EOPNOTSUPP && str_peek(packet) != '<' ? -EBADMSG : e;
}
