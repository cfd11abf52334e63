/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.c - what files of other agents call the types and keys of ours */
#include "schema/foreign.h"

#include <ctype.h>
#include "base/base.h"

/* HPCPerfStats 3.0; "host_" in front of any type is ignored. */
static const struct {
	const char *theirs, *ours;
} types[] = {
	{ "lustre_llite",       "llite"      },
	{ "lustre_mdc",         "mdc"        },
	{ "lustre_osc",         "osc"        },
	{ "intel_x86_rapl",     "intel_rapl" },
	{ "amd_x86_rapl",       "amd64_rapl" },
	{ "amd_x86_pmc",        "amd64_pmc"  },
	{ "intel_x86_pmc_gpr4", "cpu_hw"     },
	{ "intel_x86_pmc_gpr8", "cpu_hw"     },
};

/* Of .type, which is ours. The first row that fits counts; what "*" stands for is kept. */
static const struct {
	const char *type, *theirs, *ours;
} keys[] = {
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
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (str_eq(type, str_of(types[i].theirs)))
			return str_of(types[i].ours);
	return type;
}

/* "MemUsed" and "mem_used" are one name. */
static bool is_same(struct str a, struct str b)
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

/* pattern with ours of a row: what the key is called here, or nothing if it does not fit. */
static bool rename_by(const char *theirs, const char *ours, struct str key, struct buf *ret)
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
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (str_eq(type, str_of(keys[i].type)) &&
		    rename_by(keys[i].theirs, keys[i].ours, key, ret))
			return;
	buf_add(ret, key);
}

static bool has_names(struct str type)
{
	bool any = false;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		any |= str_eq(type, str_of(keys[i].type));
	return any;
}

bool foreign_is_key(struct str type, struct str theirs, struct str ours)
{
	struct buf name CLEANUP(buf_free) = { 0 };

	if (is_same(theirs, ours) || !has_names(type))
		return is_same(theirs, ours);
	foreign_key(type, theirs, &name);
	return is_same(buf_str(&name), ours);
}

int foreign_find(const struct record_type *t, const char *key)
{
	struct str type = foreign_type(str_of(t->name));
	int at = key ? record_key_find(t, key) : -1;

	for (size_t k = 0; key && at < 0 && k < t->n_keys; k++)
		if (foreign_is_key(type, str_of(t->key[k].name), str_of(key)))
			at = (int)k;
	return at;
}

const char *foreign_unit(const struct record_key *k)
{
	if (k->unit_name[0])
		return k->unit_name;
	return str_ends(str_of(k->name), STR("_mb")) ? "MB" : "";
}
