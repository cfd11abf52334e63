/* SPDX-License-Identifier: BSD-3-Clause */
/* request_sizes.c - number and sizes of the requests of an access */
#include "xrootd/lines/request_sizes.h"

#include <math.h>

bool has_sizes(const struct request_sizes *k)
{
	return k->known && k->n > 0 && k->min >= 0 && k->min <= k->max;
}

bool has_sigma(const struct request_sizes *k)
{
	double n = (double)k->n;
	return has_sizes(k) && k->has_squares && (double)k->bytes <= n * k->max &&
	       (double)k->bytes >= n * k->min && k->squares / n >= 0;
}

/*
 * Compute the standard deviation by the formula of XRootD's System Monitoring Reference, 3.4.3: S =
 * sqrt(sum(x*x)/n - (sum(x)/n)^2).
 */
double sigma_of(const struct request_sizes *k)
{
	double mean = average_of(k), v = k->squares / (double)k->n - mean * mean;
	return v > 0 ? sqrt(v) : 0;
}

bool has_average(const struct request_sizes *k)
{
	return k->known && k->n > 0 && k->bytes >= 0;
}

double average_of(const struct request_sizes *k)
{
	return has_average(k) ? (double)k->bytes / (double)k->n : 0;
}

int64_t requests_of(const struct request_sizes *k)
{
	return k->known ? k->n : 0;
}

static struct request_sizes sizes_add(const struct request_sizes *a, const struct request_sizes *b)
{
	struct request_sizes k = *a;
	bool sizes = has_sizes(a) && has_sizes(b);
	k.known = a->known && b->known;
	if (!k.known || !b->n)
		return k;
	if (!a->n)
		return *b;
	k.bytes = a->bytes < 0 ? -1 : bytes_plus(a->bytes, b->bytes);
	k.n += b->n;
	k.squares += b->squares;
	k.has_squares = has_sigma(a) && has_sigma(b);
	k.min = !sizes ? 1 : a->min < b->min ? a->min : b->min;
	k.max = !sizes ? 0 : a->max > b->max ? a->max : b->max;
	return k;
}

/*
 * Get the sizes of one kind of request. The sizes in the close cover only the requests that the
 * close counts (`at_close`): if there were more requests, the smallest and largest size are
 * unknown.
 */
static struct request_sizes sizes_of_kind(const struct byte_count *c,
					  const struct request_sizes *at_close)
{
	struct request_sizes k = *at_close;
	k.known = c->n >= 0;
	k.n = c->n;
	k.bytes = c->is == BYTES_UNKNOWN ? -1 : c->bytes;
	if (at_close->known && k.bytes == at_close->bytes && k.n == at_close->n)
		return k;
	k.min = 1;
	k.max = 0;
	return k;
}

struct all_sizes all_sizes_of(const struct byte_counts *all, const struct xrd_record *close)
{
	static const struct xrd_record none;
	const struct xrd_record *c = close ? close : &none;
	const struct xrd_ops *o = &c->ops;
	bool ops = c->flags & XRD_HAS_OPS, ssq = c->flags & XRD_HAS_SSQ;
	const struct request_sizes
		single = { ops, c->read, o->read, o->read_min, o->read_max, c->ssq.read, ssq },
		vector = { ops, c->readv, o->readv, o->readv_min, o->readv_max, c->ssq.readv, ssq },
		write = { ops, c->write, o->write, o->write_min, o->write_max, c->ssq.write, ssq };
	struct all_sizes z = {
		.single = sizes_of_kind(&all->read, &single),
		.vector = sizes_of_kind(&all->readv, &vector),
		.write = sizes_of_kind(&all->write, &write),
		.segments = { all->segments >= 0, all->segments, all->readv.n, 1, 0, 0, false },
	};
	if (has_sizes(&z.vector))
		z.segments = (struct request_sizes){ true, o->segments, o->readv, o->segments_min,
						     o->segments_max, c->ssq.segments, ssq };
	z.reads = sizes_add(&z.single, &z.vector);
	return z;
}
