/* SPDX-License-Identifier: BSD-3-Clause */
/* sysv_shm - System V shared memory segments, from /proc/sysvipc/shm */
#include "collectors/collector.h"
#include "schema/types/sysv_shm.h"

/* Parse "key shmid perms size ..." (sysvipc_shm_proc_show(), ipc/shm.c). */
static bool take_size(struct str line, uint64_t *size)
{
	struct str word;
	for (int i = 0; i < 3; i++)
		if (!str_take_word(&line, &word))
			return false;
	return str_take_u64(&line, size);
}

static int sysv_shm_collect(struct source *s)
{
	struct str text, line;
	uint64_t size, bytes = 0, segments = 0;
	int r = source_read(s, "proc/sysvipc/shm", &text);
	if (r < 0)
		return r;
	if (!str_take_line(&text, &line))
		return source_absent(s, "/proc/sysvipc/shm is empty");

	while (str_take_line(&text, &line)) {
		if (!take_size(line, &size))
			continue;
		bytes += size;
		segments++;
	}
	struct row row = rows_add(&s->rows, STR("-"));
	row_set(row, MEM_USED, bytes);
	row_set(row, SEGS_USED, segments);
	return 0;
}

const struct collector sysv_shm_collector = {
	.type    = &sysv_shm_type,
	.collect = sysv_shm_collect,
};
