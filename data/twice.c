/* SPDX-License-Identifier: BSD-3-Clause */
/* twice.c - begin and end marks that stand twice in a file */
#include "data/twice.h"

bool marks_seen_again(struct marks_seen *m, const struct mark *mark)
{
	bool end = mark->kind == MARK_END;
	if (!end && mark->kind != MARK_BEGIN)
		return false;
	uint64_t hash = map_hash(mark->subject);
	struct map_slot *last = map_next(&m->ended, hash, NULL);
	bool again = last && last->value.n == end;
	if (last)
		last->value.n = end;
	else
		map_add(&m->ended, hash, (union map_value){ .n = end });
	return again;
}

void marks_seen_free(struct marks_seen *m)
{
	map_free(&m->ended);
}
