/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - where the programs are that belong to a command: nodometer-NAME */
#pragma once


#define PROGRAM_PATH_MAX 4096

/*
 * nodometer-NAME beside the running program (a build tree), else in the package's folder. Never
 * from $PATH: a hook runs with what its user left there. 0, -ENOENT, -ENAMETOOLONG.
 */
int program_find(const char *name, char path[PROGRAM_PATH_MAX]);

/* Becomes that program; returns only on failure, -errno. */
int program_run(const char *name, char **argv);
