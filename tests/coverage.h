/* SPDX-License-Identifier: BSD-3-Clause */
/* coverage.h - with --enable-coverage, gcov writes its counters before _exit(2), too */
#pragma once

#include <unistd.h>

void __gcov_dump(void);

/* A function, so that the call that computes the status is counted, too. */
__attribute__((unused, noreturn)) static void dump_and_exit(int status)
{
	__gcov_dump();
	_exit(status);
}
#define _exit dump_and_exit
