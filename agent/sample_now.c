/* SPDX-License-Identifier: BSD-3-Clause */
/* sample_now.c - take a sample on request, for live viewers such as nodometer top */
#include "agent/sample_now.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/vec.h"
#include "schema/type.h"

/* ns; a sample up to this age is sent again, so that many clients cost no more than one */
#define REUSE_NS         900000000
#define SAMPLE_BYTES_MAX (CONTROL_REPLY_MAX - 16)

struct newest_sample {
	int64_t taken_ns;	/* time of the sample, in nanoseconds of CLOCK_MONOTONIC */
	/* .types: types of the sample; .text: the sample as text, empty if there is none */
	struct buf types, text;
};

/*
 * Return true if unprivileged users may not see the type: hardware counters, processes of other
 * users, and power that the kernel shows to root only. Power readings reveal the data that a
 * processor computes with (CVE-2020-8694, and CVE-2020-12912 of the driver amd_energy).
 */
static bool sample_type_is_guarded(const struct type *t)
{
	static const char *const guarded[] = {
		"proc", "process", "process_io", "hwmon_energy", "ipmi_dcmi",
	};
	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++)
		if (strcmp(t->name, guarded[i]) == 0)
			return true;
	return t->counters || strstr(t->name, "rapl");
}

/* Append the names of the requested types that exist and that the user may see. */
static void sample_choose_types(struct str list, bool trusted, struct buf *to)
{
	struct str item;
	char name[64];

	while (str_take_item(&list, &item)) {
		const struct type *t = str_copy(name, sizeof(name), item) ? type_find(name) : NULL;
		if (t && (trusted || !sample_type_is_guarded(t)))
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

	sample_choose_types(q->argument, q->trusted, &wanted);
	if (!wanted.n)
		return -EINVAL;
	bool fresh = s->taken_ns && monotonic_ns() - s->taken_ns < REUSE_NS;
	if (fresh && (!s->text.n || !str_eq(buf_str(&wanted), buf_str(&s->types))))
		return -EAGAIN;
	if (!fresh) {
		s->text.n = s->types.n = 0;
		buf_add(&s->types, buf_str(&wanted));
		e = recorder_sample_now(r, buf_str(&wanted), &s->text);
		s->taken_ns = monotonic_ns();
	}
	if (e == 0 && s->text.n > SAMPLE_BYTES_MAX)
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
