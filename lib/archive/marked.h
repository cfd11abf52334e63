/* SPDX-License-Identifier: BSD-3-Clause */
/* marked.h - drop marks of a request that are already in the archive */
#pragma once

#include "archive/archive.h"

/*
 * Drop marks that are in the archive already. Two processes may write the marks of one request: for
 * example, if the first is killed after it wrote the marks, but before it removed the request from
 * the spool. To detect this, each mark has the id of its request (schema/marks.h). A request may
 * make marks for several jobs, but at most one mark of each kind for a job.
 *
 * Returns true if any mark was dropped. *to, which must be empty, then gets the records without
 * marks that are in the archive already; a mark that occurs twice is copied once. If the end mark
 * of a job is dropped, its record no longer lists the job. Reads the uncompressed files of the
 * archive back to the time of the oldest request. The caller holds the lock.
 */
bool marked_already(const struct archive *a, struct str groups, struct buf *to);
