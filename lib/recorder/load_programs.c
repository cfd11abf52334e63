/* SPDX-License-Identifier: BSD-3-Clause */
/* load_programs.c - load BPF programs into the kernel for the enabled types */
#include "recorder/load_programs.h"

#include <stdio.h>
#include <string.h>
#include "base/system/privileges.h"

/* Return why the BPF program of collectors[i] must not be loaded, or NULL if it may be loaded. */
static const char *program_why_not(const struct config *c, size_t i)
{
	if (!c->bpf)
		return "bpf = no in the configuration";
	if (strcmp(c->root, "/") != 0)
		return "a captured tree";
	if (collectors[i]->type->isolate || c->use[i] == USE_ISOLATE)
		return "a separate process reads the type";
	return NULL;
}

void load_programs(struct programs *p, const struct config *c)
{
	for (size_t i = 0; i < n_collectors; i++) {
		enum program_name name = collectors[i]->program;
		const char *why = program_why_not(c, i);
		if (!name || !type_is_on(collectors[i], c->use[i]))
			continue;
		if (why)
			snprintf(p->program[name].why, sizeof(p->program[name].why), "%s", why);
		else
			program_load(p, name);
	}
	if (privileges_left() & PRIVILEGE_BPF && privileges_keep(~PRIVILEGE_BPF) < 0)
		programs_free(p);
}
