/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.h - keep the files of a FUSE file system that the kernel knows, and their names */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include "base/base.h"
#include "base/map.h"

/*
 * A file, directory or link. Each known inode of the underlying file system has one node, however
 * many names the inode has. The kernel identifies a node by a number: its address in memory, or
 * NODE_ROOT for the root.
 */
struct fs_node {
	dev_t dev;
	ino_t ino;
	mode_t type;			/* file type: the S_IFMT bits of the mode */
	/* distinguishes this node from freed nodes that had the same address */
	uint64_t generation;
	/* number of the kernel's lookups that its FORGET requests have not taken back yet */
	uint64_t lookups;
	uint64_t children;		/* number of known names in this directory */
	bool listed;			/* the node can be found by its .dev and .ino */
	/* list of the node's names, the last used first; NULL: no name is left */
	struct node_name *name;
	struct handle *open;		/* list of the node's open handles, or NULL */
	/*
	 * the kernel's number for passthrough to the underlying file, shared by all handles of the
	 * node, or 0; see passthrough.h
	 */
	int32_t backing;
	struct fs_node *before, *after;	/* neighbours in the list of all nodes */
};

struct node_name {
	struct fs_node *of, *parent;
	struct node_name *next;
	char text[];
};

/* An open file or directory. */
struct handle {
	int fd;
	struct fs_node *node;
	struct handle *next;		/* next handle of the same node */
	char *path;			/* path when the file was opened, relative to the root */
	struct opener {
		uint32_t uid, gid, pid;
		char *process;
		/* the process that opened the file belongs to the job of --job */
		bool in_job;
	} by;
	struct access *access;		/* state for --xrootd, or NULL */
	pthread_mutex_t reading;	/* serializes reads of a directory */
	void *dir;			/* the open directory (DIR *), or NULL */
};

#define NODE_ROOT 1

struct nodes {
	pthread_mutex_t lock;
	/*
	 * A rename takes the write lock, because it changes the paths of everything below the name.
	 * A call that uses a path takes the read lock.
	 */
	pthread_rwlock_t paths;
	struct fs_node root;		/* the root, and head of the list of all nodes */
	struct map by_inode, by_name;
	uint64_t generations;
};

void nodes_init(struct nodes *n, const struct stat *root);
void nodes_free(struct nodes *n);	/* free all nodes; no request may be running */

static inline struct fs_node *node_of_number(struct nodes *n, uint64_t number)
{
	return number == NODE_ROOT ? &n->root : (struct fs_node *)(uintptr_t)number;
}

static inline uint64_t node_number(const struct nodes *n, const struct fs_node *node)
{
	return node == &n->root ? NODE_ROOT : (uint64_t)(uintptr_t)node;
}

/*
 * Build the path of a node or, if name is not NULL, of that name in a directory node. The path is
 * relative to the root; "." is the root. If a file is open but has no name left, the path is its
 * descriptor's link in /proc, and *follow is true. Returns 0, -ENOENT or -ENAMETOOLONG.
 */
int node_path(struct nodes *n, struct fs_node *node, const char *name, char path[PATH_MAX],
	      bool *follow) MUST_CHECK;

/* Copy to `path` the path by which an open node was opened; "" if the node is not open. */
void node_opened_path(struct nodes *n, const struct fs_node *node, char path[PATH_MAX]);

/*
 * Return the node of a name that was just looked up, and count one lookup. If the name belonged to
 * another node, remove it from that node.
 */
struct fs_node *node_found(struct nodes *n, struct fs_node *parent, const char *name,
			   const struct stat *st);
/* Return the node of an open file that has no name yet, and count one lookup. */
struct fs_node *node_nameless(struct nodes *n, const struct stat *st);
/* Subtract lookups. This may free the node. */
void node_forget(struct nodes *n, struct fs_node *node, uint64_t lookups);

/* Record that a name was removed. */
void node_unlinked(struct nodes *n, struct fs_node *parent, const char *name);
/* Record that a name was renamed to `to`. With exchange, the two names have swapped their nodes. */
void node_renamed(struct nodes *n, struct fs_node *parent, const char *name,
		  struct fs_node *to_parent, const char *to, bool exchange);
/* Return the known file type of a name, or 0 if the name is unknown. */
mode_t node_type(struct nodes *n, struct fs_node *parent, const char *name);

void node_opened(struct nodes *n, struct fs_node *node, struct handle *h);
/*
 * Remove a handle from its node, which may free the node; the handle and its descriptor stay.
 * Returns the node's .backing if this was the last handle, else 0.
 */
int32_t node_closed(struct nodes *n, struct handle *h);
