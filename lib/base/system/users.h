/* SPDX-License-Identifier: BSD-3-Clause */
/* users.h - look up users and groups of a configuration */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "base/buf.h"

#define USERS_MAX 64

/* A set of users. All zero is a valid empty set. */
struct users {
	size_t n;
	uid_t uid[USERS_MAX];
};

bool users_has(const struct users *u, uid_t uid);
void users_add(struct users *u, uid_t uid);	/* does nothing if there are USERS_MAX already */

/* Find a user of /etc/passwd and the user's primary group. Returns false if there is none. */
bool users_find(struct str name, uid_t *uid, gid_t *gid);

/* Append the name that /etc/passwd gives for a user number. Returns false if there is none. */
bool users_add_name(struct buf *b, uid_t uid);

/*
 * Add users from a list of names or numbers, separated by blanks or commas. Names are looked up
 * only in /etc/passwd, because a name service may block. Unknown names are appended to rest, each
 * followed by a blank.
 */
void users_add_local(struct users *u, struct str list, struct buf *rest);

/*
 * A set of users: those in .users, the members of the groups in .gid and, with .is_everybody, all
 * users. All zero is a valid empty set.
 */
struct members {
	struct users users;
	size_t groups;
	gid_t gid[USERS_MAX];
	bool is_everybody;
};

/*
 * Return whether the peer of a socket was in one of the groups when it connected. Ignores .users
 * and .is_everybody. Before Linux 4.13, only the peer's primary group counts.
 */
struct ucred;
bool members_has_peer(const struct members *m, const struct ucred *peer, int fd);
/* does nothing if there are USERS_MAX already */
void members_add_group(struct members *m, gid_t gid);

/* Add members like users_add_local(). "@GROUP" is a group of /etc/group, "all" is everybody. */
void members_add_local(struct members *m, struct str list, struct buf *rest);
