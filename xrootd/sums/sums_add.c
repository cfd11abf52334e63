/* SPDX-License-Identifier: BSD-3-Clause */
/* sums_add.c - add each event and each transfer to the sums of its minute */
#include "xrootd/sums/xrd_sums.h"

#include "formats/xrootd/xrd_gline.h"
#include "xrootd/join/byte_counts.h"
#include "xrootd/sums/sums_parts.h"
#include "xrootd/join/xrd_put.h"

static void sums_add_count(uint64_t *to, enum xrd_key key, int64_t v)
{
	if (v > 0)
		to[key] = sums_plus(to[key], (uint64_t)v);
}

static void sums_add_uncounted(uint64_t *to, enum xrd_key key, int64_t v, int64_t counted)
{
	if (counted > 0 && v > 0)
		v -= counted;
	sums_add_count(to, key, v);
}

/*
 * Add the bytes that the file moved since its last report. Call this before the file's counts are
 * updated.
 */
static void sums_add_moved(uint64_t *to, const struct xrd_event *e)
{
	const struct xrd_file *f = e->file;
	const struct xrd_record *r = e->record;
	bool moved = f && f->moved;
	const struct {
		enum xrd_key key, explained;
		int64_t now, before;
	} bytes[] = {
		{ READ_BYTES,  OUT_EXPLAINED, r->read,  moved ? f->read : 0 },
		{ READV_BYTES, OUT_EXPLAINED, r->readv, moved ? f->readv : 0 },
		{ WRITE_BYTES, IN_EXPLAINED,  r->write, moved ? f->write : 0 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		int64_t before = bytes[i].before > 0 ? bytes[i].before : 0;
		if (bytes[i].now <= before)
			continue;
		sums_add_count(to, bytes[i].key, bytes[i].now - before);
		sums_add_count(to, bytes[i].explained, bytes[i].now - before);
	}
}

static bool sums_file_has_ended(const struct xrd_file *f)
{
	return f && (f->closed || f->entry.has_ended);
}

static void sums_add_close(struct sums_host *h, uint64_t *to, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	sums_add_moved(to, e);
	to[CLOSES]++;
	to[CLOSES_FORCED] += (r->flags & XRD_FORCED) != 0;
	if (!(r->flags & XRD_HAS_OPS))
		return;
	h->sends[TYPE_OPS] = true;
	sums_add_count(to, READS, r->ops.read);
	sums_add_count(to, READVS, r->ops.readv);
	sums_add_count(to, READV_SEGMENTS, r->ops.segments);
	sums_add_count(to, WRITES, r->ops.write);
}

static void sums_add_f(struct sums_host *h, uint64_t *to, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	h->sends[TYPE_OPENS] = true;
	h->sends[TYPE_FILES] |= r->kind == XRD_CLOSE || r->kind == XRD_XFR;
	switch (r->kind) {
	case XRD_OPEN:
		to[OPENS]++;
		to[OPENS_RW] += (r->flags & XRD_HAS_RW) != 0;
		break;
	case XRD_CLOSE:
		if (!sums_file_has_ended(e->file))
			sums_add_close(h, to, e);
		break;
	case XRD_XFR:
		if (!sums_file_has_ended(e->file))
			sums_add_moved(to, e);
		break;
	case XRD_DISC:
		to[DISCONNECTS]++;
		break;
	default:
		break;
	}
}

static void sums_add_io(struct sums_host *h, uint64_t *to, const struct xrd_record *r)
{
	int64_t n = r->length;
	h->sends[TYPE_IO] = true;
	if (r->kind == XRD_READV) {
		to[IO_READVS]++;
		sums_add_count(to, IO_READ_BYTES, r->unpacked ? 0 : n);
		return;
	}
	to[n < 0 ? IO_WRITES : IO_READS]++;
	sums_add_count(to, n < 0 ? IO_WRITE_BYTES : IO_READ_BYTES, n < 0 ? -n : n);
}

static void sums_add_t(struct sums_host *h, uint64_t *to, const struct xrd_event *e)
{
	const struct xrd_record *r = e->record;
	if (e->repeated)
		return;
	if (r->kind == XRD_IO || r->kind == XRD_READV) {
		sums_add_io(h, to, r);
		return;
	}
	h->sends[TYPE_T] |= r->kind == XRD_OPEN || r->kind == XRD_CLOSE;
	to[T_OPENS] += r->kind == XRD_OPEN;
	if (r->kind != XRD_CLOSE)
		return;
	to[T_CLOSES]++;
	sums_add_count(to, T_READ_BYTES, r->read);
	sums_add_count(to, T_WRITE_BYTES, r->write);
}

/*
 * Add a close of a cached file. The close is a hit if all bytes that were read came from the cache.
 */
static void sums_add_cache(struct sums_host *h, uint64_t *to, const struct xrd_g_cache *c)
{
	h->sends[TYPE_CACHE] = true;
	to[CACHE_CLOSES]++;
	to[CACHE_HITS] += c->hit && !c->miss && !c->bypass;
	to[CACHE_HIT_BYTES] = sums_plus(to[CACHE_HIT_BYTES], c->hit);
	to[CACHE_MISS_BYTES] = sums_plus(to[CACHE_MISS_BYTES], c->miss);
	to[CACHE_BYPASS_BYTES] = sums_plus(to[CACHE_BYPASS_BYTES], c->bypass);
	if (!c->has_origin)
		return;
	h->sends[TYPE_ORIGIN] = true;
	to[CACHE_DISK_BYTES] = sums_plus(to[CACHE_DISK_BYTES], c->to_disk);
	to[CACHE_PREFETCH_BYTES] = sums_plus(to[CACHE_PREFETCH_BYTES], c->prefetch);
	to[CACHE_REMOTE_BYTES] = sums_plus(to[CACHE_REMOTE_BYTES],
					   sums_plus(c->to_disk, c->bypass));
}

/* Get the class of a copy's size. xrootd 5.5.3 sends 0 if it cannot read the size of the file. */
static enum xrd_key sums_size_class(uint64_t size)
{
	static const struct {
		uint64_t below;
		enum xrd_key key;
	} classes[] = {
		{ 1, COPIES_SIZELESS }, { 1000000, COPIES_BELOW_1M },
		{ 100000000, COPIES_BELOW_100M }, { 1000000000, COPIES_BELOW_1G },
		{ 10000000000, COPIES_BELOW_10G },
	};
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (size < classes[i].below)
			return classes[i].key;
	return COPIES_LARGER;
}

static void sums_add_copy(struct sums_host *h, uint64_t *to, const struct xrd_g_tpc *t)
{
	h->sends[TYPE_TPC] = true;
	to[COPIES_PUSHED] += t->push;
	to[t->failed ? COPIES_FAILED : COPIES]++;
	if (t->failed)
		return;
	to[sums_size_class(t->size)]++;
	to[COPIED_BYTES] = sums_plus(to[COPIED_BYTES], t->size);
}

static void sums_add_connection(struct sums_host *h, uint64_t *to, const struct xrd_g_tcp *t)
{
	h->sends[TYPE_TCP] = true;
	to[TCP_CONNECTIONS]++;
	to[TCP_IN_BYTES] = sums_plus(to[TCP_IN_BYTES], t->in);
	to[TCP_OUT_BYTES] = sums_plus(to[TCP_OUT_BYTES], t->out);
	to[TCP_LOST] = sums_plus(to[TCP_LOST], t->lost);
	to[TCP_RETRANSMITTED] = sums_plus(to[TCP_RETRANSMITTED], t->retransmitted);
}

static void sums_add_g(struct sums_host *h, uint64_t *to, const struct xrd_event *e)
{
	struct xrd_g_cache c;
	struct xrd_g_tpc t;
	struct xrd_g_tcp tcp;
	if (e->packet->provider == 'C' && xrd_g_cache(e->object, &c))
		sums_add_cache(h, to, &c);
	else if (e->packet->provider == 'P' && xrd_g_tpc(e->object, &t))
		sums_add_copy(h, to, &t);
	else if (e->packet->provider == 'T' && xrd_g_tcp(e->object, &tcp))
		sums_add_connection(h, to, &tcp);
}

void xrd_sums_event(struct xrd_sums *s, const struct xrd_event *e)
{
	char code = e->packet->code;
	struct sums_host *h = sums_host_of(s, e->server, code == '=');
	uint64_t *to = sums_at_minute(s, h, e->times->at / XRD_MINUTE);
	h->heard = s->now;
	sums_note_start(to, e->server);
	if (code == 'f') {
		sums_add_f(h, to, e);
	} else if (code == 't') {
		sums_add_t(h, to, e);
	} else if (e->record->kind == XRD_REDIRECT) {
		h->sends[TYPE_REDIRECT] = true;
		to[REDIRECTS]++;
	} else if (code == 'g') {
		sums_add_g(h, to, e);
	} else if (code == 'u') {
		h->sends[TYPE_USER] = true;
		to[LOGINS]++;
	}
}

/*
 * Add bytes and requests that are known only from single requests (t-stream) or from a copy.
 * Subtract the counts from the close and from reports, which were added before.
 */
static void sums_add_requests(struct sums_host *h, uint64_t *to, const struct xrd_transfer *t)
{
	static const struct xrd_ops none;
	const struct xrd_file *f = t->file;
	const struct xrd_record *c = f->close ? &f->close->record : NULL;
	if (!f->t_read && !f->t_readv && !f->t_written && !f->copied)
		return;
	const struct byte_counts all = byte_counts_of(t);
	const struct xrd_ops *o = c && c->flags & XRD_HAS_OPS ? &c->ops : &none;
	const struct {
		enum xrd_key bytes, explained, requests;
		const struct byte_count *n;
		int64_t bytes_counted, requests_counted;
	} kinds[] = {
		{ READ_BYTES,  OUT_EXPLAINED, READS,  &all.read,
		  c ? c->read : f->read,   o->read  },
		{ READV_BYTES, OUT_EXPLAINED, READVS, &all.readv,
		  c ? c->readv : f->readv, o->readv },
		{ WRITE_BYTES, IN_EXPLAINED,  WRITES, &all.write,
		  c ? c->write : f->write, o->write },
	};
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct byte_count *n = kinds[i].n;
		if (n->from < FROM_REQUESTS)
			continue;
		sums_add_uncounted(to, kinds[i].bytes, n->bytes, kinds[i].bytes_counted);
		/* the server's link counters do not include the bytes of a third-party copy */
		if (n->from == FROM_REQUESTS)
			sums_add_uncounted(to, kinds[i].explained, n->bytes,
					   kinds[i].bytes_counted);
		sums_add_uncounted(to, kinds[i].requests, n->n, kinds[i].requests_counted);
		h->sends[TYPE_OPS] |= n->n > 0;
	}
	if (all.readv.from >= FROM_REQUESTS)
		sums_add_uncounted(to, READV_SEGMENTS, all.segments, o->segments);
}

