/* SPDX-License-Identifier: BSD-3-Clause */
/* user_text.c - JSON members about a user, cached for all accesses of the user */
#include "xrootd/lines/user_text.h"

#include "xrootd/join/facts.h"

/* Get the last two words of a host name. Returns an empty text for an address. */
static struct str user_domain(struct str host)
{
	size_t dots = 0, at = host.n;
	if (str_peek(host) == '[' || (host.n && host.p[host.n - 1] <= '9'))
		return STR("");
	while (at > 0 && dots < 2)
		dots += host.p[--at] == '.';
	if (!host.n || (dots < 2 && !str_has(host, '.')))
		return STR("");
	return str_skip(host, dots == 2 ? at + 1 : 0);
}

void user_text_put(struct buf *b, const struct xrd_who *w, struct str name)
{
	struct str ip = xrd_pair(w->auth, STR("I"));
	put_text(b, "user", w->user.name);
	put_text(b, "user_dn", xrd_who_dn(w));
	put_text(b, "user_domain", user_domain(name.n ? name : w->user.host));
	put_text(b, "host", name.n ? name : w->user.host);
	put_text(b, "pid", w->user.pid);
	put_text(b, "protocol", w->user.protocol);
	put_text(b, "host_ip", str_peek(w->user.host) == '[' ? w->user.host : STR(""));
	put_text(b, "auth", xrd_pair(w->auth, STR("p")));
	put_text(b, "vo", xrd_who_vo(w));
	put_text(b, "role", xrd_pair(w->auth, STR("r")));
	put_text(b, "groups", xrd_pair(w->auth, STR("g")));
	put_text(b, "program", xrd_pair(w->auth, STR("x")));
	put_text(b, "moninfo", xrd_pair(w->auth, STR("y")));
	put_text(b, "client_version", xrd_pair(w->auth, STR("R")));
	put_text(b, "appinfo", w->info);
	put_bool(b, "ipv6", ip.n, str_eq(ip, STR("6")));
	put_text(b, "experiment", xrd_pair(w->flow, STR("Ec")));
	put_text(b, "activity", xrd_pair(w->flow, STR("Ac")));
	put_text(b, "token_subject", xrd_pair(w->token, STR("s")));
	put_text(b, "token_username", xrd_pair(w->token, STR("n")));
	put_text(b, "token_org", xrd_pair(w->token, STR("o")));
	put_text(b, "token_role", xrd_pair(w->token, STR("r")));
	put_text(b, "token_groups", xrd_pair(w->token, STR("g")));
	put_text(b, "facts_why", str_of(w->why ? w->why : ""));
}

/*
 * Get the members about a user from the cache, or make them. Do not cache a client without a login:
 * its user is known from this file only.
 */
struct user_text *user_text_of(struct user_texts *all, const struct xrd_client *c,
			       const struct xrd_file *f)
{
	bool kept = c && c->login && c->entry.bytes <= USER_BYTES && facts_find(c, f).current;
	struct user_text *u = kept ? &all->one[c->texts % USER_TEXTS] : &all->other;
	if (kept && u->of == c->texts)
		return u;
	u->of = kept ? c->texts : 0;
	u->who = xrd_who_of(c, f);
	u->vo = xrd_who_vo(&u->who);
	u->json.n = 0;
	return u;
}

struct str user_text_json(struct user_text *u, struct str name)
{
	if (u->json.n && str_eq(name, buf_str(&u->name)))
		return buf_str(&u->json);
	u->json.n = u->name.n = 0;
	buf_add(&u->name, name);
	user_text_put(&u->json, &u->who, name);
	return buf_str(&u->json);
}

static void user_text_free(struct user_text *u)
{
	buf_free(&u->name);
	buf_free(&u->json);
}

void user_texts_free(struct user_texts *all)
{
	for (size_t i = 0; i < USER_TEXTS; i++)
		user_text_free(&all->one[i]);
	user_text_free(&all->other);
}
