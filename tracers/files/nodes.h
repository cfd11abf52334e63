/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.h - what the kernel knows of a file system in user space: files, and their names */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include "base/base.h"
#include "base/map.h"

/*
 * A file, directory, link, ...: what is one inode below is one node, under however many names. The
 * kernel's number of it is its address; the root's is NODE_ROOT.
 */
struct node {
	dev_t dev;
	ino_t ino;
	mode_t type;			/* S_IFMT of it */
	uint64_t generation;		/* of its address, which may have been another's before */
	uint64_t lookups;		/* to be forgotten by the kernel */
	uint64_t children;		/* names in it */
	bool listed;			/* is found by dev and ino */
	struct node_name *name;		/* the last that was looked up, others; NULL: none left */
	struct handle *open;		/* or NULL */
	int32_t backing;		/* the kernel's number of the file below, for all that have
					 * this one open, or 0: see passthrough.h */
	struct node *before, *after;	/* of all */
};

struct node_name {
	struct node *of, *parent;
	struct node_name *next;
	char text[];
};

/* An open file or directory. */
struct handle {
	int fd;
	struct node *node;
	struct handle *next;		/* of the node */
	char *path;			/* relative, when it was opened */
	struct opener {
		uint32_t uid, gid, pid;
		char *process;
		bool in_job;		/* of --job */
	} by;
	struct access *access;		/* for --xrootd, or NULL */
	pthread_mutex_t reading;	/* of a directory */
	void *dir;			/* DIR *, or NULL */
};

#define NODE_ROOT 1

struct nodes {
	pthread_mutex_t lock;
	/*
	 * A rename changes the paths of all that is below: no path may be in use then. A call that
	 * uses a path takes the read lock, a rename the write lock.
	 */
	pthread_rwlock_t paths;
	struct node root;		/* the first of all */
	struct map by_inode, by_name;
	uint64_t generations;
};

void nodes_init(struct nodes *n, const struct stat *root);
void nodes_free(struct nodes *n);	/* no request is running */

static inline struct node *node_of(struct nodes *n, uint64_t number)
{
	return number == NODE_ROOT ? &n->root : (struct node *)(uintptr_t)number;
}

static inline uint64_t node_number(const struct nodes *n, const struct node *node)
{
	return node == &n->root ? NODE_ROOT : (uint64_t)(uintptr_t)node;
}

/*
 * The path of a node, or of a name in one (name NULL: the node's own), relative to the root: "." is
 * the root. Of a file that has no name left but is open, that of its descriptor in /proc:
 * *follow is true then. 0, -ENOENT or -ENAMETOOLONG.
 */
int node_path(struct nodes *n, struct node *node, const char *name, char path[PATH_MAX],
	      bool *follow) MUST_CHECK;

/* The path that a file which is open and has no name left was opened by; "" of others. */
void node_opened_path(struct nodes *n, const struct node *node, char path[PATH_MAX]);

/* The node of a name that was just found; one lookup more. The name is no other's any more. */
struct node *node_found(struct nodes *n, struct node *parent, const char *name,
			const struct stat *st);
/* The node of a file without a name, which may get one; it is open from now on. */
struct node *node_nameless(struct nodes *n, const struct stat *st);
void node_forget(struct nodes *n, struct node *node, uint64_t lookups);

/* A name that is gone, and one that is another's now. Exchanged names change places. */
void node_unlinked(struct nodes *n, struct node *parent, const char *name);
void node_renamed(struct nodes *n, struct node *parent, const char *name, struct node *to_parent,
		  const char *to, bool exchange);
/* The type that is known of a name; 0: none is. */
mode_t node_type(struct nodes *n, struct node *parent, const char *name);

void node_opened(struct nodes *n, struct node *node, struct handle *h);
/* The .backing of the node, where nobody uses it any more; else 0. */
int32_t node_closed(struct nodes *n, struct handle *h);
