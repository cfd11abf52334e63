/* SPDX-License-Identifier: BSD-3-Clause */
/* byte_counts.c - how many bytes an access moved, and how reliable the counts are */
#include "xrootd/join/byte_counts.h"

#include "xrootd/join/xrd_put.h"

int64_t bytes_plus(int64_t a, int64_t b)
{
	int64_t v;
	return __builtin_add_overflow(a, b, &v) ? INT64_MAX : v;
}

struct close_facts {
	/* .forced: the close was forced; .http, .xroot, .file: protocol (all false: unknown) */
	bool forced, http, xroot, file;
	bool rw, ops, cache;
	uint32_t server, client;	/* release of the server and of the client; 0: unknown */
	const struct xrd_record *close;
	const struct xrd_ops *o;
};

/*
 * Rules that tell which requests a server leaves out of the counts in a close record (from
 * XrdXrootdFileStats.hh, XrdXrootdXeqPgrw.cc, XrdXrootdFile.cc and XrdXrootdMonFile.cc, 5.0 to
 * 6.1.0). If a rule holds, a count of 0 is unknown (with zero_stands: a lower bound), and any other
 * count is a lower bound. An unknown release is treated as the release that omits most. Counts
 * without a rule are exact, for example pgread and pgwrite of 5.3 and later at an orderly close,
 * and HTTP reads.
 */
static bool close_has_pages(const struct close_facts *f)
{
	return !f->http && (!f->server || f->server >= XRD_RELEASE(5, 2, 0)) &&
	       (!f->client || f->client >= XRD_RELEASE(5, 2, 0));
}

static bool misses_pages_at_forced_close(const struct close_facts *f)
{
	return f->forced && close_has_pages(f);
}

static bool misses_pages_written_at_forced_close(const struct close_facts *f)
{
	return misses_pages_at_forced_close(f) && (f->rw || f->close->write > 0);
}

static bool misses_pages_of_5_2(const struct close_facts *f)
{
	return close_has_pages(f) && f->server >= XRD_RELEASE(5, 2, 0) &&
	       f->server < XRD_RELEASE(5, 3, 0);
}

static bool misses_pages_written_of_5_2(const struct close_facts *f)
{
	return misses_pages_of_5_2(f) && (f->rw || f->close->write > 0);
}

static bool misses_async_reads(const struct close_facts *f)
{
	return !f->http && f->cache && (!f->server || f->server >= XRD_RELEASE(5, 3, 0));
}

static bool misses_http_put(const struct close_facts *f)
{
	return !f->xroot && f->rw && f->close->write == 0 && f->server < XRD_RELEASE(5, 7, 3);
}

static bool misses_vector_writes(const struct close_facts *f)
{
	return f->ops && f->o->write > 0 && (f->o->write_min == 0 || f->close->write == 0);
}

/*
 * Check if an uncounted third-party copy may have written the file. The protocol "file"
 * (nodometer-trace) has no such copies.
 */
static bool misses_third_party_copy(const struct close_facts *f)
{
	return !f->http && !f->file && f->rw && f->close->write == 0 &&
	       (!f->ops || f->o->write == 0);
}

static const struct count_rule {
	bool write;		/* the rule is about writes; false: about reads */
	bool zero_stands;	/* a count of 0 is a lower bound, not unknown */
	bool (*holds)(const struct close_facts *f);
	const char *why;
} rules[] = {
	{ false, false, misses_pages_at_forced_close,
	  "pgread is not counted at a forced close" },
	{ true,  false, misses_pages_written_at_forced_close,
	  "pgwrite is not counted at a forced close" },
	{ false, false, misses_pages_of_5_2,         "servers 5.2 do not count pgread" },
	{ true,  false, misses_pages_written_of_5_2, "servers 5.2 do not count pgwrite" },
	{ true,  false, misses_http_put,         "servers before 5.7.3 do not count HTTP writes" },
	{ true,  false, misses_vector_writes,    "writev is not counted" },
	{ false, false, misses_async_reads,      "asynchronous reads of caches are not counted" },
	{ true,  true,  misses_third_party_copy, "a third-party copy is not counted" },
};

