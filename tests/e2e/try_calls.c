/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * try_calls.c - make a running process try the calls of an attacker: try_calls PID UID DIR
 *
 * Each call is put into the process by ptrace(2), and so meets the process's own filter, rules,
 * user and capabilities. Prints "CALL ERRNO", with 0 if the call succeeded. The targets, files and
 * a process, are made in DIR for the same user, so that the user makes no difference.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined __x86_64__ && defined __LP64__
/* distance of the arguments below the stack pointer, to keep the red zone */
#define BELOW_STACK 4096
#define ABSTRACT    "nodometer-victim"

/*
 * An argument: a number; the name of a file in DIR, or an absolute name; bytes; or a value known at
 * run time.
 */
struct argument {
	long n;
	const char *path;
	const void *bytes;
	size_t size;
	enum { GIVEN, LAST, VICTIM } what;
};
#define N(value)     { .n = (value) }
#define PATH(name)   { .path = (name) }
#define BYTES(thing) { .bytes = &(thing), .size = sizeof(thing) }
#define TO_LAST      { .what = LAST }	/* the result of the call before this one */
#define TO_VICTIM    { .what = VICTIM }	/* the id of the target process */
#define HERE         N(AT_FDCWD)

static const struct sockaddr_un abstract = { AF_UNIX, "\0" ABSTRACT };
#define ABSTRACT_SIZE N(offsetof(struct sockaddr_un, sun_path) + sizeof(ABSTRACT))
static const struct rlimit no_core = { 0, 0 };
static const siginfo_t queued = { .si_signo = SIGCONT, .si_code = SI_QUEUE };
static const struct { unsigned version; int pid; } cap_head = { 0x20080522, 0 };
static const struct { unsigned effective, permitted, inheritable; } chown_caps[2] = {
	{ 1, 1, 0 }, { 0, 0, 0 },
};

/*
 * A call without a name only prepares the next one, which gets its result as TO_LAST. Calls with
 * numbers from 424 on may be missing from the headers.
 */
