/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_put.c - members of JSON objects, null where a value is not known, and whom they are about */
#include "tracers/xrd_put.h"

#include <math.h>
#include <time.h>
#include "formats/json.h"

void put_text(struct buf *b, const char *name, struct str s)
{
	json_put_name(b, name);
	if (s.n)
		json_put_string(b, s);
	else
		buf_add(b, STR("null"));
}

void put_int(struct buf *b, const char *name, bool known, int64_t v)
{
	json_put_name(b, name);
	if (!known) {
		buf_add(b, STR("null"));
		return;
	}
	if (v < 0)
		buf_add_char(b, '-');
	buf_add_u64(b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void put_real(struct buf *b, const char *name, bool known, double v)
{
	json_put_name(b, name);
	if (known && isfinite(v))
		json_put_double(b, v);
	else
		buf_add(b, STR("null"));
}

void put_bool(struct buf *b, const char *name, bool known, bool v)
{
	json_put_name(b, name);
	buf_add(b, !known ? STR("null") : v ? STR("true") : STR("false"));
}

void put_time(struct buf *b, const char *name, int64_t usec)
{
	time_t t = (time_t)(usec / 1000000);
	char text[32] = "";
	struct tm tm;
	if (gmtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	json_put_name(b, name);
	buf_addf(b, "\"%s.%06dZ\"", text, (int)(usec % 1000000));
}

struct xrd_who xrd_who_of(const struct xrd_client *c, const struct xrd_file *f)
{
	struct xrd_who w = { .auth = STR("") };
	struct str userid = STR("");
	if (c && c->login)
		xrd_map_split(str_of(c->login), &userid, &w.auth);
	else if (f && f->userid)
		userid = str_of(f->userid);
	if (!xrd_user_split(userid, &w.user))
		w.user = (struct xrd_user){ .name = STR("") };
	w.flow = str_of(c && c->flow ? c->flow : "");
	w.token = str_of(c && c->token ? c->token : "");
	w.info = str_of(c && c->info ? c->info : "");
	return w;
}
