/* SPDX-License-Identifier: BSD-3-Clause */
/* session_line.h - write a session of a user as a line of JSON */
#pragma once

#include "base/buf.h"
#include "xrootd/join/sessions.h"

void session_line_put(struct buf *b, const struct xrd_session_end *e);
