/* SPDX-License-Identifier: BSD-3-Clause */
/* linux.h - numbers of system calls that the oldest systems we build on have no names for */
#pragma once

#include <sys/syscall.h>

/* Of Linux 5.6 and 5.9, with one number on all architectures but alpha; EL 8 has 4.18's headers. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
