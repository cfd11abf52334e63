/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_now.c - the agent's own sample, for who looks at the node right now */
#include "agent/sample_now.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/vec.h"
#include "schema/type.h"

#define FRESH_NS 900000000	/* so old it may be: many who ask cost what one does */
#define ROOM     (CONTROL_REPLY_MAX - 16)

struct newest_sample {
	int64_t taken_ns;	/* monotonic */
	struct buf types, text;	/* text empty: there is none */
};

/*
 * Ordinary users may not read counters, processes of others, or power: the kernel forbids it. Power
 * gives away what a processor computes (CVE-2020-8694).
 */
static bool is_guarded(const struct type *t)
{
	return t->counters || strstr(t->name, "rapl") || strcmp(t->name, "proc") == 0;
}

/* Types that this agent does not know are left out. */
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

struct newest_sample *newest_sample_new(void)
{
	struct newest_sample *s = xrealloc(NULL, sizeof(*s));
	*s = (struct newest_sample){ 0 };
	return s;
}

int sample_now(struct newest_sample *s, struct recorder *r, const struct control_request *q,
	       struct buf *to)
{
	struct buf wanted CLEANUP(buf_free) = { 0 };
	int e = 0;

	choose_types(q->argument, q->trusted, &wanted);
	if (!wanted.n)
		return -EINVAL;
	bool fresh = s->taken_ns && monotonic_ns() - s->taken_ns < FRESH_NS;
	if (fresh && (!s->text.n || !str_eq(buf_str(&wanted), buf_str(&s->types))))
		return -EAGAIN;
	if (!fresh) {
		s->text.n = s->types.n = 0;
		buf_add(&s->types, buf_str(&wanted));
		e = recorder_sample_now(r, buf_str(&wanted), &s->text);
		s->taken_ns = monotonic_ns();
	}
	if (e == 0 && s->text.n > ROOM)
		e = -E2BIG;
	if (e == 0)
		buf_add(to, buf_str(&s->text));
	return e;
}

void newest_sample_free(struct newest_sample *s)
{
	buf_free(&s->types);
	buf_free(&s->text);
	free(s);
}
