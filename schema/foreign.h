/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.h - translate names of types and keys from other agents' files */
#pragma once

#include <stdbool.h>
#include "base/str.h"
#include "schema/record.h"

/*
 * Return nodometer's name of another agent's type: "llite" for "lustre_llite" and "host_llite". An
 * unknown name is returned without the prefix "host_", if any. The result is a part of `type`, or
 * static.
 */
struct str foreign_type(struct str type);

/*
 * Append nodometer's name of another agent's key, if the type has a rule that renames the key:
 * "open" for "vfs_open_ops" of llite. Other keys are appended unchanged.
 */
void foreign_key(struct str type, struct str key, struct buf *ret);

/*
 * Like foreign_key(), but also change case and "_" to nodometer's spelling: "MemUsed" for
 * "mem_used", "read_bytes" for "vfs_read_bytes". Unknown names are appended unchanged.
 */
void foreign_translate_key(struct str type, struct str key, struct buf *ret);

/*
 * Return true if `theirs`, a key of another agent's file, is nodometer's key `ours`, possibly after
 * foreign_key() renames it. Case and "_" are ignored.
 */
bool foreign_is_key(struct str type, struct str theirs, struct str ours);

/*
 * Find nodometer's key in a type of any agent's file. Returns its index, or -1 if the type lacks
 * the key, or if `key` is NULL.
 */
int foreign_find(const struct record_type *t, const char *key);

/*
 * Return the unit of a key without the number at its start. If the schema has no unit, take it from
 * the key's name: "MB" for "gpu_mem_used_mb". Returns "" if there is no unit.
 */
const char *foreign_unit(const struct record_key *k);
