/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_group.h - the steps of one record group, for the files that make them */
#pragma once

#include "agent/recorder.h"

/*
 * Takes the lock and begins a group: no marks, no ids, the jobs as others left them. 0 or -errno;
 * recorder_leave() lets go of the lock.
 */
int recorder_enter(struct recorder *r) MUST_CHECK;
void recorder_leave(struct recorder *r);

void recorder_add_mark(struct recorder *r, const char *verb, struct str text);
/* One sample, one group, of the marks and ids that were made; usec 0: now. 0 or -errno. */
int recorder_record(struct recorder *r, int64_t usec) MUST_CHECK;
void recorder_save_jobs(struct recorder *r);	/* says by itself if that fails */

/* The job is to have the counters no more: a mark says so. False: it had none. */
bool recorder_take_back(struct recorder *r, struct str id);
