/* SPDX-License-Identifier: BSD-3-Clause */
/* print_schema.h - print the keys of types and their meaning */
#pragma once

#include "recorder/options.h"

enum schema_form { SCHEMA_LINES, SCHEMA_TEXT, SCHEMA_JSON };

/*
 * Print the schemas of the types with these names, or of all types if there is no name. The list of
 * names ends with NULL. SCHEMA_JSON takes a sample to see what this node has. Returns the exit
 * status of the program.
 */
int print_schema(struct options *o, enum schema_form form, char **name);
