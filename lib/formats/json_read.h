/* SPDX-License-Identifier: BSD-3-Clause */
/* json_read.h - objects of JSON taken apart in place: one line each, as programs write them */
#pragma once

#include "base/base.h"
#include "base/buf.h"

/*
 * Nothing is allocated, and values stay the bytes they were: names of files that are not UTF-8,
 * which XRootD sends as they are, make no line unreadable, as they do for a library that insists on
 * it.
 */
#define JSON_DEPTH_MAX 16

/* The members of text, if it is one whole object with nothing but blanks around it. */
bool json_take_object(struct str text, struct str *members) MUST_CHECK;

/* The next member; value is as it stands there, a text in its quotes. False at the end. */
bool json_take_member(struct str *members, struct str *name, struct str *value);

/* The value of the first member of this name, or nothing. */
struct str json_find(struct str members, struct str name);

/* A text without quotes and escapes, after what is in b. False: it is no text; b is as before. */
bool json_add_text(struct buf *b, struct str value);

/* A whole number from 0 on; what follows a dot is left out. */
bool json_as_u64(struct str value, uint64_t *ret) MUST_CHECK;
