/* SPDX-License-Identifier: BSD-3-Clause */
/* named_files.c - open the files named on the command line before they are parsed */
#include "archive/named_files.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "archive/input.h"
#include "archive/remote.h"
#include "base/vec.h"

#define OTHER_FILES 64		/* descriptors left for other purposes */

static void named_files_allow(size_t n)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur >= n + OTHER_FILES)
		return;
	l.rlim_cur = n + OTHER_FILES;
	if (l.rlim_max < l.rlim_cur)
		l.rlim_max = l.rlim_cur;
	if (setrlimit(RLIMIT_NOFILE, &l) < 0)
		/* the error is reported when the first file beyond the limit is opened */
		return;
}

static int named_files_open_one(const char *path)
{
	return archive_is_aside(path) ? -ECANCELED : input_open_file(path);
}

void named_files_open(struct named_files *f)
{
	if (geteuid() != 0 || !f->n)
		return;
	named_files_allow(f->n);
	f->fd = xrealloc(NULL, f->n * sizeof(*f->fd));
	for (size_t i = 0; i < f->n; i++) {
		bool is_url = remote_is(f->path[i]);
		if (is_url)
			remote_begin();
		f->fd[i] = is_url ? -EAGAIN : named_files_open_one(f->path[i]);
	}
}

int named_files_take(const struct named_files *f, size_t i)
{
	return f->fd && f->fd[i] != -EAGAIN ? f->fd[i] : named_files_open_one(f->path[i]);
}

void named_files_free(struct named_files *f)
{
	free(f->fd);
	f->fd = NULL;
}
