/* SPDX-License-Identifier: BSD-3-Clause */
/* broken_file.h - a file that cannot be read to its end */
#pragma once

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include "base/str.h"

/*
 * Copy up to n bytes of the text at arg (a struct str) to `to`. Returns the number of bytes, or
 * -EIO at the end of the text.
 */
static inline ssize_t give_then_fail(void *arg, char *to, size_t n)
{
	struct str *s = arg;
	size_t few = s->n < n ? s->n : n;
	if (few == 0)
		return -EIO;
	memcpy(to, s->p, few);
	*s = str_skip(*s, few);
	return (ssize_t)few;
}