static enum xrd_protocol transfer_protocol(const struct xrd_transfer *t)
{
	if (t->client && t->client->login)
		return (enum xrd_protocol)t->client->protocol;
	const struct xrd_who who = xrd_who_of(NULL, t->file);
	return xrd_who_protocol(&who);
}

static struct close_facts close_facts_of(const struct xrd_transfer *t)
{
	const struct xrd_file *file = t->file;
	const struct xrd_record *close = &file->close->record;
	enum xrd_protocol by = transfer_protocol(t);
	return (struct close_facts){
		.forced = close->flags & XRD_FORCED,
		.http = by == XRD_BY_HTTP,
		.xroot = by == XRD_BY_XROOT || by == XRD_BY_FILE,
		.file = by == XRD_BY_FILE,
		.rw = file->for_write || !file->opened,
		.ops = close->flags & XRD_HAS_OPS,
		.cache = t->server && t->server->cache,
		.server = t->server ? t->server->release : 0,
		.client = t->client ? t->client->release : 0,
		.close = close, .o = &close->ops,
	};
}

static const struct byte_count negative = {
	BYTES_UNKNOWN, FROM_NOTHING, 0, -1, "the server reported a negative count"
};

static struct byte_count count_at_close(const struct close_facts *f, bool write, int64_t bytes,
					int64_t n)
{
	struct byte_count c = { BYTES_EXACT, FROM_CLOSE, bytes, f->ops && n >= 0 ? n : -1, NULL };
	if (bytes < 0)
		return negative;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct count_rule *r = &rules[i];
		enum certainty is = bytes || r->zero_stands ? BYTES_AT_LEAST : BYTES_UNKNOWN;
		if (r->write != write || is <= c.is || !r->holds(f))
			continue;
		c.is = is;
		c.why = r->why;
		c.from = is == BYTES_UNKNOWN ? FROM_NOTHING : FROM_CLOSE;
	}
	return c;
}

/* Get the count of vector reads, which servers always count. */
static struct byte_count count_vectors_at_close(const struct close_facts *f)
{
	if (f->close->readv < 0)
		return negative;
	return (struct byte_count){ BYTES_EXACT, FROM_CLOSE, f->close->readv,
				    f->ops && f->o->readv >= 0 ? f->o->readv : -1, NULL };
}

static struct byte_count count_so_far(const struct xrd_file *f, int64_t bytes)
{
	if (!f->moved)
		return (struct byte_count){ BYTES_UNKNOWN, FROM_NOTHING, 0, -1, "no close" };
	if (bytes < 0)
		return negative;
	return (struct byte_count){ BYTES_AT_LEAST, FROM_REPORT, bytes, -1, "no close" };
}

/* Check that the t-stream delivered all requests since the open. */
static bool has_all_requests(const struct xrd_transfer *t)
{
	return t->file->opened && t->file->closed && t->server && t->server->counts &&
	       (uint32_t)t->server->seen.n[XRD_LOST] == t->file->lost_at_open;
}

/*
 * Check if an unknown count is really 0: all requests of the file were received, and none is of
 * this kind. The t-stream does not report writev, so a count of writes also needs a close without
 * writes.
 */
static bool count_is_zero(const struct xrd_transfer *t, const struct byte_count *c, bool write)
{
	const struct xrd_file *f = t->file;
	const struct xrd_record *close = f->close ? &f->close->record : NULL;
	bool writev = write && !(close && close->flags & XRD_HAS_OPS && close->ops.write == 0);
	return c->is == BYTES_UNKNOWN && !writev && has_all_requests(t) &&
	       (f->t_read > 0 || f->t_readv > 0 || f->t_written > 0);
}

