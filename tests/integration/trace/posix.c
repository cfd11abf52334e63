/* SPDX-License-Identifier: BSD-3-Clause */
/* posix.c - print the results of system calls on names, modes, links, times and locks */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static unsigned lines;

static long say(const char *what, long result)
{
	int e = errno;
	printf("%03u %-60s %ld %s\n", ++lines, what, result, result < 0 ? strerror(e) : "");
	return result;
}
#define SAY(call) (errno = 0, say(#call, (long)(call)))

/* Print the attributes of a path that do not depend on time and place. */
static void look(const char *path)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		printf("    %s: %s\n", path, strerror(errno));
	else
		printf("    %s: mode %o links %lu size %lld owner %u:%u\n", path, st.st_mode,
		       S_ISDIR(st.st_mode) ? 0 : (unsigned long)st.st_nlink,
		       S_ISDIR(st.st_mode) ? 0 : (long long)st.st_size, st.st_uid, st.st_gid);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		printf("    %s: cannot be written: %s\n", path, strerror(errno));
	close(fd);
}

static void names(void)
{
	char longest[NAME_MAX + 2], at[64];
	memset(longest, 'n', sizeof(longest));
	longest[NAME_MAX + 1] = '\0';
	SAY(mkdir(longest, 0700));
	longest[NAME_MAX] = '\0';
	SAY(mkdir(longest, 0700));
	SAY(rmdir(longest));
	put("a", "one");
	put("b", "three");
	SAY(open("a", O_CREAT | O_EXCL | O_RDWR, 0600));
	SAY(open("a/b", O_RDONLY));
	SAY(open("none/b", O_CREAT | O_RDWR, 0600));
	SAY(mkdir("d", 0750));
	SAY(mkdir("d", 0750));
	SAY(rename("a", "d"));
	SAY(rename("d", "a"));
	SAY(rename("d", "d/inside"));
	SAY(link("a", "d/a"));
	look("a");
	SAY(rename("a", "d/a"));	/* both are names of one file: rename does nothing */
	look("a");
	SAY(rmdir("d"));
	SAY(unlink("d"));
	SAY(rmdir("a"));
	SAY(link("d", "e"));
	SAY(renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_NOREPLACE));
	SAY(renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE));
	look("a");
	look("b");
	SAY(renameat2(AT_FDCWD, "d", AT_FDCWD, "b", RENAME_EXCHANGE));
	look("d");
	look("b/a");
	SAY(renameat2(AT_FDCWD, "d", AT_FDCWD, "b", RENAME_EXCHANGE));
	int fd = open("b", O_RDWR);
	SAY(rename("a", "b"));
	SAY(pread(fd, at, sizeof(at), 0));
	SAY(unlink("b"));
	SAY(pwrite(fd, "more", 4, 100));
	SAY(ftruncate(fd, 50));
	SAY(fchmod(fd, 0600));
	SAY(lseek(fd, 0, SEEK_END));
	close(fd);
	look("b");
	SAY(symlink("loop", "loop"));
	SAY(open("loop", O_RDONLY));
	SAY(open("loop", O_RDONLY | O_NOFOLLOW));
	SAY(symlink("d/a", "good"));
	SAY(readlink("good", at, sizeof(at)));
	SAY(readlink("good", at, 2));
	SAY(access("good", R_OK | W_OK));
	SAY(access("good", X_OK));
	SAY(mkfifo("fifo", 0640));
	look("fifo");
	SAY(mknod("null", S_IFCHR | 0666, 0x103));
	SAY(linkat(AT_FDCWD, "good", AT_FDCWD, "linked", 0));
	look("linked");
	int dir = open("d", O_RDONLY | O_DIRECTORY);
	SAY(unlinkat(dir, "a", 0));
	SAY(rmdir("d"));
	SAY(openat(dir, "new", O_CREAT | O_RDWR, 0600));
	close(dir);
	SAY(open(".", O_TMPFILE | O_RDWR, 0600) >= 0 || errno == EOPNOTSUPP);
}

