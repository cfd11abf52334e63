/* SPDX-License-Identifier: BSD-3-Clause */
/* locks - file locks of the whole node, from /proc/locks */
#include "base/map.h"
#include "collectors/collector.h"

static void locks_free_state(void *seen)
{
	map_free(seen);
}

static bool locks_is_new_file(struct map *seen, uint64_t hash)
{
	if (map_next(seen, hash, NULL))
		return false;
	map_add(seen, hash, (union map_value){ .n = 0 });
	return true;
}

/*
 * Parse a line such as "1: POSIX ADVISORY WRITE 1234 fd:01:5678 0 EOF". Waiting locks have "1: ->
 * POSIX ...".
 */
static bool locks_parse(struct str line, bool *waits, struct str *file)
{
	struct str word;
	if (!str_take_word(&line, &word) || !str_ends(word, STR(":")))
		return false;
	str_take_word(&line, &word);
	*waits = str_eq(word, STR("->"));
	for (int i = *waits ? 0 : 1; i < 4; i++)
		if (!str_take_word(&line, &word))
			return false;
	return str_take_word(&line, file);
}

static int locks_collect(struct source *s)
{
	struct str text, line, file;
	bool waits;
	uint64_t held = 0, waiting = 0, files = 0;
	/*
	 * read to the end: one record is a lock with all requests that wait for it (fs/locks.c,
	 * locks_show())
	 */
	int r = source_read_as(s, "proc/locks", FILE_TO_END, &text);
	if (r < 0)
		return r;
	/* hashes of the files that have locks */
	struct map *seen = source_state(s, sizeof(*seen));
	s->end_state = locks_free_state;
	map_clear(seen);
	while (str_take_line(&text, &line)) {
		if (!locks_parse(line, &waits, &file))
			continue;
		*(waits ? &waiting : &held) += 1;
		files += locks_is_new_file(seen, map_hash(file));
	}
	struct row row = rows_add(&s->rows, STR("-"));
	row_set(row, 0, held);
	row_set(row, 1, waiting);
	row_set(row, 2, files);
	return 0;
}

const struct collector locks_collector = {
	.type    = &locks_type,
	.collect = locks_collect,
};
