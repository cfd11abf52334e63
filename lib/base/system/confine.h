/* SPDX-License-Identifier: BSD-3-Clause */
/* confine.h - limit what this process and its children can do: files, sockets, programs */
#pragma once

#include <stddef.h>
#include "base/buf.h"

/* Rights on a file, or on a directory and everything below it; all include CONFINE_LIST. */
enum confine_use {
	CONFINE_LIST,	/* list the names of files */
	CONFINE_READ,
	CONFINE_RUN,	/* read and execute files */
	CONFINE_CHANGE,	/* read files, and write to existing files such as devices */
	CONFINE_PUT,	/* create, write and remove files, but read none */
	CONFINE_KEEP,	/* create, write, remove and read files */
};

struct confine_path {
	const char *path;	/* "" or a missing file adds no rule */
	enum confine_use use;
};

/*
 * Flags for what stays allowed. Without any flag, the process can open only AF_UNIX and AF_NETLINK
 * sockets, and cannot start programs, signal others, or change the owner and mode of files.
 * MAY_SIGNAL allows signals only to this process and processes that it starts later; if the kernel
 * lacks landlock's scopes, to all processes of the user.
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
	 * Read links and files of /proc that only a tracer may see (ptrace(2)). Files are not
	 * confined then, because landlock would hide these links and files.
	 */
	MAY_INSPECT = 128,
	MAY_SHARE   = 32,	/* change mode and owner of an open file: fchmod(2), fchown(2) */
	MAY_ACCEPT  = 256,	/* accept connections at sockets that already listen */
};

#define CONFINE_WHY_MAX 96
struct confined {
	/* landlock's ABI version, or 0 if files are not confined */
	int landlock;
	/* rights that landlock controls in this kernel, such as "files,truncate" */
	char holds[64];
	bool seccomp;
	char why[CONFINE_WHY_MAX];	/* rules that were left out, with the reason, or "" */
};

/*
 * Confine this process until it ends. Programs that it starts gain no privileges. Rules that the
 * kernel or a container does not support are left out and listed in .why. System libraries, also
 * those in $LD_LIBRARY_PATH, can always be read.
 */
void confine(const struct confine_path *paths, size_t n, unsigned may, struct confined *ret);

/*
 * Return whether the rules in `given`, or the rules that every process has, allow p->use for
 * p->path: a rule for the path itself or for a folder above it does so. Always true for the path
 * "", and in a build without landlock.
 */
bool confine_covers(const struct confine_path *given, size_t n, const struct confine_path *p);

/*
 * Store in `to` the directory of a file: "." for a path without a slash; "" if path is "" or the
 * directory does not fit.
 */
void confine_parent(const char *path, char *to, size_t size);

/* The ELF interpreter of this program, such as /lib64/ld-linux-x86-64.so.2, or "". */
const char *confine_interpreter(void);
