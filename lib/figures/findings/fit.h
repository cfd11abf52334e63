/* SPDX-License-Identifier: BSD-3-Clause */
/* fit.h - rules that compare a job's allocation with the resources of its nodes */
#pragma once

#include "base/buf.h"
#include "figures/report.h"

/* Functions for .holds of struct finding_rule. */
bool idle_gpus(const struct report *r, double threshold, struct buf *why);
bool held_gpus(const struct report *r, double threshold, struct buf *why);
bool low_gpu(const struct report *r, double threshold, struct buf *why);
bool unseen_gpus(const struct report *r, double threshold, struct buf *why);
bool scattered_gpus(const struct report *r, double threshold, struct buf *why);
bool many_nodes(const struct report *r, double threshold, struct buf *why);
