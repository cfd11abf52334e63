/* SPDX-License-Identifier: BSD-3-Clause */
/* confine.c - confine the process with landlock(7) and a seccomp(2) filter */
#include "base/system/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#ifdef HAVE_LINUX_LANDLOCK_H
#include <linux/landlock.h>
#endif
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/files.h"

static void confine_report(struct confined *c, const char *what, const char *why)
{
	size_t n = strlen(c->why);
	snprintf(c->why + n, sizeof(c->why) - n, "%s%s: %s", n ? "; " : "", what, why);
}

#if defined HAVE_LINUX_LANDLOCK_H && defined SYS_landlock_create_ruleset

#define FILE_READ  LANDLOCK_ACCESS_FS_READ_FILE
#define FILE_WRITE LANDLOCK_ACCESS_FS_WRITE_FILE
#define DIR_READ   LANDLOCK_ACCESS_FS_READ_DIR
#define DIR_CHANGE (LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
		    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | \
		    LANDLOCK_ACCESS_FS_MAKE_SOCK)

/* Rights of ABIs newer than the headers: include/uapi/linux/landlock.h of Linux 6.12. */
#define REFER           ((uint64_t)1 << 13)	/* link(2), rename(2) between directories */
#define TRUNCATE        ((uint64_t)1 << 14)
#define IOCTL_DEV       ((uint64_t)1 << 15)
#define SCOPED_ABSTRACT ((uint64_t)1 << 0)
#define SCOPED_SIGNAL   ((uint64_t)1 << 1)
#define OF_FILES   (FILE_READ | FILE_WRITE | LANDLOCK_ACCESS_FS_EXECUTE | TRUNCATE | IOCTL_DEV)

/*
 * Same layout as struct landlock_ruleset_attr. Older kernels accept zeros after their last member.
 */
struct ruleset {
	uint64_t files, ports, scoped;
};

/*
 * Rights that each version of landlock's ABI adds. No rule allows REFER. TCP rights of ABI 4 are
 * not used, because the seccomp filter limits sockets.
 */
static const struct {
	int abi;
	struct ruleset adds;
	const char *held;
} abis[] = {
	{ 1, { .files = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1 }, "files"    },
	{ 2, { .files = REFER },                                  NULL       },
	{ 3, { .files = TRUNCATE },                               "truncate" },
	{ 5, { .files = IOCTL_DEV },                              "devices"  },
	{ 6, { .scoped = SCOPED_SIGNAL },                         "signals"  },
	{ 6, { .scoped = SCOPED_ABSTRACT },                       "sockets"  },
};

static const uint64_t rights[] = {
	[CONFINE_LIST]   = DIR_READ,
	[CONFINE_READ]   = FILE_READ | DIR_READ,
	[CONFINE_RUN]    = FILE_READ | DIR_READ | LANDLOCK_ACCESS_FS_EXECUTE,
	[CONFINE_CHANGE] = FILE_READ | DIR_READ | FILE_WRITE | IOCTL_DEV,
	[CONFINE_PUT]    = DIR_READ | FILE_WRITE | TRUNCATE | DIR_CHANGE,
	[CONFINE_KEEP]   = FILE_READ | DIR_READ | FILE_WRITE | TRUNCATE | DIR_CHANGE,
};

/* Files that dlopen(3), strftime(3) and the C library itself open. */
static const struct confine_path always[] = {
	{ "/usr",               CONFINE_READ   },
	{ "/lib",               CONFINE_READ   },
	{ "/lib64",             CONFINE_READ   },
	{ "/opt",               CONFINE_READ   },
	{ "/etc/ld.so.cache",   CONFINE_READ   },
	{ "/etc/localtime",     CONFINE_READ   },
	{ "/dev/null",          CONFINE_CHANGE },
	{ "/dev/urandom",       CONFINE_READ   },
#ifdef COVERAGE
	{ COVERAGE,             CONFINE_CHANGE },
#endif
#ifdef SANITIZERS
	{ "/proc",              CONFINE_READ   },	/* needed by the sanitizers */
#endif
};

