/* SPDX-License-Identifier: BSD-3-Clause */
/* confine.h - what this process and its children may still do: files, sockets, programs */
#pragma once

#include <stddef.h>
#include "base/buf.h"

/* Rights on a directory and all below it, or on a file; each includes the one before. */
enum confine_use {
	CONFINE_LIST,	/* names of files */
	CONFINE_READ,
	CONFINE_RUN,	/* read, and started as a program */
	CONFINE_CHANGE,	/* read, and what is there is written: devices */
	CONFINE_PUT,	/* files are made, written and removed; none is read */
	CONFINE_KEEP,	/* all of that, and read */
};

struct confine_path {
	const char *path;	/* "": no rule; nor is there one where nothing has that name */
	enum confine_use use;
};

/*
 * System calls that stay allowed. Without any of them sockets are of AF_UNIX and AF_NETLINK, no
 * program is started, no process but this one is sent a signal, and no file changes its owner or
 * mode. Signals reach processes that this one starts from now on; others of its user, too, where
 * landlock has no scopes.
 */
enum confine_may {
	MAY_RUN     = 1,	/* programs, where CONFINE_RUN allows it */
	MAY_CONNECT = 2,	/* or be connected to */
	MAY_NETWORK = 4,	/* sockets of any kind */
	MAY_COUNT   = 8,	/* perf_event_open(2) */
	MAY_SIGNAL  = 16,	/* kill(2) */
	MAY_WALK    = 64,	/* BPF_ITER_CREATE of bpf(2): what was loaded before runs */
	MAY_SHARE   = 32,	/* mode and owner of a file that is open: fchmod(2), fchown(2) */
};

#define CONFINE_WHY_MAX 96
struct confined {
	int landlock;			/* ABI of landlock, or 0: files are not confined */
	char holds[64];			/* landlock's rights in this kernel: "files,truncate" */
	bool seccomp;
	char why[CONFINE_WHY_MAX];	/* rules that are not in force and why, or "" */
};

/*
 * Confines this process from now on, for good; programs that it starts gain no privileges. Rules
 * that the kernel, or the container around us, does not offer are left out and named in .why.
 * Libraries of the system can always be read, also those of $LD_LIBRARY_PATH.
 */
void confine(const struct confine_path *paths, size_t n, unsigned may, struct confined *ret);

/* Whether these rules, and those that every process has, allow what this one does. */
bool confine_covers(const struct confine_path *given, size_t n, const struct confine_path *p);

/* The directory that holds a file, or "" where it names none. */
void confine_parent(const char *path, char *to, size_t size);

/* The interpreter that runs this program, and others of the same kind: /lib64/ld-linux... or "". */
const char *confine_interpreter(void);
