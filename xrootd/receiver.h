/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.h - signals of a program that receives datagrams, and the file that it appends to */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include "base/base.h"

/*
 * SIGINT and SIGTERM say that it is to end, SIGHUP that its file is to be reopened, SIGUSR1 that
 * somebody asks how it is.
 */
void receiver_heed(int signal_number);
bool receiver_is_ended(void);
bool receiver_take_hangup(void);	/* true once for each */
bool receiver_take_question(void);

/* From now on these come only within ppoll(2) with *usual. */
void receiver_block(sigset_t *usual);

/* For appending, made if need be: its descriptor, or -errno. */
int receiver_open(const char *path) MUST_CHECK;

/* A file that has got another name goes on in a new one. False: that is logged, *fd stays. */
bool receiver_reopen(const char *path, int *fd);

#define RECEIVER_OUTPUTS 17
struct receiver_paths {
	const char *output[RECEIVER_OUTPUTS], *state;	/* each may be NULL */
	const char *given[2];	/* root's folders that the user gets, with their files, or NULL */
	bool tidies;
};

/*
 * Root becomes another user, without capabilities, before a datagram is read: who owns the folders
 * that are written, the first that is not root's; else nodometer, or nobody. Root's files of these
 * outputs are given to that user. Where that is not possible, as in a container with one user, it
 * is logged.
 */
void receiver_become(const struct receiver_paths *p);

/*
 * From now on, with its sockets open: only the files that it appends to, or the archive whose
 * directory is named "DIR/" or is there, and the file of its state, can be written, and no file be
 * read.
 * nodometer-tidy may be started where it tidies.
 */
void receiver_confine(const struct receiver_paths *p);
