/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.h - signals of a program that receives datagrams, and the file that it appends to */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include "base/base.h"

/* SIGINT and SIGTERM say that it is to end, SIGHUP that its file is to be opened anew. */
void receiver_heed(int signal_number);
bool receiver_is_ended(void);
bool receiver_take_hangup(void);	/* true once for each */

/* From now on these come only within ppoll(2) with *usual. */
void receiver_block(sigset_t *usual);

/* For appending, made if need be: its descriptor, or -errno. */
int receiver_open(const char *path) MUST_CHECK;

/* A file that has got another name goes on in a new one. False: that is logged, *fd stays. */
bool receiver_reopen(const char *path, int *fd);
