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

/*
 * From now on, with its sockets open: only the files that it appends to, or the archive whose
 * directory is named "DIR/" or is there, and the file of its state, can be written, and no file but
 * input, if any, be read.
 * nodometer-tidy may be started where it tidies.
 */
#define RECEIVER_OUTPUTS 3
struct receiver_paths {
	const char *output[RECEIVER_OUTPUTS], *state, *input;	/* each may be NULL */
	bool tidies;
};
void receiver_confine(const struct receiver_paths *p);
