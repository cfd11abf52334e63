/* SPDX-License-Identifier: BSD-3-Clause */
/* twice.h - begin and end marks that stand twice in a file */
#pragma once

#include "base/map.h"
#include "schema/marks.h"

/* Of each job, by a hash: which mark it had last. All zero is empty; marks_seen_free() ends it. */
struct marks_seen {
	struct map ended;	/* whether it was an end */
};

/*
 * Whether this mark is a begin or an end that the job has had last already. So it is where a writer
 * was killed between writing a mark and saying so: readers take it once.
 */
bool marks_seen_again(struct marks_seen *m, const struct mark *mark);
void marks_seen_free(struct marks_seen *m);
