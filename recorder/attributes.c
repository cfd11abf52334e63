/* SPDX-License-Identifier: BSD-3-Clause */
/* attributes.c - what a scheduler knows of a job: "key=value" words after the marks of the job */
#include "recorder/attributes.h"

#include <errno.h>
#include "schema/marks.h"

#define KEY_MAX 32

static bool is_key(struct str key)
{
	if (key.n == 0 || key.n > KEY_MAX || key.p[0] < 'a' || key.p[0] > 'z')
		return false;
	for (size_t i = 1; i < key.n; i++) {
		char c = key.p[i];
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return !str_eq(key, STR("source")) && !str_eq(key, STR("at")) &&
	       !str_eq(key, STR("request"));
}

int attributes_add(struct buf *b, struct str attribute)
{
	struct str key, value = attribute;
	size_t before = b->n;
	if (!str_take_until(&value, '=', &key) || !is_key(key))
		return -EINVAL;
	if (value.n == 0)
		return 0;
	if (value.n > ATTRIBUTES_MAX)
		return -ENOSPC;
	buf_add_char(b, ' ');
	buf_add(b, key);
	buf_add_char(b, '=');
	buf_add_word(b, value, false);
	if (b->n <= ATTRIBUTES_MAX)
		return 0;
	b->n = before;
	return -ENOSPC;
}

static bool is_attribute(struct str word)
{
	struct str key;
	if (!str_take_until(&word, '=', &key) || !is_key(key) || word.n == 0)
		return false;
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] <= ' ' || word.p[i] >= 0x7f)
			return false;
	return true;
}

bool attributes_are_valid(struct str text)
{
	struct str word;
	text = mark_without_request(text);
	if (text.n > ATTRIBUTES_MAX)
		return false;
	while (str_take_word(&text, &word))
		if (!is_attribute(word))
			return false;
	return str_trim(text).n == 0;
}

struct str attributes_get(struct str text, struct str key)
{
	struct str word, name, value = { text.p, 0 };
	while (str_take_word(&text, &word))
		if (str_take_until(&word, '=', &name) && str_eq(name, key))
			value = word;
	return value;
}
