/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.c - translate names of types and keys from other agents' files */
#include "schema/foreign.h"

#include <ctype.h>
#include "base/base.h"
#include "schema/type.h"

/* Types of HPCPerfStats 3.0, without the prefix "host_", and their names in nodometer. */
static const struct {
	const char *theirs, *ours;
} foreign_types[] = {
	{ "lustre_llite",       "llite"      },
	{ "lustre_mdc",         "mdc"        },
	{ "lustre_osc",         "osc"        },
	{ "intel_x86_rapl",     "intel_rapl" },
	{ "amd_x86_rapl",       "amd64_rapl" },
	{ "amd_x86_pmc",        "amd64_pmc"  },
	{ "intel_x86_pmc_gpr4", "cpu_hw"     },
	{ "intel_x86_pmc_gpr8", "cpu_hw"     },
};

/*
 * Keys of other agents, and their names in nodometer. "*" in .theirs matches any text, which
 * replaces "*" in .ours. The first match applies.
 */
static const struct {
	const char *type, *theirs, *ours;
} foreign_keys[] = {
	{ "llite", "vfs_osc_read_bytes",      "osc_read"     },
	{ "llite", "vfs_osc_write_bytes",     "osc_write"    },
	{ "llite", "vfs_*_bytes",             "*_bytes"      },
	{ "llite", "vfs_*_ops",               "*"            },
	{ "nvidia_gpu", "gpu_nvlink_*_bytes", "nvlink_*"     },
	{ "amd64_pmc", "instr_retired",       "INST_RETIRED" },
};

struct str foreign_type(struct str type)
{
	str_take_prefix(&type, STR("host_"));
	for (size_t i = 0; i < ARRAY_SIZE(foreign_types); i++)
		if (str_eq(type, str_of(foreign_types[i].theirs)))
			return str_of(foreign_types[i].ours);
	return type;
}

/* Compare two names, ignoring case and "_": "MemUsed" equals "mem_used". */
static bool foreign_is_same_name(struct str a, struct str b)
{
	for (;;) {
		while (str_peek(a) == '_')
			a = str_skip(a, 1);
		while (str_peek(b) == '_')
			b = str_skip(b, 1);
		if (!a.n || !b.n)
			return a.n == b.n;
		if (tolower((unsigned char)*a.p) != tolower((unsigned char)*b.p))
			return false;
		a = str_skip(a, 1);
		b = str_skip(b, 1);
	}
}

/* If the key matches the pattern `theirs`, append the name made from `ours`, and return true. */
static bool foreign_rename_key(const char *theirs, const char *ours, struct str key,
			       struct buf *ret)
{
	struct str head, tail = str_of(theirs), to = str_of(ours), before;

	if (!str_take_until(&tail, '*', &head)) {
		if (str_eq(key, tail))
			buf_add(ret, to);
		return str_eq(key, tail);
	}
	if (key.n <= head.n + tail.n || !str_starts(key, head) || !str_ends(key, tail))
		return false;
	str_take_until(&to, '*', &before);
	buf_add(ret, before);
	buf_add(ret, (struct str){ key.p + head.n, key.n - head.n - tail.n });
	buf_add(ret, to);
	return true;
}

void foreign_key(struct str type, struct str key, struct buf *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign_keys); i++)
		if (str_eq(type, str_of(foreign_keys[i].type)) &&
		    foreign_rename_key(foreign_keys[i].theirs, foreign_keys[i].ours, key, ret))
			return;
	buf_add(ret, key);
}

static bool foreign_has_names(struct str type)
{
	bool any = false;
	for (size_t i = 0; i < ARRAY_SIZE(foreign_keys); i++)
		any |= str_eq(type, str_of(foreign_keys[i].type));
	return any;
}

/*
 * Return true if `theirs` is the key `ours`, or another agent's name of that key. has_names: the
 * result of foreign_has_names() for the type.
 */
static bool foreign_matches(struct str type, bool has_names, struct str theirs, struct str ours)
{
	struct buf name CLEANUP(buf_free) = { 0 };

	if (foreign_is_same_name(theirs, ours))
		return true;
	if (!has_names)
		return false;
	foreign_key(type, theirs, &name);
	return foreign_is_same_name(buf_str(&name), ours);
}

bool foreign_is_key(struct str type, struct str theirs, struct str ours)
{
	return foreign_matches(type, foreign_has_names(type), theirs, ours);
}

void foreign_translate_key(struct str type, struct str key, struct buf *ret)
{
	char name[64];
	const struct type *t = str_copy(name, sizeof(name), type) ? type_find(name) : NULL;
	size_t from = ret->n;

	for (size_t i = 0; t && i < t->n_metrics; i++)
		if (str_eq(key, str_of(t->metrics[i].name))) {
			buf_add(ret, key);
			return;
		}
	foreign_key(type, key, ret);
	for (size_t i = 0; t && i < t->n_metrics; i++)
		if (foreign_is_same_name(str_skip(buf_str(ret), from),
					 str_of(t->metrics[i].name))) {
			ret->n = from;
			buf_add(ret, str_of(t->metrics[i].name));
			return;
		}
}

int foreign_find(const struct record_type *t, const char *key)
{
	int at = key ? record_key_find(t, key) : -1;
	if (!key || at >= 0)
		return at;
	struct str type = foreign_type(str_of(t->name)), ours = str_of(key);
	bool has_names = foreign_has_names(type);
	for (size_t k = 0; k < t->n_keys; k++)
		if (foreign_matches(type, has_names, str_of(t->key[k].name), ours))
			return (int)k;
	return -1;
}

const char *foreign_unit(const struct record_key *k)
{
	if (k->unit_name[0])
		return k->unit_name;
	return str_ends(str_of(k->name), STR("_mb")) ? "MB" : "";
}
