/* SPDX-License-Identifier: BSD-3-Clause */
/* load_words.h - explain why a BPF program cannot be loaded */
#pragma once

/*
 * Check what every BPF program requires: BTF of the kernel, CAP_BPF and CAP_PERFMON. Returns NULL,
 * or a sentence that says what is missing.
 */
const char *load_forbidden(void);

/* Silence libbpf, and keep only its next warning. */
void load_listen(void);
/* Let libbpf print again. Returns the warning that was kept, or "". */
const char *load_heard(void);
