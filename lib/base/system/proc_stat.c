/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_stat.c - parse /proc/PID/stat */
#include "base/system/proc_stat.h"

#include <string.h>

/*
 * Take the name from "123 (name) S 1 ...". It may contain any characters and ends at the last ")".
 */
static bool proc_stat_take_name(struct str *text, struct str *name)
{
	const char *open = memchr(text->p, '(', text->n);
	const char *close = memrchr(text->p, ')', text->n);
	if (!open || !close || close < open)
		return false;
	*name = (struct str){ open + 1, (size_t)(close - open) - 1 };
	*text = str_skip(*text, (size_t)(close - text->p) + 1);
	return true;
}

bool proc_stat_take(struct str text, size_t last, struct proc_stat *ret)
{
	struct str word;
	if (!proc_stat_take_name(&text, &ret->name) || !str_take_word(&text, &word) || word.n != 1)
		return false;
	ret->state = *word.p;
	for (size_t i = STAT_PPID; i <= last; i++) {
		ret->field[i] = 0;
		if (!str_take_word(&text, &word))
			return false;
		str_take_u64(&word, &ret->field[i]);
	}
	return true;
}
