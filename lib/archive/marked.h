/* SPDX-License-Identifier: BSD-3-Clause */
/* marked.h - drop marks of a request that are already in the archive */
#pragma once

#include "archive/archive.h"

/*
 * A hook that gives up leaves its request in the spool, and another process writes the marks. This
 * process may be killed before it removes the request. So two processes may write the marks of the
 * same request, and only the archive shows whether they were written: each mark carries the id of
 * its request (schema/marks.h). A request may make marks for several jobs, one of each kind per
 * job.
 *
 * Returns true if some marks of the records are in the archive already, or twice in the records;
 * *to gets the records without these marks. If the end mark of a job is dropped, its record no
 * longer lists the job. Reads the uncompressed files of the archive back to the time of the oldest
 * request. The caller must hold the lock.
 */
bool marked_already(const struct archive *a, struct str groups, struct buf *to);
