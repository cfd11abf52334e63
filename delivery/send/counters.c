/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters.c - unfold counters for a sink, and save the state of unfolding next to the sink's
 * cursor
 */
#include "send/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define FIRST_LINE "nodometer counters 2\n"

static bool counters_type_is_wanted(void *arg, struct str type)
{
	return sink_wants(arg, type);
}

static bool counters_key_is_dropped(void *arg, struct str type, struct str key)
{
	return sink_drops(arg, type, key);
}

void counters_open(struct counters *c, const char *cursor, const struct sink_node *node)
{
	const char *name = strrchr(cursor, '/') + 1;
	buf_add(&c->dir, (struct str){ cursor, (size_t)(name - cursor) });
	buf_add(&c->name, str_of(name));
	c->listener = node->listener;
	c->unfold = unfold_new(counters_type_is_wanted, (void *)node);
	unfold_drop(c->unfold, counters_key_is_dropped);
}

void counters_close(struct counters *c)
{
	unfold_free(c->unfold);
	buf_free(&c->dir);
	buf_free(&c->name);
}

static void counters_put_path(const struct counters *c, int64_t epoch, struct buf *path)
{
	buf_addf(path, STR_FMT "." STR_FMT ".counters.%lld%c", STR_ARG(buf_str(&c->dir)),
		 STR_ARG(buf_str(&c->name)), (long long)epoch, '\0');
}

/*
 * Load the state saved for the start of a file. Returns 0, -ENOENT if nothing was saved, or another
 * -errno.
 */
static int counters_load(struct counters *c, int64_t epoch)
{
	struct buf path CLEANUP(buf_free) = { 0 }, text CLEANUP(buf_free) = { 0 };
	struct str read;
	counters_put_path(c, epoch, &path);
	int fd CLEANUP(close_fd) = open(path.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int r = fd < 0 ? -errno : files_read_fd(fd, FILE_TO_END, &text, &read);
	if (r == 0)
		r = str_take_prefix(&read, STR(FIRST_LINE)) ? unfold_take(c->unfold, read)
							    : -EBADMSG;
	if (r < 0 && r != -ENOENT)
		say_warning(c->listener, "%s: %s; its counters restart at 0", path.p, strerror(-r));
	return r;
}

static void counters_save(struct counters *c, int64_t epoch)
{
	struct buf path CLEANUP(buf_free) = { 0 }, text CLEANUP(buf_free) = { 0 };
	counters_put_path(c, epoch, &path);
	buf_addf(&text, FIRST_LINE);
	unfold_put(c->unfold, &text);
	int r = files_replace(path.p, buf_str(&text));
	if (r < 0)
		say_warning(c->listener, "%s: %s; its counters restart at 0 after a restart",
			    path.p, strerror(-r));
}

void counters_begin_file(struct counters *c, int64_t epoch)
{
	if (!c->unfold)
		return;
	bool resume = c->epoch == 0 || c->epoch == epoch;
	c->epoch = epoch;
	if (resume && counters_load(c, epoch) == 0)
		return;
	unfold_sweep(c->unfold);
	counters_save(c, epoch);
}

void counters_forget(struct counters *c, int64_t before)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	if (!c->unfold || !before || before == c->epoch)
		return;
	counters_put_path(c, before, &path);
	unlink(path.p);
}

const struct record *counters_unfold(struct counters *c, const struct record *r,
				     const struct record_source *from)
{
	return c->unfold ? unfold(c->unfold, r, from) : r;
}
