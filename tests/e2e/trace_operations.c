/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace_operations.c - do each operation on files once: trace_operations FOLDER
 *
 * For trace.sh. A shell would make more requests.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>
static void must(int r, const char *what)
{
	if (r < 0) {
		perror(what);
		exit(1);
	}
}
int main(int argc, char **argv)
{
	char text[64], names[64];
	struct stat st;
	struct statvfs vfs;
	must(argc == 2 ? chdir(argv[1]) : -1, "chdir");	/* access X_OK, of a directory */
	must(mkdir("dir", 0755), "mkdir");
	int fd = open("dir/file", O_WRONLY | O_CREAT | O_EXCL, 0644);
	must(fd, "creat");
	must((int)write(fd, "hello, world", 12), "write");
	must(close(fd), "close");
	must(fd = open("dir/file", O_RDONLY), "open");
	must((int)read(fd, text, sizeof(text)), "read");
	must(close(fd), "close");
	must(stat("dir/file", &st), "stat");
	must(access("dir/file", R_OK | W_OK), "access");
	must(setxattr("dir/file", "user.test", "v", 1, 0), "setxattr");
	must((int)getxattr("dir/file", "user.test", text, sizeof(text)), "getxattr");
	must((int)listxattr("dir/file", names, sizeof(names)), "listxattr");
	must(removexattr("dir/file", "user.test"), "removexattr");
	must(chmod("dir/file", 0600), "setattr");
	must(symlink("/the/target", "dir/link"), "symlink");
	must((int)readlink("dir/link", text, sizeof(text)), "readlink");
	must(statvfs(".", &vfs), "statfs");
	DIR *d = opendir("dir");
	must(d && readdir(d) ? 0 : -1, "readdir");
	closedir(d);
	must(rename("dir/file", "dir/odd, \"name\""), "rename");
	must(unlink("dir/odd, \"name\""), "unlink");
	must(unlink("dir/link"), "unlink");
	must(rmdir("dir"), "rmdir");
	return 0;
}
