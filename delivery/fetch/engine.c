/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c - ClickHouse is asked by HTTP, and answers row after row */
#include "fetch/engine.h"

#include <errno.h>
#include <string.h>

struct answer {
	const struct row_taker *to;
	struct buf text;	/* the begin of a row */
	int error;
};

int engine_open(struct engine *e, const struct https_keys *keys, const char *url,
		struct buf *why)
{
	bool named = strstr(url, "?database=") || strstr(url, "&database=");
	buf_addf(&e->url, "%s%s%c", url,
		 named ? "" : strchr(url, '?') ? "&database=nodometer" : "?database=nodometer",
		 '\0');
	int r = https_check(keys, url, why);
	if (r == 0)
		e->https = https_open(keys, &e->rest_s);
	return r;
}

void engine_close(struct engine *e)
{
	https_close(e->https);
	buf_free(&e->url);
}

static bool take_piece(void *arg, struct str piece)
{
	struct answer *a = arg;
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

int engine_ask(struct engine *e, struct str query, const struct row_taker *to, struct buf *why)
{
	static const char *const headers[] = { "Content-Type: text/plain", NULL };
	struct buf said CLEANUP(buf_free) = { 0 };
	struct answer a = { .to = to };
	const struct https_request q = {
		.method = "POST", .url = e->url.p, .headers = headers, .fd = -1,
		.n = query.n, .body = query.p, .take = take_piece, .arg = &a,
	};
	int r = https_do(e->https, &q, &said);
	bool cut = a.text.n > 0;
	buf_free(&a.text);
	if (a.error < 0 || (r >= 0 && cut))
		return a.error < 0 ? a.error : -EBADMSG;
	if (r >= 0 && r / 100 == 2)
		return 0;
	buf_add(why, buf_str(&said));
	return r < 0 ? r : -EREMOTEIO;
}
