/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - find and run the programs of commands: nodometer-NAME */
#pragma once

#include "base/buf.h"

#define PROGRAM_PATH_MAX 4096

/*
 * Find nodometer-NAME beside the running program (in a build tree), else in the package's folder.
 * $PATH is not searched, because a hook inherits it from a user. Returns 0, -ENOENT or
 * -ENAMETOOLONG.
 */
int program_find(const char *name, char path[PROGRAM_PATH_MAX]);

/*
 * Return the option of configure that left nodometer-NAME out of this build, as "--disable-tcp", or
 * NULL if the program belongs to the build.
 */
const char *program_left_out(const char *name);

/* Append how a program ended, by its status of waitpid(2): "killed by signal 9 (Killed)". */
void program_put_end(struct buf *b, int status);

/* Execute the program of a command. Returns -errno, and only on failure. */
int program_run(const char *name, char **argv);
