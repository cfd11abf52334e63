/* SPDX-License-Identifier: BSD-3-Clause */
/* encode.c - print records in the encodings that other systems import */
#include "data/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include "base/clock.h"
#include "schema/unfold.h"

#define PROGRESS_NS 200000000

static void encode_show_progress(struct encode *e, bool now)
{
	int64_t at = monotonic_ns();
	if (!e->progress || (!now && at - e->shown_ns < PROGRESS_NS))
		return;
	e->shown_ns = at;
	fprintf(stderr, "\r%zu of %zu files, %" PRIu64 " records", e->done, e->n_files, e->n);
}

void encode_pause_progress(void *encode)
{
	struct encode *e = encode;
	if (!e->progress)
		return;
	encode_show_progress(e, true);
	fputc('\n', stderr);
}

/* Start another host, whose counters are unrelated to earlier counters. */
static void encode_begin_host(struct encode *e, struct str host)
{
	if (e->unfold && str_eq(host, buf_str(&e->host)))
		return;
	unfold_free(e->unfold);
	rates_free(&e->rates);
	e->rates = (struct rates){ .n = 0 };
	e->unfold = unfold_new(e->wants, e->arg);
	e->host.n = 0;
	buf_add(&e->host, host);
}

void encode_begin_file(struct encode *e)
{
	raw_copy_source(&e->whole.copy);
}

void encode_put(struct encode *e, const struct record_source *from, const struct record *r,
		bool wanted, struct buf *out)
{
	encode_begin_host(e, record_host(from, r));
	struct line_node node = { buf_str(&e->host), e->label, e->n_labels, &e->rates, &e->whole };
	e->whole.from = from;
	e->whole.record = r;
	const struct record *u = unfold(e->unfold, r, from);
	if (!wanted)
		return;
	if (line_head_due(e->to, &node, u, &e->head))
		buf_add(out, buf_str(&e->head));
	e->to->put(out, &node, u);
	e->n++;
	encode_show_progress(e, false);
}

void encode_end_file(struct encode *e)
{
	if (e->unfold)
		unfold_sweep(e->unfold);
	e->done++;
}

void encode_free(struct encode *e)
{
	encode_pause_progress(e);
	unfold_free(e->unfold);
	rates_free(&e->rates);
	raw_copy_free(&e->whole.copy);
	buf_free(&e->host);
	buf_free(&e->head);
}
