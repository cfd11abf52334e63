/* SPDX-License-Identifier: BSD-3-Clause */
/* keys.c - set the keys of a configuration from a table */
#include "base/keys.h"

const struct key_unit key_times[] = {
	{ "ms", 1000 }, { "s", 1000000 }, { "min", 60000000 }, { "h", 3600000000 }, { NULL, 0 },
};
const struct key_unit key_sizes[] = {
	{ "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { "T", (int64_t)1 << 40 },
	{ "", 1 }, { NULL, 0 },
};
const struct key_unit key_counts[] = { { "", 1 }, { NULL, 0 } };

void key_put_number(struct buf *b, const struct key_unit *units, int64_t v)
{
	const struct key_unit *best = units;
	for (; units->name; units++)
		if (v % units->factor == 0 && (v % best->factor || units->factor > best->factor))
			best = units;
	buf_addf(b, "%lld%s", (long long)(v / best->factor), v ? best->name : "");
}

static bool key_take_number(struct str in, const struct key_unit *units, int64_t *ret)
{
	uint64_t v;
	int64_t product;
	if (!str_take_u64(&in, &v) || v > INT64_MAX)
		return false;
	in = str_trim(in);
	for (; units->name; units++)
		if (str_eq(in, str_of(units->name))) {
			if (__builtin_mul_overflow((int64_t)v, units->factor, &product))
				return false;
			*ret = product;
			return true;
		}
	return false;
}

static void key_put_range(const struct key *k, const char *before, struct buf *why)
{
	buf_add(why, str_of(before));
	key_put_number(why, k->units, k->min);
	buf_add(why, STR(" to "));
	key_put_number(why, k->units, k->max);
}

static bool set_number(const struct key *k, void *to, const char *value, struct buf *why)
{
	int64_t v;
	bool plain_zero = strcmp(value, "0") == 0;	/* 0 needs no unit */
	if (plain_zero)
		v = 0;
	else if (!key_take_number(str_of(value), k->units, &v)) {
		buf_addf(why, "%s = %s: expected a whole number", k->name, value);
		if (k->units != key_counts)
			buf_addf(why, "%s", k->units == key_times ?
				 " with a unit (ms, s, min or h), such as 500ms" :
				 ", optionally followed by K, M, G or T, such as 512M");
		else
			key_put_range(k, " from ", why);
		return false;
	}
	if (v < k->min || v > k->max) {
		buf_addf(why, "%s = %s: want", k->name, value);
		key_put_range(k, " ", why);
		return false;
	}
	memcpy(to, &v, sizeof(v));
	return true;
}

static bool set_choice(const struct key *k, void *to, const char *value, struct buf *why)
{
	bool v = strcmp(value, k->yes) == 0;
	if (!v && strcmp(value, k->no) != 0) {
		buf_addf(why, "%s = %s: expected %s or %s", k->name, value, k->yes, k->no);
		return false;
	}
	memcpy(to, &v, sizeof(v));
	return true;
}

static bool key_set_text(const struct key *k, void *to, const char *value, struct buf *why)
{
	bool path = k->kind == KEY_PATH || k->kind == KEY_PATH_OR_NOTHING ||
		    strchr(value, '/');
	if (k->kind != KEY_TEXT && path && value[0] != '/' && (value[0] || k->kind == KEY_PATH)) {
		buf_addf(why, "%s = %s: expected an absolute path", k->name, value);
		return false;
	}
	if (strlen(value) >= KEY_TEXT_MAX) {
		buf_addf(why, "%s: longer than %d bytes", k->name, KEY_TEXT_MAX - 1);
		return false;
	}
	return (!k->check || k->check(k, value, why)) &&
	       str_copy(to, KEY_TEXT_MAX, str_of(value));
}

bool key_set(const struct key *k, void *to, const char *value, struct buf *why)
{
	char *at = (char *)to + k->offset;
	switch (k->kind) {
	case KEY_NUMBER:
		return set_number(k, at, value, why);
	case KEY_CHOICE:
		return set_choice(k, at, value, why);
	case KEY_TEXT:
	case KEY_PATH:
	case KEY_PATH_OR_NOTHING:
	case KEY_SECRET:
		break;
	}
	return key_set_text(k, at, value, why);
}

const struct key *key_find(const struct key *k, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(k[i].name, name) == 0)
			return &k[i];
	return NULL;
}