static void confine_add_word(char *to, size_t size, const char *word)
{
	size_t n = strlen(to);
	snprintf(to + n, size - n, "%s%s", n ? "," : "", word);
}

/*
 * Return whether to apply the rights that an ABI version adds. If sd_notify(3) uses an abstract
 * socket, do not apply a scope that forbids abstract sockets.
 */
static bool confine_scopes_are_wanted(const struct ruleset *adds)
{
	const char *notify = secure_getenv("NOTIFY_SOCKET");
	return !(adds->scoped & SCOPED_ABSTRACT) || !notify || *notify != '@';
}

static struct ruleset confine_rules_of(long abi, struct confined *c)
{
	struct ruleset all = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(abis); i++) {
		const struct ruleset *adds = &abis[i].adds;
		if (abi < abis[i].abi || !confine_scopes_are_wanted(adds))
			continue;
		all.files |= adds->files;
		all.scoped |= adds->scoped;
		if (abis[i].held)
			confine_add_word(c->holds, sizeof(c->holds), abis[i].held);
	}
	return all;
}

struct landlock {
	int fd;
	uint64_t handled;
};

static int confine_allow(const struct landlock *l, const char *path, enum confine_use use)
{
	struct stat st;
	int fd CLEANUP(close_fd) = path[0] ? open(path, O_PATH | O_CLOEXEC) : -1;
	if (fd < 0 || fstat(fd, &st) < 0)
		return 0;
	struct landlock_path_beneath_attr a = { .allowed_access = rights[use] & l->handled,
						.parent_fd = fd };
	if (!S_ISDIR(st.st_mode))
		a.allowed_access &= OF_FILES;
	long r = syscall(SYS_landlock_add_rule, l->fd, LANDLOCK_RULE_PATH_BENEATH, &a, 0);
	/* landlock accepts no rule for a pipe */
	return r < 0 && errno != EBADFD ? -errno : 0;
}

static int allow_libraries(const struct landlock *l)
{
	const char *env = secure_getenv("LD_LIBRARY_PATH");
	struct str list = str_of(env ? env : ""), dir;
	char path[1024];
	int r = 0;
	while (r == 0 && list.n) {
		if (!str_take_until(&list, ':', &dir)) {
			dir = list;
			list.n = 0;
		}
		if (dir.n && str_copy(path, sizeof(path), dir))
			r = confine_allow(l, path, CONFINE_READ);
	}
	return r;
}

static int allow_all(const struct landlock *l, const struct confine_path *p, size_t n)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = confine_allow(l, p[i].path, p[i].use);
	return r;
}

