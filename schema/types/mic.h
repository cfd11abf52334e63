/* SPDX-License-Identifier: BSD-3-Clause */
/* mic.h - the places of keys in type mic, and the files that have them */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	NUM_CORES, THREADS_CORE, USER_SUM, NICE_SUM, SYS_SUM, IDLE_SUM, JIFFY_COUNTER,
	MEMSIZE, BOOT_COUNT, CRASH_COUNT,
};

/* Files of the host's driver in MPSS 2 and 3; the kernel's own driver (3.13 to 5.9) has none. */
struct mic_file {
	size_t key;
	const char *file;
	bool hex;
};
enum { MIC_FILES = 4 };
extern const struct mic_file mic_files[MIC_FILES];
