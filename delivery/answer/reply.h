/* SPDX-License-Identifier: BSD-3-Clause */
/* reply.h - the answer to a request: records of the asker's own runs, out of an archive */
#pragma once

#include "answer/visible.h"

/*
 * Sends the whole answer to the socket before the deadline, or a last frame that says why not. 0,
 * or -errno: the asker has gone, or does not read.
 */
int reply_send(int fd, const char *dir, const struct asker *asker, const struct answer_request *q,
	       int64_t deadline_ns) MUST_CHECK;