static int confine_files(const struct confine_path *paths, size_t n, struct confined *ret)
{
	struct confined c = *ret;
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi < 0)
		return -errno;
	const struct ruleset all = confine_rules_of(abi, &c);
	int fd CLEANUP(close_fd) =
		(int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	if (fd < 0)
		return -errno;
	const struct landlock l = { fd, all.files };
	int r = allow_all(&l, always, ARRAY_SIZE(always));
	if (r == 0)
		r = allow_libraries(&l);
	if (r == 0)
		r = allow_all(&l, paths, n);
	if (r == 0 && syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		r = -errno;
	c.landlock = (int)abi;
	if (r == 0)
		*ret = c;
	return r;
}

static bool confine_path_is_covered(const struct confine_path *given, size_t n,
				    const struct confine_path *p)
{
	for (size_t i = 0; i < n; i++) {
		struct str rest = str_of(p->path);
		if (given[i].use != p->use || !given[i].path[0] ||
		    !str_take_prefix(&rest, str_of(given[i].path)))
			continue;
		if (rest.n == 0 || *rest.p == '/' || given[i].path[1] == '\0')	/* "/" has all */
			return true;
	}
	return false;
}

bool confine_covers(const struct confine_path *given, size_t n, const struct confine_path *p)
{
	return !p->path[0] || confine_path_is_covered(given, n, p) ||
	       confine_path_is_covered(always, ARRAY_SIZE(always), p);
}
#else

static int confine_files(const struct confine_path *paths, size_t n, struct confined *ret)
{
	(void)paths;
	(void)n;
	(void)ret;
	return -EOPNOTSUPP;	/* built with headers older than Linux 5.13 */
}

bool confine_covers(const struct confine_path *given, size_t n, const struct confine_path *p)
{
	(void)given;
	(void)n;
	(void)p;
	return true;
}
#endif

/*
 * Architecture that the filter is for. Calls by the ABI of another architecture are refused,
 * because their numbers mean other calls.
 */
#if defined __x86_64__ && defined __LP64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined __powerpc64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined __riscv && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#if defined ARCHITECTURE && defined SYS_seccomp && defined SECCOMP_FILTER_FLAG_SPEC_ALLOW

#define X32 0x40000000	/* bit that marks calls of the x32 ABI */

/*
 * System calls that samples make. The filter tests them first, because kernels before 5.11 run the
 * filter for each call.
 */
static const int often[] = {
	SYS_pread64, SYS_read, SYS_write, SYS_openat, SYS_close, SYS_fstat, SYS_getdents64,
	SYS_epoll_pwait, SYS_ppoll, SYS_recvmmsg, SYS_recvfrom, SYS_sendto, SYS_ioctl, SYS_lseek,
#ifdef SYS_epoll_wait
	SYS_epoll_wait, SYS_poll,
#endif
};

/*
 * System calls that the filter refuses. From 424 on, their numbers are the same on all
 * architectures, but headers may lack their names.
 */
static const struct refused {
	int first, last;
	unsigned unless;	/* flags of enum confine_may, each of which allows the calls */
} refused[] = {
	{ SYS_execve,            SYS_execve,            MAY_RUN     },
	{ SYS_execveat,          SYS_execveat,          MAY_RUN     },
	{ SYS_connect,           SYS_connect,           MAY_CONNECT },
	{ SYS_bind,              SYS_bind,              MAY_CONNECT },
	{ SYS_listen,            SYS_listen,            MAY_CONNECT },
	{ SYS_accept,            SYS_accept,            MAY_CONNECT | MAY_ACCEPT },
	{ SYS_accept4,           SYS_accept4,           MAY_CONNECT | MAY_ACCEPT },
	{ SYS_perf_event_open,   SYS_perf_event_open,   MAY_COUNT   },
	{ SYS_kill,              SYS_kill,              MAY_SIGNAL  },
	{ SYS_tkill,             SYS_tkill,             0 },
	{ SYS_rt_sigqueueinfo,   SYS_rt_sigqueueinfo,   0 },
	{ SYS_rt_tgsigqueueinfo, SYS_rt_tgsigqueueinfo, 0 },
	{ SYS_fchmod,            SYS_fchmod,            MAY_SHARE   },
	{ SYS_fchown,            SYS_fchown,            MAY_SHARE   },
	/* landlock(7) does not cover file modes */
	{ SYS_fchmodat,          SYS_fchmodat,          0 },
	{ SYS_fchownat,          SYS_fchownat,          0 },
#ifdef SYS_chmod
	{ SYS_chmod,             SYS_chmod,             0 },
	{ SYS_chown,             SYS_chown,             0 },
	{ SYS_lchown,            SYS_lchown,            0 },
	{ SYS_utime,             SYS_utime,             0 },
	{ SYS_utimes,            SYS_utimes,            0 },
	{ SYS_futimesat,         SYS_futimesat,         0 },
	{ SYS_mknod,             SYS_mknod,             0 },
#endif
	{ SYS_setxattr,          SYS_setxattr,          0 },
	{ SYS_lsetxattr,         SYS_lsetxattr,         0 },
	{ SYS_fsetxattr,         SYS_fsetxattr,         0 },
	{ SYS_removexattr,       SYS_removexattr,       0 },
	{ SYS_lremovexattr,      SYS_lremovexattr,      0 },
	{ SYS_fremovexattr,      SYS_fremovexattr,      0 },
#ifndef SANITIZERS	/* LeakSanitizer uses ptrace(2) */
	{ SYS_ptrace,            SYS_ptrace,            0 },
#endif
	{ SYS_process_vm_readv,  SYS_process_vm_readv,  0 },
	{ SYS_process_vm_writev, SYS_process_vm_writev, 0 },
	{ SYS_open_by_handle_at, SYS_open_by_handle_at, 0 },	/* opens a file without its path */
	{ SYS_mknodat,           SYS_mknodat,           0 },
	{ SYS_bpf,               SYS_bpf,               MAY_WALK    },
	{ SYS_userfaultfd,       SYS_userfaultfd,       0 },
	{ SYS_add_key,           SYS_add_key,           0 },
	{ SYS_request_key,       SYS_request_key,       0 },
	{ SYS_keyctl,            SYS_keyctl,            0 },
	{ SYS_unshare,           SYS_unshare,           0 },
	{ SYS_setns,             SYS_setns,             0 },
	{ SYS_mount,             SYS_mount,             0 },
	{ SYS_umount2,           SYS_umount2,           0 },
	{ SYS_pivot_root,        SYS_pivot_root,        0 },
	{ SYS_chroot,            SYS_chroot,            0 },
	{ SYS_init_module,       SYS_init_module,       0 },
	{ SYS_finit_module,      SYS_finit_module,      0 },
	{ SYS_delete_module,     SYS_delete_module,     0 },
	{ SYS_kexec_load,        SYS_kexec_load,        0 },
	{ SYS_reboot,            SYS_reboot,            0 },
	{ SYS_swapon,            SYS_swapon,            0 },
	{ SYS_swapoff,           SYS_swapoff,           0 },
	{ SYS_syslog,            SYS_syslog,            0 },
	{ SYS_clock_settime,     SYS_clock_settime,     0 },
	{ SYS_settimeofday,      SYS_settimeofday,      0 },
	{ SYS_clock_adjtime,     SYS_clock_adjtime,     0 },
	{ SYS_sethostname,       SYS_sethostname,       0 },
	{ SYS_setdomainname,     SYS_setdomainname,     0 },
	{ SYS_acct,              SYS_acct,              0 },
	{ SYS_quotactl,          SYS_quotactl,          0 },
	{ SYS_fanotify_init,     SYS_fanotify_init,     0 },
	{ SYS_kcmp,              SYS_kcmp,              0 },
	{ 424, 424, 0 },	/* pidfd_send_signal */
	{ 425, 427, 0 },	/* io_uring, whose requests bypass the filter */
	{ 428, 433, 0 },	/* open_tree to fspick, for mounts */
	{ 438, 438, 0 },	/* pidfd_getfd */
	{ 440, 440, 0 },	/* process_madvise */
	{ 442, 443, 0 },	/* mount_setattr, quotactl_fd */
	{ 448, 448, 0 },	/* process_mrelease */
	{ 452, 452, 0 },	/* fchmodat2 */
	{ 463, 463, 0 },	/* setxattrat */
	{ 466, 467, 0 },	/* removexattrat, open_tree_attr */
	{ 469, 469, 0 },	/* file_setattr */
};

#define ITER_CREATE 33	/* include/uapi/linux/bpf.h, Linux 5.8 */

/* System calls that are allowed only if an argument has a certain value. */
static const struct bound {
	int call, argument;
	enum { IS_OURSELVES, IS_ZERO, IS_NULL, IS_ITER_CREATE } value;
} bound[] = {
	{ SYS_tgkill,    0, IS_OURSELVES },	/* for raise(3) and threads of libraries */
	{ SYS_prlimit64, 0, IS_ZERO      },	/* for getrlimit(2) of glibc */
	{ SYS_bpf,       0, IS_ITER_CREATE },
	{ SYS_utimensat, 1, IS_NULL      },	/* for futimens(3) */
};

/*
 * Limit of the filter's instructions: start, each entry of often[], refused[] and bound[], and end.
 */
#define FILTER_MAX (8 + 2 * ARRAY_SIZE(often) + 3 * ARRAY_SIZE(refused) + \
		    8 * ARRAY_SIZE(bound) + 8)

