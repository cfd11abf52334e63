/* SPDX-License-Identifier: BSD-3-Clause */
/* reply.h - answer a request with the records of the asker's runs in an archive */
#pragma once

#include "answer/visible.h"

/*
 * Tell the asker why there is no answer. Returns 0 or -errno. deadline_ns is a time of
 * CLOCK_MONOTONIC.
 */
int reply_refuse(int fd, const char *dir, struct str why, int64_t deadline_ns) MUST_CHECK;

/*
 * Send the whole answer before the deadline, or a last frame with the reason why not. Returns 0 in
 * both cases, or -errno if the asker has gone or does not read.
 */
int reply_send(int fd, const char *dir, const struct asker *asker, const struct answer_request *q,
	       int64_t deadline_ns) MUST_CHECK;
