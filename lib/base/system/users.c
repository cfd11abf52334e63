/* SPDX-License-Identifier: BSD-3-Clause */
/* users.c - look up the users and groups of a configuration */
#include "base/system/users.h"

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/socket.h>

bool users_has(const struct users *u, uid_t uid)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->uid[i] == uid)
			return true;
	return false;
}

void users_add(struct users *u, uid_t uid)
{
	if (u->n < USERS_MAX && !users_has(u, uid))
		u->uid[u->n++] = uid;
}

bool users_find(struct str name, uid_t *uid, gid_t *gid)
{
	const struct passwd *pw;
	bool found = false;
	FILE *f = fopen("/etc/passwd", "re");
	if (!f)
		return false;
	while (!found && (pw = fgetpwent(f))) {
		found = str_eq(name, str_of(pw->pw_name));
		if (!found)
			continue;
		*uid = pw->pw_uid;
		*gid = pw->pw_gid;
	}
	fclose(f);
	return found;
}

bool users_add_name(struct buf *b, uid_t uid)
{
	const struct passwd *pw;
	bool found = false;
	FILE *f = fopen("/etc/passwd", "re");
	while (f && !found && (pw = fgetpwent(f))) {
		found = pw->pw_uid == uid;
		if (found)
			buf_add(b, str_of(pw->pw_name));
	}
	if (f)
		fclose(f);
	return found;
}

/* Parse a user or group number. (uid_t)-1 is invalid: credentials(7). */
static bool users_take_number(struct str name, uid_t *ret)
{
	uint64_t n;
	if (!str_is_u64(name) || !str_take_u64(&name, &n) || n >= UINT32_MAX)
		return false;
	*ret = (uid_t)n;
	return true;
}

void users_add_local(struct users *u, struct str list, struct buf *rest)
{
	struct str name;
	uid_t uid;
	gid_t gid;
	while (str_take_item(&list, &name)) {
		if (users_take_number(name, &uid) || users_find(name, &uid, &gid))
			users_add(u, uid);
		else
			buf_addf(rest, STR_FMT " ", STR_ARG(name));
	}
}

static bool members_have_group(const struct members *m, gid_t gid)
{
	for (size_t i = 0; i < m->groups; i++)
		if (m->gid[i] == gid)
			return true;
	return false;
}

void members_add_group(struct members *m, gid_t gid)
{
	if (m->groups < USERS_MAX && !members_have_group(m, gid))
		m->gid[m->groups++] = gid;
}

/*
 * Use the groups that the peer had when it connected (SO_PEERGROUPS, Linux 4.13). Older kernels
 * only tell the primary group.
 */
bool members_has_peer(const struct members *m, const struct ucred *peer, int fd)
{
	static gid_t gid[NGROUPS_MAX];
	socklen_t size = sizeof(gid);
	if (m->groups == 0)
		return false;
	if (members_have_group(m, peer->gid))
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, gid, &size) < 0)
		return false;
	for (size_t i = 0; i < size / sizeof(*gid); i++)
		if (members_have_group(m, gid[i]))
			return true;
	return false;
}

static bool users_find_group(struct str name, gid_t *ret)
{
	const struct group *gr;
	bool found = false;
	FILE *f = fopen("/etc/group", "re");
	if (!f)
		return false;
	while (!found && (gr = fgetgrent(f))) {
		found = str_eq(name, str_of(gr->gr_name));
		*ret = gr->gr_gid;
	}
	fclose(f);
	return found;
}

void members_add_local(struct members *m, struct str list, struct buf *rest)
{
	struct str item;
	gid_t gid;
	while (str_take_item(&list, &item)) {
		struct str group = item;
		if (str_eq(item, STR("all")))
			m->is_everybody = true;
		else if (!str_take_prefix(&group, STR("@")))
			users_add_local(&m->users, item, rest);
		else if (users_take_number(group, &gid) || users_find_group(group, &gid))
			members_add_group(m, gid);
		else
			buf_addf(rest, STR_FMT " ", STR_ARG(item));
	}
}
