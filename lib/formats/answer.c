/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.c - requests to nodometer-answer, and its replies */
#include "formats/answer.h"

#include <errno.h>

/*
 * First word of each kind of request. If counters are not requested, the word "runs" replaces
 * "records".
 */
static const char *const answer_words[ANSWER_WHATS] = {
	[ANSWER_RECORDS] = "records", [ANSWER_NEWEST] = "newest", [ANSWER_STORED] = "kept",
	[ANSWER_ONLY_STORED] = "only-kept",
};

static void answer_put_time(struct buf *b, int64_t usec)
{
	buf_add_char(b, ' ');
	if (usec < 0 || usec == INT64_MAX)
		buf_add_char(b, '-');
	else
		buf_add_u64(b, (uint64_t)usec);
}

void answer_put_request(struct buf *b, const struct answer_request *q)
{
	buf_addf(b, "%s", q->what == ANSWER_RECORDS && !q->rows ? "runs" : answer_words[q->what]);
	answer_put_time(b, q->since);
	answer_put_time(b, q->until);
	buf_addf(b, " " STR_FMT, STR_ARG(q->job.n ? q->job : STR("-")));
}

static bool is_number(struct str word, int64_t *ret)
{
	uint64_t v;
	if (!str_is_u64(word) || !str_take_u64(&word, &v) || v > INT64_MAX)
		return false;
	*ret = (int64_t)v;
	return true;
}

/* Parse a time and the blank after it. The text "-" sets *ret to `none`. */
static bool answer_take_time(struct str *text, int64_t none, int64_t *ret)
{
	struct str word;
	if (!str_take_until(text, ' ', &word))
		return false;
	*ret = none;
	return str_eq(word, STR("-")) || is_number(word, ret);
}

/* Return true if s has the form of a job id or hostname of at most `most` bytes. */
static bool is_word(struct str s, size_t most)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f || s.p[i] == ',')
			return false;
	return s.n > 0 && s.n <= most;
}

static bool answer_take_what(struct str word, struct answer_request *q)
{
	q->what = ANSWER_RECORDS;
	q->rows = !str_eq(word, STR("runs"));
	while (q->rows && q->what < ANSWER_WHATS && !str_eq(word, str_of(answer_words[q->what])))
		q->what++;
	return q->what < ANSWER_WHATS;
}

int answer_take_request(struct str text, struct answer_request *ret)
{
	struct answer_request q;
	struct str what;
	if (!str_take_until(&text, ' ', &what) || !answer_take_time(&text, INT64_MIN, &q.since) ||
	    !answer_take_time(&text, INT64_MAX, &q.until) || !is_word(text, ANSWER_JOB_MAX))
		return -EBADMSG;
	if (!answer_take_what(what, &q))
		return -EBADMSG;
	q.job = str_eq(text, STR("-")) ? STR("") : text;
	*ret = q;
	return 0;
}

void answer_put_host(struct buf *b, int64_t epoch, struct str host)
{
	buf_add_u64(b, epoch < 0 ? 0 : (uint64_t)epoch);
	buf_addf(b, " " STR_FMT, STR_ARG(host));
}

int answer_take_host(struct str text, int64_t *epoch, struct str *host)
{
	struct str word;
	int64_t at;
	if (!str_take_until(&text, ' ', &word) || !is_number(word, &at) ||
	    !is_word(text, ANSWER_HOST_MAX) || str_peek(text) == '.' || str_has(text, '/'))
		return -EBADMSG;
	*epoch = at;
	*host = text;
	return 0;
}

void answer_put_end(struct buf *b, bool whole, struct str text)
{
	buf_addf(b, "%s " STR_FMT, whole ? "ok" : "error", STR_ARG(text));
}

int answer_take_end(struct str text, bool *whole, struct str *said)
{
	bool ok = str_take_prefix(&text, STR("ok "));
	if (!ok && !str_take_prefix(&text, STR("error ")))
		return -EBADMSG;
	*whole = ok;
	*said = text;
	return 0;
}
