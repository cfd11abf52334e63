/* SPDX-License-Identifier: BSD-3-Clause */
/* fleet.h - check the nodes of a central archive by their newest records */
#pragma once

#include "base/clock.h"
#include "base/listener.h"
#include "report/fleet/judge.h"

/*
 * Initializer for a struct fleet: check the nodes of the archive "of" at the current time. A node
 * counts as silent after two hours without a record.
 */
#define FLEET_NOW(of) { .dir = (of), .now_us = realtime_us(), .silent_us = 7200000000 }

/*
 * Set the expected nodes, one name per line; "#" starts a comment. Other nodes in the archive are
 * then ignored.
 */
void fleet_expect(struct fleet *f, struct str names);

/*
 * Examine and judge all nodes. Returns 0, or -errno, after telling the listener, if the archive
 * cannot be read.
 */
int fleet_look(struct fleet *f, const struct listener *listener) MUST_CHECK;
void fleet_free(struct fleet *f);
