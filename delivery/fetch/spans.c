/* SPDX-License-Identifier: BSD-3-Clause */
/* spans.c - list the time spans of each host whose records must be fetched */
#include "fetch/spans.h"

#include <errno.h>
#include <stdlib.h>
#include "base/vec.h"

/*
 * a request for the newest records fetches at most this many microseconds before a span's last
 * record
 */
#define NEWEST_US INT64_C(3600000000)

static int64_t spans_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t spans_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * Return the span to fetch for records with times from first to last: if a job was requested, all
 * of it; otherwise only the part in the requested time.
 */
static struct time_span spans_around(const struct spans *s, int64_t first, int64_t last)
{
	const struct answer_request *q = s->q;
	if (q->what == ANSWER_NEWEST && last - NEWEST_US > first)
		first = last - NEWEST_US;
	if (q->job.n == 0 && q->since > first)
		first = q->since;
	if (q->job.n == 0 && q->until < last)
		last = q->until;
	return (struct time_span){ 0, spans_max(first, s->near) - s->near,
			      spans_min(last, INT64_MAX - s->near) + s->near };
}

int spans_add(struct spans *s, struct str host, int64_t first, int64_t last)
{
	if (first < 0 || last < first || host.n > ANSWER_HOST_MAX)
		return -EBADMSG;
	struct time_span new = spans_around(s, first, last);
	if (new.until < new.since)
		return 0;
	struct time_span *before = s->n ? &s->span[s->n - 1] : NULL;
	size_t known = words_find(&s->hosts, host);
	new.host = known == WORDS_NONE ? words_add(&s->hosts, host) : known;
	if (before && before->host == new.host && before->until >= new.since) {
		before->until = spans_max(before->until, new.until);
		return 0;
	}
	if (before && before->host != new.host && known != WORDS_NONE)
		return -EBADMSG;
	if (s->n == SPANS_MAX)
		return -EFBIG;
	s->span = vec_reserve(s->span, &s->cap, s->n + 1, sizeof(*s->span));
	s->span[s->n++] = new;
	return 0;
}

size_t spans_next(const struct spans *s, size_t *at, int64_t *done, int64_t most_us,
		  struct time_span *piece, size_t n)
{
	size_t found = 0;
	while (found < n && *at < s->n) {
		struct time_span p = s->span[*at];
		p.since = spans_max(p.since, *done);
		bool whole = p.until - p.since < most_us;
		if (!whole)
			p.until = p.since + most_us - 1;
		*at += whole;
		*done = whole ? INT64_MIN : p.until + 1;
		piece[found++] = p;
	}
	return found;
}

void spans_free(struct spans *s)
{
	words_free(&s->hosts);
	free(s->span);
}