struct call_filter {
	struct sock_filter at[FILTER_MAX];
	unsigned short n;
};

static void filter_add(struct call_filter *f, unsigned short code, uint32_t k, unsigned char yes,
		       unsigned char no)
{
	f->at[f->n++] = (struct sock_filter){ code, yes, no, k };
}

static void filter_add_load(struct call_filter *f, size_t offset)
{
	filter_add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void filter_add_return(struct call_filter *f, bool allowed)
{
	uint32_t action = allowed ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM;
	filter_add(f, BPF_RET | BPF_K, action, 0, 0);
}

static void filter_add_head(struct call_filter *f)
{
	filter_add_load(f, offsetof(struct seccomp_data, arch));
	filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	filter_add_return(f, false);
	filter_add_load(f, offsetof(struct seccomp_data, nr));
	filter_add(f, BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
	filter_add_return(f, false);
	for (size_t i = 0; i < ARRAY_SIZE(often); i++) {
		filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)often[i], 0, 1);
		filter_add_return(f, true);
	}
}

/*
 * Allow socket(2) only for AF_UNIX and AF_NETLINK. Compare the lower half of the first argument,
 * which comes first in memory on all supported machines.
 */
static void filter_add_domains(struct call_filter *f)
{
	filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4);
	filter_add_load(f, offsetof(struct seccomp_data, args[0]));
	filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 2, 0);
	filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0);
	filter_add_return(f, false);
}

