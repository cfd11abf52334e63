/* SPDX-License-Identifier: BSD-3-Clause */
/* waiting_lines.c - keep lines in memory while the disk is full, and cut torn lines off the file */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "xrootd/program.h"

#define WAIT_BYTES (16u << 20)
#define RETRY_NS   1000000000

bool output_is_file(const struct xrootd_output *o)
{
	struct stat st;
	return fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
}

uint64_t output_size(const struct xrootd_output *o)
{
	struct stat st;
	bool is_file = o->on && fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
	return is_file ? (uint64_t)st.st_size : 0;
}

/*
 * Remove completely written lines from the buffer. Cut a partly written line off the file, and keep
 * it in the buffer.
 */
static void output_cut_torn(struct xrootd_output *o, uint64_t before)
{
	uint64_t size = output_size(o);
	size_t written = size > before ? (size_t)(size - before) : 0;
	if (written > o->text.n)
		written = o->text.n;
	const char *end = written ? memrchr(o->text.p, '\n', written) : NULL;
	size_t whole = end ? (size_t)(end - o->text.p) + 1 : 0;
	if (whole < written && ftruncate(o->fd, (off_t)(before + whole)) < 0)
		whole = written;	/* the file cannot be cut: continue the torn line later */
	lseek(o->fd, 0, SEEK_END);
	memmove(o->text.p, o->text.p + whole, o->text.n - whole);
	o->text.n -= whole;
}

static void output_log_recovery(struct xrootd_output *o, const char *name)
{
	log_notice("%s: writing works again; %llu lines are lost", name,
		   (unsigned long long)o->lost);
	o->waits = false;
	o->lost = 0;
}

int output_write(struct xrootd_output *o, const char *name)
{
	int64_t now = monotonic_ns();
	if (!o->text.n || (o->waits && o->tried_ns && now - o->tried_ns < RETRY_NS))
		return 0;
	uint64_t before = output_size(o);
	int e = files_write(o->fd, buf_str(&o->text));
	o->tried_ns = now;
	if (e == 0) {
		o->text.n = 0;
		if (o->waits)
			output_log_recovery(o, name);
		return 0;
	}
	if (output_is_file(o))
		output_cut_torn(o, before);
	o->waits = true;
	return e;
}

void output_keep(struct xrootd_output *o, size_t before)
{
	if (!o->waits || o->text.n <= WAIT_BYTES)
		return;
	o->text.n = before;
	o->lost++;
	o->lost_ever++;
}
