/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.c - explain why a path of the archive cannot be used, and what to do */
#include "archive/explain.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Find the folder in the path to which this user has no access. */
static bool explain_find_denier(const char *path, struct stat *st)
{
	char dir[PATH_MAX];
	if (!str_copy(dir, sizeof(dir), str_of(path)))
		return false;
	while (stat(dir, st) < 0) {
		char *slash = strrchr(dir, '/');
		if (errno != EACCES || !slash || slash == dir)
			return false;
		*slash = '\0';
	}
	return true;
}

static void explain_denied(struct buf *b, const char *path, bool writing)
{
	struct stat st;
	if (!explain_find_denier(path, &st))
		return;
	const struct passwd *pw = writing ? getpwuid(st.st_uid) : NULL;
	const struct group *g = !writing && st.st_mode & S_IRGRP ? getgrgid(st.st_gid) : NULL;
	if (pw)
		buf_addf(b, "; root%s%s may write there", st.st_uid ? " and user " : "",
			 st.st_uid ? pw->pw_name : "");
	if (g)
		buf_addf(b, "; group %s may read it, with the jobs of all users", g->gr_name);
}

/*
 * Explain why a path is read-only in a systemd service: with ProtectSystem=strict, only the paths
 * in ReadWritePaths= are writable.
 */
static void explain_read_only(struct buf *b, const char *path)
{
	if (getenv("INVOCATION_ID"))
		buf_addf(b, "; the unit may write only below its ReadWritePaths=: create the "
			 "folder, give it to user nodometer, and with \"systemctl edit "
			 "nodometerd\" add \"[Service]\" and \"ReadWritePaths=%s\"", path);
}

void explain_what_to_do(struct buf *b, const char *path, int error, bool writing)
{
	if (error == -EACCES)
		explain_denied(b, path, writing);
	else if (error == -EROFS)
		explain_read_only(b, path);
}

void explain_path(struct buf *b, const char *path, int error, bool writing)
{
	if (error == -EISDIR) {
		buf_addf(b, "a folder; name its files, as in %s/* or %s/HOST/*", path, path);
		return;
	}
	buf_add(b, str_of(strerror(-error)));
	explain_what_to_do(b, path, error, writing);
}
