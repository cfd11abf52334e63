/* SPDX-License-Identifier: BSD-3-Clause */
/* status_check.c - status --check: summarise the agent's status in one line, as a Nagios plugin */
#include "cli/status_check.h"

#include <errno.h>
#include <string.h>
#include "agent/control.h"
#include "base/clock.h"

#define MINUTE_US 60000000
#define DAY_US    (1440 * (int64_t)MINUTE_US)
/* warn about a receiver that refused more than this number of 1,000 records */
#define SHARE_MOST 50

struct verdict {
	int64_t interval_us, last_us, removed_us;
	uint64_t waiting, lost, errors;
	int status;
	struct buf text;	/* description of all faults; .status is that of the worst fault */
};

static void check_status_find(struct verdict *c, int status, const char *what, struct str more)
{
	if (status > c->status)
		c->status = status;
	buf_addf(&c->text, "%s%s" STR_FMT, c->text.n ? ", " : "", what, STR_ARG(more));
}

static void check_status_take_line(struct verdict *c, struct str line)
{
	struct buf more CLEANUP(buf_free) = { 0 };
	struct str key, word;
	uint64_t n;
	if (!str_take_word(&line, &key))
		return;
	line = str_trim(line);
	if (str_eq(key, STR("interval"))) {
		str_take_time(&line, &c->interval_us);
	} else if (str_eq(key, STR("last"))) {
		str_take_time(&line, &c->last_us);
	} else if (str_eq(key, STR("waiting"))) {
		str_take_u64(&line, &c->waiting);
	} else if (str_eq(key, STR("lost"))) {
		str_take_u64(&line, &c->lost);
	} else if (str_eq(key, STR("marks_lost")) && str_take_u64(&line, &n) && n > 0) {
		buf_addf(&more, "%llu", (unsigned long long)n);
		check_status_find(c, STATUS_CRITICAL, "marks lost: ", buf_str(&more));
	} else if (str_eq(key, STR("stopped"))) {
		check_status_find(c, STATUS_CRITICAL, "nothing is written: ", line);
	} else if (str_eq(key, STR("removed"))) {
		str_take_time(&line, &c->removed_us);
	} else if (str_eq(key, STR("live_stopped"))) {
		check_status_find(c, STATUS_WARNING, "no live samples: ", line);
	} else if (str_eq(key, STR("refused"))) {
		check_status_find(c, STATUS_WARNING, "the last reload was refused: ", line);
	} else if (str_eq(key, STR("error")) && str_take_word(&line, &word)) {
		c->errors++;
		check_status_find(c, STATUS_WARNING, "cannot read type ", word);
	}
}

static int64_t check_status_most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void find_age(struct verdict *c, int64_t age_us, int64_t warning_us, int64_t critical_us)
{
	int status = age_us > critical_us ? STATUS_CRITICAL :
		     age_us > warning_us ? STATUS_WARNING : STATUS_OK;
	if (status != STATUS_OK)
		check_status_find(c, status, "the last sample is too old", STR(""));
}

/*
 * Warn about a sink whose last attempt failed if it lags too far or has never delivered, and about
 * a receiver that refuses many records.
 */
static void find_sinks(struct verdict *c, const struct status_sinks *s, int64_t warning_us)
{
	if (s->n && !s->runs)
		check_status_find(c, STATUS_WARNING, "nodometer-send does not run", STR(""));
	for (size_t i = 0; i < s->n; i++) {
		const struct status_sink *one = &s->one[i];
		struct buf more CLEANUP(buf_free) = { 0 };
		bool refuses = one->cursor.refused_share > SHARE_MOST;
		if (!one->cursor.why[0] ||
		    (one->lag_us >= 0 && one->lag_us <= warning_us && !refuses))
			continue;
		if (refuses)
			buf_addf(&more, "%s refuses %.1f %% of the records: ", one->name,
				 (double)one->cursor.refused_share / 10);
		else if (one->lag_us < 0)
			buf_addf(&more, "%s has delivered nothing: ", one->name);
		else
			buf_addf(&more, "%s lags by %.0f s: ", one->name,
				 (double)one->lag_us / 1e6);
		buf_addf(&more, "%s", one->cursor.why);
		check_status_find(c, STATUS_WARNING, "sink ", buf_str(&more));
	}
}

static void check_status_put_sinks(struct buf *out, const struct status_sinks *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct status_sink *one = &s->one[i];
		if (one->lag_us >= 0)
			buf_addf(out, " 'lag %s'=%.3fs;;;0", one->name, (double)one->lag_us / 1e6);
		if (one->cursor.too_old)
			buf_addf(out, " 'too old %s'=%lluc;;;0", one->name,
				 (unsigned long long)one->cursor.too_old);
	}
}

static void check_status_put_line(struct buf *out, const struct verdict *c, int64_t age_us,
				  int64_t warning_us,
				  int64_t critical_us)
{
	plugin_put_head(out, c->status);
	plugin_put_words(out, buf_str(&c->text));
	buf_addf(out, "%slast sample %.1f s ago, %llu groups waiting, %llu lost",
		 c->text.n ? "; " : "", (double)age_us / 1e6, (unsigned long long)c->waiting,
		 (unsigned long long)c->lost);
	buf_addf(out, " | age=%.3fs;%.3f;%.3f;0 waiting=%llu;;;0 lost=%lluc;;;0 errors=%llu;0;;0",
		 (double)age_us / 1e6, (double)warning_us / 1e6, (double)critical_us / 1e6,
		 (unsigned long long)c->waiting, (unsigned long long)c->lost,
		 (unsigned long long)c->errors);
}

static int no_agent(struct buf *out, int e)
{
	bool faulty = e == -ETIMEDOUT || control_has_no_agent(e);
	int status = faulty ? STATUS_CRITICAL : STATUS_UNKNOWN;
	plugin_put_head(out, status);
	if (faulty)
		buf_addf(out, "the agent %s\n",
			 e == -ETIMEDOUT ? "does not answer" : "does not run");
	else
		buf_addf(out, "the agent cannot be queried: %s\n", e == -EREMOTEIO ?
			 "it refused the request" : strerror(-e));
	return status;
}

int status_check(struct buf *out, struct str reply, int e, const struct status_limits *limits,
		 const struct status_sinks *sinks)
{
	struct verdict c = { .status = STATUS_OK };
	struct str line;
	if (e < 0)
		return no_agent(out, e);
	while (str_take_line(&reply, &line))
		check_status_take_line(&c, line);
	int64_t i = c.interval_us, age = check_status_most(0, realtime_us() - c.last_us);
	int64_t warning = limits->warning_us ? limits->warning_us :
			  check_status_most(2 * i, i + MINUTE_US);
	int64_t critical =
		limits->critical_us ? limits->critical_us : check_status_most(4 * i,
									      i + 5 * MINUTE_US);
	find_age(&c, age, warning, critical);
	if (c.removed_us && realtime_us() - c.removed_us < DAY_US)
		check_status_find(&c, STATUS_WARNING,
				  "the folder of the archive was removed or moved", STR(""));
	find_sinks(&c, sinks, warning);
	if (c.waiting && c.status == STATUS_OK)
		check_status_find(&c, STATUS_WARNING, "groups wait in memory", STR(""));
	check_status_put_line(out, &c, age, warning, critical);
	check_status_put_sinks(out, sinks);
	buf_add_char(out, '\n');
	buf_free(&c.text);
	return c.status;
}
