/* SPDX-License-Identifier: BSD-3-Clause */
/* test_confine.c - a confined process reaches only the files and calls that it was granted */
#include "tests/unit/test.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include "base/system/confine.h"
#include "base/system/privileges.h"
#include "collectors/collector.h"
#include "tests/unit/tree.h"

static struct tree given;

static void tree_end(struct tree **tree)
{
	tree_free(*tree);
}

static int to_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);
	int r = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	return r;
}

static int to_open_within(const char *name, int flags)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", given.path, name);
	return to_open(path, flags);
}

static int to_connect(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "/nowhere" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	return fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ? errno : 0;
}

static int to_send(void)
{
	return socket(AF_INET, SOCK_DGRAM, 0) < 0 ? errno : 0;
}

static int to_run(const char *program)
{
	char *argv[] = { (char *)program, NULL };
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		execv(program, argv);
		_exit(errno);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int to_count(void)
{
	struct perf_event_attr a = { .size = sizeof(a), .type = 99 };
	return syscall(SYS_perf_event_open, &a, 0, -1, -1, 0) < 0 ? errno : 0;
}

/* Exit with the line number, modulo 256, if the call does not give the expected errno or value. */
#define MUST(errno_value, what) do { if ((what) != (errno_value)) _exit(__LINE__ % 256); } while (0)

/*
 * Run body() in a child process that confines itself first. Returns 0, or the line of the failed
 * check, modulo 256.
 */
static int in_a_process(void (*body)(const struct confined *c), const struct confine_path *paths,
			size_t n, unsigned may)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		struct confined c;
		confine(paths, n, may, &c);
		body(&c);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const struct confine_path within[] = { { given.path, CONFINE_KEEP } };

static void keep_to_files(const struct confined *c)
{
	MUST(0, to_open_within("new", O_RDWR | O_CREAT));
	MUST(0, to_open("/dev/null", O_RDWR));
	MUST(0, to_open("/usr", O_RDONLY | O_DIRECTORY));
	if (!c->landlock)
		return;
	MUST(EACCES, to_open("/etc/shadow", O_RDONLY));
	MUST(EACCES, to_open("/etc/passwd", O_RDONLY));
	MUST(EACCES, to_open("/etc", O_RDONLY | O_DIRECTORY));
	MUST(EACCES, to_open("/sys/kernel", O_RDONLY | O_DIRECTORY));
	MUST(EACCES, to_open("/tmp/nodometer-confine-not", O_WRONLY | O_CREAT));
	MUST(EACCES, to_open("/usr/nodometer-confine-not", O_WRONLY | O_CREAT));
}

static int to_truncate(const char *path)
{
	return truncate(path, 0) < 0 ? errno : 0;
}

static struct tree other;

/*
 * Check that a file outside the granted paths is refused, although it belongs to the process's
 * user. The version of the kernel decides which calls can be refused.
 */
static void keep_off_the_others(const struct confined *c)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/file", other.path);
	if (strstr(c->holds, "truncate"))
		MUST(EACCES, to_truncate(path));
	if (strstr(c->holds, "signals"))
		MUST(EPERM, kill(getppid(), 0) < 0 ? errno : 0);
	if (!c->seccomp)
		return;
	MUST(EPERM, chmod(path, 0600) < 0 ? errno : 0);
	MUST(EPERM, chown(path, geteuid(), getegid()) < 0 ? errno : 0);
	MUST(EPERM, setxattr(path, "user.a", "", 0, 0) < 0 ? errno : 0);
	MUST(EPERM, utimensat(AT_FDCWD, path, NULL, 0) < 0 ? errno : 0);
	MUST(EPERM, syscall(SYS_tgkill, getppid(), getppid(), 0) < 0 ? errno : 0);
}

TEST(files_and_processes_outside_the_rules_are_out_of_reach)
{
	char path[256];
	struct tree *tree CLEANUP(tree_end) = &other;
	tree_make(tree);
	snprintf(path, sizeof(path), "%s/file", other.path);
	assert_int_equal(close(open(path, O_WRONLY | O_CREAT, 0644)), 0);
	assert_int_equal(in_a_process(keep_off_the_others, within, 1, MAY_SIGNAL), 0);
}

static void share_what_is_open(const struct confined *c)
{
	char path[256];
	int fd;
	(void)c;
	snprintf(path, sizeof(path), "%s/shared", given.path);
	MUST(true, (fd = open(path, O_WRONLY | O_CREAT, 0600)) >= 0);
	MUST(0, fchmod(fd, 0640));
	MUST(0, futimens(fd, NULL));
	MUST(0, to_truncate(path));
	MUST(0, kill(getpid(), 0));
	MUST(0, raise(SIGCHLD));
}

TEST(mode_and_times_of_an_open_file_may_be_set)
{
	assert_int_equal(in_a_process(share_what_is_open, within, 1, MAY_SIGNAL | MAY_SHARE), 0);
}

