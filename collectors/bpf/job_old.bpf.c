/* SPDX-License-Identifier: BSD-3-Clause */
/* job_old.bpf.c - job.bpf.c for kernels before 6.16 */
#define BEFORE_6_16
#include "collectors/bpf/job.bpf.c"
