/* SPDX-License-Identifier: BSD-3-Clause */
/* site.c - write a "site": a folder of static web pages for each user, and for all users */
#include "report/site/site.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"
#include "base/log.h"
#include "base/utf8.h"
#include "plot/html.h"
#include "report/print.h"
#include "report/site/place.h"

#define STATE ".pages"
/* first line of OUT/.pages; run_row_formula() and run_store_hash() of each run follow */
#define STATE_HEAD STR("nodopages1\n")

static int site_say(const char *what, const char *name, int error)
{
	if (error < 0)
		log_error("%s%s%s: %s", what, *name ? "/" : "", name, strerror(-error));
	return error;
}

static uint64_t number_at(const char *p)
{
	return str_load(p, sizeof(uint64_t));
}

/*
 * Read from OUT/.pages which runs have pages. If run_row_formula() has changed, ignore the file, so
 * that all pages are written again.
 */
static void read_known(struct site *s)
{
	struct str text;
	place_read(s->out, STATE, &s->known_text);
	text = buf_str(&s->known_text);
	if (!text.n || !str_take_prefix(&text, STATE_HEAD) || text.n < sizeof(uint64_t) ||
	    number_at(text.p) != s->formula)
		return;
	for (text = str_skip(text, 8); text.n >= 8; text = str_skip(text, 8)) {
		uint64_t hash = number_at(text.p);
		map_add(&s->known, hash, (union map_value){ .n = hash });
	}
}

void site_write(struct site *s, int dirfd, const char *name, struct str text)
{
	s->failed |= site_say("page", name, place_put(dirfd, name, text)) < 0;
}

/*
 * Write the start page. If OUT/all has no access rules yet, allow only members of Apache's group
 * "nodometer".
 */
static void put_root(struct site *s)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	html_begin(&b, "Runs");
	buf_add(&b, STR("<p>Yours are in users/NAME/index.html. <a href=\"all/index.html\">"
			"Those of all users</a> are for managers.</p>\n"));
	html_end(&b);
	site_write(s, s->out, "index.html", buf_str(&b));
	if (faccessat(s->all, ".htaccess", F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		site_write(s, s->all, ".htaccess", STR("Require group nodometer\n"));
}

int site_open(struct site *s, const char *out)
{
	if (mkdir(out, 0750) < 0 && errno != EEXIST)
		return site_say(out, "", -errno);
	s->out = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->out < 0)
		return site_say(out, "", -errno);
	s->users = place_open(s->out, "users", 0751, geteuid());
	s->all = place_open(s->out, "all", 0750, geteuid());
	s->formula = run_row_formula(s->of.advice->site);
	if (s->users < 0)
		return site_say(out, "users", s->users);
	if (s->all < 0)
		return site_say(out, "all", s->all);
	read_known(s);
	put_root(s);
	return 0;
}

void site_close(struct site *s)
{
	close_fd(&s->out);
	close_fd(&s->users);
	close_fd(&s->all);
	buf_free(&s->known_text);
	map_free(&s->known);
}

void site_put_user(struct buf *b, const char *user)
{
	if (user)
		place_put_name(b, user);
	else
		buf_add(b, STR("=unknown"));
}

void site_put_run(struct buf *b, const struct listed_job *j)
{
	buf_add(b, STR("run-"));
	place_put_name(b, j->id);
	buf_addf(b, "-%lld.html", (long long)(j->first / 1000000));
}

/*
 * Write access rules for Apache. If the user's name has special characters, deny access to
 * everyone.
 */
static void put_access(struct buf *b, const char *user)
{
	struct str rest = str_of(user ? user : "");
	bool plain = rest.n > 0;
	for (size_t i = 0; i < rest.n; i++)
		plain &= rest.p[i] > ' ' && rest.p[i] < 127 && !strchr("\"'\\#%$<>", rest.p[i]);
	if (plain)
		buf_addf(b, "Require user %s\n", user);
	else
		buf_add(b, STR("Require all denied\n"));
}

int site_open_user(struct site *s, const char *user)
{
	struct buf name CLEANUP(buf_free) = { 0 }, access CLEANUP(buf_free) = { 0 };
	const struct passwd *p = user && geteuid() == 0 ? getpwnam(user) : NULL;

	site_put_user(&name, user);
	buf_add_char(&name, '\0');
	int fd = place_open(s->users, name.p, 0750, p ? p->pw_uid : geteuid());
	put_access(&access, user);
	if (fd >= 0)
		site_write(s, fd, ".htaccess", buf_str(&access));
	if (site_say("users", name.p, fd) < 0) {
		s->failed = true;
		return -1;
	}
	return fd;
}

static bool site_is_known(const struct site *s, uint64_t hash)
{
	return map_next(&s->known, hash, NULL) != NULL;
}

bool site_wants(void *site, const struct listed_job *j, uint64_t hash)
{
	(void)j;
	return !hash || !site_is_known(site, hash);
}

static void put_page(struct buf *b, const struct site *s, const struct listed_job *j,
		     const struct report *r)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	buf_addf(&why, "nodometer plot %s draws one%c", j->id, '\0');
	utf8_make_printable(why.p, why.n - 1);
	const struct html_drawing none = { .words = "", .why_not = why.p };
	if (r->n) {
		print_html(b, r, s->of.advice, &none, false);
		return;
	}
	html_begin(b, "A job without a record that can be read");
	html_end(b);
}

bool site_make(void *site, const struct listed_job *j, struct report *r)
{
	struct site *s = site;
	struct buf page CLEANUP(buf_free) = { 0 }, name CLEANUP(buf_free) = { 0 };
	int fd CLEANUP(close_fd) = site_open_user(s, j->user);

	if (fd < 0)
		return false;
	put_page(&page, s, j, r);
	site_put_run(&name, j);
	buf_add_char(&name, '\0');
	return site_say("page", name.p, place_put(fd, name.p, buf_str(&page))) == 0;
}

void site_note(struct site *s)
{
	struct buf b CLEANUP(buf_free) = { 0 };

	buf_add(&b, STATE_HEAD);
	buf_add(&b, (struct str){ (const char *)&s->formula, sizeof(s->formula) });
	for (size_t i = 0; i < s->of.list.n; i++) {
		const uint64_t *hash = &s->of.hash[i];
		bool paged = s->of.list.job[i].paged;
		s->failed |= !paged && (!*hash || !site_is_known(s, *hash));
		if (*hash && (paged || site_is_known(s, *hash)))
			buf_add(&b, (struct str){ (const char *)hash, sizeof(*hash) });
	}
	site_write(s, s->out, STATE, buf_str(&b));
}
