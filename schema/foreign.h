/* SPDX-License-Identifier: BSD-3-Clause */
/* foreign.h - what files of other agents call the types and keys of ours */
#pragma once

#include <stdbool.h>
#include "base/str.h"
#include "schema/record.h"

/* "llite" of "lustre_llite" and of "host_llite"; any other type is itself. */
struct str foreign_type(struct str type);

/* Adds what a key is called in a type of ours: "open" of "vfs_open_ops", mostly itself. */
void foreign_key(struct str type, struct str key, struct buf *ret);

/* Whether a file's key is the one of that name; upper and lower case and "_" do not matter. */
bool foreign_is_key(struct str type, struct str theirs, struct str ours);

/* Where a file has the key of that name, -1: it has not. NULL is none. */
int foreign_find(const struct record_type *t, const char *key);

/* The key's unit; where it gives none, the one in its name: "MB" of "gpu_mem_used_mb". Or "". */
const char *foreign_unit(const struct record_key *k);
