/* SPDX-License-Identifier: BSD-3-Clause */
/* room.h - the folder of a run, and the files that its processes on one node share */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "collectors/job_tree.h"

#define ROOM_PATH_MAX 512	/* the same limit as for paths in a configuration */

/*
 * DIR is an archive with files DIR/HOST/EPOCH. While a run lasts, there are also files that only
 * its user can access:
 *
 *   DIR/.run-UID/ID/.began		its modification time is the start of the run
 *   DIR/.run-UID/ID/HOST/sampler	locked by the sampler of this node as long as it lives
 *   DIR/.run-UID/ID/HOST/ranks		a FIFO: supervisors write, the sampler reads
 *   DIR/.run-UID/ID/HOST/count		a byte per event: "+" a supervisor starts, "-" it leaves
 *
 * A supervisor is a process of nodometer run that started the command or one of its ranks. The
 * kernel tells the sampler when the last supervisor has gone, and the supervisors when the sampler
 * has gone, however they ended. This works on network file systems, too, since the sampler and its
 * supervisors are on one node.
 */
struct room {
	char dir[ROOM_PATH_MAX];	/* absolute path of DIR */
	char runs[ROOM_PATH_MAX];	/* the folder DIR/.run-UID/ID */
	/* the folder DIR/.run-UID/ID/HOST, which the processes of this node use */
	char node_dir[ROOM_PATH_MAX];
};

/*
 * Create the folders of the run, but not that of the node. Returns 0; -ENAMETOOLONG; -EACCES if a
 * folder belongs to another user; -ENOSPC if the file system is full; or another -errno.
 */
int room_make(struct room *r, const char *dir, const char *id, const char *host) MUST_CHECK;
/*
 * Create the node's folder, by which other processes see that the node is sampled. Call this again
 * if the last sampler removed the folder. Returns 0 or -errno.
 */
int room_enter(const struct room *r) MUST_CHECK;
void room_leave(const struct room *r);		/* removes the node's folder; for the sampler */
void room_remove(const struct room *r);		/* removes everything else when the run is over */

/* State of the sampler of this node: running; finished or never started; or killed. */
enum room_sampler { ROOM_SAMPLER_WORKS, ROOM_SAMPLER_DONE, ROOM_SAMPLER_KILLED };
enum room_sampler room_sampler(const struct room *r);

/* State of all nodes. Reading it takes at least one file system call per node. */
struct room_nodes {
	bool sampled;		/* whether at least one node has a sampler */
	/* number of nodes that have written records since the run started */
	size_t recorded;
	int64_t changed_us;	/* wall clock time of the latest write by any node, or 0 */
};
struct room_nodes room_nodes(const struct room *r);

struct room_message {
	enum { ROOM_JOINED, ROOM_LEFT } what;
	pid_t pid;
	/*
	 * only in ROOM_LEFT messages: status of the command as from waitpid(2), and its resources
	 */
	int status;
	struct job_tree_used used;
	struct job_tree_command command;
};

/*
 * Open the sampler's lock and FIFO, which the caller closes. Returns 0; -EBUSY if this node has a
 * sampler; -ENOENT if the folder is missing or was just removed; or another -errno.
 */
int room_lock(const struct room *r, int *lock, int *fifo) MUST_CHECK;
/*
 * Open the FIFO for a process of the run. Returns a descriptor; -ENXIO if no sampler reads it yet;
 * or another -errno.
 */
int room_join(const struct room *r) MUST_CHECK;

/* Append c, "+" or "-", to the file "count". */
void room_append_event(const struct room *r, char c);
/*
 * Return the number of processes that have joined. Sets *all_left if all these processes have left.
 */
size_t room_joined(const struct room *r, bool *all_left);
