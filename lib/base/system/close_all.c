/* SPDX-License-Identifier: BSD-3-Clause */
/* close_all.c - close all descriptors, also on Linux before 5.9 */
#include "base/system/close_all.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <unistd.h>
#include "base/files.h"
#include "base/linux.h"
#include "base/names.h"

static bool close_between(int first, int last)
{
	return first > last || syscall(SYS_close_range, first, last, 0) == 0;
}

/*
 * Close the descriptors that /proc lists. Used if close_range(2) is missing (before Linux 5.9), or
 * refused by a filter of system calls that does not know it.
 */
static void close_listed(int a, int b)
{
	struct names open_ones = { 0 };
	int dir CLEANUP(close_fd) = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || names_read(&open_ones, dir, "", NAMES_OF_ALL) < 0)
		return;
	for (size_t i = 0; i < open_ones.n; i++) {
		struct str name = str_of(open_ones.name[i]);
		uint64_t fd;
		if (str_take_u64(&name, &fd) && fd > 2 && (int)fd != a && (int)fd != b &&
		    (int)fd != dir)
			close((int)fd);
	}
	names_free(&open_ones);
}

void close_all_but(int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;
	if (low < 2)
		low = 2;
	if (high < 2)
		high = 2;
	if (!close_between(3, low - 1) || !close_between(low + 1, high - 1) ||
	    !close_between(high + 1, INT_MAX))
		close_listed(a, b);
}