/*
 * Set *c to the bytes of n requests in the t-stream, unless *c is exact or larger. The new count is
 * a lower bound if requests are missing.
 */
static void count_from_requests(const struct xrd_transfer *t, struct byte_count *c, int64_t bytes,
				uint32_t n, bool write)
{
	bool all = has_all_requests(t) && c->n <= (int32_t)n;
	if (c->is == BYTES_EXACT || bytes < c->bytes ||
	    (bytes <= 0 && !count_is_zero(t, c, write)))
		return;
	*c = (struct byte_count){ all ? BYTES_EXACT : BYTES_AT_LEAST, FROM_REQUESTS, bytes,
				  c->n > (int32_t)n ? c->n : (int32_t)n,
				  all ? NULL : "not all requests are known" };
}

/* Use the size that a third-party copy reported. Servers before 5.6 report the size modulo 2^32. */
static void count_from_copy(const struct xrd_transfer *t, struct byte_count *c)
{
	bool whole = t->server && t->server->release >= XRD_RELEASE(5, 6, 0);
	int64_t size = t->file->copied;
	if (c->is == BYTES_EXACT || size <= c->bytes)
		return;
	*c = (struct byte_count){ whole ? BYTES_EXACT : BYTES_AT_LEAST, FROM_COPY, size, c->n,
				  whole ? NULL : "a server before 5.6 reports 32 bits of a size" };
}

/*
 * Mark the number of requests as unknown if it is 0 although bytes may have been moved: the server
 * did not count these requests.
 */
static void forget_no_requests(struct byte_count *c)
{
	if (c->n == 0 && (c->is == BYTES_UNKNOWN || c->bytes > 0))
		c->n = -1;
}

/*
 * Get the counts of a third-party copy by HTTP. All bytes of the reported size were moved, even if
 * the copy failed.
 */
static struct byte_counts counts_of_http_copy(const struct xrd_transfer *t)
{
	const struct byte_count none = { BYTES_EXACT, FROM_COPY, 0, -1, NULL };
	struct byte_counts all = { none, none, none, -1 };
	struct byte_count *moved = t->copy->push ? &all.read : &all.write;
	moved->is = BYTES_UNKNOWN;
	moved->bytes = -1;
	count_from_copy(t, moved);
	return all;
}

struct byte_counts byte_counts_of(const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	struct byte_counts all = { .segments = -1 };
	if (t->copy)
		return counts_of_http_copy(t);
	if (f->close) {
		const struct xrd_record *c = &f->close->record;
		struct close_facts facts = close_facts_of(t);
		all.read = count_at_close(&facts, false, c->read, c->ops.read);
		all.readv = count_vectors_at_close(&facts);
		all.write = count_at_close(&facts, true, c->write, c->ops.write);
		all.segments = facts.ops ? c->ops.segments : -1;
	} else {
		all.read = count_so_far(f, f->read);
		all.readv = count_so_far(f, f->readv);
		all.write = count_so_far(f, f->write);
	}
	count_from_requests(t, &all.read, f->t_read, f->t_reads, false);
	count_from_requests(t, &all.readv, f->t_readv, f->t_readvs, false);
	count_from_requests(t, &all.write, f->t_written, f->t_writes, true);
	if (all.readv.from == FROM_REQUESTS)
		all.segments = f->t_segments;
	count_from_copy(t, &all.write);
	forget_no_requests(&all.read);
	forget_no_requests(&all.readv);
	forget_no_requests(&all.write);
	return all;
}

/*
 * Get the bytes of file data that were read: at most the counted bytes, because a read may go past
 * the end of the file.
 */
struct payload read_payload_of(const struct xrd_transfer *t, const struct byte_counts *all)
{
	const struct xrd_file *f = t->file;
	int64_t bytes = bytes_plus(all->read.bytes, all->readv.bytes);
	if (all->read.is != BYTES_EXACT || all->readv.is != BYTES_EXACT)
		return (struct payload){ PAYLOAD_UNKNOWN, 0, "not all bytes are known" };
	if (!bytes || t->copy || (f->opened && !f->for_write && bytes == f->size))
		return (struct payload){ PAYLOAD_EXACT, bytes, NULL };
	return (struct payload){ PAYLOAD_AT_MOST, bytes,
				 "reads may go past the end of the file" };
}

