/* SPDX-License-Identifier: BSD-3-Clause */
/* room.h - the folder of a run, and the files that its processes on one node share */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "collectors/job_tree.h"

#define ROOM_PATH_MAX 512	/* the same limit as for paths of a configuration */

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
	char dir[ROOM_PATH_MAX];	/* absolute path of DIR */
	char runs[ROOM_PATH_MAX];	/* DIR/.run-UID/ID */
	char own[ROOM_PATH_MAX];	/* .runs/HOST, used by the processes of this node */
};

/*
 * Create all folders except the node's. Returns 0; -ENAMETOOLONG; -EACCES if a folder belongs to
 * another user; -ENOSPC if the file system is full; or another -errno.
 */
int room_make(struct room *r, const char *dir, const char *id, const char *host) MUST_CHECK;
/*
 * Create the node's folder, again if the last sampler removed it. Other processes then know that
 * the node is sampled. Returns 0 or -errno.
 */
int room_enter(const struct room *r) MUST_CHECK;
void room_leave(const struct room *r);		/* the sampler removes the node's folder */
void room_remove(const struct room *r);		/* removes everything else when the run is over */

/* State of the sampler of this node: running, finished, or killed. */
enum room_sampler { ROOM_SAMPLER_WORKS, ROOM_SAMPLER_DONE, ROOM_SAMPLER_KILLED };
enum room_sampler room_sampler(const struct room *r);

/* State of all nodes. Reading it takes at least one file system call per node. */
struct room_nodes {
	bool sampled;		/* whether a node has a sampler */
	/* number of nodes that have written records since the run started */
	size_t recorded;
	int64_t changed_us;	/* wall clock time of the latest write of a node, or 0 */
};
struct room_nodes room_nodes(const struct room *r);

struct room_message {
	enum { ROOM_CAME, ROOM_GOES } what;
	pid_t pid;
	/* in a ROOM_GOES message: status of the command as of waitpid(2), and its resources */
	int status;
	struct job_tree_used used;
	struct job_tree_command command;
};

/*
 * Open the sampler's lock and FIFO. Returns 0; -EBUSY if this node has a sampler; -ENOENT if the
 * folder does not exist or was removed meanwhile; or another -errno.
 */
int room_lock(const struct room *r, int *lock, int *fifo) MUST_CHECK;
/*
 * Open the FIFO for a process of the run. Returns a descriptor; -ENXIO if no sampler reads it yet;
 * or another -errno.
 */
int room_join(const struct room *r) MUST_CHECK;

void room_count(const struct room *r, char c);
/* The number of processes that joined, and whether all have left. */
size_t room_came(const struct room *r, bool *all_went);
