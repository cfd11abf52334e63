/* SPDX-License-Identifier: BSD-3-Clause */
/* reason.h - explain the error of a receiver or a library in one line */
#pragma once

#include "base/buf.h"

/*
 * Append an answer as one line of at most 600 bytes, without the tags, head and scripts of an HTML
 * or XML page.
 */
void reason_put_answer(struct buf *why, struct str answer);

/*
 * Append the text of an error. If the error is a common failure of TLS, an explanation comes first,
 * and the text follows in parentheses: "certificate expired (SSL certificate problem: ...)".
 */
void reason_put_error(struct buf *why, struct str text);
