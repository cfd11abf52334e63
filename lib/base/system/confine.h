/* SPDX-License-Identifier: BSD-3-Clause */
/* confine.h - limit what this process and its children can do: files, sockets, programs */
#pragma once

#include <stddef.h>
#include "base/buf.h"

/* Rights on a directory and everything below it, or on a file. All of them include CONFINE_LIST. */
enum confine_use {
	CONFINE_LIST,	/* list the names of files */
	CONFINE_READ,
	CONFINE_RUN,	/* read files, and run them as programs */
	CONFINE_CHANGE,	/* read files, and write to existing ones: devices */
	CONFINE_PUT,	/* create, write and remove files, but read none */
	CONFINE_KEEP,	/* create, write, remove and read files */
};

struct confine_path {
	const char *path;	/* "" or a missing file adds no rule */
	enum confine_use use;
};

/*
 * System calls that stay allowed. Without any of these flags, sockets are limited to AF_UNIX and
 * AF_NETLINK, no program can be started, no other process can be signalled, and the owner and mode
 * of files cannot change. With MAY_SIGNAL, signals reach this process and the processes that it
 * starts later. If landlock has no scopes, signals also reach other processes of the same user.
 */
enum confine_may {
	MAY_RUN     = 1,	/* start programs that CONFINE_RUN allows */
	MAY_CONNECT = 2,	/* connect(2), bind(2), listen(2) and accept(2) */
	MAY_NETWORK = 4,	/* open sockets of any kind */
	MAY_COUNT   = 8,	/* perf_event_open(2) */
	MAY_SIGNAL  = 16,	/* kill(2) */
	/* BPF_ITER_CREATE of bpf(2), which runs a program that was loaded before */
	MAY_WALK    = 64,
	/*
	 * Read links and files of /proc that only a tracer may see (ptrace(2)). Landlock would hide
	 * these links and files of all other processes, so with this flag files are not confined.
	 */
	MAY_INSPECT = 128,
	MAY_SHARE   = 32,	/* change mode and owner of an open file: fchmod(2), fchown(2) */
	MAY_ACCEPT  = 256,	/* accept connections at sockets that already listen */
};

#define CONFINE_WHY_MAX 96
struct confined {
	/* ABI version of landlock, or 0 if files are not confined */
	int landlock;
	/* rights of landlock in this kernel, such as "files,truncate" */
	char holds[64];
	bool seccomp;
	char why[CONFINE_WHY_MAX];	/* rules that are not in force, with the reason, or "" */
};

/*
 * Confine this process for good. Programs that it starts gain no privileges. Rules that the kernel
 * or a surrounding container does not support are left out; .why lists them. Libraries of the
 * system can always be read, also those in $LD_LIBRARY_PATH.
 */
void confine(const struct confine_path *paths, size_t n, unsigned may, struct confined *ret);

/* Whether the given rules, or the rules that every process gets, allow the use that p describes. */
bool confine_covers(const struct confine_path *given, size_t n, const struct confine_path *p);

/* The directory of a file, or "" if path is not the path of a file. */
void confine_parent(const char *path, char *to, size_t size);

/* The ELF interpreter of this program, such as /lib64/ld-linux-x86-64.so.2, or "". */
const char *confine_interpreter(void);
