/* SPDX-License-Identifier: BSD-3-Clause */
/* advice.c - a site's own thresholds and links of findings */
#include "report/advice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "base/files.h"
#include "base/log.h"

static bool take_number(struct str *s, double *ret)
{
	char text[32];
	char *end;

	if (s->n == 0 || !str_copy(text, sizeof(text), *s))
		return false;
	*ret = strtod(text, &end);
	return *end == '\0' && *ret >= 0 && *ret < 1e18;
}

/* NULL, or what is wrong with the line. */
static const char *take_line(struct str line, struct finding_site *site)
{
	struct str name, rule, rest;
	char text[64];

	if (!str_take_until(&line, '=', &name))
		return "want RULE = NUMBER, RULE = off, or RULE.link = TEXT";
	rest = rule = str_trim(name);
	line = str_trim(line);
	bool link = str_take_until(&rest, '.', &rule);
	if (!str_copy(text, sizeof(text), rule) || finding_find(text) == n_finding_rules)
		return "no such rule: nodometer-report(1) has them";
	struct finding_site *s = &site[finding_find(text)];
	if (link)
		return !str_eq(rest, STR("link")) ? "want RULE.link" :
		       !str_copy(s->link, sizeof(s->link), line) ? "more than 255 bytes" : NULL;
	s->off = str_eq(line, STR("off"));
	s->set = !s->off && take_number(&line, &s->threshold);
	return s->off || s->set ? NULL : "want a number that is not below 0, or off";
}

static int take_lines(const char *path, struct str text, struct finding_site *site)
{
	struct str line;
	unsigned number = 0;
	int r = 0;

	while (str_take_line(&text, &line)) {
		number++;
		line = str_trim(line);
		const char *wrong = line.n && line.p[0] != '#' ? take_line(line, site) : NULL;
		if (!wrong)
			continue;
		log_error("%s:%u: %s", path, number, wrong);
		r = -EINVAL;
	}
	return r;
}

int advice_read(const char *path, struct finding_site *site)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str all = STR("");
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : files_read_fd(fd, FILE_TO_END, &text, &all);

	if (r < 0) {
		if (r != -ENOENT)
			log_error("%s: %s", path, strerror(-r));
		return r;
	}
	return take_lines(path, all, site);
}
