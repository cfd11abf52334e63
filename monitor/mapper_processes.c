/* SPDX-License-Identifier: BSD-3-Clause */
/* mapper_processes.c - processes and their states become classes PROCESSES, STATES and SYSTEM */
#include "monitor/mapper_fill.h"

#include <string.h>
#include "base/base.h"
#include "base/system/mounts.h"

/* As the collector of type process has them; UINT64_MAX: not read. */
enum { STATE, KERNEL, SWAPPED, PRIORITY, UID, GID, RSS, SHARED };

/* Places in class STATES; PROCESSES has them from 1 on. */
enum { MWAIT = 1, LEF = 4, LEFO, HIB, HIBO, SUSP, SUSPO, COM = 11, COMO, CUR };

#define NO_ID 0xFFFF		/* a user or group that 16 bits do not hold */
#define RESIDENT 1		/* PCB$V_RES in the status */

/* R, S, I, D, T and the like: its place in class STATES, or -1 (it has ended). */
static int state_of(const struct element *e, uint64_t *running, uint64_t cpus)
{
	bool kernel = e->key[KERNEL] == 1, out = e->key[SWAPPED] == 1;
	switch (e->key[STATE]) {
	case 'R':
		if (*running < cpus && !out) {
			++*running;
			return CUR;
		}
		return COM + out;
	case 'S':
		return kernel ? HIB : LEF + out;
	case 'I': case 'P':
		return HIB + out;
	case 'D':
		return MWAIT;
	case 'T': case 't':
		return SUSP + out;
	}
	return -1;
}

static uint64_t uic(const struct element *e)
{
	uint64_t uid = e->key[UID] < NO_ID ? e->key[UID] : NO_ID;
	uint64_t gid = e->key[GID] < NO_ID ? e->key[GID] : NO_ID;
	return gid << 16 | uid;
}

static void fill_process(struct vms_set *s, struct element *e, int state, struct mapper *m)
{
	struct str name = e->name, pid;
	char text[64];
	if (!str_take_until(&name, '/', &pid) || !mount_path(text, sizeof(text), name))
		return;
	size_t block = vms_set_block(s);
	uint64_t number = mapper_number(pid);
	mapper_items(m, s, block, e);
	vms_set_number(s, block, 0, number);
	vms_set_number(s, block, 1, uic(e));
	vms_set_number(s, block, 2, (uint64_t)state + 1);
	vms_set_text(s, block, 4, str_of(text));
	vms_set_number(s, block, 7, e->key[RSS] != UINT64_MAX && e->key[RSS] ? RESIDENT : 0);
	vms_set_number(s, block, 12, number);
}

/*
 * Type process_io is read after type process: where nearly all have it, those without have ended in
 * between, and are left out of both classes.
 */
static void drop_ended(struct elements *l)
{
	uint16_t io = 0;
	size_t with = 0, kept = 0;
	for (size_t i = 0; i < l->n; i++)
		io |= l->e[i].seen;
	for (size_t i = 0; i < l->n; i++)
		with += l->e[i].seen == io;
	for (size_t i = 0; i < l->n; i++)
		if (with < l->n - l->n / 8 || l->e[i].seen == io)
			l->e[kept++] = l->e[i];
	l->n = kept;
}

void mapper_processes(struct mapper *m, struct elements *l, uint64_t cpus, struct vms_set *s)
{
	uint64_t running = 0;
	size_t there = 0;
	drop_ended(l);
	for (size_t i = 0; i < l->n; i++) {
		int state = state_of(&l->e[i], &running, cpus);
		if (state < 0)
			continue;
		m->states[state]++;
		l->e[there] = l->e[i];
		if (mapper_wants(m, VMS_PROCESSES))
			fill_process(s, &l->e[there], state, m);
		there++;
	}
	l->n = there;
}

void mapper_states(struct mapper *m, struct vms_set *s)
{
	size_t block = vms_set_block(s);
	s->absent = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 10;	/* COLPG, CEF, PFW, FPG */
	for (size_t i = 0; i < ARRAY_SIZE(m->states); i++)
		vms_set_number(s, block, i, m->states[i]);
}

void mapper_system(struct mapper *m, const struct elements *cpus, struct vms_set *s)
{
	uint64_t busy = 0, all = 0;
	const struct vms_class *modes = &vms_classes[VMS_MODES];
	for (size_t i = 0; i < cpus->n; i++)
		for (size_t k = 1; k + 1 < modes->n_items; k++)
			busy += cpus->e[i].sum[k];
	for (size_t i = 0; i < ARRAY_SIZE(m->states); i++)
		all += m->states[i];
	uint64_t others = m->states[CUR] + m->states[SUSP] + m->states[SUSPO];
	if (cpus->n) {
		vms_set_number(s, 0, 0, busy);
		s->absent &= (uint16_t)~1u;
	}
	if (all) {
		vms_set_number(s, 0, 1, others);
		vms_set_number(s, 0, 2, all);
		s->absent &= (uint16_t)~6u;
	}
}

