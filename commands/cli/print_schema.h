/* SPDX-License-Identifier: BSD-3-Clause */
/* print_schema.h - print the keys of types and their meaning */
#pragma once

#include "recorder/options.h"

enum schema_form { SCHEMA_LINES, SCHEMA_TEXT, SCHEMA_JSON };

/*
 * Print the schemas of the types in the NULL-terminated list `name`, or of all types if the list is
 * empty. SCHEMA_JSON takes a sample to see what this node has. Returns the exit status.
 */
int print_schema(struct options *o, enum schema_form form, char **name);
