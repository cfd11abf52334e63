/* SPDX-License-Identifier: BSD-3-Clause */
/* played.c - opens files whose moments are played back, whichever kind they are */
#include "monitor/played.h"

#include <errno.h>
#include <stdlib.h>
#include "base/log.h"

static ssize_t read_again(void *arg, char *to, size_t n)
{
	struct looked *in = arg;
	if (in->at < in->seen.n) {
		size_t few = in->seen.n - in->at < n ? in->seen.n - in->at : n;
		memcpy(to, in->seen.p + in->at, few);
		in->at += few;
		return (ssize_t)few;
	}
	ssize_t got = in->src.read(in->src.arg, to, n);
	if (got > 0 && !in->decided) {
		buf_add(&in->seen, (struct str){ to, (size_t)got });
		in->at = in->seen.n;
	}
	return got;
}

struct byte_source looked_source(struct looked *in)
{
	return (struct byte_source){ read_again, in };
}

void looked_free(struct looked *in)
{
	input_free(in->in);
	buf_free(&in->seen);
	free(in);
}

int played_open(struct moments *m, const struct played_file *file, uint32_t *wanted)
{
	struct looked *in = xrealloc(NULL, sizeof(*in));
	*in = (struct looked){ 0 };
	*m = (struct moments){ .name = file->path };
	int r = input_take_file(file->fd, &in->in);
	if (r < 0) {
		struct buf why CLEANUP(buf_free) = { 0 };
		input_explain(&why, file->path, r);
		log_error("%s: " STR_FMT, file->path, STR_ARG(buf_str(&why)));
		free(in);
		return r;
	}
	in->src = input_bytes(in->in);
	r = played_recording(m, in, wanted);
	if (r == 0 || r != -ENOEXEC)
		return r;
	in->at = 0;
	in->decided = true;
	played_raw(m, in, *wanted);
	return 0;
}
