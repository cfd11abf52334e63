/* SPDX-License-Identifier: BSD-3-Clause */
/* request_sizes.c - how large the requests of an access were, as its close reports */
#include "tracers/xrootd/lines/request_sizes.h"

#include <math.h>

int64_t bytes_plus(int64_t a, int64_t b)
{
	int64_t v;
	return __builtin_add_overflow(a, b, &v) ? INT64_MAX : v;
}

bool has_sizes(const struct request_sizes *k)
{
	return k->known && k->n > 0 && k->min <= k->max;
}

bool has_sigma(const struct request_sizes *k)
{
	double n = (double)k->n;
	return has_sizes(k) && k->has_squares && (double)k->bytes <= n * k->max &&
	       (double)k->bytes >= n * k->min && k->squares / n >= 0;
}

/* Seed, 3.4.3: S = sqrt(sum(x*x)/n - (sum(x)/n)^2). */
double sigma_of(const struct request_sizes *k)
{
	double mean = average_of(k), v = k->squares / (double)k->n - mean * mean;
	return v > 0 ? sqrt(v) : 0;
}

double average_of(const struct request_sizes *k)
{
	return k->n > 0 ? (double)k->bytes / (double)k->n : NAN;
}

static struct request_sizes both(const struct request_sizes *a, const struct request_sizes *b)
{
	struct request_sizes k = *a;
	bool sizes = has_sizes(a) && has_sizes(b);
	if (!a->known || !a->n)
		return *b;
	if (!b->n)
		return *a;
	k.bytes = bytes_plus(a->bytes, b->bytes);
	k.n += b->n;
	k.squares += b->squares;
	k.has_squares = has_sigma(a) && has_sigma(b);
	k.min = !sizes ? 1 : a->min < b->min ? a->min : b->min;
	k.max = !sizes ? 0 : a->max > b->max ? a->max : b->max;
	return k;
}

struct all_sizes all_sizes_of(const struct xrd_record *c, bool closed)
{
	const struct xrd_ops *o = &c->ops;
	bool ops = closed && c->flags & XRD_HAS_OPS, ssq = closed && c->flags & XRD_HAS_SSQ;
	struct all_sizes z = {
		.single = { ops, c->read, o->read, o->read_min, o->read_max, c->ssq.read, ssq },
		.vector = { ops, c->readv, o->readv, o->readv_min, o->readv_max,
			    c->ssq.readv, ssq },
		.write = { ops, c->write, o->write, o->write_min, o->write_max,
			   c->ssq.write, ssq },
		.segments = { ops && o->readv > 0, o->segments, o->readv, o->segments_min,
			      o->segments_max, c->ssq.segments, ssq },
	};
	z.reads = both(&z.single, &z.vector);
	return z;
}
