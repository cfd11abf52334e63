/* SPDX-License-Identifier: BSD-3-Clause */
/* linux.h - numbers of system calls that the headers of the oldest supported systems lack */
#pragma once

#include <sys/syscall.h>

/* Linux 5.6 and 5.9, on all architectures but alpha; EL 8 has headers of 4.18. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
