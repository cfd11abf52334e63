/* SPDX-License-Identifier: BSD-3-Clause */
/* linux_4_18.c - run a command with only the system calls of Linux 4.18, the kernel of EL 8 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * First system call that Linux 4.18 lacks. From 424 on, numbers are the same on all architectures.
 */
#ifdef __x86_64__
#define FIRST_LATER 335		/* after rseq: arch/x86/entry/syscalls/syscall_64.tbl of 4.18 */
#else
#define FIRST_LATER 424
#endif

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Values of system call arguments that Linux 4.18 refuses, with the version that introduced each.
 */
static const struct later {
	unsigned call, argument, from, to;
} later[] = {
	{ SYS_prctl,        0, 54, 255 },		/* PR_PAC_RESET_KEYS, 5.0 */
	{ SYS_prctl,        0, 0x53564d41, 0x53564d41 },	/* PR_SET_VMA, 5.17 */
	{ SYS_seccomp,      0, 3, 255 },		/* SECCOMP_GET_NOTIF_SIZES, 5.0 */
	{ SYS_seccomp,      1, 8, 255 },		/* SECCOMP_FILTER_FLAG_NEW_LISTENER, 5.0 */
	{ SYS_bpf,          0, 21, 255 },		/* BPF_MAP_LOOKUP_AND_DELETE_ELEM, 4.20 */
	{ SYS_waitid,       0, 3, 255 },		/* P_PIDFD, 5.4 */
	{ SYS_memfd_create, 1, 8, 0x3ffffff },	/* MFD_NOEXEC_SEAL, 6.3 */
	{ SYS_madvise,      2, 20, 99 },		/* MADV_COLD, 5.4 */
};

static struct sock_filter program[3 + 6 * LENGTH(later) + 1];
static unsigned short length;

static void add(int code, unsigned value, int if_so, int if_not)
{
	program[length++] = (struct sock_filter){ (unsigned short)code, (unsigned char)if_so,
						  (unsigned char)if_not, value };
}

static unsigned low_half(unsigned argument)
{
	const unsigned one = 1;
	return (unsigned)offsetof(struct seccomp_data, args) + 8 * argument +
	       (*(const char *)&one ? 0 : 4);
}

static void write_program(void)
{
	const unsigned number = offsetof(struct seccomp_data, nr);
	add(BPF_LD | BPF_W | BPF_ABS, number, 0, 0);
	add(BPF_JMP | BPF_JGE | BPF_K, FIRST_LATER, 0, 1);
	add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
	for (size_t i = 0; i < LENGTH(later); i++) {
		add(BPF_LD | BPF_W | BPF_ABS, number, 0, 0);
		add(BPF_JMP | BPF_JEQ | BPF_K, later[i].call, 0, 4);
		add(BPF_LD | BPF_W | BPF_ABS, low_half(later[i].argument), 0, 0);
		add(BPF_JMP | BPF_JGE | BPF_K, later[i].from, 0, 2);
		add(BPF_JMP | BPF_JGT | BPF_K, later[i].to, 1, 0);
		add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL, 0, 0);
	}
	add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/* Return true if the filter refuses later calls and argument values, and nothing else. */
static int is_in_force(void)
{
	static const int calls[] = { 424, 434, 435, 436, 437, 439, 444, 449, 1000 };
	for (size_t i = 0; i < LENGTH(calls); i++)
		if (syscall(calls[i], -1, -1, -1, -1, -1, -1) != -1 || errno != ENOSYS)
			return 0;
	return syscall(SYS_memfd_create, "", 1 | 8) < 0 && syscall(SYS_memfd_create, "", 1) >= 0;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: linux_4_18 COMMAND...\n", stderr);
		return 2;
	}
	write_program();
	const struct sock_fprog filter = { length, program };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) {
		perror("linux_4_18: no filter");
		return 77;
	}
	if (!is_in_force()) {
		fputs("linux_4_18: the filter lets calls through\n", stderr);
		return 99;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
