/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live_feed.c - read live samples, which the agent takes between archive records; missed ones are
 * lost
 */
#include "send/live_feed.h"

#include <errno.h>
#include "formats/raw_read.h"
#include "recorder/config.h"

static void live_close_file(struct live_feed *l)
{
	if (l->reading)
		record_source_end(&l->source);
	l->reading = false;
}

void live_feed_end(struct live_feed *l)
{
	live_close_file(l);
	if (l->open)
		follow_close(&l->follow);
	l->open = false;
	l->wakes = 0;
}

static bool live_open_folder(struct live_feed *l, const char *runtime_dir, const char *host)
{
	static const volatile int never;
	struct buf path CLEANUP(buf_free) = { 0 };
	if (l->open)
		return true;
	buf_addf(&path, "%s/" CONFIG_LIVE_DIR "/%s", runtime_dir, host);
	l->follow = (struct follow){ .newest = true, .no_wait = true, .stop = &never };
	l->open = follow_open(&l->follow, buf_str(&path)) == 0;
	l->wakes = l->open ? follow_wakes(&l->follow) : 0;
	return l->open;
}

/* Return true if a file is open for reading; opens the next file if needed. */
static bool live_open_file(struct live_feed *l)
{
	if (l->reading)
		return true;
	int r = follow_next_file(&l->follow);
	if (r < 0 && r != -EAGAIN)
		live_feed_end(l);
	if (r < 0)
		return false;
	const struct byte_source bytes = follow_bytes(&l->follow);
	l->source = raw_records(&bytes, NULL);
	l->reading = true;
	return true;
}

int live_feed_next(struct live_feed *l, const char *runtime_dir, const char *host,
		   const struct record **ret, const struct record_source **from)
{
	if (l->open)
		l->wakes = follow_wakes(&l->follow);
	while (live_open_folder(l, runtime_dir, host) && live_open_file(l)) {
		int r = record_next(&l->source, ret);
		*from = &l->source;
		if (r > 0)
			return 1;
		if (r == -EAGAIN)
			return 0;
		live_close_file(l);	/* the file has ended, or is damaged */
	}
	return 0;
}