/* Add the transfer to the sums of the user's organisation. */
static void sums_add_org(uint64_t *to, const struct xrd_transfer *t)
{
	const struct byte_counts all = byte_counts_of(t);
	const struct {
		enum xrd_key key;
		const struct byte_count *n;
	} bytes[] = {
		{ ORG_READ_BYTES, &all.read }, { ORG_READV_BYTES, &all.readv },
		{ ORG_WRITE_BYTES, &all.write },
	};
	bool unknown = false;
	to[ORG_TRANSFERS]++;
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		bool known = bytes[i].n->is != BYTES_UNKNOWN;
		sums_add_count(to, bytes[i].key, known ? bytes[i].n->bytes : 0);
		unknown = unknown || !known;
	}
	to[ORG_BYTES_UNKNOWN] += unknown;
}

void xrd_sums_transfer(struct xrd_sums *s, const struct xrd_transfer *t)
{
	if (!t->server || !s->started)
		return;
	struct sums_host *h = sums_host_of(s, t->server, false);
	uint64_t *to = sums_at_minute(s, h, s->newest);
	struct xrd_who who = xrd_who_of(t->client, t->file);
	sums_add_org(sums_at_minute(s, sums_part_of(s, h, xrd_who_vo(&who)), s->newest), t);
	to[TRANSFERS]++;
	to[INCOMPLETE] += xrd_missing(t) != 0;
	to[CLOSES_BYTES_UNKNOWN] += (xrd_missing(t) & XRD_NO_BYTES) != 0;
	sums_add_requests(h, to, t);
}
