/* SPDX-License-Identifier: BSD-3-Clause */
/* locks - file locks of the whole node, from /proc/locks */
#include "base/map.h"
#include "collectors/collector.h"

static void end(void *seen)
{
	map_free(seen);
}

static bool is_new(struct map *seen, uint64_t hash)
{
	if (map_next(seen, hash, NULL))
		return false;
	map_add(seen, hash, (union map_value){ .n = 0 });
	return true;
}

/* "1: POSIX  ADVISORY  WRITE 1234 fd:01:5678 0 EOF"; one that waits: "1: -> POSIX ..." */
static bool take_lock(struct str line, bool *waits, struct str *file)
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

static int collect(struct source *s)
{
	struct str text, line, file;
	bool waits;
	uint64_t held = 0, waiting = 0, files = 0;
	int r = source_read(s, "proc/locks", &text);
	if (r < 0)
		return r;
	struct map *seen = source_state(s, sizeof(*seen));	/* hashes of files */
	s->end_state = end;
	map_clear(seen);
	while (str_take_line(&text, &line)) {
		if (!take_lock(line, &waits, &file))
			continue;
		*(waits ? &waiting : &held) += 1;
		files += is_new(seen, map_hash(file));
	}
	struct row row = rows_add(&s->rows, STR("-"));
	row_set(row, 0, held);
	row_set(row, 1, waiting);
	row_set(row, 2, files);
	return 0;
}

const struct collector locks_collector = {
	.type    = &locks_type,
	.collect = collect,
};
