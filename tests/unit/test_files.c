/* SPDX-License-Identifier: BSD-3-Clause */
/* test_files.c - read files below a root whole and repeatedly, and never block on a FIFO */
#include "tests/unit/tree.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/linux.h"
#include "base/system/close_all.h"

static void open_root(struct files *f, const struct tree *t)
{
	assert_int_equal(files_open_root(f, t->path), 0);
}

TEST(files_of_any_size_are_read_whole)
{
	static const size_t sizes[] = { 0, 1, 511, 3071, 3072, 4095, 4096, 4097, 8192, 100000 };
	static const enum file_read hows[] = { FILE_RECORDS, FILE_TO_END };
	for (size_t i = 0; i < ARRAY_SIZE(sizes) * ARRAY_SIZE(hows); i++) {
		size_t size = sizes[i / ARRAY_SIZE(hows)];
		struct tree t CLEANUP(tree_free);
		struct files f CLEANUP(files_free);
		struct buf b CLEANUP(buf_free) = { 0 }, got CLEANUP(buf_free) = { 0 };
		struct str text;
		tree_make(&t);
		while (b.n < size)
			buf_add_u64(&b, b.n);
		b.n = size;
		tree_put(&t, "a/b", buf_str(&b));
		tree_put(&t, "proc/sys/kernel/x", buf_str(&b));
		open_root(&f, &t);
		for (int again = 0; again < 2; again++) {
			assert_int_equal(files_read(&f, "a/b", hows[i % 2], &got, &text), 0);
			assert_text(text, buf_str(&b));
			assert_int_equal(files_read(&f, "proc/sys/kernel/x", FILE_TO_END, &got,
						    &text), 0);
			assert_text(text, buf_str(&b));
		}
	}
}

TEST(file_is_opened_once)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	tree_put(&t, "a", STR("1"));
	open_root(&f, &t);
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
	assert_int_equal(unlinkat(t.fd, "a", 0), 0);
	tree_put(&t, "a", STR("2"));
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("1"));
	files_forget(&f, "a");
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("2"));
	assert_int_equal(f.n, 1);
}

TEST(missing_file_is_tried_again_only_on_demand)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	open_root(&f, &t);
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), -ENOENT);
	tree_put(&t, "a", STR("1"));
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), -ENOENT);
	f.again = true;
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
}

TEST(unreadable_file_is_opened_again)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	assert_int_equal(mkdirat(t.fd, "a", 0755), 0);
	open_root(&f, &t);
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), -EISDIR);
	assert_int_equal(unlinkat(t.fd, "a", AT_REMOVEDIR), 0);
	tree_put(&t, "a", STR("1"));
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("1"));
}

TEST(descriptor_is_closed_once)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), again = fd;
	close_fd(&again);
	assert_int_equal(again, -1);
	int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(other, fd);
	close_fd(&again);
	assert_true(fcntl(other, F_GETFD) >= 0);
	close(other);
}

TEST(files_not_read_since_the_last_sweep_are_closed)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	tree_put(&t, "a", STR("1"));
	tree_put(&t, "b", STR("2"));
	open_root(&f, &t);
	assert_int_equal(files_read(&f, "a", FILE_RECORDS, &b, &text), 0);
	assert_int_equal(files_read(&f, "b", FILE_RECORDS, &b, &text), 0);
	files_sweep(&f);
	assert_int_equal(f.n, 2);
	assert_int_equal(files_read(&f, "b", FILE_RECORDS, &b, &text), 0);
	files_sweep(&f);
	assert_int_equal(f.n, 1);
	assert_int_equal(files_read(&f, "b", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("2"));
	assert_int_equal(f.n, 1);
}

TEST(reading_a_fifo_does_not_block)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	assert_int_equal(mkfifoat(t.fd, "a", 0600), 0);
	open_root(&f, &t);
	assert_true(files_read(&f, "a", FILE_RECORDS, &b, &text) <= 0);
}

