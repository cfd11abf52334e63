/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_parts.h - what the readers of summary packets share: header, key, words of a value */
#pragma once

#include <string.h>
#include "formats/xrootd/xrd_values.h"

/* The header's attributes, in the order in which they come out. */
#define XRD_ATTRIBUTES 8
struct xrd_header {
	struct str value[XRD_ATTRIBUTES];
};

void xrd_header_set(struct xrd_header *h, struct str name, struct str value);
/* The place of an attribute among them; XRD_ATTRIBUTES: it is none that comes out. */
size_t xrd_header_place(struct str name);
#define XRD_IS_SITE(place) ((place) == XRD_ATTRIBUTES - 1)
/* Each word of it by itself. */
void xrd_put_attribute(const struct xrd_values *to, struct str name, struct str value);
/* raw: values are one word each, whatever bytes are in them. */
void xrd_put_host(const struct xrd_values *to);	/* sender, where it is asked for */
void xrd_header_put(const struct xrd_header *h, const struct xrd_values *to, bool raw);

/* The key of where a reader is; all zero is at the top. */
struct xrd_key {
	char text[XRD_KEY_MAX + 1];
	size_t n;
	size_t ends[XRD_DEPTH_MAX];	/* .n before each element was entered */
	size_t depth;
};

/* False: too deep or too long. For names that are made of XRD_NAME. */
static inline bool xrd_key_enter(struct xrd_key *k, struct str name)
{
	if (k->depth == XRD_DEPTH_MAX || k->n + 1 + name.n > XRD_KEY_MAX)
		return false;
	size_t n = k->n;
	k->ends[k->depth] = n;
	if (k->depth++)
		k->text[n++] = '.';
	memcpy(k->text + n, name.p, name.n);
	k->n = n + name.n;
	return true;
}

/* For any name: blanks, "=", "&" and control characters in it become "_". */
bool xrd_key_enter_any(struct xrd_key *k, struct str name);

static inline void xrd_key_leave(struct xrd_key *k)	/* not at the top */
{
	k->n = k->ends[--k->depth];
}

static inline struct str xrd_key_str(const struct xrd_key *k)
{
	return (struct str){ k->text, k->n };
}

/* Each word of a text by itself; quotes around the text, and ">" in it, are left out. */
void xrd_put_text(const struct xrd_values *to, struct str key, struct str text);

enum {
	XRD_BREAK = 1,		/* stands between the words of a text */
	XRD_QUOTE = 2,
	XRD_NAME  = 4,		/* in names of elements and attributes; UTF-8 is left to expat */
	XRD_AMPERSAND = 8,	/* begins an entity */
};
extern const unsigned char xrd_class[256];

static inline unsigned char xrd_class_of(char c)
{
	return xrd_class[(unsigned char)c];
}
