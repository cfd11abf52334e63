/* SPDX-License-Identifier: BSD-3-Clause */
/* attributes.c - parse attributes of a job from its scheduler: "key=value" words after its marks */
#include "recorder/attributes.h"

#include <errno.h>
#include <stddef.h>
#include "schema/marks.h"

#define KEY_MAX 32

static bool attributes_is_key(struct str key)
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
	if (!str_take_until(&value, '=', &key) || !attributes_is_key(key))
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

/* Split "key=value": *key gets the key, and *word the value. Returns false if either is invalid. */
static bool attributes_split(struct str *word, struct str *key)
{
	if (!str_take_until(word, '=', key) || !attributes_is_key(*key) || word->n == 0)
		return false;
	for (size_t i = 0; i < word->n; i++)
		if (word->p[i] <= ' ' || word->p[i] >= 0x7f)
			return false;
	return true;
}

static void attributes_set(struct attributes *a, struct str key, struct str value)
{
	static const struct {
		struct str key;
		size_t at;
	} known[] = {
		{ STR("uid"),       offsetof(struct attributes, uid)       },
		{ STR("user"),      offsetof(struct attributes, user)      },
		{ STR("account"),   offsetof(struct attributes, account)   },
		{ STR("gpus"),      offsetof(struct attributes, gpus)      },
		{ STR("exclusive"), offsetof(struct attributes, exclusive) },
	};
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (str_eq(key, known[i].key))
			*(struct str *)((char *)a + known[i].at) = value;
}

bool attributes_read(struct str text, struct attributes *ret)
{
	struct attributes a = { .uid = STR("") };
	struct str word, key;
	text = mark_without_request(text);
	if (text.n > ATTRIBUTES_MAX)
		return false;
	while (str_take_word(&text, &word)) {
		if (!attributes_split(&word, &key))
			return false;
		attributes_set(&a, key, word);
	}
	if (str_trim(text).n)
		return false;
	*ret = a;
	return true;
}
