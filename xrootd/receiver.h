/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.h - signals, privileges and output files of a program that receives datagrams */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include "base/base.h"

/*
 * Catch a signal, so that the functions below report it: SIGINT and SIGTERM end the program, SIGHUP
 * reopens its outputs, and SIGUSR1 logs its counts.
 */
void receiver_heed(int signal_number);
bool receiver_is_ended(void);
bool receiver_take_hangup(void);	/* return true once after each SIGHUP */
bool receiver_take_question(void);	/* the same for SIGUSR1 */

/* Block SIGTERM, SIGINT, SIGHUP and SIGUSR1. Pass *usual to ppoll(2) to receive them there. */
void receiver_block(sigset_t *usual);

/* Open a file for appending, and create it if needed. Returns a descriptor, or -errno. */
int receiver_open(const char *path) MUST_CHECK;

/*
 * Open an output file again after it was renamed. Returns false after logging the reason if this
 * failed; *fd is then unchanged.
 */
bool receiver_reopen(const char *path, int *fd);

#define RECEIVER_OUTPUTS 17
struct receiver_paths {
	/* paths of the outputs and of the state file; each may be NULL */
	const char *output[RECEIVER_OUTPUTS], *state;
	/* directories to give to the user with their files, if they belong to root; or NULL */
	const char *handed_over[2];
	bool tidies;	/* the process starts nodometer-tidy, which removes old files */
	bool serves;	/* the process has a listening socket */
};

/*
 * If running as root, become another user: the owner of the first directory of an output, or else
 * of the state file, that does not belong to root; else user nodometer, else nobody. Give outputs
 * and state file to this user if they belong to root. Call this before reading datagrams. If the
 * process cannot become the user, as in a container with one user, log a warning.
 */
void receiver_become(const struct receiver_paths *p);

/*
 * Confine the process, which has its sockets open: it can write only its outputs (files, or an
 * archive: a directory or "DIR/") and its state file, and read no other files than those in /proc
 * and /sys. It may start nodometer-tidy if `tidies` is set.
 */
void receiver_confine(const struct receiver_paths *p);