static const struct try {
	const char *name;
	long call;
	struct argument arg[6];
} tries[] = {
	{ "read",           SYS_openat,   { HERE, PATH("file"), N(O_RDONLY) } },
	{ "write",          SYS_openat,   { HERE, PATH("file"), N(O_WRONLY) } },
	{ "create",         SYS_openat,   { HERE, PATH("new"), N(O_WRONLY | O_CREAT), N(0600) } },
	{ "/etc/shadow",    SYS_openat,   { HERE, PATH("/etc/shadow"), N(O_RDONLY) } },
	{ "/etc/gshadow",   SYS_openat,   { HERE, PATH("/etc/gshadow"), N(O_RDONLY) } },
	{ "/etc/sudoers",   SYS_openat,   { HERE, PATH("/etc/sudoers"), N(O_RDONLY) } },
	{ "/etc/ssh/ssh_host_ed25519_key", SYS_openat,
	  { HERE, PATH("/etc/ssh/ssh_host_ed25519_key"), N(O_RDONLY) } },
	{ "truncate",       SYS_truncate, { PATH("file"), N(0) } },
	{ "chmod",          SYS_chmod,    { PATH("file"), N(04755) } },
	{ "fchmodat",       SYS_fchmodat, { HERE, PATH("file"), N(04755) } },
	{ "fchmodat2",      452,          { HERE, PATH("file"), N(04755), N(0) } },
	{ "chown",          SYS_chown,    { PATH("file"), N(-1), N(-1) } },
	{ "lchown",         SYS_lchown,   { PATH("file"), N(-1), N(-1) } },
	{ "fchownat",       SYS_fchownat, { HERE, PATH("file"), N(-1), N(-1), N(0) } },
	{ "setxattr",       SYS_setxattr, { PATH("file"), PATH("/user.b"), PATH("/"), N(1) } },
	{ "lsetxattr",      SYS_lsetxattr, { PATH("file"), PATH("/user.b"), PATH("/"), N(1) } },
	{ "removexattr",    SYS_removexattr, { PATH("file"), PATH("/user.a") } },
	{ "utimensat",      SYS_utimensat, { HERE, PATH("file"), N(0), N(0) } },
	{ "utime",          SYS_utime,    { PATH("file"), N(0) } },
	{ "mkdir",          SYS_mkdir,    { PATH("made"), N(0755) } },
	{ "rmdir",          SYS_rmdir,    { PATH("empty") } },
	{ "rename",         SYS_rename,   { PATH("old"), PATH("renamed") } },
	{ "link",           SYS_link,     { PATH("file"), PATH("linked") } },
	{ "symlink",        SYS_symlink,  { PATH("file"), PATH("symlinked") } },
	{ "mknod",          SYS_mknod,    { PATH("fifo"), N(S_IFIFO | 0600), N(0) } },
	{ "unlink",         SYS_unlink,   { PATH("gone") } },
	{ "execve",         SYS_execve,   { PATH("program"), N(0), N(0) } },
	{ "ptrace",         SYS_ptrace,   { N(0x4206 /* PTRACE_SEIZE */), TO_VICTIM, N(0), N(0) } },
	{ "process_vm_readv", SYS_process_vm_readv, { TO_VICTIM } },
	{ "process_vm_writev", SYS_process_vm_writev, { TO_VICTIM } },
	{ "kill",           SYS_kill,     { TO_VICTIM, N(SIGCONT) } },
	{ "tkill",          SYS_tkill,    { TO_VICTIM, N(SIGCONT) } },
	{ "tgkill",         SYS_tgkill,   { TO_VICTIM, TO_VICTIM, N(SIGCONT) } },
	{ "rt_sigqueueinfo", SYS_rt_sigqueueinfo, { TO_VICTIM, N(SIGCONT), BYTES(queued) } },
	{ NULL,             434 /* pidfd_open */, { TO_VICTIM, N(0) } },
	{ "pidfd_send_signal", 424,       { TO_LAST, N(SIGCONT), N(0), N(0) } },
	{ "prlimit",        SYS_prlimit64, { TO_VICTIM, N(RLIMIT_CORE), BYTES(no_core), N(0) } },
	/* before mount: on a mount point, it would change the root of all processes of the test */
	{ "pivot_root",     SYS_pivot_root, { PATH("dir"), PATH("dir") } },
	{ "mount",          SYS_mount,    { PATH("/none"), PATH("dir"), PATH("/tmpfs"), N(0),
					    N(0) } },
	{ "umount",         SYS_umount2,  { PATH("dir"), N(0) } },
	{ "chroot",         SYS_chroot,   { PATH("/") } },
	{ "open_tree",      428,          { HERE, PATH("/"), N(0) } },
	{ "fsopen",         430,          { PATH("none"), N(0) } },
	{ "mount_setattr",  442,          { N(-1), PATH("dir"), N(0), N(0), N(0) } },
	{ "unshare",        SYS_unshare,  { N(0x04000000 /* CLONE_NEWUTS */) } },
	{ "setns",          SYS_setns,    { N(-1), N(0) } },
	{ "open_by_handle_at", SYS_open_by_handle_at, { N(-1), N(0), N(0) } },
	{ "bpf",            SYS_bpf,      { N(0), N(0), N(0) } },
	{ "userfaultfd",    SYS_userfaultfd, { N(0) } },
	{ "io_uring_setup", 425,          { N(0), N(0) } },
	{ "pidfd_getfd",    438,          { N(-1), N(0), N(0) } },
	{ "add_key",        SYS_add_key,  { N(0), N(0), N(0), N(0), N(0) } },
	{ "request_key",    SYS_request_key, { N(0), N(0), N(0), N(0) } },
	{ "keyctl",         SYS_keyctl,   { N(0), N(-3), N(0) } },
	{ "init_module",    SYS_init_module, { N(0), N(0), N(0) } },
	{ "finit_module",   SYS_finit_module, { N(-1), N(0), N(0) } },
	{ "delete_module",  SYS_delete_module, { PATH("none"), N(0) } },
	{ "kexec_load",     SYS_kexec_load, { N(0), N(0), N(0), N(0xffff) } },
	{ "reboot",         SYS_reboot,   { N(0), N(0), N(0), N(0) } },
	{ "swapon",         SYS_swapon,   { PATH("none"), N(0) } },
	{ "swapoff",        SYS_swapoff,  { PATH("none") } },
	{ "acct",           SYS_acct,     { PATH("none") } },
	{ "syslog",         SYS_syslog,   { N(10 /* buffer size of the log */), N(0), N(0) } },
	{ "settimeofday",   SYS_settimeofday, { N(0), N(0) } },
	{ "clock_settime",  SYS_clock_settime, { N(0), N(0) } },
	{ "clock_adjtime",  SYS_clock_adjtime, { N(0), N(0) } },
	{ "sethostname",    SYS_sethostname, { PATH("/n"), N(1) } },
	{ "setdomainname",  SYS_setdomainname, { PATH("/n"), N(1) } },
	{ "quotactl",       SYS_quotactl, { N(-1), N(0), N(0), N(0) } },
	{ "fanotify_init",  SYS_fanotify_init, { N(-1), N(0) } },
	{ "kcmp",           SYS_kcmp,     { TO_VICTIM, TO_VICTIM, N(0), N(0), N(0) } },
	{ "perf_event_open", SYS_perf_event_open, { N(0), N(0), N(-1), N(-1), N(0) } },
	{ "ioperm",         SYS_ioperm,   { N(0x80), N(1), N(1) } },
	{ "internet",       SYS_socket,   { N(AF_INET), N(SOCK_DGRAM), N(0) } },
	{ "packet",         SYS_socket,   { N(AF_PACKET), N(SOCK_RAW), N(0) } },
	{ NULL,             SYS_socket,   { N(AF_UNIX), N(SOCK_STREAM), N(0) } },
	{ "connect",        SYS_connect,  { TO_LAST, BYTES(abstract), ABSTRACT_SIZE } },
	{ NULL,             SYS_socket,   { N(AF_UNIX), N(SOCK_DGRAM), N(0) } },
	{ "sendto",         SYS_sendto,   { TO_LAST, N(0), N(0), N(0), BYTES(abstract),
					    ABSTRACT_SIZE } },
	{ "setgroups",      SYS_setgroups, { N(0), N(0) } },
	{ "setgid",         SYS_setresgid, { N(0), N(0), N(0) } },
	{ "setuid",         SYS_setresuid, { N(0), N(0), N(0) } },
	{ "capset",         SYS_capset,   { BYTES(cap_head), BYTES(chown_caps) } },
};