static void modes(void)
{
	umask(027);
	SAY(mkdir("m", 0777));
	int fd = open("m/f", O_CREAT | O_RDWR, 0666);
	SAY(fd >= 0);
	close(fd);
	look("m");
	look("m/f");
	umask(022);
	SAY(chmod("m", 02775));
	SAY(mkdir("m/inherits", 0755));
	look("m/inherits");
	SAY(chmod("m/f", 06755));
	SAY(chown("m/f", getuid(), getgid()));
	look("m/f");
	SAY(chmod("m/f", 04755));
	fd = open("m/f", O_WRONLY);
	SAY(write(fd, "x", 1));
	close(fd);
	look("m/f");
	SAY(chown("m/f", 4711, (gid_t)-1));
	SAY(chmod("m/f", 0));
	SAY(open("m/f", O_RDONLY) >= 0);
	SAY(access("m/f", R_OK));
	SAY(truncate("m/f", 10));
	SAY(chmod("m", 0600));
	SAY(access("m/f", F_OK));
	SAY(chmod("m", 01777));
	SAY(setxattr("m", "user.x", "value", 5, XATTR_CREATE));
	SAY(setxattr("m", "user.x", "value", 5, XATTR_CREATE));
	SAY(setxattr("m", "user.y", "value", 5, XATTR_REPLACE));
	SAY(getxattr("m", "user.x", NULL, 0));
	char value[3];
	SAY(getxattr("m", "user.x", value, sizeof(value)));
	SAY(removexattr("m", "user.y"));
	SAY(setxattr("m", "trusted.x", "v", 1, 0));
}

static void times(void)
{
	const struct timespec set[2] = { { 1000000000, 123456789 }, { 1100000000, 987654321 } };
	struct stat st;
	put("t", "text");
	SAY(utimensat(AT_FDCWD, "t", set, 0));
	stat("t", &st);
	printf("    %lld.%09ld %lld.%09ld\n", (long long)st.st_atim.tv_sec, st.st_atim.tv_nsec,
	       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	SAY(symlink("t", "tl"));
	SAY(utimensat(AT_FDCWD, "tl", set, AT_SYMLINK_NOFOLLOW));
	lstat("tl", &st);
	printf("    %lld\n", (long long)st.st_mtim.tv_sec);
	int fd = open("t", O_RDWR | O_APPEND);
	SAY(write(fd, "er", 2));
	stat("t", &st);
	printf("    newer: %d size %lld\n", st.st_mtim.tv_sec > 1100000000, (long long)st.st_size);
	SAY(lseek(fd, 0, SEEK_HOLE));
	SAY(lseek(fd, 0, SEEK_DATA));
	SAY(ftruncate(fd, 1 << 20));
	SAY(lseek(fd, 4096, SEEK_DATA));
	SAY(lseek(fd, 1 << 20, SEEK_DATA));
	SAY(ftruncate(fd, -1));
	SAY(fallocate(fd, 0, 0, 1 << 21));
	SAY(lseek(fd, 0, SEEK_END));
	SAY(pread(fd, &st, 16, 1 << 22));
	close(fd);
	fd = open("t", O_RDONLY);
	SAY(write(fd, "x", 1));
	SAY(ftruncate(fd, 1));
	SAY(fsync(fd));
	close(fd);
}

/* Return true if a second process cannot lock what this process has locked. */
static int other_has_lock(int fd, int range)
{
	int status;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct flock l = { .l_type = F_WRLCK, .l_start = 10, .l_len = 5 };
		int own = open("locked", O_RDWR);
		_exit(range ? fcntl(own, F_SETLK, &l) == 0 : flock(own, LOCK_EX | LOCK_NB) == 0);
	}
	waitpid(pid, &status, 0);
	(void)fd;
	return WEXITSTATUS(status);
}

static void locks(void)
{
	struct flock l = { .l_type = F_WRLCK, .l_start = 12, .l_len = 1 };
	put("locked", "something");
	int fd = open("locked", O_RDWR);
	SAY(fcntl(fd, F_SETLK, &l));
	SAY(other_has_lock(fd, 1));
	l.l_type = F_UNLCK;
	SAY(fcntl(fd, F_SETLK, &l));
	SAY(other_has_lock(fd, 1));
	SAY(flock(fd, LOCK_SH));
	SAY(other_has_lock(fd, 0));
	SAY(flock(fd, LOCK_UN));
	SAY(other_has_lock(fd, 0));
	close(fd);
}

static void many(void)
{
	char name[32];
	unsigned n = 0, odd = 0;
	SAY(mkdir("many", 0755));
	for (unsigned i = 0; i < 1500; i++) {
		snprintf(name, sizeof(name), "many/file-%u", i);
		put(name, "");
	}
	DIR *d = opendir("many");
	for (struct dirent *e; (e = readdir(d)); n++)
		odd += e->d_type != DT_REG && e->d_type != DT_DIR;
	printf("    %u entries, %u odd\n", n, odd);
	rewinddir(d);
	/* remove the file while the directory is read */
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.')
			unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	SAY(rmdir("many"));
}

int main(int argc, char **argv)
{
	char name[] = "posix-XXXXXX";
	if (argc != 2 || chdir(argv[1]) < 0 || !mkdtemp(name) || chdir(name) < 0)
		return 2;
	names();
	modes();
	times();
	locks();
	many();
	return 0;
}