/*
 * Allow a call only if an argument has the given value. Compare the lower half of an int, and both
 * halves of a pointer.
 */
static void filter_add_bound(struct call_filter *f, const struct bound *b)
{
	uint32_t value = b->value == IS_OURSELVES ? (uint32_t)getpid() :
			 b->value == IS_ITER_CREATE ? ITER_CREATE : 0;
	size_t offset = offsetof(struct seccomp_data, args) + 8 * (size_t)b->argument;
	bool whole = b->value == IS_NULL;

	filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)b->call, 0, whole ? 7 : 4);
	filter_add_load(f, offset);
	filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
	filter_add_return(f, false);
	if (whole) {
		filter_add_load(f, offset + 4);
		filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
		filter_add_return(f, false);
	}
	filter_add_return(f, true);
}

static int confine_calls(unsigned may)
{
	struct call_filter f = { .n = 0 };
	struct sock_fprog program = { .filter = f.at };

	filter_add_head(&f);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		const struct refused *r = &refused[i];
		if (may & r->unless)
			continue;
		filter_add(&f, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)r->first, 0, 2);
		filter_add(&f, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)r->last, 1, 0);
		filter_add_return(&f, false);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bound); i++)
		filter_add_bound(&f, &bound[i]);
	if (!(may & MAY_NETWORK))
		filter_add_domains(&f);
	filter_add_return(&f, true);
	program.len = f.n;
	/* without this flag, kernels before 5.16 slow the process down by a Spectre mitigation */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		    &program) < 0)
		return -errno;
	return 0;
}
#else

static int confine_calls(unsigned may)
{
	(void)may;
	return -EOPNOTSUPP;	/* no filter exists for this architecture */
}
#endif

void confine(const struct confine_path *paths, size_t n, unsigned may, struct confined *ret)
{
	struct confined c = { .landlock = 0 };
	int r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
	int files = r < 0 || may & MAY_INSPECT ? r : confine_files(paths, n, &c);
	int calls = r < 0 ? r : confine_calls(may);

	if (files < 0)
		confine_report(&c, "landlock", strerror(-files));
	if (calls < 0)
		confine_report(&c, "seccomp", strerror(-calls));
	c.seccomp = calls == 0;
	*ret = c;
}

void confine_parent(const char *path, char *to, size_t size)
{
	const char *slash = strrchr(path, '/');
	struct str dir = { path, slash ? (size_t)(slash - path) : 0 };
	if (slash == path)
		dir.n = 1;
	if (!str_copy(to, size, path[0] && !slash ? STR(".") : dir))
		to[0] = '\0';
}

/* Store the interpreter of the first object, which is the program itself, and end the iteration. */
static int confine_take_interpreter(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char **path = arg;
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			*path = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return 1;
}

const char *confine_interpreter(void)
{
	const char *path = "";
	dl_iterate_phdr(confine_take_interpreter, &path);
	return path;
}
