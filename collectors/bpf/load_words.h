/* SPDX-License-Identifier: BSD-3-Clause */
/* load_words.h - explain why a BPF program cannot be loaded */
#pragma once

/*
 * Check what every BPF program requires: BTF of the kernel; and CAP_BPF and CAP_PERFMON, or
 * CAP_SYS_ADMIN. Returns NULL, or a constant text that says what is missing.
 */
const char *load_forbidden(void);

/* Silence libbpf, and keep the first warning that it prints from now on. */
void load_listen(void);
/*
 * Let libbpf print again. Returns the warning that was kept since load_listen(), or "". The text is
 * valid until the next load_listen().
 */
const char *load_heard(void);
