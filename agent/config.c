/* SPDX-License-Identifier: BSD-3-Clause */
/* config.c - the configuration file */
#include "agent/config.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/xml_summary_pack.h"

struct unit {
	const char *name;
	int64_t factor;
};

static const struct unit time_units[] = {	/* microseconds */
	{ "ms", 1000 }, { "s", 1000000 }, { "min", 60000000 }, { "h", 3600000000 }, { NULL, 0 },
};
static const struct unit size_units[] = {	/* bytes */
	{ "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { "T", (int64_t)1 << 40 },
	{ "", 1 }, { NULL, 0 },
};
static const struct unit plain_units[] = { { "", 1 }, { NULL, 0 } };

enum key_kind { TEXT, ABSOLUTE_PATH, PATH_OR_NOTHING, NUMBER, YES_NO, DIALECT, COUNTERS };

/* One key of the file; min and max bound a number, in its base unit. */
struct key {
	const char *section, *name;
	enum key_kind kind;
	size_t offset;
	const struct unit *units;
	int64_t min, max;
};
#define AT(field) offsetof(struct config, field)
#define DAY_US 86400000000

static const struct key keys[] = {
	{ "agent", "dir",         ABSOLUTE_PATH, AT(dir) },
	{ "agent", "runtime-dir", ABSOLUTE_PATH, AT(runtime_dir) },
	{ "agent", "hostname",    TEXT,          AT(hostname) },
	{ "agent", "job-file",    PATH_OR_NOTHING, AT(job_file) },
	{ "agent", "gpu-job-dir",  PATH_OR_NOTHING, AT(gpu_job_dir) },
	{ "agent", "dcgm-job-dir", PATH_OR_NOTHING, AT(dcgm_job_dir) },
	{ "agent", "summary-dir",  PATH_OR_NOTHING, AT(summary_dir) },
	{ "agent", "users",       TEXT,          AT(users) },
	{ "agent", "interval",    NUMBER,  AT(interval_us), time_units,  20000, DAY_US },
	{ "agent", "spread",      NUMBER,  AT(spread_us),   time_units,  0,     DAY_US },
	{ "agent", "retain-days", NUMBER,  AT(retain.days), plain_units, 0,     36500 },
	{ "agent", "retain-size", NUMBER,  AT(retain.bytes), size_units, 0,      INT64_MAX },
	{ "agent", "free-floor",  NUMBER,  AT(retain.free_floor), size_units, 0, INT64_MAX },
	{ "agent", "compress",    YES_NO,  AT(retain.compress) },
	{ "agent", "dialect",     DIALECT, AT(dialect_23) },
	{ "agent", "counters",    COUNTERS, AT(counters_yield) },
	{ "agent", "job-cgroups", YES_NO,  AT(job_cgroups) },
	{ "summary", "destination", TEXT,   AT(summary_destination) },
	{ "summary", "interval",    NUMBER, AT(summary_interval_us), time_units, 0, DAY_US },
	{ "summary", "types",       TEXT,   AT(summary_types) },
	{ "summary", "site",        TEXT,   AT(summary_site) },
	{ "summary", "packet-size", NUMBER, AT(summary_bytes), size_units, SUMMARY_BYTES_MIN,
	  SUMMARY_BYTES_MAX },
	{ "types", "deadline",    NUMBER,  AT(deadline_us), time_units,  1000,  60000000 },
};

void config_init(struct config *c)
{
	*c = (struct config){
		.root = "/", .dir = LOCALSTATEDIR "/lib/nodometer",
		.runtime_dir = "/run/nodometer", .job_file = "/var/run/stats_jobid",
		.interval_us = 600000000, .deadline_us = 1000000,
		.retain = { .days = TIDY_DAYS, .free_floor = TIDY_FLOOR, .compress = TIDY_PACKS },
		.job_cgroups = true,
		.summary_bytes = SUMMARY_BYTES_MAX,
	};
	c->use = xrealloc(NULL, n_collectors * sizeof(*c->use));
	memset(c->use, 0, n_collectors * sizeof(*c->use));
}

void config_free(struct config *c)
{
	free(c->use);
	c->use = NULL;
}

const char *config_default_path(void)
{
	return SYSCONFDIR "/nodometer/nodometer.conf";
}

/* What inih's callbacks know; they go on behind an error, the first is kept. */
struct reading {
	struct config *c;
	const char *path;
	struct str text;	/* what is left of the file */
	int line;
	int failed_at;		/* the line of the first error, 0: none yet */
	char *error;
	size_t size;
};

static int fail(struct reading *r, const char *fmt, ...) PRINTF(2, 3);
static int fail(struct reading *r, const char *fmt, ...)
{
	if (r->failed_at)
		return 0;
	r->failed_at = r->line;
	int n = snprintf(r->error, r->size, "%s:%d: ", r->path, r->line);
	va_list ap;
	va_start(ap, fmt);
	if (n > 0 && (size_t)n < r->size)
		vsnprintf(r->error + n, r->size - (size_t)n, fmt, ap);
	va_end(ap);
	return 0;	/* as inih wants it */
}

/* In the largest unit that says it without a fraction. */
static void put_number(struct buf *b, const struct unit *units, int64_t v)
{
	const struct unit *best = units;
	for (; units->name; units++)
		if (v % units->factor == 0 && (v % best->factor || units->factor > best->factor))
			best = units;
	buf_addf(b, "%lld%s", (long long)(v / best->factor), v ? best->name : "");
}

static int fail_range(struct reading *r, const struct key *k, const char *value)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	put_number(&b, k->units, k->min);
	buf_add(&b, STR(" to "));
	put_number(&b, k->units, k->max);
	return fail(r, "%s = %s: want " STR_FMT, k->name, value, STR_ARG(buf_str(&b)));
}

