/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_record.c - write record groups of XRootD monitoring to an archive or a file */
#include "xrootd/xrd_record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "formats/raw_write.h"
#include "schema/cost.h"

#define LOCK_MS 5000

static void recorder_put_header(void *arg, struct buf *b)
{
	struct xrd_recorder *r = arg;
	host_put_header(b, &r->host, &r->root, &r->topology, RAW_VERSION);
	buf_add(b, buf_str(&r->schema));
}

static const struct archiver_maker maker = { .put_header = recorder_put_header };

static void recorder_tidy(struct xrd_recorder *r)
{
	tidy_look(&r->tidy, r->dir, r->host.name, &r->retain,
		  r->out.new_file || r->out.stored.below_floor, r->listener);
	r->out.new_file = false;
}

/*
 * Open the archive before a datagram is read, so that an unusable archive is reported at once.
 * Returns 0 or -errno.
 */
static int recorder_open_archive(struct xrd_recorder *r)
{
	r->out = (struct archiver){ .maker = &maker, .arg = r, .keep = r->live };
	archiver_open(&r->out, &(struct store_place){
		.dir = r->dir, .host = r->host.name, .boot_id = r->host.boot_id,
		.version = RAW_VERSION, .free_floor = r->retain.free_floor, .replay = true,
		.listener = r->listener,
	});
	r->out.store.lock_ms = LOCK_MS;
	return r->dir ? archive_open(&r->out.store.archive, r->dir, r->host.name) : 0;
}

int xrd_recorder_identify(struct xrd_recorder *r)
{
	r->root = (struct files){ .rootfd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	if (r->root.rootfd < 0)
		return -errno;
	host_identify(&r->host, &r->root, NULL);
	return 0;
}

int xrd_recorder_open(struct xrd_recorder *r)
{
	const uint64_t all = COST_TIMELESS;
	xrd_sums_put_schema(&r->schema);
	if (r->reports)
		xrd_reports_put_schema(r->reports, &r->schema);
	raw_put_schema(&r->schema, "nodometer", cost_metrics, COST_METRICS, &all);
	int e = r->host.name[0] ? 0 : xrd_recorder_identify(r);
	if (e == 0)
		e = recorder_open_archive(r);
	if (e == 0 && r->live)
		recorder_tidy(r);
	return e;
}

uint64_t xrd_recorder_size(const struct xrd_recorder *r)
{
	struct stat st;
	bool is_file = !r->dir && fstat(r->fd, &st) == 0 && S_ISREG(st.st_mode);
	return is_file ? (uint64_t)st.st_size : 0;
}

bool xrd_recorder_resume(struct xrd_recorder *r, int64_t last_us, uint64_t size, int64_t *until_us)
{
	bool same = xrd_recorder_size(r) == size;
	struct archive *a = &r->out.store.archive;
	*until_us = 0;
	if (r->dir) {
		same = archive_lock(a, LOCK_MS) == 0 && a->last_us == last_us;
		archive_unlock(a);
		*until_us = a->last_us;
	}
	r->begun = r->written = same;
	r->last_us = last_us;
	return same;
}

void xrd_recorder_close(struct xrd_recorder *r)
{
	if (r->out.unwritten.n)
		say_warning(r->listener, "%zu record groups that waited in memory are lost; the "
			    "sums are kept", r->out.unwritten.n);
	archiver_close(&r->out);
	topology_free(&r->topology);
	files_free(&r->root);
	buf_free(&r->schema);
	buf_free(&r->group);
}

/*
 * Append a row with the cost of the receiver. This last row holds the number of rows, which shows
 * whether the record group is complete.
 */
static void recorder_put_cost(struct xrd_recorder *r, size_t rows)
{
	const uint64_t all = COST_TIMELESS;
	struct rows row;
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct cost cost = {
		.cpu_ns = (uint64_t)(cpu - r->cpu_ns), .bytes = *r->bytes - r->bytes_recorded,
		.rows = rows + 1, .errors = archiver_take_failed(&r->out),
	};
	rows_init(&row, cost_metrics, COST_METRICS);
	rows_add_cost(&row, STR("-"), &cost);
	raw_put_rows(&r->group, STR("nodometer"), &row, &all, &(struct schema_kinds){ 0 });
	rows_free(&row);
	r->cpu_ns = cpu;
	r->bytes_recorded = *r->bytes;
}

/*
 * Get a time for the next record group that is later than the last record group in the file. If the
 * last record group is an hour or more ahead, the clock was set back: use the time as it is.
 */
static int64_t recorder_next_time(const struct xrd_recorder *r, int64_t usec)
{
	bool late = usec <= r->last_us && r->last_us - usec < (int64_t)3600 * 1000000;
	return late ? r->last_us + 1 : usec;
}

static void recorder_make_group(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	r->group.n = 0;
	raw_put_group(&r->group, usec, STR(""), STR(""));
	if (!r->begun) {
		xrd_sums_put_restart(&r->group);
		if (r->reports)
			xrd_reports_put_restart(&r->group);
	}
	size_t rows = xrd_sums_put_rows(&r->group, s);
	if (r->reports)
		rows += xrd_reports_put_rows(r->reports, &r->group, usec);
	recorder_put_cost(r, rows);
}

static int recorder_write_archive(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	recorder_make_group(r, usec, s);
	int e = archiver_put(&r->out, usec, buf_str(&r->group), !r->begun);
	if (r->live)
		recorder_tidy(r);
	if (e < 0 && !r->failure_reported)
		say_error(r->listener, "%s/%s: cannot write a record group: %s; its sums go into "
			  "the next one", r->dir, r->host.name, strerror(-e));
	r->failure_reported = e < 0;
	r->begun |= e == 0;
	if (e < 0 || r->out.full)
		return e;
	r->last_us = r->out.store.archive.last_us;
	r->written = true;
	return 0;
}

/* Append the whole text; after an error, restore the size of the file. Returns 0 or -errno. */
static int recorder_append_whole(const struct xrd_recorder *r, struct str text)
{
	uint64_t before = xrd_recorder_size(r);
	int e = files_write(r->fd, text);
	if (e < 0 && xrd_recorder_size(r) > before && ftruncate(r->fd, (off_t)before) == 0)
		lseek(r->fd, 0, SEEK_END);
	return e;
}

static int recorder_write_stream(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	r->last_us = recorder_next_time(r, usec);
	recorder_make_group(r, r->last_us, s);
	if (r->headed)
		return recorder_append_whole(r, buf_str(&r->group));
	struct buf text CLEANUP(buf_free) = { 0 };
	if (files_has_content(r->fd))	/* an earlier run may have left a torn line */
		buf_add_char(&text, '\n');
	recorder_put_header(r, &text);
	buf_add(&text, buf_str(&r->group));
	int e = recorder_append_whole(r, buf_str(&text));
	r->headed = e == 0;
	return e;
}

static int recorder_write_file(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	int e = recorder_write_stream(r, usec, s);
	r->begun |= e == 0;
	r->written |= e == 0;
	return e;
}

int xrd_recorder_minute(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	const int64_t cpu_ns = r->cpu_ns;
	const uint64_t bytes = r->bytes_recorded;
	int e = r->dir ? recorder_write_archive(r, usec, s) : recorder_write_file(r, usec, s);
	if (e < 0) {	/* the group is lost: the next group has its cost, too */
		r->cpu_ns = cpu_ns;
		r->bytes_recorded = bytes;
	}
	return e;
}
