/* SPDX-License-Identifier: BSD-3-Clause */
/* work_rules.h - rules about the work that a job causes for the kernel, disks and servers */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

/* Functions for .holds of struct finding_rule. */
bool kernel_time(const struct report *r, double threshold, struct buf *why);
bool switches(const struct report *r, double threshold, struct buf *why);
bool memory_churn(const struct report *r, double threshold, struct buf *why);
bool compaction(const struct report *r, double threshold, struct buf *why);
bool process_storm(const struct report *r, double threshold, struct buf *why);
bool metadata(const struct report *r, double threshold, struct buf *why);
bool one_writer(const struct report *r, double threshold, struct buf *why);
bool small_io(const struct report *r, double threshold, struct buf *why);
bool swap_storm(const struct report *r, double threshold, struct buf *why);
bool swapping(const struct report *r, double threshold, struct buf *why);
