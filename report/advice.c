/* SPDX-License-Identifier: BSD-3-Clause */
/* advice.c - read a site's settings: threshold and help link of each finding, cost of energy */
#include "report/advice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "base/files.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "figures/units.h"

void advice_begin(struct advice *a)
{
	size_t bytes = n_finding_rules * sizeof(*a->site);
	*a = (struct advice){ .site = memset(xrealloc(NULL, bytes), 0, bytes) };
}

void advice_end(struct advice *a)
{
	free(a->site);
	factors_free(&a->factors);
}

struct place {
	const char *path;
	unsigned line;
	const struct listener *listener;
};

static int refuse(const struct place *at, const char *what)
{
	say_error(at->listener, "%s:%u: %s", at->path, at->line, what);
	return -EINVAL;
}

static int refuse_rule(const struct place *at, struct str rule)
{
	char name[NEAREST_LETTERS + 1];
	struct nearest near = { 0 };
	bool fits = str_copy(name, sizeof(name), rule);

	for (size_t i = 0; fits && i < n_finding_rules; i++)
		nearest_try(&near, name, finding_rules[i].name);
	say_error(at->listener, "%s:%u: unknown rule \"%s\"%s%s%s", at->path, at->line,
		  text_name(rule, 40).s, near.best ? "; did you mean \"" : "",
		  near.best ? near.best : "",
		  near.best ? "\"?" : ": nodometer-findings(7) lists the rules");
	return -EINVAL;
}

/*
 * Parse the shortest duration of jobs to which a rule applies, in seconds. If n is 1, set it for
 * the rule site[0]; otherwise set it for each of the n rules that has such a limit by default.
 */
static int take_seconds(const struct place *at, struct str text, struct finding_site *site,
			size_t n)
{
	double seconds;

	if (!factor_take(text, &seconds))
		return refuse(at, "expected a number of seconds that is at least 0");
	for (size_t i = 0; i < n; i++) {
		if (n > 1 && finding_rules[i].seconds <= 0)
			continue;
		site[i].timed = true;
		site[i].seconds = seconds;
	}
	return 0;
}

static int advice_take_line(const struct place *at, struct str line, struct finding_site *site)
{
	struct str name, rule, rest;

	if (!str_take_until(&line, '=', &name))
		return refuse(at, "expected RULE = NUMBER, RULE = off, RULE.seconds = NUMBER, "
				  "seconds = NUMBER, or RULE.link = TEXT");
	rest = rule = str_trim(name);
	line = str_trim(line);
	bool part = str_take_until(&rest, '.', &rule);
	if (!part && str_eq(rule, STR("seconds")))
		return take_seconds(at, line, site, n_finding_rules);
	size_t i = finding_find(rule);
	if (i == n_finding_rules)
		return refuse_rule(at, rule);
	struct finding_site *s = &site[i];
	if (part && str_eq(rest, STR("seconds")))
		return take_seconds(at, line, s, 1);
	if (part && !str_eq(rest, STR("link")))
		return refuse(at, "expected RULE.link or RULE.seconds");
	if (part)
		return str_copy(s->link, sizeof(s->link), line) ? 0 :
		       refuse(at, "the link has more than 255 bytes");
	s->off = str_eq(line, STR("off"));
	s->set = !s->off && factor_take(line, &s->threshold);
	return s->off || s->set ? 0 : refuse(at, "expected a number that is at least 0, or off");
}

static int take_factor(const struct place *at, struct str line, struct factors *f)
{
	if (factors_take(f, line))
		return 0;
	return refuse(at, "expected carbon = GRAMS or /FILE, price = NUMBER, or pue = NUMBER from "
		      "1");
}

int advice_take(const char *path, struct str text, struct advice *a,
		const struct listener *listener)
{
	struct str line;
	struct place at = { path, 0, listener };
	bool factors = false;
	int r = 0;

	while (str_take_line(&text, &line)) {
		at.line++;
		line = str_trim(line);
		if (line.n == 0 || line.p[0] == '#')
			continue;
		if (!factors && str_eq(line, STR("[site]")))
			factors = true;
		else if (factors ? take_factor(&at, line, &a->factors) < 0 :
				   advice_take_line(&at, line, a->site) < 0)
			r = -EINVAL;
	}
	return r;
}

bool advice_read(const char *path, struct advice *a)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str all = STR("");
	const char *name = path ? path : SYSCONFDIR "/nodometer/advice.conf";
	int fd CLEANUP(close_fd) = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int r = fd < 0 ? -errno : files_read_fd(fd, FILE_TO_END, &text, &all);

	if (r == -ENOENT && !path)
		return true;
	if (r < 0) {
		log_error("%s: %s", name, strerror(-r));
		return false;
	}
	return advice_take(name, all, a, &log_listener) == 0 &&
	       factors_load(&a->factors, &log_listener) == 0;
}
