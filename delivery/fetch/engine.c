/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - query ClickHouse over HTTP, and call a function for each row of the answer */
#include "fetch/engine.h"

#include <errno.h>
#include <string.h>
#include "sinks/url.h"

struct engine_answer {
	const struct row_taker *to;
	struct buf text;	/* received bytes of a row that is not complete yet */
	int error;
};

int engine_open(struct engine *e, const struct https_keys *keys, const char *url,
		struct buf *why)
{
	int r = https_check(keys, "url", url, why);
	if (r == 0)
		r = url_add_parameter(&e->url, url, "database", "nodometer", why);
	buf_add_char(&e->url, '\0');
	if (r == 0)
		e->https = https_open(keys, &e->retry_after_s);
	return r;
}

void engine_close(struct engine *e)
{
	https_close(e->https);
	buf_free(&e->url);
}

static bool engine_take_piece(void *arg, struct str piece)
{
	struct engine_answer *a = arg;
	struct row_value v[ROW_BINARY_COLUMNS];
	buf_add(&a->text, piece);
	struct str rest = buf_str(&a->text);
	int r;
	while ((r = row_binary_take(&rest, a->to->columns, v)) > 0 && a->error == 0)
		a->error = a->to->take(a->to->arg, v);
	if (r < 0)
		a->error = r;
	if (rest.n && rest.p != a->text.p)
		memmove(a->text.p, rest.p, rest.n);
	a->text.n = rest.n;
	return a->error == 0;
}

static bool engine_is_wanted(void *arg)
{
	const struct engine_answer *a = arg;

	return a->to->is_wanted(a->to->arg);
}

int engine_ask(struct engine *e, struct str query, const struct row_taker *to, struct buf *why)
{
	static const char *const headers[] = { "Content-Type: text/plain", NULL };
	struct buf error CLEANUP(buf_free) = { 0 };
	struct engine_answer a = { .to = to };
	const struct https_request q = {
		.method = "POST", .url = e->url.p, .headers = headers, .fd = -1,
		.n = query.n, .body = query.p, .take = engine_take_piece, .arg = &a,
		.is_wanted = engine_is_wanted,
	};
	int r = https_do(e->https, &q, &error);
	bool cut = a.text.n > 0;
	buf_free(&a.text);
	if (a.error < 0 || (r >= 0 && cut))
		return a.error < 0 ? a.error : -EBADMSG;
	if (r >= 0 && r / 100 == 2)
		return 0;
	if (r != -ECANCELED)
		buf_add(why, buf_str(&error));
	return r < 0 ? r : -EREMOTEIO;
}
