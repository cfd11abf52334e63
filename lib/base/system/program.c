/* SPDX-License-Identifier: BSD-3-Clause */
/* program.c - find and run the programs of commands */
#include "base/system/program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int program_find(const char *name, char path[PROGRAM_PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PROGRAM_PATH_MAX - 1);
	if (strchr(name, '/'))
		return -ENOENT;
	if (n > 0) {
		path[n] = '\0';
		char *leaf = strrchr(path, '/') + 1;
		size_t room = PROGRAM_PATH_MAX - (size_t)(leaf - path);
		if ((size_t)snprintf(leaf, room, "nodometer-%s", name) >= room)
			return -ENAMETOOLONG;
		if (access(path, X_OK) == 0)
			return 0;
	}
	int m = snprintf(path, PROGRAM_PATH_MAX, PKGLIBEXECDIR "/nodometer-%s", name);
	if (m >= PROGRAM_PATH_MAX)
		return -ENAMETOOLONG;
	return access(path, X_OK) == 0 ? 0 : -errno;
}

/* Parts that configure can leave out, with the names of their programs. */
static const struct {
	bool is_built;
	const char *option, *programs[4];
} program_parts[] = {
	{ PART_XROOTD,    "--disable-xrootd",    { "xrootd", "mpxstats" } },
	{ PART_DELIVERY,  "--disable-delivery",  { "send", "answer", "fetch", "remote" } },
	{ PART_TCP,       "--disable-tcp",       { "tcp" } },
	{ PART_FILETRACE, "--disable-filetrace", { "trace" } },
	{ PART_OPENVMS,   "--disable-openvms",   { "monitor" } },
};

const char *program_left_out(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(program_parts); i++)
		for (size_t k = 0; k < ARRAY_SIZE(program_parts[i].programs); k++) {
			const char *own = program_parts[i].programs[k];
			if (own && strcmp(name, own) == 0)
				return program_parts[i].is_built ? NULL : program_parts[i].option;
		}
	return NULL;
}

void program_put_end(struct buf *b, int status)
{
	if (WIFSIGNALED(status))
		buf_addf(b, "killed by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		buf_addf(b, "exit status %d", WEXITSTATUS(status));
}

int program_run(const char *name, char **argv)
{
	char path[PROGRAM_PATH_MAX];
	int r = program_find(name, path);
	if (r < 0)
		return r;
	execv(path, argv);
	return -errno;
}