struct victim {
	const char *dir;
	uid_t uid;
	/* the process that is made to try the calls, and the target process */
	pid_t pid, process;
};

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(2);
}

static unsigned number(const char *digits)
{
	unsigned n = 0;
	while (*digits >= '0' && *digits <= '9')
		n = 10 * n + (unsigned)(*digits++ - '0');
	return n;
}

static void make_file(const struct victim *v, const char *name, bool is_dir)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", v->dir, name);
	int fd = is_dir ? mkdir(path, 0755) : open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	if (fd < 0 || (!is_dir && write(fd, "x", 1) != 1) || chown(path, v->uid, v->uid) < 0)
		die(path);
	if (!is_dir)
		close(fd);
	if (!is_dir && setxattr(path, "user.a", "x", 1, 0) < 0 && errno != ENOTSUP)
		die(path);
}

static void aim(struct victim *v)
{
	static const char *const files[] = { "file", "old", "gone", "program" };
	if (mkdir(v->dir, 0755) < 0 || chown(v->dir, v->uid, v->uid) < 0)
		die(v->dir);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		make_file(v, files[i], false);
	make_file(v, "empty", true);
	make_file(v, "dir", true);
	for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
		int fd = socket(AF_UNIX, type, 0);
		socklen_t n = offsetof(struct sockaddr_un, sun_path) + sizeof(ABSTRACT);
		if (bind(fd, (const struct sockaddr *)&abstract, n) < 0 ||
		    (type == SOCK_STREAM && listen(fd, 8) < 0))
			die("bind");
	}
	v->process = fork();
	if (v->process == 0) {
		if (setresgid(v->uid, v->uid, v->uid) < 0 || setresuid(v->uid, v->uid, v->uid) < 0)
			die("setuid");
		for (;;)
			pause();
	}
}

