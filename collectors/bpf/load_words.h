/* SPDX-License-Identifier: BSD-3-Clause */
/* load_words.h - why a program cannot be given to the kernel, in words */
#pragma once

/* A sentence on what is missing for any program, or NULL. */
const char *load_forbidden(void);

/* From now on libbpf prints nothing; its first warning is kept, and the last one is forgotten. */
void load_listen(void);
/* libbpf prints again. The warning that was kept, or "". */
const char *load_heard(void);
