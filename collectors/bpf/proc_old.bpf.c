/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_old.bpf.c - proc.bpf.c for kernels before 6.2 */
#define BEFORE_6_2
#include "collectors/bpf/proc.bpf.c"
