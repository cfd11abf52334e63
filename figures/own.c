/* SPDX-License-Identifier: BSD-3-Clause */
/* own.c - whether the rows of a job itself say all of it: its control group goes before its end */
#include "figures/own.h"

/* 0 of a row without it, as older agents wrote. */
static uint64_t key_value(const struct record_type *type, const struct record_row *row,
			  const char *name)
{
	int k = record_key_find(type, name);
	return k < 0 || !row_has(row, (size_t)k) ? 0 : row->value[k];
}

void own_row(struct own *o, const struct record_type *type, const struct record_row *row,
	     uint32_t sample)
{
	o->gone = key_value(type, row, "age") > 0;
	if (o->gone)
		o->lacks |= ~key_value(type, row, "whole");
	o->sample = sample + 1;
}

bool own_is_part(const struct own *o, unsigned need, uint32_t last)
{
	return (o->lacks & need) || (!o->gone && o->sample != last + 1);
}
