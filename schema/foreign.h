/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.h - translate names of types and keys from other agents' files */
#pragma once

#include <stdbool.h>
#include "base/str.h"
#include "schema/record.h"

/*
 * Return nodometer's name of a type: "llite" for "lustre_llite" and "host_llite". Unknown names are
 * returned without the prefix "host_". The name borrows from type, or is static.
 */
struct str foreign_type(struct str type);

/* Append nodometer's name of a key: "open" for "vfs_open_ops". Most keys are unchanged. */
void foreign_key(struct str type, struct str key, struct buf *ret);

/*
 * Append nodometer's exact name of a key in another program's file: "MemUsed" for "mem_used",
 * "read_bytes" for "vfs_read_bytes". Unknown names are appended unchanged.
 */
void foreign_translate_key(struct str type, struct str key, struct buf *ret);

/*
 * Return true if a key of another program's file is nodometer's key `ours`. Case and "_" are
 * ignored.
 */
bool foreign_is_key(struct str type, struct str theirs, struct str ours);

/*
 * Return the index of nodometer's key in a type of a file, or -1 if the type lacks it, or key is
 * NULL.
 */
int foreign_find(const struct record_type *t, const char *key);

/*
 * Return the unit of a key without its number (.scale), if need be from its name: "MB" for
 * "gpu_mem_used_mb". Returns "" if there is none.
 */
const char *foreign_unit(const struct record_key *k);