TEST(only_granted_files_can_be_opened)
{
	assert_int_equal(in_a_process(keep_to_files, within, 1, 0), 0);
}

static const struct confine_path ways[] = {
	{ given.path,             CONFINE_PUT  },
	{ "/nowhere/at/all",      CONFINE_KEEP },
	{ "",                     CONFINE_READ },
	{ "/proc/self/status",    CONFINE_READ },
};

static void keep_to_ways(const struct confined *c)
{
	MUST(0, to_open_within("put", O_WRONLY | O_CREAT));
	MUST(0, to_open("/proc/self/status", O_RDONLY));
	if (c->landlock)
		MUST(EACCES, to_open_within("put", O_RDONLY));
}

TEST(granted_files_allow_only_the_granted_access)
{
	assert_int_equal(in_a_process(keep_to_ways, ways, ARRAY_SIZE(ways), 0), 0);
}

static void refuse_calls(const struct confined *c)
{
	if (!c->seccomp)
		return;
	MUST(EPERM, to_run("/bin/true"));
	MUST(EPERM, to_connect());
	MUST(EPERM, to_send());
	MUST(EPERM, to_count());
	MUST(EPERM, syscall(SYS_bpf, 0, NULL, 0) < 0 ? errno : 0);
	MUST(EPERM, syscall(425 /* io_uring_setup */, 1, NULL) < 0 ? errno : 0);
	MUST(EPERM, unshare(0) < 0 ? errno : 0);
}

TEST(programs_connections_and_counters_are_refused)
{
	assert_int_equal(in_a_process(refuse_calls, within, 1, 0), 0);
}

static void allow_calls(const struct confined *c)
{
	MUST(ENOENT, to_connect());
	MUST(0, to_send());
	if (to_count() == EPERM && geteuid() == 0)
		_exit(1);
	MUST(0, to_run("/bin/true"));
	if (c->landlock)
		MUST(EACCES, to_run("/bin/false"));
}

/*
 * bpf(2) may start a loaded iterator (BPF_ITER_CREATE, 33) but not load a program (BPF_PROG_LOAD,
 * 5).
 */
static void walk_alone(const struct confined *c)
{
	char none[128] = { 0 };
	if (!c->seccomp)
		return;
	MUST(EPERM, syscall(SYS_bpf, 5, none, sizeof(none)) < 0 ? errno : 0);
	int link = open("/dev/null", O_RDONLY | O_CLOEXEC);
	memcpy(none, &link, sizeof(link));
	MUST(EINVAL, syscall(SYS_bpf, 33, none, sizeof(none)) < 0 ? errno : 0);
}

TEST(loaded_bpf_programs_run_and_none_is_loaded)
{
	assert_int_equal(in_a_process(walk_alone, within, 1, MAY_WALK), 0);
}

TEST(granted_calls_still_work)
{
	const struct confine_path paths[] = {
		{ "/bin/true", CONFINE_RUN }, { confine_interpreter(), CONFINE_RUN },
	};
	unsigned may = MAY_RUN | MAY_CONNECT | MAY_NETWORK | MAY_COUNT;
	assert_int_equal(in_a_process(allow_calls, paths, 2, may), 0);
}

#define CREATE_RULESET 444	/* landlock_create_ruleset(2), since Linux 5.13 */

