/* SPDX-License-Identifier: BSD-3-Clause */
/* records_in.h - read the bytes of a fuzz target as a raw file */
#pragma once

#include <string.h>
#include "formats/format.h"

static ssize_t records_in_read(void *arg, char *to, size_t n)
{
	struct str *left = arg;
	size_t few = left->n < n ? left->n : n;
	memcpy(to, left->p, few);
	*left = str_skip(*left, few);
	return (ssize_t)few;
}

/* Read from the front of *text without copying the bytes. */
static inline struct record_source records_in(struct str *text)
{
	return records_open(&(struct byte_source){ records_in_read, text }, NULL);
}