/* Subtract the checksums of page writes: 4 bytes for each page of 4096 bytes. */
static int64_t without_checksums(int64_t bytes)
{
	return bytes - 4 * (bytes / 4100 + (bytes % 4100 != 0));
}

/*
 * Check that no write was a page write. The number of writes includes page writes, but the smallest
 * and largest size do not, so the bytes would be outside the number times these sizes.
 */
static bool close_has_all_sizes(const struct xrd_ops *o, int64_t bytes)
{
	return bytes >= (int64_t)o->write * o->write_min &&
	       bytes <= (int64_t)o->write * o->write_max;
}

struct payload write_payload_of(const struct xrd_transfer *t, const struct byte_counts *all)
{
	const struct byte_count *c = &all->write;
	if (c->is != BYTES_EXACT)
		return (struct payload){ PAYLOAD_UNKNOWN, 0, "not all bytes are known" };
	if (!c->bytes || c->from == FROM_COPY || !t->file->close)
		return (struct payload){ PAYLOAD_EXACT, c->bytes, NULL };
	const struct close_facts f = close_facts_of(t);
	bool of_close = c->from == FROM_CLOSE && f.ops;
	if (!close_has_pages(&f) || f.file || (of_close && close_has_all_sizes(f.o, c->bytes)))
		return (struct payload){ PAYLOAD_EXACT, c->bytes, NULL };
	if (of_close && f.o->write_min > f.o->write_max)
		return (struct payload){ PAYLOAD_AT_MOST, without_checksums(c->bytes),
					 "without the checksums of whole pages" };
	return (struct payload){ PAYLOAD_AT_MOST, c->bytes, "checksums of pages may be in it" };
}

bool byte_counts_may_improve(const struct xrd_transfer *t)
{
	if (!t->file->close || !(t->file->close->record.flags & XRD_FORCED) || !t->server ||
	    !t->server->requests)
		return false;
	struct byte_counts c = byte_counts_of(t);
	return c.read.from != FROM_CLOSE || c.read.is != BYTES_EXACT ||
	       c.write.from != FROM_CLOSE || c.write.is != BYTES_EXACT;
}

bool byte_counts_may_be_copied(const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	if (!f->close || f->close->record.flags & XRD_FORCED || f->copied || !t->server ||
	    !t->server->copies)
		return false;
	struct byte_count write = byte_counts_of(t).write;
	return write.is == BYTES_AT_LEAST && write.bytes == 0;
}

/*
 * Check if a closed file lacks a byte count. A file opened only for reading needs no count of
 * writes.
 */
static bool byte_counts_are_missing(const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	bool rw = f->for_write || !f->opened;
	const struct xrd_record *r = f->close ? &f->close->record : NULL;
	if (!r || (r->read > 0 && r->readv >= 0 && (r->write > 0 || (r->write == 0 && !rw))))
		return false;
	struct byte_counts c = byte_counts_of(t);
	return c.read.is == BYTES_UNKNOWN || c.readv.is == BYTES_UNKNOWN ||
	       c.write.is == BYTES_UNKNOWN;
}

unsigned xrd_missing(const struct xrd_transfer *t)
{
	const struct xrd_file *f = t->file;
	return (byte_counts_are_missing(t) ? XRD_NO_BYTES : 0) |
	       (f->opened ? 0 : XRD_NO_OPEN) | (f->closed ? 0 : XRD_NO_CLOSE) |
	       (t->client && t->client->known ? 0 : XRD_NO_USER) |
	       (f->path && *f->path ? 0 : XRD_NO_PATH) |
	       (t->server && t->server->known ? 0 : XRD_NO_SERVER);
}
