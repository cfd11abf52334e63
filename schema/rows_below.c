/* SPDX-License-Identifier: BSD-3-Clause */
/* rows_below.c - which devices of a type stand on which, as text for the header */
#include "schema/rows.h"

#define BELOW_MAX (256u << 10)

void rows_below(struct rows *r)
{
	r->below.n = r->below_line = 0;
	r->below_known = r->below_new = true;
}

void rows_below_unknown(struct rows *r)
{
	r->below.n = r->below_line = 0;
	r->below_known = false;
}

static bool is_of(struct str line, struct str device)
{
	struct str word;
	return str_take_word(&line, &word) && str_eq(word, device);
}

static void add_lower(struct rows *r, struct str device, struct str lower, bool escaped)
{
	if (r->below.n && is_of(str_skip(buf_str(&r->below), r->below_line), device)) {
		r->below.n--;
	} else {
		r->below_line = r->below.n;
		buf_add(&r->below, device);
	}
	buf_add_char(&r->below, ' ');
	buf_add_word(&r->below, lower, escaped);
	buf_add_char(&r->below, '\n');
}

void rows_stands_on(struct rows *r, struct str device, struct str lower, bool escaped)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	if (!r->below_known)
		return;
	buf_add_word(&name, device, escaped);
	add_lower(r, buf_str(&name), lower, escaped);
	if (r->below.n > BELOW_MAX)
		rows_below_unknown(r);
}

bool rows_has_below(const struct rows *r, struct str device)
{
	struct str text = buf_str(&r->below), line;
	while (str_take_line(&text, &line))
		if (is_of(line, device))
			return true;
	return false;
}
