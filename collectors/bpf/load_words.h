/* SPDX-License-Identifier: BSD-3-Clause */
/* load_words.h - explain why a BPF program cannot be loaded */
#pragma once

/*
 * Check the requirements of every program. Returns NULL, or a sentence that says what is missing.
 */
const char *load_forbidden(void);

/* Silence libbpf, and keep only its next warning. */
void load_listen(void);
/* Let libbpf print again. Returns the warning that was kept, or "". */
const char *load_heard(void);