static void put(pid_t pid, unsigned long at, const void *bytes, size_t n)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	int fd = open(path, O_WRONLY);
	if (fd < 0 || pwrite(fd, bytes, n, (off_t)at) != (ssize_t)n)
		die(path);
	close(fd);
}

/*
 * Write the path of a name, relative to DIR unless it begins with "/". A word that is no path is
 * listed as "/tmpfs" and written as "tmpfs".
 */
static size_t put_path(const struct victim *v, const char *name, unsigned long at)
{
	char text[512];
	bool is_word = *name == '/' && name[1] && strncmp(name, "/etc/", 5) != 0;
	if (*name != '/')
		snprintf(text, sizeof(text), "%s/%s", v->dir, name);
	else
		snprintf(text, sizeof(text), "%s", name + is_word);
	put(v->pid, at, text, strlen(text) + 1);
	return strlen(text) + 1;
}

static unsigned long value_of(const struct victim *v, const struct argument *a, long last,
			      unsigned long *at)
{
	unsigned long here = *at;
	if (a->what == VICTIM)
		return (unsigned long)v->process;
	if (a->what == LAST)
		return (unsigned long)last;
	if (!a->path && !a->bytes)
		return (unsigned long)a->n;
	size_t n = a->path ? put_path(v, a->path, here) : a->size;
	if (a->bytes)
		put(v->pid, here, a->bytes, n);
	*at += (n + 15) & ~(size_t)15;
	return here;
}

/*
 * Run a call in the process. The process waits in a system call, so the instruction before its
 * program counter makes a system call.
 */
static long try(const struct victim *v, const struct user_regs_struct *own, const struct try *t,
		long last)
{
	struct user_regs_struct r = *own;
	unsigned long at = (own->rsp - BELOW_STACK) & ~15ul, value[6];
	int status;
	for (int i = 0; i < 6; i++)
		value[i] = value_of(v, &t->arg[i], last, &at);
	r.rip = own->rip - 2;
	r.rax = (unsigned long)t->call;
	r.orig_rax = (unsigned long)-1;
	r.rdi = value[0];
	r.rsi = value[1];
	r.rdx = value[2];
	r.r10 = value[3];
	r.r8 = value[4];
	r.r9 = value[5];
	if (ptrace(PTRACE_SETREGS, v->pid, 0, &r) < 0 ||
	    ptrace(PTRACE_SINGLESTEP, v->pid, 0, 0) < 0 ||
	    waitpid(v->pid, &status, __WALL) != v->pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_GETREGS, v->pid, 0, &r) < 0)
		die(t->name ? t->name : "a call");
	return (long)r.rax;
}

static void attach(const struct victim *v, struct user_regs_struct *own)
{
	int status;
	if (ptrace(PTRACE_ATTACH, v->pid, 0, 0) < 0 ||
	    waitpid(v->pid, &status, __WALL) != v->pid ||
	    ptrace(PTRACE_GETREGS, v->pid, 0, own) < 0)
		die("ptrace");
	errno = 0;
	long code = ptrace(PTRACE_PEEKTEXT, v->pid, own->rip - 2, 0);
	if (errno || (code & 0xffff) != 0x050f) {
		fprintf(stderr, "%d does not wait in a call\n", (int)v->pid);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct user_regs_struct own;
	if (argc != 4)
		return 2;
	struct victim v = { .dir = argv[3], .pid = (pid_t)number(argv[1]),
			    .uid = number(argv[2]) };
	aim(&v);
	attach(&v, &own);
	long last = 0;
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		const struct try *t = &tries[i];
		last = try(&v, &own, t, last);
		if (t->name)
			printf("%s %ld\n", t->name, last < 0 ? -last : 0);
	}
	if (ptrace(PTRACE_SETREGS, v.pid, 0, &own) < 0 || ptrace(PTRACE_DETACH, v.pid, 0, 0) < 0)
		die("detach");
	kill(v.process, SIGKILL);
	return 0;
}
#else
int main(void)
{
	return 77;	/* the registers of other architectures are not supported */
}
#endif
