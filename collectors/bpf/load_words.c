/* SPDX-License-Identifier: BSD-3-Clause */
/* load_words.c - explain why a BPF program cannot be loaded */
#include "collectors/bpf/load_words.h"

#ifdef HAVE_BPF

#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/system/privileges.h"
#include "collectors/bpf/programs.h"

#define NEEDED (PRIVILEGE_BPF | PRIVILEGE_PERFMON)

static char refusal[PROGRAM_WHY_MAX];	/* libbpf's first warning since load_listen() */
static libbpf_print_fn_t before;

/*
 * Keep the first warning, such as "libbpf: prog 'jobs': BPF program load failed: Permission
 * denied".
 */
PRINTF(2, 0)
static int listen(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level != LIBBPF_WARN || refusal[0])
		return 0;
	int n = vsnprintf(refusal, sizeof(refusal), format, args);
	refusal[strcspn(refusal, "\n")] = '\0';
	return n;
}

const char *load_forbidden(void)
{
	uint64_t left = privileges_left();
	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		return "the kernel has no /sys/kernel/btf/vmlinux";
	if (!(left & PRIVILEGE_ADMIN) && (left & NEEDED) != NEEDED)
		return "needs CAP_BPF and CAP_PERFMON";
	return NULL;
}

void load_listen(void)
{
	refusal[0] = '\0';
	libbpf_print_fn_t last = libbpf_set_print(listen);
	if (last != listen)
		before = last;
}

const char *load_heard(void)
{
	libbpf_set_print(before);
	return refusal;
}

#else

const char *load_forbidden(void)
{
	return "built without libbpf, clang or bpftool";
}

void load_listen(void)
{
}

const char *load_heard(void)
{
	return "";
}
#endif
