/* SPDX-License-Identifier: BSD-3-Clause */
/* odd_devices.c - find devices that lack keys of their type's schema, called "odd devices" */
#include "recorder/odd_devices.h"

#define DEVICES_SAID 8
#define KEYS_SAID    8

bool odd_device(const struct odd_devices *o, size_t row)
{
	return !row_has_all(o->rows, row, o->mask);
}

void odd_device_put_keys(const struct odd_devices *o, size_t row, size_t most, struct buf *b)
{
	const uint64_t *present = rows_present(o->rows, row);
	const struct type *type = o->type;
	size_t n = 0;
	for (size_t k = 0; k < type->n_metrics; k++)
		if (((o->mask[k / 64] & ~present[k / 64]) >> k % 64 & 1) && n++ < most)
			buf_addf(b, "%s%s", n > 1 ? " " : "", type->metrics[k].name);
	if (n > most)
		buf_addf(b, " and %zu more", n - most);
}

void odd_devices_say(const struct odd_devices *o, size_t kinds_before, const struct listener *l)
{
	const struct rows *r = o->rows;
	struct buf keys CLEANUP(buf_free) = { 0 };
	size_t n = 0;
	for (size_t i = 0; l && i < r->n; i++) {
		if (!odd_device(o, i))
			continue;
		size_t kind = schema_kind_of(r, i, o->kinds);
		if (kind < kinds_before || n++ >= DEVICES_SAID)
			continue;
		keys.n = 0;
		odd_device_put_keys(o, i, KEYS_SAID, &keys);
		say_notice(l, "type %s: " STR_FMT " lacks " STR_FMT "%s", o->type->name,
			   STR_ARG(rows_device(r, i)), STR_ARG(buf_str(&keys)),
			   kind == o->kinds->n ? ": left out, there are too many kinds" : "");
	}
	if (n > DEVICES_SAID)
		say_notice(l, "type %s: %zu more devices lack keys", o->type->name,
			   n - DEVICES_SAID);
}
