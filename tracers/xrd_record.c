/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_record.c - record groups of what servers tell: in an archive, or one after another */
#include "tracers/xrd_record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "formats/raw_write.h"
#include "schema/cost.h"

#define FORMAT  "1.0.2"		/* of the format, as the agent's */
#define LOCK_MS 5000

static void make_header(struct xrd_recorder *r)
{
	r->header.n = 0;
	host_put_header(&r->header, &r->host, &r->root, &r->topology, FORMAT);
	buf_add(&r->header, buf_str(&r->schema));
}

static void tidy_up(struct xrd_recorder *r)
{
	int status;
	if (r->tidy.running && waitpid(r->tidy_pid, &status, WNOHANG) == r->tidy_pid)
		tidy_ended(&r->tidy, status != 0);
	if (!tidy_due(&r->tidy, r->archive.below_floor))
		return;
	r->tidy_pid = tidy_start(r->dir, r->host.name, &r->retain);
	r->tidy.running = r->tidy_pid > 0;
}

int xrd_recorder_open(struct xrd_recorder *r)
{
	const uint64_t all = COST_MASK;
	r->archive = (struct archive){ .dirfd = -1, .lockfd = -1, .fd = -1 };
	r->root = (struct files){ .rootfd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	if (r->root.rootfd < 0)
		return -errno;
	host_identify(&r->host, &r->root, NULL);
	xrd_sums_put_schema(&r->schema);
	raw_put_schema(&r->schema, "nodometer", cost_metrics, COST_METRICS, &all);
	int e = r->dir ? archive_open(&r->archive, r->dir, r->host.name) : 0;
	if (e == 0 && r->keep_tidy)
		tidy_up(r);
	return e;
}

void xrd_recorder_close(struct xrd_recorder *r)
{
	archive_close(&r->archive);
	topology_free(&r->topology);
	files_free(&r->root);
	buf_free(&r->schema);
	buf_free(&r->header);
	buf_free(&r->group);
}

/* The last row says how many there are: so a reader knows a whole group from a torn one. */
static void put_cost(struct xrd_recorder *r, size_t rows)
{
	const uint64_t all = COST_MASK;
	struct sample s;
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct cost cost = {
		.cpu_ns = (uint64_t)(cpu - r->cpu_ns), .bytes = *r->bytes - r->bytes_told,
		.rows = rows + 1, .errors = r->failed,
	};
	sample_init(&s, &r->root, cost_metrics, COST_METRICS);
	sample_cost_row(&s, "-", &cost);
	raw_put_rows(&r->group, "nodometer", &s, &all);
	sample_free(&s);
	r->cpu_ns = cpu;
	r->bytes_told = *r->bytes;
}

/* Groups of one file go on in order; what is an hour ahead was written before a clock was set. */
static int64_t in_order(const struct xrd_recorder *r, int64_t usec)
{
	bool behind = usec <= r->last_us && r->last_us - usec < (int64_t)3600 * 1000000;
	return behind ? r->last_us + 1 : usec;
}

static void make_group(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	r->group.n = 0;
	raw_put_group(&r->group, usec, STR(""), STR(""));
	if (!r->begun)
		xrd_sums_put_restart(&r->group);
	put_cost(r, xrd_sums_put_rows(&r->group, s));
}

static int to_archive(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	struct archive *a = &r->archive;
	bool foreign;
	int e = archive_refresh(a, &foreign);
	if (e < 0)
		return e;
	if (a->last_us > r->last_us)
		r->last_us = a->last_us;
	usec = in_order(r, usec);
	make_group(r, usec, s);
	archive_check_floor(a, r->retain.free_floor);
	if (archive_covers(a, STR(FORMAT), buf_str(&r->schema), str_of(r->host.boot_id)) &&
	    usec < a->rotate_at_us) {
		e = archive_append(a, buf_str(&r->group));
	} else {
		make_header(r);
		e = archive_begin(a, usec, buf_str(&r->header), buf_str(&r->group));
		r->tidy.soon |= e == 0;
	}
	if (e == 0)
		r->last_us = usec;
	return e;
}

static int to_stream(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	r->last_us = in_order(r, usec);
	make_group(r, r->last_us, s);
	if (r->headed)
		return files_write(r->fd, buf_str(&r->group));
	struct buf text CLEANUP(buf_free) = { 0 };
	make_header(r);
	if (files_has_content(r->fd))	/* of a run before this one, be it torn */
		buf_add_char(&text, '\n');
	buf_add(&text, buf_str(&r->header));
	buf_add(&text, buf_str(&r->group));
	int e = files_write(r->fd, buf_str(&text));
	r->headed = e == 0;
	return e;
}

static int locked(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	int e = archive_lock(&r->archive, LOCK_MS);
	if (e < 0)
		return e;
	e = to_archive(r, usec, s);
	archive_unlock(&r->archive);
	return e;
}

int xrd_recorder_minute(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	int e = r->dir ? locked(r, usec, s) : to_stream(r, usec, s);
	if (r->keep_tidy)
		tidy_up(r);
	if (e == 0) {
		if (r->said)
			log_notice("%s/%s: writing again", r->dir, r->host.name);
		r->begun = true;
		r->said = false;
		r->failed = 0;
		return 0;
	}
	r->failed++;
	if (!r->said && r->dir)
		log_error("%s/%s: %s; the sums go on in memory", r->dir, r->host.name,
			  e == -ENOSPC && r->archive.below_floor ? "little free space is left"
								 : strerror(-e));
	r->said = true;
	return e;
}
