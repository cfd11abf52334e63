/* SPDX-License-Identifier: BSD-3-Clause */
/* exits - processes that ended, as a program in the kernel counts them */
#include "collectors/collector.h"

#include <string.h>
#include <unistd.h>
#include "collectors/bpf/exits_shared.h"

static void take(struct source *s, const struct exits_name *from, struct str name)
{
	struct row row = rows_add(&s->rows, name);
	row_set(row, EXITS_ENDED, from->value[EXITS_ENDED]);
	row_set(row, EXITS_CPU, from->value[EXITS_CPU] / 1000);
	row_set(row, EXITS_MEM, from->value[EXITS_MEM] * ((uint64_t)sysconf(_SC_PAGESIZE) >> 10));
}

static int collect(struct source *s)
{
	const struct program *p = source_program(s, PROGRAM_EXITS);
	if (!p || !p->shared)
		return source_absent(s, "%s", p && p->why[0] ? p->why :
				     "only the agent loads a program that sees them");
	const struct exits_shared *shared = p->shared;
	for (size_t i = 0; i < EXITS_SLOTS; i++) {
		const struct exits_name *n = &shared->slot[i];
		struct str name = { n->name, strnlen(n->name, sizeof(n->name)) };
		if (n->value[EXITS_ENDED])
			take(s, n, name.n ? name : STR("-"));
	}
	return 0;
}

const struct collector exits_collector = {
	.type    = &exits_type,
	.collect = collect,
	.program = PROGRAM_EXITS,
};