/* Check that the process is confined by every mechanism that the kernel supports. */
static void offer_what_there_is(const struct confined *c)
{
	long abi = syscall(CREATE_RULESET, NULL, 0, 1);
#ifdef HAVE_LINUX_LANDLOCK_H
	MUST(abi > 0 ? abi : 0, c->landlock);
#else
	MUST(true, abi < 0 || c->landlock == 0);
#endif
	MUST(c->landlock == 0, strstr(c->why, "landlock: ") != NULL);
#ifdef __x86_64__
	MUST(2, prctl(PR_GET_SECCOMP));
	MUST(true, c->seccomp);
#endif
	MUST(1, prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
}

TEST(confinement_uses_all_that_the_kernel_supports)
{
	assert_int_equal(in_a_process(offer_what_there_is, within, 1, 0), 0);
}

static void know_neither(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CREATE_RULESET, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = ARRAY_SIZE(f), .filter = f };
	MUST(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	MUST(0, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void go_on_without(void)
{
	struct confined c;
	know_neither();
	confine(within, 1, 0, &c);
	MUST(0, c.landlock);
	MUST(false, c.seccomp);
	MUST(true, strstr(c.why, "landlock: ") && strstr(c.why, "seccomp: "));
	MUST(0, to_open("/etc/passwd", O_RDONLY));
}

/* The child process simulates a kernel or container without Landlock and seccomp. */
TEST(missing_kernel_support_is_reported)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		go_on_without();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#ifdef HAVE_LINUX_LANDLOCK_H
TEST(rules_cover_paths_below_them)
{
	const struct confine_path had[] = {
		{ "", CONFINE_KEEP }, { "/var/a", CONFINE_KEEP }, { "/", CONFINE_RUN },
	};
	const struct {
		struct confine_path path;
		bool covered;
	} wanted[] = {
		{ { "/var/a",      CONFINE_KEEP }, true  },
		{ { "/var/a/b",    CONFINE_KEEP }, true  },
		{ { "/var/ab",     CONFINE_KEEP }, false },
		{ { "/var/a",      CONFINE_READ }, false },
		{ { "/var/a",      CONFINE_RUN  }, true  },
		{ { "/var",        CONFINE_KEEP }, false },
		{ { "",            CONFINE_KEEP }, true  },
		{ { "/usr/share",  CONFINE_READ }, true  },
		{ { "/usr/share",  CONFINE_KEEP }, false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_int_equal(confine_covers(had, ARRAY_SIZE(had), &wanted[i].path),
				 wanted[i].covered);
}
#endif

TEST(parent_of_a_path_is_found)
{
	static const struct { const char *path, *above; } cases[] = {
		{ "/var/run/jobid", "/var/run" }, { "/out", "/" }, { "out", "." }, { "", "" },
		{ "out/", "out" },
	};
	char above[64];
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		confine_parent(cases[i].path, above, sizeof(above));
		assert_string_equal(above, cases[i].above);
	}
}

TEST(capabilities_are_dropped_for_good)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	uint64_t before = privileges_left(), kept = before & PRIVILEGE_SEARCH;
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		MUST(0, privileges_keep(PRIVILEGE_SEARCH));
		MUST(true, privileges_left() == kept);
		MUST(0, privileges_keep(~(uint64_t)0));
		MUST(true, privileges_left() == kept);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(privileges_left() == before);
	privileges_put(&b, PRIVILEGE_SEARCH | PRIVILEGE_PERFMON | PRIVILEGE(40));
	assert_true(str_eq(buf_str(&b), STR("cap_dac_read_search,cap_perfmon,40")));
	b.n = 0;
	privileges_put(&b, 0);
	assert_true(str_eq(buf_str(&b), STR("none")));
}

TEST(root_becomes_the_owner_of_a_directory)
{
	int status;
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(given.path, 12345, 54321), 0);
	pid_t pid = fork();
	if (pid == 0) {
		MUST(0, privileges_of_owner(given.path, PRIVILEGE_SEARCH));
		MUST(12345, getuid());
		MUST(12345, geteuid());
		MUST(54321, getegid());
		MUST(0, getgroups(0, NULL));
		MUST(true, (privileges_left() & ~PRIVILEGE_SEARCH) == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(chown(given.path, 0, 0), 0);
}

/*
 * A hook has no collectors, but passes their capabilities (PRIVILEGES_OF_TYPES) on to the program
 * that it starts.
 */
TEST(program_of_a_hook_has_the_capabilities_of_types)
{
	int status;
	uint64_t needs = 0;
	for (size_t i = 0; i < n_collectors; i++)
		needs |= collector_needs(collectors[i]);
	assert_true(needs == PRIVILEGES_OF_TYPES);
	if (geteuid() != 0 || !(privileges_left() & PRIVILEGE_SEARCH))
		return;
	assert_int_equal(chown(given.path, 12345, 54321), 0);
	pid_t pid = fork();
	if (pid == 0) {
		MUST(0, privileges_of_writer(given.path, PRIVILEGE_SEARCH));
		MUST(12345, geteuid());
		privileges_pass_on();
		execlp("grep", "grep", "-q", "^CapEff:.*0000000000000004$", "/proc/self/status",
		       (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(chown(given.path, 0, 0), 0);
}

int main(void)
{
	struct tree *tree CLEANUP(tree_end) = &given;
	tree_make(tree);
	RUN(cmocka_unit_test(only_granted_files_can_be_opened),
	    cmocka_unit_test(files_and_processes_outside_the_rules_are_out_of_reach),
	    cmocka_unit_test(mode_and_times_of_an_open_file_may_be_set),
	    cmocka_unit_test(granted_files_allow_only_the_granted_access),
	    cmocka_unit_test(programs_connections_and_counters_are_refused),
	    cmocka_unit_test(loaded_bpf_programs_run_and_none_is_loaded),
	    cmocka_unit_test(granted_calls_still_work),
	    cmocka_unit_test(confinement_uses_all_that_the_kernel_supports),
	    cmocka_unit_test(missing_kernel_support_is_reported),
#ifdef HAVE_LINUX_LANDLOCK_H
	    cmocka_unit_test(rules_cover_paths_below_them),
#endif
	    cmocka_unit_test(parent_of_a_path_is_found),
	    cmocka_unit_test(capabilities_are_dropped_for_good),
	    cmocka_unit_test(root_becomes_the_owner_of_a_directory),
	    cmocka_unit_test(program_of_a_hook_has_the_capabilities_of_types));
}
