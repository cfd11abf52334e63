/* SPDX-License-Identifier: BSD-3-Clause */
/* type_json.c - what is known of types and keys, as members of a JSON object */
#include "schema/type_json.h"

#include "base/json.h"

void type_put_json(struct buf *b, const struct type *t)
{
	json_str(b, "summary", str_of(t->about));
	json_str(b, "device", str_of(t->device));
	json_str(b, "source", str_of(t->source));
}

void key_put_json(struct buf *b, const char *name, enum metric_kind kind, const char *unit,
		  unsigned bits, const char *help)
{
	json_str(b, "key", str_of(name));
	json_str(b, "kind", str_of(metric_kind_name(kind)));
	json_str(b, "unit", str_of(unit));
	json_u64(b, "bits", bits ? bits : 64);
	if (help)
		json_str(b, "help", str_of(help));
}
