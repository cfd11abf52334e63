/* SPDX-License-Identifier: BSD-3-Clause */
/* reply.h - answer a request with the records of the asker's runs in an archive */
#pragma once

#include "answer/visible.h"

/*
 * Send a refusal with the reason `why` to the user at the socket fd. deadline_ns is a time of
 * CLOCK_MONOTONIC. Returns 0 or -errno.
 */
int reply_refuse(int fd, const char *dir, struct str why, int64_t deadline_ns) MUST_CHECK;

/*
 * Send the whole answer to request q before the deadline; otherwise end the incomplete answer with
 * a frame that states the reason. Returns 0 in both cases, or -errno if the asker has closed the
 * socket or does not read.
 */
int reply_send(int fd, const char *dir, const struct asker *asker, const struct answer_request *q,
	       int64_t deadline_ns) MUST_CHECK;
