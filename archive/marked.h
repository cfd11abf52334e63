/* SPDX-License-Identifier: BSD-3-Clause */
/* marked.h - a request is marked once, however often it comes to the archive */
#pragma once

#include "archive/archive.h"

/*
 * A hook that gave up leaves its request for others, and whoever marks one may be killed before
 * that is noted; so a request can come twice, from two processes. The archive alone knows whether
 * it was marked: each mark keeps the identity of its request (schema/marks.h). A request may make
 * marks of several jobs, one of each kind for each.
 *
 * True: some marks of the groups are in the archive, or twice in the text, and *to is the text
 * without them; a job whose end is dropped owns their group no more. Reads the plain files of the
 * archive, back to the moment at which the oldest request was made. Needs the lock.
 */
bool marked_already(const struct archive *a, struct str groups, struct buf *to);
