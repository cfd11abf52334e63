/* SPDX-License-Identifier: BSD-3-Clause */
/* sysv_shm - System V shared memory segments, from /proc/sysvipc/shm */
#include "collectors/collector.h"

enum { MEM_USED, SEGS_USED };

static const struct metric metrics[] = {
	[MEM_USED]  = { "mem_used",  GAUGE, "B", "size of all segments, whether touched or not" },
	[SEGS_USED] = { "segs_used", GAUGE, "",  "segments"                                     },
};

/* key shmid perms size ... (sysvipc_shm_proc_show, ipc/shm.c) */
static bool take_size(struct str line, uint64_t *size)
{
	struct str word;
	for (int i = 0; i < 3; i++)
		if (!str_take_word(&line, &word))
			return false;
	return str_take_u64(&line, size);
}

static int collect(struct sample *s)
{
	struct str text, line;
	uint64_t size, bytes = 0, segments = 0;
	int r = sample_read(s, "proc/sysvipc/shm", &text);
	if (r < 0)
		return r;
	if (!str_take_line(&text, &line))
		return sample_absent(s, "/proc/sysvipc/shm is empty");

	while (str_take_line(&text, &line)) {
		if (!take_size(line, &size))
			continue;
		bytes += size;
		segments++;
	}
	struct row row = sample_row(s, STR("-"));
	row_set(row, MEM_USED, bytes);
	row_set(row, SEGS_USED, segments);
	return 0;
}

const struct collector sysv_shm_collector = {
	.name    = "sysv_shm",
	.summary = "System V shared memory",
	.source  = "/proc/sysvipc/shm: the sum of column size, the number of lines",
	.device  = "the whole node",
	.collect = collect,
	METRICS(metrics),
};