TEST(links_of_a_captured_tree_stay_in_it)
{
	struct tree t CLEANUP(tree_free);
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	tree_make(&t);
	tree_put(&t, "etc/hostname", STR("captured"));
	assert_int_equal(symlinkat("/etc/hostname", t.fd, "absolute"), 0);
	assert_int_equal(symlinkat("../../../../etc/hostname", t.fd, "dots"), 0);
	assert_int_equal(symlinkat("/etc/passwd", t.fd, "outside"), 0);
	assert_int_equal(symlinkat("loop", t.fd, "loop"), 0);
	open_root(&f, &t);
	assert_int_equal(files_read(&f, "absolute", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("captured"));
	assert_int_equal(files_read(&f, "dots", FILE_RECORDS, &b, &text), 0);
	assert_text(text, STR("captured"));
	assert_int_equal(files_read(&f, "outside", FILE_RECORDS, &b, &text), -ENOENT);
	assert_int_equal(files_read(&f, "loop", FILE_RECORDS, &b, &text), -ELOOP);
}

TEST(endless_file_is_refused)
{
	struct files f CLEANUP(files_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	assert_int_equal(files_open_root(&f, "/"), 0);
	assert_int_equal(files_read(&f, "dev/zero", FILE_TO_END, &b, &text), -EFBIG);
	assert_true(b.cap <= 4 * (size_t)FILE_BYTES_MAX);
}

TEST(root_that_is_not_a_folder_is_an_error)
{
	struct files f = { .rootfd = -1 };
	assert_int_equal(files_open_root(&f, "/nonexistent"), -ENOENT);
	assert_int_equal(files_open_root(&f, "/dev/null"), -ENOTDIR);
	assert_int_equal(f.rootfd, -1);
}

/*
 * Make a system call fail with EPERM, as sandboxes older than the call do. Linux before 5.9, which
 * lacks close_range(2), fails with another error.
 */
static void forbid(unsigned number)
{
	struct sock_filter deny[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(deny), deny };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ||
	    syscall((long)number, 0, 0, 0) >= 0)
		_exit(2);
}

/*
 * Call close_all_but(a, b) in a child that has descriptors 0 to 19 open. Returns the descriptors
 * left open, one bit each.
 */
static unsigned left_open(int a, int b, bool forbidden)
{
	int out[2], status;
	unsigned left = 0;
	assert_int_equal(pipe(out), 0);
	pid_t pid = fork();
	if (pid == 0) {
		int keep = dup2(out[1], 19);
		for (int fd = 0; fd < 19; fd++)
			if (dup2(keep, fd) != fd)
				_exit(3);
		if (forbidden)
			forbid(SYS_close_range);
		close_all_but(a, b);
		for (int fd = 0; fd < 20; fd++)
			left |= (unsigned)(fcntl(fd, F_GETFD) >= 0) << fd;
		_exit(write(1, &left, sizeof(left)) == sizeof(left) ? 0 : 4);
	}
	close(out[1]);
	ssize_t got = read(out[0], &left, sizeof(left));
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(got, sizeof(left));
	return left;
}

TEST(all_but_two_are_closed)
{
	for (int forbidden = 0; forbidden < 2; forbidden++) {
		assert_int_equal(left_open(5, 9, forbidden), 7 | 1 << 5 | 1 << 9);
		assert_int_equal(left_open(9, 5, forbidden), 7 | 1 << 5 | 1 << 9);
		assert_int_equal(left_open(3, 4, forbidden), 7 | 1 << 3 | 1 << 4);
		assert_int_equal(left_open(0, 6, forbidden), 7 | 1 << 6);
		assert_int_equal(left_open(-1, 1, forbidden), 7);
	}
}

/* The temporary name of the new file may contain the process id or not, so both names are FIFOs. */
TEST(fifo_in_place_of_the_new_file_does_not_block)
{
	struct tree t CLEANUP(tree_free);
	char path[128], name[64];
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/0", t.path);
	snprintf(name, sizeof(name), "0.%d.new", (int)getpid());
	assert_int_equal(mkfifoat(t.fd, name, 0666), 0);
	assert_int_equal(mkfifoat(t.fd, "0.new", 0666), 0);
	alarm(60);
	int r = files_replace(path, STR("1\n"));
	alarm(0);
	assert_true(r == 0 || r == -ENXIO);
	/* a second replacement leaves only the new contents */
	assert_int_equal(files_replace(path, STR("2\n")), 0);
	assert_file(&t, "0", STR("2\n"));
}

TEST(published_file_is_whole_and_follows_the_umask)
{
	struct tree t CLEANUP(tree_free);
	char path[128];
	struct stat st;
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/page", t.path);
	mode_t mask = umask(027);
	int r = files_publish(path, STR("1\n"));
	umask(mask);
	assert_int_equal(r, 0);
	assert_int_equal(fstatat(t.fd, "page", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(files_publish(path, STR("2\n")), 0);
	assert_file(&t, "page", STR("2\n"));

	/* If there is no room, the old file stays and no temporary file is left. */
	struct rlimit limit, none;
	getrlimit(RLIMIT_FSIZE, &limit);
	none = (struct rlimit){ 0, limit.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	r = files_publish(path, STR("3\n"));
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(r, -EFBIG);
	assert_file(&t, "page", STR("2\n"));
	snprintf(path, sizeof(path), "%s/none/page", t.path);
	assert_int_equal(files_publish(path, STR("1\n")), -ENOENT);
}

TEST(device_is_not_replaced)
{
	struct tree t CLEANUP(tree_free);
	char path[128];
	struct stat st;
	tree_make(&t);
	snprintf(path, sizeof(path), "%s/null", t.path);
	if (mknodat(t.fd, "null", S_IFCHR | 0666, makedev(1, 3)) < 0) {
		printf("skipped: devices cannot be made: %s\n", strerror(errno));
		skip();
	}
	assert_int_equal(files_replace(path, STR("1\n")), -EEXIST);
	int r = files_publish(path, STR("1\n"));
	assert_true(r == 0 || r == -EACCES);	/* -EACCES: a file system mounted with nodev */
	assert_int_equal(fstatat(t.fd, "null", &st, 0), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static bool close_fails;
int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_close(int fd)
{
	int r = __real_close(fd);
	if (!close_fails)
		return r;
	errno = EDQUOT;
	return -1;
}

/* NFS reports a full disk only at close(2). */
TEST(file_that_cannot_be_closed_replaces_nothing)
{
	int (*const replace[])(const char *, struct str) = { files_replace, files_publish };
	char path[128];
	for (size_t i = 0; i < ARRAY_SIZE(replace); i++) {
		struct tree t CLEANUP(tree_free);
		tree_make(&t);
		tree_put(&t, "page", STR("old"));
		snprintf(path, sizeof(path), "%s/page", t.path);
		close_fails = true;
		int r = replace[i](path, STR("new"));
		close_fails = false;
		assert_int_equal(r, -EDQUOT);
		assert_file(&t, "page", STR("old"));
		assert_int_equal(replace[i](path, STR("new")), 0);
		assert_file(&t, "page", STR("new"));
	}
}

int main(void)
{
	RUN(cmocka_unit_test(files_of_any_size_are_read_whole),
	    cmocka_unit_test(file_is_opened_once),
	    cmocka_unit_test(missing_file_is_tried_again_only_on_demand),
	    cmocka_unit_test(unreadable_file_is_opened_again),
	    cmocka_unit_test(descriptor_is_closed_once),
	    cmocka_unit_test(files_not_read_since_the_last_sweep_are_closed),
	    cmocka_unit_test(reading_a_fifo_does_not_block),
	    cmocka_unit_test(links_of_a_captured_tree_stay_in_it),
	    cmocka_unit_test(endless_file_is_refused),
	    cmocka_unit_test(root_that_is_not_a_folder_is_an_error),
	    cmocka_unit_test(all_but_two_are_closed),
	    cmocka_unit_test(device_is_not_replaced),
	    cmocka_unit_test(fifo_in_place_of_the_new_file_does_not_block),
	    cmocka_unit_test(published_file_is_whole_and_follows_the_umask),
	    cmocka_unit_test(file_that_cannot_be_closed_replaces_nothing));
}
