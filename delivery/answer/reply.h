/* SPDX-License-Identifier: BSD-3-Clause */
/* reply.h - answer a request with the records of the asker's runs in an archive */
#pragma once

#include "answer/visible.h"

/*
 * Send a refusal with the reason `why` to the user at the socket. Returns 0 or -errno. deadline_ns
 * is a time of CLOCK_MONOTONIC.
 */
int reply_refuse(int fd, const char *dir, struct str why, int64_t deadline_ns) MUST_CHECK;

/*
 * Send the whole answer before the deadline, or end an incomplete answer with a frame that has the
 * reason. Returns 0 in both cases, or -errno if the asker has closed the socket or does not read.
 */
int reply_send(int fd, const char *dir, const struct asker *asker, const struct answer_request *q,
	       int64_t deadline_ns) MUST_CHECK;
