/* SPDX-License-Identifier: BSD-3-Clause */
/* copies.h - copies of one file of records, made while it grew or after it was compressed */
#pragma once

#include <stdbool.h>

/* Whether the text of path, plain or compressed, reaches further than that of the other. */
bool copy_is_longer(const char *path, const char *than);

/* The same, if path also begins with all that the other holds. */
bool copy_continues(const char *path, const char *other);
