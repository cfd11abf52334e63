/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_now.c - the agent's own sample, for who looks at the node right now */
#include <errno.h>
#include <string.h>
#include "agent/control.h"
#include "agent/daemon.h"
#include "base/clock.h"
#include "schema/type.h"

#define FRESH_NS 900000000	/* so old it may be: many who ask cost what one does */
#define ROOM     (CONTROL_REPLY_MAX - 16)

/*
 * What the kernel keeps from ordinary users: counters, processes of others, and power, which tells
 * what a processor computes (CVE-2020-8694).
 */
static bool is_guarded(const struct type *t)
{
	return t->counters || strstr(t->name, "rapl") || strcmp(t->name, "proc") == 0;
}

/* What this agent does not know is left out. */
static void choose_types(struct str list, bool trusted, struct buf *to)
{
	struct str item;
	char name[64];

	while (str_take_item(&list, &item)) {
		const struct type *t = str_copy(name, sizeof(name), item) ? type_find(name) : NULL;
		if (t && (trusted || !is_guarded(t)))
			buf_addf(to, "%s%s", to->n ? "," : "", t->name);
	}
}

int sample_now(struct daemon *d, const struct control_request *q, struct buf *to)
{
	struct buf wanted CLEANUP(buf_free) = { 0 };
	struct buf *text = &d->sample.text;
	int r = 0;

	choose_types(q->argument, q->trusted, &wanted);
	if (!wanted.n)
		return -EINVAL;
	bool fresh = d->sample.taken_ns && monotonic_ns() - d->sample.taken_ns < FRESH_NS;
	if (fresh && (!text->n || !str_eq(buf_str(&wanted), buf_str(&d->sample.types))))
		return -EAGAIN;
	if (!fresh) {
		text->n = d->sample.types.n = 0;
		buf_add(&d->sample.types, buf_str(&wanted));
		r = recorder_sample_now(&d->recorder, buf_str(&wanted), text);
		d->sample.taken_ns = monotonic_ns();
	}
	if (r == 0 && text->n > ROOM)
		r = -E2BIG;
	if (r == 0)
		buf_add(to, buf_str(text));
	return r;
}
