/* SPDX-License-Identifier: BSD-3-Clause */
/* linux.h - system calls that the oldest systems we build on have no names for */
#pragma once

#include <sys/syscall.h>

/* Of Linux 5.6 and 5.9, with one number on all architectures but alpha; EL 8 has 4.18's headers. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Closes whatever is open but a, b and 0 to 2; also where the kernel has no close_range(2). */
void close_all_but(int a, int b);
