/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * names_shim.c - replace the name service for users.sh and answer.sh: it hangs, then knows one
 * user, whose name is $NAMES_USER, and one user group
 */
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

struct passwd *getpwnam(const char *name);
struct passwd *getpwuid(uid_t uid);
struct group *getgrnam(const char *name);

/* Wait until the file named in $NAMES_ANSWER exists. */
static void hang(void)
{
	const char *path = getenv("NAMES_ANSWER");
	while (!path || access(path, F_OK) != 0)
		usleep(20000);
}

/* After the wait, every user has the number of nobody, and every user group has the number 4242. */
static struct passwd *answer(void)
{
	static char name[] = "somebody", none[] = "";
	static struct passwd pw = { .pw_name = name, .pw_passwd = none, .pw_uid = 65534,
				    .pw_gid = 65534, .pw_gecos = none, .pw_dir = none,
				    .pw_shell = none };
	char *user = getenv("NAMES_USER");
	pw.pw_name = user ? user : name;
	hang();
	return &pw;
}

struct passwd *getpwnam(const char *name)
{
	(void)name;
	return answer();
}

struct passwd *getpwuid(uid_t uid)
{
	(void)uid;
	return answer();
}

struct group *getgrnam(const char *name)
{
	static char group[] = "somegroup", none[] = "", *nobody[] = { NULL };
	static struct group gr = { .gr_name = group, .gr_passwd = none, .gr_gid = 4242,
				   .gr_mem = nobody };
	(void)name;
	hang();
	return &gr;
}
