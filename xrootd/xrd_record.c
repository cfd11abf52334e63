/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_record.c - record groups of what servers report: in an archive, or one after another */
#include "tracers/xrootd/xrd_record.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "formats/raw_write.h"
#include "schema/cost.h"

#define LOCK_MS 5000

static void put_header(void *arg, struct buf *b)
{
	struct xrd_recorder *r = arg;
	host_put_header(b, &r->host, &r->root, &r->topology, RAW_VERSION);
	buf_add(b, buf_str(&r->schema));
}

static const struct archiver_maker maker = { .put_header = put_header };

static void tidy_up(struct xrd_recorder *r)
{
	tidy_look(&r->tidy, r->dir, r->host.name, &r->retain,
		  r->out.new_file || r->out.stored.below_floor, r->listener);
	r->out.new_file = false;
}

/* Whether the archive can be written is known before a datagram is read. */
static int open_archive(struct xrd_recorder *r)
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
		e = open_archive(r);
	if (e == 0 && r->live)
		tidy_up(r);
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

/* The last row says how many there are: so a reader knows a whole group from a torn one. */
static void put_cost(struct xrd_recorder *r, size_t rows)
{
	const uint64_t all = COST_TIMELESS;
	struct rows row;
	int64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct cost cost = {
		.cpu_ns = (uint64_t)(cpu - r->cpu_ns), .bytes = *r->bytes - r->bytes_told,
		.rows = rows + 1, .errors = archiver_take_failed(&r->out),
	};
	rows_init(&row, cost_metrics, COST_METRICS);
	rows_add_cost(&row, STR("-"), &cost);
	raw_put_rows(&r->group, STR("nodometer"), &row, &all);
	rows_free(&row);
	r->cpu_ns = cpu;
	r->bytes_told = *r->bytes;
}

/* Groups of one file go on in order; what is an hour ahead was written before a clock was set. */
static int64_t in_order(const struct xrd_recorder *r, int64_t usec)
{
	bool late = usec <= r->last_us && r->last_us - usec < (int64_t)3600 * 1000000;
	return late ? r->last_us + 1 : usec;
}

static void make_group(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
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
	put_cost(r, rows);
}

static int to_archive(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	make_group(r, usec, s);
	int e = archiver_put(&r->out, usec, buf_str(&r->group), !r->begun);
	if (r->live)
		tidy_up(r);
	if (e < 0 && !r->said)
		say_error(r->listener, "%s/%s: %s; the next record group has its sums, too", r->dir,
			  r->host.name, strerror(-e));
	r->said = e < 0;
	r->begun |= e == 0;
	if (e < 0 || r->out.full)
		return e;
	r->last_us = r->out.store.archive.last_us;
	r->written = true;
	return 0;
}

/* Whole, or a file is as it was. */
static int append(const struct xrd_recorder *r, struct str text)
{
	uint64_t before = xrd_recorder_size(r);
	int e = files_write(r->fd, text);
	if (e < 0 && xrd_recorder_size(r) > before && ftruncate(r->fd, (off_t)before) == 0)
		lseek(r->fd, 0, SEEK_END);
	return e;
}

static int to_stream(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	r->last_us = in_order(r, usec);
	make_group(r, r->last_us, s);
	if (r->headed)
		return append(r, buf_str(&r->group));
	struct buf text CLEANUP(buf_free) = { 0 };
	if (files_has_content(r->fd))	/* of a run before this one, be it torn */
		buf_add_char(&text, '\n');
	put_header(r, &text);
	buf_add(&text, buf_str(&r->group));
	int e = append(r, buf_str(&text));
	r->headed = e == 0;
	return e;
}

int xrd_recorder_minute(struct xrd_recorder *r, int64_t usec, const struct xrd_sums *s)
{
	if (r->dir)
		return to_archive(r, usec, s);
	int e = to_stream(r, usec, s);
	r->begun |= e == 0;
	r->written |= e == 0;
	return e;
}
