/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.c - find out where a systemd service may write */
#include "base/system/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/system/mounts.h"

/* Properties whose values are folders; relative folders are below .above. */
static const struct {
	const char *name, *above;
} folders[] = {
	{ "StateDirectory=",   "/var/lib/" },
	{ "RuntimeDirectory=", "/run/" },
	{ "CacheDirectory=",   "/var/cache/" },
	{ "LogsDirectory=",    "/var/log/" },
	{ "ReadWritePaths=",   "" },
};

static void unit_take_folders(struct unit *u, struct str words, const char *above)
{
	struct str word;
	while (str_take_word(&words, &word)) {
		while (str_take_prefix(&word, STR("-")) || str_take_prefix(&word, STR("+")))
			;
		buf_addf(*above ? &u->managed : &u->writable, "%s" STR_FMT "\n", above,
			 STR_ARG(word));
	}
}

static void unit_take_line(struct unit *u, struct str line)
{
	if (str_take_prefix(&line, STR("User=")))
		str_copy(u->user, sizeof(u->user), line.n ? line : STR("root"));
	else if (str_take_prefix(&line, STR("ProtectSystem=")))
		u->strict = str_eq(line, STR("strict"));
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (str_take_prefix(&line, str_of(folders[i].name)))
			unit_take_folders(u, line, folders[i].above);
}

static void unit_run_systemctl(const char *name, int to)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0 && dup2(null, 0) == 0 && dup2(to, 1) == 1 && dup2(null, 2) == 2)
		execlp("systemctl", "systemctl", "show", name, "--property=LoadState,User,"
		       "ProtectSystem,ReadWritePaths,StateDirectory,RuntimeDirectory,"
		       "CacheDirectory,LogsDirectory", (char *)NULL);
	_exit(127);
}

void unit_look(struct unit *u, const char *name)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	int ends[2];
	*u = (struct unit){ .name = name };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	pid_t pid = fork();
	if (pid == 0)
		unit_run_systemctl(name, ends[1]);
	close(ends[1]);
	char part[1024];
	for (ssize_t n; pid > 0 && (n = read(ends[0], part, sizeof(part))) > 0; )
		buf_add(&text, (struct str){ part, (size_t)n });
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	struct str rest = buf_str(&text), line;
	bool loaded = false;
	while (str_take_line(&rest, &line))
		loaded |= str_eq(line, STR("LoadState=loaded"));
	for (rest = buf_str(&text); loaded && str_take_line(&rest, &line); )
		unit_take_line(u, line);
}

void unit_free(struct unit *u)
{
	buf_free(&u->managed);
	buf_free(&u->writable);
}

static bool unit_is_listed(const struct buf *list, const char *path)
{
	struct str rest = buf_str(list), folder;
	while (str_take_line(&rest, &folder))
		if (mount_is_below(str_of(path), folder))
			return true;
	return false;
}

void unit_nearest(const char *path, char *to, size_t size)
{
	if (!str_copy(to, size, str_of(path)))
		*to = '\0';
	while (access(to, F_OK) < 0 && *to) {
		char *slash = strrchr(to, '/');
		slash[slash == to] = '\0';
	}
}

/*
 * Call access(2) as the user of the unit, in a child process. Returns 0 or the errno of access(2).
 * If this process cannot become that user, detects only a read-only file system: EROFS for W_OK.
 */
static int unit_access_as(const char *user, const char *path, int mode)
{
	int status;
	const struct passwd *pw = geteuid() == 0 ? getpwnam(user) : NULL;
	pid_t pid = pw && pw->pw_uid ? fork() : -1;
	if (pid == 0)
		_exit(initgroups(user, pw->pw_gid) < 0 || setgid(pw->pw_gid) < 0 ||
		      setuid(pw->pw_uid) < 0 || access(path, mode) == 0 ? 0 : errno);
	if (pid < 0)
		return mode & W_OK && access(path, W_OK) < 0 && errno == EROFS ? EROFS : 0;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static void unit_put_advice(const struct unit *u, const char *path, struct buf *why)
{
	buf_addf(why, "the unit %s may not write there: create the folder, give it to user %s, and "
		 "with \"systemctl edit %s\" add \"[Service]\" and \"ReadWritePaths=%s\"",
		 u->name, u->user, u->name, path);
}

bool unit_may_write(const struct unit *u, const char *path, bool makes, struct buf *why)
{
	char there[PATH_MAX];
	struct stat st;
	unit_nearest(path, there, sizeof(there));
	bool missing = strcmp(there, path) != 0;
	if (missing && unit_is_listed(&u->managed, path))
		return true;
	if (stat(there, &st) == 0 && !S_ISDIR(st.st_mode)) {
		buf_addf(why, "%s is not a folder", there);
		return false;
	}
	if (u->strict && !unit_is_listed(&u->managed, there) &&
	    !unit_is_listed(&u->writable, there)) {
		unit_put_advice(u, path, why);
		return false;
	}
	if (missing && !makes) {
		buf_addf(why, "the folder does not exist: create it, or mount its file system");
		return false;
	}
	int e = unit_access_as(u->user, there, W_OK | X_OK);
	if (e)
		buf_addf(why, "%s%suser %s may not write there: %s", missing ? there : "",
			 missing ? ": " : "", u->user[0] ? u->user : "root", strerror(e));
	return e == 0;
}

bool unit_may_read(const struct unit *u, const char *path, struct buf *why)
{
	int e = unit_access_as(u->user, path, R_OK);
	if (e)
		buf_addf(why, "user %s may not read it: %s; chown root:%s and chmod 0640", u->user,
			 strerror(e), u->user);
	return e == 0;
}
