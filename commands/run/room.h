/* SPDX-License-Identifier: BSD-3-Clause */
/* room.h - the folder of a run, and what its processes on one node share there */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "collectors/job_tree.h"

#define ROOM_PATH_MAX 512	/* as paths of a configuration */

/*
 * DIR is an archive, DIR/HOST/EPOCH. While the run lasts there is also, for its user alone,
 *
 *   DIR/.run-UID/ID/.began		as old as the run
 *   DIR/.run-UID/ID/HOST/sampler	locked by the sampler of this node as long as it lives
 *   DIR/.run-UID/ID/HOST/ranks		a FIFO: fronts write, the sampler reads
 *   DIR/.run-UID/ID/HOST/count		a byte for each front: "+" it came, "-" it is about to go
 *
 * The kernel tells the sampler when the last front is gone, and fronts when the sampler is, however
 * they ended; it does so on network file systems, too, since both are on one node.
 */
struct room {
	char dir[ROOM_PATH_MAX];	/* absolute */
	char runs[ROOM_PATH_MAX];	/* DIR/.run-UID/ID */
	char own[ROOM_PATH_MAX];	/* .runs/HOST; its users are this node's */
};

/* All but the own folder. 0, -ENAMETOOLONG, -EACCES: it is another user's, or another -errno. */
int room_make(struct room *r, const char *dir, const char *id, const char *host) MUST_CHECK;
/* The own folder, also where the last sampler has removed it: others take its node for sampled. */
int room_enter(const struct room *r) MUST_CHECK;
void room_leave(const struct room *r);		/* by the sampler: it is no more */
void room_remove(const struct room *r);		/* the rest: the run is over */

/* The sampler of this node: works, has done its work, or ended without a word. */
enum room_sampler { ROOM_SAMPLER_WORKS, ROOM_SAMPLER_DONE, ROOM_SAMPLER_KILLED };
enum room_sampler room_sampler(const struct room *r);

/* A look at the folders of all nodes: a call of the file system for each node and more. */
struct room_nodes {
	bool sampled;		/* a node has a sampler */
	size_t recorded;	/* how many have written records since the run began */
	int64_t changed_us;	/* when a node wrote last, on the wall clock; 0: never */
};
struct room_nodes room_nodes(const struct room *r);

struct room_message {
	enum { ROOM_CAME, ROOM_GOES } what;
	pid_t pid;
	struct job_tree_used used;	/* of ROOM_GOES */
};

/*
 * The sampler's ends: *lock and *fifo. 0, -EBUSY: this node has a sampler, -ENOENT: there is no
 * folder, or it was removed meanwhile, or another -errno.
 */
int room_lock(const struct room *r, int *lock, int *fifo) MUST_CHECK;
/* A front's end of the FIFO, or -ENXIO: nobody reads it yet; or another -errno. */
int room_join(const struct room *r) MUST_CHECK;

void room_count(const struct room *r, char c);
/* How many fronts came, and whether all of them went. */
size_t room_came(const struct room *r, bool *all_went);
