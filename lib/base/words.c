/* SPDX-License-Identifier: BSD-3-Clause */
/* words.c - give each distinct word a number */
#include "base/words.h"

#include <stdlib.h>

size_t words_find(const struct words *w, struct str text)
{
	for (struct map_slot *at = NULL; (at = map_next(&w->by_text, map_hash(text), at));)
		if (str_eq(text, str_of(w->word[at->value.n].text)))
			return at->value.n;
	return WORDS_NONE;
}

size_t words_add(struct words *w, struct str text)
{
	size_t i = words_find(w, text);
	if (i != WORDS_NONE)
		return i;
	w->word = vec_reserve(w->word, &w->cap, w->n + 1, sizeof(*w->word));
	w->word[w->n] = (struct word){ xstrdup(text), 0 };
	map_add(&w->by_text, map_hash(text), (union map_value){ .n = w->n });
	return w->n++;
}

void words_free(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->word[i].text);
	free(w->word);
	map_free(&w->by_text);
	*w = (struct words){ 0 };
}
