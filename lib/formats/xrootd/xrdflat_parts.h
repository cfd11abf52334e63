/* SPDX-License-Identifier: BSD-3-Clause */
/* xrdflat_parts.h - helpers of the readers of summary packets: header, keys and words */
#pragma once

#include <string.h>
#include "formats/xrootd/xrd_values.h"

/* Values of the header attributes, in output order. */
#define XRD_ATTRIBUTES 8
struct xrd_header {
	struct str value[XRD_ATTRIBUTES];
};

void xrd_header_set(struct xrd_header *h, struct str name, struct str value);
/* Return the index of a header attribute, or XRD_ATTRIBUTES if it is unknown. */
size_t xrd_header_place(struct str name);
#define XRD_IS_SITE(place) ((place) == XRD_ATTRIBUTES - 1)
/* Call to->put() for each word in the value of one header attribute. */
void xrd_put_attribute(const struct xrd_values *to, struct str name, struct str value);
/* Call to->put() with key "host", if to->host is not empty. */
void xrd_put_host(const struct xrd_values *to);
/*
 * Call to->put() for the header attributes: with each word of a value or, if `raw` is set, with the
 * complete value. Then put the host.
 */
void xrd_header_put(const struct xrd_header *h, const struct xrd_values *to, bool raw);

/* The key of the current element. All zero is the top level. */
struct xrd_key {
	char text[XRD_KEY_MAX + 1];
	size_t n;
	size_t ends[XRD_DEPTH_MAX];	/* length of the key before each element */
	size_t depth;
};

/*
 * Append an element name to the key, with all characters unchanged. Returns false if the key would
 * have too many elements or be too long.
 */
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

/* Append any element name to the key. Blanks, "=", "&" and control characters become "_". */
bool xrd_key_enter_any(struct xrd_key *k, struct str name);

/* Remove the last element from the key, which must not be empty. */
static inline void xrd_key_leave(struct xrd_key *k)
{
	k->n = k->ends[--k->depth];
}

static inline struct str xrd_key_str(const struct xrd_key *k)
{
	return (struct str){ k->text, k->n };
}

/* Call to->put() for each word of a text. Enclosing quotes and ">" are left out. */
void xrd_put_text(const struct xrd_values *to, struct str key, struct str text);

enum {
	XRD_BREAK = 1,		/* separates words */
	XRD_QUOTE = 2,
	/* allowed in names by xrd_read_plain(); packets with other names need xrd_read_xml() */
	XRD_NAME  = 4,
	XRD_AMPERSAND = 8,	/* begins an entity */
};
extern const unsigned char xrd_class[256];

static inline unsigned char xrd_class_of(char c)
{
	return xrd_class[(unsigned char)c];
}
