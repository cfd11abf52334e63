/* SPDX-License-Identifier: BSD-3-Clause */
/* word_lines.c - parse numbers by their positions in lines such as "dir 17 3 2 9" */
#include "collectors/word_lines.h"

static bool word_lines_take_number(struct str line, size_t place, uint64_t *ret)
{
	struct str word;
	for (size_t i = 0; i < place; i++)
		if (!str_take_word(&line, &word))
			return false;
	return str_take_word(&line, &word) && str_take_u64(&word, ret) && word.n == 0;
}

size_t row_word_lines(struct row row, struct str text, const struct word_place *place, size_t n)
{
	struct str line, name;
	uint64_t v;
	size_t found = 0;
	while (str_take_line(&text, &line)) {
		if (!str_take_word(&line, &name))
			continue;
		for (size_t i = 0; i < n; i++) {
			const struct word_place *p = &place[i];
			if (!str_eq(name, str_of(p->line)) ||
			    !word_lines_take_number(line, p->place, &v))
				continue;
			row_add(row, p->metric, v);
			found++;
		}
	}
	return found;
}
