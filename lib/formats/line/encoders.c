/* SPDX-License-Identifier: BSD-3-Clause */
/* encoders.c - the list of all encodings of records, from line.am */
#include "formats/line/line.h"

#define ENCODER(name) extern const struct line_encoder name##_encoder;
#include "formats/line/encoders.inc"
#undef ENCODER

const struct line_encoder *const line_encoders[] = {
#define ENCODER(name) &name##_encoder,
#include "formats/line/encoders.inc"
#undef ENCODER
};
const size_t n_line_encoders = ARRAY_SIZE(line_encoders);

const struct line_encoder *line_encoder_find(struct str name)
{
	for (size_t i = 0; i < n_line_encoders; i++)
		if (str_eq(name, str_of(line_encoders[i]->name)))
			return line_encoders[i];
	return NULL;
}

bool line_label_is_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		if (!(c >= 'a' && c <= 'z') && c != '_' && !(i && c >= '0' && c <= '9'))
			return false;
	}
	return name.n > 0;
}

/*
 * Return true if text has a schema line for the same type as the schema line `wanted`, such as
 * "!cpu user,E".
 */
static bool head_has_type(struct str text, struct str wanted)
{
	struct str line, type, name;
	str_take_word(&wanted, &type);
	while (str_take_line(&text, &line))
		if (str_take_word(&line, &name) && str_eq(name, type))
			return true;
	return false;
}

static bool head_covers(struct str last, struct str head)
{
	struct str line;
	while (str_take_line(&head, &line))
		if (!str_has_line(last, line))
			return false;
	return true;
}

bool line_head_due(const struct line_encoder *e, const struct line_node *node,
		   const struct record *r, struct buf *last)
{
	struct buf head CLEANUP(buf_free) = { 0 };
	struct str rest, line;
	if (!e->head)
		return false;
	e->head(&head, node, r);
	if (last->n && !r->restart && head_covers(buf_str(last), buf_str(&head)))
		return false;
	size_t own = head.n;
	for (rest = buf_str(last); str_take_line(&rest, &line); )
		if (str_peek(line) == '!' && !head_has_type((struct str){ head.p, own }, line))
			buf_addf(&head, STR_FMT "\n", STR_ARG(line));
	last->n = 0;
	buf_add(last, buf_str(&head));
	return true;
}
