/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - find and run the programs of commands: nodometer-NAME */
#pragma once

#include "base/buf.h"

#define PROGRAM_PATH_MAX 4096

/*
 * Find nodometer-NAME in the folder of the running program (in a build tree), otherwise in the
 * package's folder. Does not search $PATH, which a hook may inherit from a user. Returns 0; -ENOENT
 * if there is no such program; -ENAMETOOLONG; or another -errno of access(2).
 */
int program_find(const char *name, char path[PROGRAM_PATH_MAX]);

/*
 * Return the option of configure with which nodometer-NAME was not built, such as "--disable-tcp",
 * or NULL if the program was built.
 */
const char *program_left_out(const char *name);

/* Append how a program ended, from its waitpid(2) status: "killed by signal 9 (Killed)". */
void program_put_end(struct buf *b, int status);

/* Execute the program of a command. Returns -errno on failure only. */
int program_run(const char *name, char **argv);
