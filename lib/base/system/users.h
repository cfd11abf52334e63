/* SPDX-License-Identifier: BSD-3-Clause */
/* users.h - users and groups that a configuration names, as numbers */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include "base/buf.h"

#define USERS_MAX 64

/* All zero is a valid empty one, also of those below. */
struct users {
	size_t n;
	uid_t uid[USERS_MAX];
};

bool users_has(const struct users *u, uid_t uid);
void users_add(struct users *u, uid_t uid);	/* more than USERS_MAX are left out */

/* A user of /etc/passwd, and the user's first group. False: there is none of this name. */
bool users_find(struct str name, uid_t *uid, gid_t *gid);

/*
 * Adds the users of a list, names or numbers with blanks or commas between them. A name is looked
 * for in /etc/passwd alone: no name service is waited for. Names that are not there are added to
 * rest, each with a blank after it.
 */
void users_add_local(struct users *u, struct str list, struct buf *rest);

/* Users, members of groups, or all. */
struct members {
	struct users users;
	size_t groups;
	gid_t gid[USERS_MAX];
	bool all;
};

/* Whether the peer of a socket was in one of the groups when it connected; no user is looked at. */
struct ucred;
bool members_has_peer(const struct members *m, const struct ucred *peer, int fd);
void members_add_group(struct members *m, gid_t gid);	/* more than USERS_MAX are left out */

/* As users_add_local(); "@GROUP" is looked for in /etc/group, and "all" is everybody. */
void members_add_local(struct members *m, struct str list, struct buf *rest);
