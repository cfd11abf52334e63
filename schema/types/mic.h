/* SPDX-License-Identifier: BSD-3-Clause */
/* mic.h - indexes of the keys of type mic, and the files with their values */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	NUM_CORES, THREADS_CORE, USER_SUM, NICE_SUM, SYS_SUM, IDLE_SUM, JIFFY_COUNTER,
	MEMSIZE, BOOT_COUNT, CRASH_COUNT,
};

/*
 * A file of MPSS 2 or 3's driver on the host, with the value of a key. The driver in Linux 3.13 to
 * 5.9 does not have these files.
 */
struct mic_file {
	size_t key;
	const char *file;
	bool hex;
};
enum { MIC_FILES = 4 };
extern const struct mic_file mic_files[MIC_FILES];