static bool take_number(struct str in, const struct unit *units, int64_t *ret)
{
	uint64_t v;
	int64_t product;
	if (!str_take_u64(&in, &v) || v > INT64_MAX)
		return false;
	in = str_trim(in);
	for (; units->name; units++)
		if (str_eq(in, str_of(units->name))) {
			if (__builtin_mul_overflow((int64_t)v, units->factor, &product))
				return false;
			*ret = product;
			return true;
		}
	return false;
}

static int set_number(struct reading *r, const struct key *k, const char *value)
{
	int64_t v;
	bool plain_zero = strcmp(value, "0") == 0;	/* needs no unit */
	if (plain_zero)
		v = 0;
	else if (!take_number(str_of(value), k->units, &v))
		return fail(r, "%s = %s: want a number%s", k->name, value,
			    k->units == time_units ? " with one of ms, s, min, h" :
			    k->units == size_units ? ", K, M, G or T behind it if need be" : "");
	if (v < k->min || v > k->max)
		return fail_range(r, k, value);
	memcpy((char *)r->c + k->offset, &v, sizeof(v));
	return 1;
}

static int set_bool(struct reading *r, const struct key *k, const char *value,
		    const char *no, const char *yes)
{
	bool v = strcmp(value, yes) == 0;
	if (!v && strcmp(value, no) != 0)
		return fail(r, "%s = %s: want %s or %s", k->name, value, yes, no);
	memcpy((char *)r->c + k->offset, &v, sizeof(v));
	return 1;
}

static int set_key(struct reading *r, const struct key *k, const char *value)
{
	switch (k->kind) {
	case NUMBER:
		return set_number(r, k, value);
	case YES_NO:
		return set_bool(r, k, value, "no", "yes");
	case DIALECT:
		return set_bool(r, k, value, "1.0", "2.3");
	case COUNTERS:
		return set_bool(r, k, value, "keep", "release-on-job");
	case ABSOLUTE_PATH:
	case PATH_OR_NOTHING:
		if (value[0] != '/' && (value[0] || k->kind == ABSOLUTE_PATH))
			return fail(r, "%s = %s: want an absolute path", k->name, value);
		break;
	case TEXT:
		break;
	}
	if (!str_copy((char *)r->c + k->offset, CONFIG_TEXT_MAX, str_of(value)))
		return fail(r, "%s: longer than %d bytes", k->name, CONFIG_TEXT_MAX - 1);
	return 1;
}

static int set_type(struct reading *r, const char *name, const char *value)
{
	static const char *const words[] = {
		[USE_OFF] = "off", [USE_ON] = "on", [USE_ISOLATE] = "isolate",
	};
	for (size_t i = 0; i < n_collectors; i++) {
		if (strcmp(collectors[i]->name, name) != 0)
			continue;
		if (strcmp(name, "nodometer") == 0)
			return fail(r, "type nodometer is always on: "
				    "its row ends each record group");
		for (size_t u = USE_OFF; u < ARRAY_SIZE(words); u++)
			if (strcmp(value, words[u]) == 0) {
				r->c->use[i] = (enum type_use)u;
				return 1;
			}
		return fail(r, "%s = %s: want on, off or isolate", name, value);
	}
	return fail(r, "unknown type %s; \"nodometer types\" lists them", name);
}

static int on_key(void *arg, const char *section, const char *name, const char *value)
{
	struct reading *r = arg;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0)
			return set_key(r, &keys[i], value);
	if (strcmp(section, "types") == 0)
		return set_type(r, name, value);
	if (!*section)
		return fail(r, "%s stands before any section: want [agent] or [types] first", name);
	if (strcmp(section, "agent") != 0 && strcmp(section, "summary") != 0)
		return fail(r, "unknown section [%s]; known are [agent], [summary] and [types]",
			    section);
	return fail(r, "unknown key %s in [%s]; nodometer.conf(5) lists them", name, section);
}

/* inih numbers lines only where it was built so: we hand them over one by one and count. */
static char *next_line(char *to, int size, void *arg)
{
	struct reading *r = arg;
	struct str line;
	if (!str_take_line(&r->text, &line))
		return NULL;
	r->line++;
	line = str_trim(line);	/* a line that is indented is one of its own, too */
	if (str_has(line, '\0'))
		fail(r, "a NUL byte");
	if (line.n + 2 > (size_t)size)	/* with a newline, which newer inih looks for */
		fail(r, "a line of over %d bytes", size - 2);
	str_copy(to, (size_t)size, line);
	return to;
}

int config_read(struct config *c, const char *path, char *error, size_t size)
{
	struct files here = { .rootfd = AT_FDCWD };
	struct buf text CLEANUP(buf_free) = { 0 };
	struct config next = *c;
	struct reading r = { .c = &next, .path = path, .error = error, .size = size };

	error[0] = '\0';
	int result = files_read(&here, path, FILE_TO_END, &text, &r.text);
	here.rootfd = -1;
	files_free(&here);
	if (result < 0) {
		snprintf(error, size, "%s: %s", path, strerror(-result));
		return result;
	}
	next.use = xrealloc(NULL, n_collectors * sizeof(*next.use));
	memcpy(next.use, c->use, n_collectors * sizeof(*next.use));
	int bad_line = ini_parse_stream(next_line, &r, on_key, &r);
	if (bad_line && (!r.failed_at || bad_line < r.failed_at)) {
		r.line = bad_line;
		r.failed_at = 0;
		fail(&r, "want \"key = value\" or \"[section]\"");
	}
	if (r.failed_at) {
		free(next.use);
		return -EINVAL;
	}
	free(c->use);
	*c = next;
	return 0;
}
