/* SPDX-License-Identifier: BSD-3-Clause */
/* request.c - represent a request for a mark as text */
#include "recorder/request.h"

#include <errno.h>
#include "schema/marks.h"

static const char *const verbs[] = {
	[REQUEST_MARK] = "mark", [REQUEST_BEGIN] = "begin", [REQUEST_END] = "end",
};

/* Returns true if the text would be read as a mark of a job or of counters. */
static bool request_is_reserved_mark(struct str text)
{
	struct str word;
	return !str_take_word(&text, &word) || str_eq(word, STR("begin")) ||
	       str_eq(word, STR("end")) || str_eq(word, STR("attributes")) ||
	       str_starts(word, STR(MARK_COUNTERS_PREFIX));
}

int request_check(struct request *q)
{
	struct str text = str_trim(q->text), id;
	if (q->what == REQUEST_MARK)
		return request_is_reserved_mark(q->text) ? -EINVAL : 0;
	if (!str_take_word(&text, &id) || !job_id_valid(id) || !attributes_read(text, &q->known))
		return -EINVAL;
	q->id = id;
	q->attributes = str_trim(text);
	return 0;
}

void request_put(const struct request *q, struct buf *to)
{
	if (q->source != JOB_FROM_HOOK)
		buf_addf(to, "%s ", job_source_names[q->source]);
	buf_addf(to, "%s " STR_FMT, verbs[q->what], STR_ARG(q->text));
}

int request_leave(struct spool *s, const struct request *q, char *name)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	request_put(q, &text);
	return text.n > SPOOL_MARK_MAX ? -EMSGSIZE :
		spool_leave(s, q->usec, buf_str(&text), name);
}

bool request_take(struct str text, struct request *ret)
{
	enum job_source source = JOB_FROM_HOOK;
	struct str verb, rest = text;
	size_t what = 0;
	if (str_take_word(&rest, &verb) && job_source_find(verb, &source))
		text = rest;
	else
		source = JOB_FROM_HOOK;
	if (!str_take_word(&text, &verb))
		return false;
	while (what < ARRAY_SIZE(verbs) && !str_eq(verb, str_of(verbs[what])))
		what++;
	if (what == ARRAY_SIZE(verbs))
		return false;
	*ret = (struct request){ .what = (enum request_what)what, .source = source,
				 .text = str_trim(text) };
	return true;
}
