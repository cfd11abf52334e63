/* SPDX-License-Identifier: BSD-3-Clause */
/* own.c - whether the rows of a job itself say all of it: its control group goes before its end */
#include "figures/own.h"

/* 0 of a row without it, as older agents wrote. */
static uint64_t key_value(const struct raw_row *row, const char *name)
{
	int k = raw_key_find(row->type, name);
	return k < 0 || (row->absent && row->absent[k]) ? 0 : row->value[k];
}

void own_row(struct own *o, const struct raw_row *row, uint32_t sample)
{
	o->gone = key_value(row, "age") > 0;
	if (o->gone)
		o->lacks |= ~key_value(row, "whole");
	o->sample = sample + 1;
}

bool own_is_part(const struct own *o, unsigned need, uint32_t last)
{
	return (o->lacks & need) || (!o->gone && o->sample != last + 1);
}
