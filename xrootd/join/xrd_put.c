/* SPDX-License-Identifier: BSD-3-Clause */
/* xrd_put.c - append JSON members, and split the texts about a client into parts */
#include "xrootd/join/xrd_put.h"

#include <math.h>
#include <time.h>
#include "base/json.h"
#include "base/utf8.h"
#include "xrootd/join/facts.h"

void put_text(struct buf *b, const char *name, struct str s)
{
	if (s.n)
		json_str(b, name, s);
	else
		json_null(b, name);
}

void put_known(struct buf *b, const char *name, struct str s)
{
	if (s.n)
		json_str(b, name, s);
}

bool put_path(struct buf *b, const char *name, struct str path)
{
	struct buf word CLEANUP(buf_free) = { 0 };
	if (utf8_is_all(path)) {
		put_text(b, name, path);
		return false;
	}
	buf_add_word(&word, path, false);
	put_text(b, name, buf_str(&word));
	return true;
}

void put_int(struct buf *b, const char *name, bool known, int64_t v)
{
	if (known)
		json_int(b, name, v);
	else
		json_null(b, name);
}

void put_real(struct buf *b, const char *name, bool known, double v)
{
	json_double(b, name, known ? v : NAN);
}

void put_bool(struct buf *b, const char *name, bool known, bool v)
{
	if (known)
		json_bool(b, name, v);
	else
		json_null(b, name);
}

void put_time(struct buf *b, const char *name, int64_t usec)
{
	time_t t = (time_t)(usec / 1000000);
	char text[32] = "";
	struct tm tm;
	if (gmtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	json_strf(b, name, "%s.%06dZ", text, (int)(usec % 1000000));
}

static struct str who_fact(const struct facts_found *of, enum fact_kind kind)
{
	const char *text = of->facts ? of->facts->text[kind] : NULL;
	return str_of(text ? text : "");
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
	const struct facts_found of = facts_find(c, f);
	w.flow = who_fact(&of, FACT_FLOW);
	w.token = who_fact(&of, FACT_TOKEN);
	w.info = who_fact(&of, FACT_INFO);
	w.why = of.why;
	return w;
}

enum xrd_protocol xrd_who_protocol(const struct xrd_who *w)
{
	struct str name = w->user.protocol;
	if (str_starts(name, STR("http")))
		return XRD_BY_HTTP;
	return str_eq(name, STR("file")) ? XRD_BY_FILE : name.n ? XRD_BY_XROOT : XRD_BY_UNKNOWN;
}

struct str xrd_who_dn(const struct xrd_who *w)
{
	struct str m = xrd_pair(w->auth, STR("m"));
	const char *end = m.n ? memmem(m.p, m.n, "::", 2) : NULL;
	if (end)
		m.n = (size_t)(end - m.p);
	return m.n ? m : xrd_pair(w->auth, STR("n"));
}

/* Get the organisation. A user with three roles has "cms cms cms": return the first word. */
struct str xrd_who_vo(const struct xrd_who *w)
{
	struct str vo = xrd_pair(w->auth, STR("o")), word = STR("");
	if (!vo.n)
		vo = xrd_pair(w->token, STR("o"));
	str_take_word(&vo, &word);
	return word;
}
