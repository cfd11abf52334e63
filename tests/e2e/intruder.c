/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * intruder.c - try in a worker the attacks that a malicious vendor library could make
 *
 * For confine.sh. The code is linked into nvml_stub.c's library, runs when the library is loaded,
 * and prints the result of each attempt on standard error. It shares no code with the tested
 * program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *what, int failed)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "intruder: %s: %s\n", what,
			 failed ? strerror(errno) : "done");
	if (write(STDERR_FILENO, line, (size_t)n) != n)
		_exit(1);
}

static int run(const char *program)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		execl(program, program, (char *)NULL);
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	errno = WEXITSTATUS(status);
	return errno ? -1 : 0;
}

static int reach(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&a, sizeof(a));
}

__attribute__((constructor)) static void intrude(void)
{
	const char *mine = getenv("INTRUDER_FILE"), *control = getenv("INTRUDER_SOCKET");
	if (!mine || !control)
		return;
	say("shadow", open("/etc/shadow", O_RDONLY | O_CLOEXEC) < 0);
	say("write", open(mine, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0);
	say("exec", run("/bin/true") < 0);
	say("connect", reach(control) < 0);
	say("internet", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0);
	say("end", 0);
}
