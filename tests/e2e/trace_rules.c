/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_rules.c - the calls on files whose records trace_rules.sh checks: trace_rules FOLDER */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
static void must(long r, const char *what)
{
	if (r < 0) {
		perror(what);
		exit(1);
	}
}
int main(int argc, char **argv)
{
	char text[100] = "";
	struct stat st;
	int fd;
	must(argc == 2 ? chdir(argv[1]) : -1, "chdir");
	umask(027);
	must(mkdir("made", 0777), "mkdir");
	must(listxattr("made", NULL, 0), "listxattr");
	must(fd = open("grows", O_RDWR | O_CREAT, 0666), "open");
	for (int i = 0; i < 3; i++)
		must(pwrite(fd, text, sizeof(text), i * 100), "write");
	must(fsync(fd), "fsync");
	must(pread(fd, text, sizeof(text), 0), "read");
	must(ftruncate(fd, 8192), "truncate");
	must(pread(fd, text, sizeof(text), 4096), "read");
	char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(map == MAP_FAILED ? -1 : 0, "mmap");
	must(close(fd), "close");
	memset(map, 'm', 50);
	must(munmap(map, 4096), "munmap");
	must(link("grows", "linked"), "link");
	must(mknod("pipe", S_IFIFO | 0666, 0), "mknod");
	must(renameat2(AT_FDCWD, "made", AT_FDCWD, "grows", RENAME_EXCHANGE), "rename");
	for (int i = 0; i < 5; i++)
		must(stat("linked", &st), "stat");
	return stat("missing", &st) == 0;
}
