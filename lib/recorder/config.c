/* SPDX-License-Identifier: BSD-3-Clause */
/* config.c - read the configuration file */
#include "recorder/config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/keys.h"
#include "base/nearest.h"
#include "base/vec.h"

struct config_key {
	const char *section;
	struct key key;
};
#define AT(field) offsetof(struct config, field)
#define DAY_US 86400000000
#define YES_NO(field) KEY_CHOICE, AT(field), .no = "no", .yes = "yes"

static bool config_check_dialect(const struct key *k, const char *value, struct buf *why)
{
	bool known = !value[0] || strcmp(value, "1.0") == 0 || strcmp(value, "2.3") == 0;
	if (!known)
		buf_addf(why, "%s = %s: expected 1.0, 2.3 or nothing", k->name, value);
	return known;
}

static const struct config_key keys[] = {
	{ "agent", { "dir",             KEY_PATH, AT(dir) } },
	{ "agent", { "runtime-dir",     KEY_PATH, AT(runtime_dir) } },
	{ "agent", { "hostname",        KEY_TEXT, AT(hostname) } },
	{ "agent", { "job-file",        KEY_PATH_OR_NOTHING, AT(job_file) } },
	{ "agent", { "gpu-job-dir",     KEY_PATH_OR_NOTHING, AT(gpu_job_dir) } },
	{ "agent", { "dcgm-job-dir",    KEY_PATH_OR_NOTHING, AT(dcgm_job_dir) } },
	{ "agent", { "summary-dir",     KEY_PATH_OR_NOTHING, AT(summary_dir) } },
	{ "agent", { "advice",          KEY_PATH_OR_NOTHING, AT(advice) } },
	{ "agent", { "users",           KEY_TEXT, AT(users) } },
	{ "agent", { "scheduler-users", KEY_TEXT, AT(scheduler_users) } },
	{ "agent", { "interval",    KEY_NUMBER, AT(interval_us),  key_times,  20000, DAY_US } },
	{ "agent", { "live-interval", KEY_NUMBER, AT(live_us), key_times, 0, DAY_US } },
	{ "agent", { "live-types",  KEY_TEXT, AT(live_types),
		     .check = type_list_check } },
	{ "agent", { "spread",      KEY_NUMBER, AT(spread_us),    key_times,  0, DAY_US } },
	{ "agent", { TIDY_DAYS_KEY(AT(retain.days)) } },
	{ "agent", { TIDY_SIZE_KEY(AT(retain.bytes)) } },
	{ "agent", { TIDY_FLOOR_KEY(AT(retain.free_floor)) } },
	{ "agent", { "compress",    YES_NO(retain.compress) } },
	{ "agent", { "dialect",     KEY_TEXT, AT(dialect), .check = config_check_dialect } },
	{ "agent", { "counters",    KEY_CHOICE, AT(counters_yield),
		     .no = "keep", .yes = "release-on-job" } },
	{ "agent", { "exclusive-jobs", YES_NO(exclusive_jobs) } },
	{ "agent", { "job-cgroups", YES_NO(job_cgroups) } },
	{ "agent", { "confine",     YES_NO(confine) } },
	{ "agent", { "bpf",         YES_NO(bpf) } },
	{ "agent", { "readable",    KEY_TEXT, AT(readable) } },
	{ "answer", { "groups",     KEY_TEXT, AT(answer_groups) } },
	{ "send",  { "state-dir",   KEY_PATH, AT(state_dir) } },
	{ "types", { "deadline",    KEY_NUMBER, AT(deadline_us),  key_times,  1000, 60000000 } },
};

void config_init(struct config *c)
{
	*c = (struct config){
		.root = "/", .dir = LOCALSTATEDIR "/lib/nodometer",
		.runtime_dir = CONFIG_RUNTIME_DIR, .job_file = "/var/run/stats_jobid",
		.interval_us = 600000000, .deadline_us = 1000000,
		.retain = { .days = TIDY_DAYS, .free_floor = TIDY_FLOOR, .compress = TIDY_PACKS },
		.job_cgroups = true, .scheduler_users = CONFIG_SCHEDULER_USERS,
		.advice = SYSCONFDIR "/nodometer/advice.conf",
		.confine = true, .bpf = true, .state_dir = LOCALSTATEDIR "/lib/nodometer-send",
	};
	c->use = xrealloc(NULL, n_types * sizeof(*c->use));
	memset(c->use, 0, n_types * sizeof(*c->use));
}

void config_free(struct config *c)
{
	free(c->use);
	c->use = NULL;
	named_free(&c->named);
	buf_free(&c->files);
	buf_free(&c->warnings);
	for (size_t i = 0; i < c->n_places; i++) {
		free(c->place[i].name);
		free(c->place[i].file);
	}
	free(c->place);
	c->place = NULL;
	c->n_places = c->cap_places = 0;
}

const char *config_default_path(void)
{
	return CONFIG_PATH;
}

#define SINK        "sink "
#define SECTION_MAX 50	/* limit of inih's default build for a section's name, with its NUL byte */
/*
 * limit of keys whose file and line are stored, to find repeated keys; larger than the number of
 * known keys; in a file with more keys, a repeated key may cause no warning
 */
#define PLACES_MAX  1000
/*
 * limit of reported errors and of warnings per file: in a file of another format, every line is
 * wrong
 */
#define ERRORS_MAX  20

/*
 * State of the callbacks of the INI parser, inih. inih goes on after an error; at most one error is
 * reported per line.
 */
struct config_reading {
	struct config *c;
	const char *path;
	struct str text;	/* unread part of the file */
	int line;
	int failed_at;		/* line of the last error, 0: none yet */
	size_t n_errors, n_twice;
	struct buf *errors;
};

static int config_fail(struct config_reading *r, const char *fmt, ...) PRINTF(2, 3);
static int config_fail(struct config_reading *r, const char *fmt, ...)
{
	char text[CONFIG_TEXT_MAX];
	if (r->failed_at == r->line)
		return 0;
	r->failed_at = r->line;
	if (r->n_errors++ >= ERRORS_MAX)
		return 0;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_addf(r->errors, "%s:%d: %s\n", r->path, r->line, text);
	return 0;	/* tells inih that this line has an error */
}

static int config_fail_why(struct config_reading *r, const struct buf *why)
{
	return config_fail(r, STR_FMT, STR_ARG(buf_str(why)));
}

static void config_put_name(struct buf *b, const char *section, const char *key)
{
	buf_addf(b, "%s%s%s%c", section, *key ? "." : "", key, '\0');
}

static struct config_place *config_find_place(const struct config *c, const char *section,
					      const char *key)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	config_put_name(&name, section, key);
	for (size_t i = 0; i < c->n_places; i++)
		if (strcmp(c->place[i].name, name.p) == 0)
			return &c->place[i];
	return NULL;
}

void config_put_place(const struct config *c, const char *section, const char *key, struct buf *b)
{
	const struct config_place *p = config_find_place(c, section, key);
	if (p)
		buf_addf(b, "%s:%d: ", p->file, p->line);
}

static void config_add_place(struct config_reading *r, const char *section, const char *key)
{
	struct config *c = r->c;
	struct buf name CLEANUP(buf_free) = { 0 };
	if (c->n_places == PLACES_MAX)
		return;
	config_put_name(&name, section, key);
	c->place = vec_reserve(c->place, &c->cap_places, c->n_places + 1, sizeof(*c->place));
	c->place[c->n_places++] = (struct config_place){
		xstrdup(str_of(name.p)), xstrdup(str_of(r->path)), r->line,
	};
}

/*
 * Store the file and line of a key. Warn if the same file has set the key before; a later file may
 * override it.
 */
static void config_note_place(struct config_reading *r, const char *section, const char *key)
{
	struct config_place *p = config_find_place(r->c, section, key);
	if (!p) {
		config_add_place(r, section, key);
		return;
	}
	if (strcmp(p->file, r->path) == 0 && r->n_twice++ < ERRORS_MAX)
		buf_addf(&r->c->warnings, "%s:%d: warning: %s%s%s is also in line %d; %s\n",
			 r->path, r->line, *key ? key : "[", *key ? "" : section, *key ? "" : "]",
			 p->line, *key ? "this one is used" : "the keys of both are used");
	free(p->file);
	p->file = xstrdup(str_of(r->path));
	p->line = r->line;
}

static int config_set_key(struct config_reading *r, const struct key *k, const char *value)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	return key_set(k, r->c, value, &why) ? 1 : config_fail_why(r, &why);
}

/*
 * Report an unknown name. Suggest the section that the name belongs to, or the most similar name.
 */
static int config_fail_unknown(struct config_reading *r, const char *what, const char *section,
			       const char *name)
{
	struct nearest n = { NULL, 0 };
	bool of_types = strcmp(section, "types") == 0;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(keys[i].section, section) == 0)
			nearest_try(&n, name, keys[i].key.name);
		else if (strcmp(keys[i].key.name, name) == 0)
			return config_fail(r, "unknown %s %s in [%s]; it belongs in [%s]", what,
					   name,
					   section, keys[i].section);
	}
	for (size_t i = 0; of_types && i < n_types; i++)
		nearest_try(&n, name, types[i]->name);
	if (n.best)
		return config_fail(r, "unknown %s %s in [%s]; did you mean %s?", what, name,
				   section,
				   n.best);
	return config_fail(r, "unknown %s %s in [%s]; %s lists them", what, name, section,
			   of_types ? "\"nodometer types\"" : "nodometer.conf(5)");
}

static int config_set_type(struct config_reading *r, const char *name, const char *value)
{
	static const char *const words[] = {
		[USE_OFF] = "off", [USE_ON] = "on", [USE_ISOLATE] = "isolate",
	};
	for (size_t i = 0; i < n_types; i++) {
		if (strcmp(types[i]->name, name) != 0)
			continue;
		if (strcmp(name, "nodometer") == 0)
			return config_fail(r, "type nodometer is always on: "
					   "its row ends each record group");
		for (size_t u = USE_OFF; u < ARRAY_SIZE(words); u++)
			if (strcmp(value, words[u]) == 0) {
				r->c->use[i] = (enum type_use)u;
				return 1;
			}
		return config_fail(r, "%s = %s: expected on, off or isolate", name, value);
	}
	return config_fail_unknown(r, "type", "types", name);
}

static bool config_is_section(struct str name)
{
	if (str_eq(name, STR("counters")))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (str_eq(name, str_of(keys[i].section)))
			return true;
	return false;
}

/*
 * Set a key of a sink. Does nothing if the program passed no handlers for sinks; nodometer-send has
 * them, and reports the errors in these sections.
 */
static int config_set_sink(struct config_reading *r, struct str sink, const char *name,
			   const char *value)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	const struct config_sinks *s = r->c->sinks;
	return !s || s->set(s->arg, sink, name, value, &why) ? 1 : config_fail_why(r, &why);
}

static int config_set_counters(struct config_reading *r, const char *name, const char *value)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	return named_add(&r->c->named, name, value, r->path, r->line, &why) ? 1
									    : config_fail_why(r,
											      &why);
}

static int config_on_key(void *arg, const char *section, const char *name, const char *value)
{
	struct config_reading *r = arg;
	struct str sink = str_of(section);
	config_note_place(r, section, name);
	if (str_take_prefix(&sink, STR(SINK)))
		return config_set_sink(r, sink, name, value);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(keys[i].section, section) == 0 &&
		    strcmp(keys[i].key.name, name) == 0)
			return config_set_key(r, &keys[i].key, value);
	if (strcmp(section, "types") == 0)
		return config_set_type(r, name, value);
	if (strcmp(section, "counters") == 0)
		return config_set_counters(r, name, value);
	if (!*section)
		return config_fail(r, "%s is not in a section: write [agent] or [types] above it",
				   name);
	return config_is_section(str_of(section)) ? config_fail_unknown(r, "key", section, name)
					   /* the error was reported at the section's first line */
					   : 0;
}

/*
 * Check a section [sink NAME]. The name must fit into SECTION_MAX, because inih truncates longer
 * names.
 */
static void config_check_sink(struct config_reading *r, struct str sink)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	const struct config_sinks *s = r->c->sinks;
	r->c->has_sinks = true;
	if (sink.n + sizeof(SINK) > SECTION_MAX)
		buf_addf(&why, "[" SINK STR_FMT "]: longer than %d bytes", STR_ARG(sink),
			 SECTION_MAX - 1);
	else if (!s || s->section(s->arg, sink, &why))
		return;
	config_fail_why(r, &why);
}

static void config_check_section(struct config_reading *r, struct str name)
{
	char text[CONFIG_TEXT_MAX];
	struct nearest n = { NULL, 0 };
	str_copy(text, sizeof(text), name);
	config_note_place(r, text, "");
	if (config_is_section(name))
		return;
	if (str_take_prefix(&name, STR(SINK))) {
		config_check_sink(r, name);
		return;
	}
	str_copy(text, sizeof(text), name);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		nearest_try(&n, text, keys[i].section);
	if (strcmp(text, "summary") == 0)
		config_fail(r, "section [summary] is now [sink xrootd], with the same keys: "
			"nodometer.conf(5)");
	else if (strcmp(text, "sink") == 0)
		config_fail(r, "expected [sink NAME]; nodometer.conf(5) lists the names");
	else if (n.best)
		config_fail(r, "unknown section [%s]; did you mean [%s]?", text, n.best);
	else
		config_fail(r, "unknown section [%s]; the sections are [agent], [types], "
			"[counters], [answer], [send] and [sink NAME]", text);
}

/* Return the line without its comment, which starts with a blank and ";". */
static struct str config_strip_comment(struct str line)
{
	for (size_t i = 1; i < line.n; i++)
		if (line.p[i] == ';' && (line.p[i - 1] == ' ' || line.p[i - 1] == '\t'))
			return (struct str){ line.p, i };
	return line;
}

/* Return true if the line contains " # TEXT", which inih treats as part of the value. */
static bool config_has_hash(struct str line)
{
	for (size_t i = 1; i < line.n; i++)
		if (line.p[i] == '#' && (line.p[i - 1] == ' ' || line.p[i - 1] == '\t'))
			return true;
	return false;
}

/*
 * Report errors in a line that inih would not report: inih reports only the first bad line of a
 * file, and does not report sections without keys.
 */
static void config_check_line(struct config_reading *r, struct str line)
{
	struct str name;
	if (r->line == 1)
		str_take_prefix(&line, STR("\xEF\xBB\xBF"));
	if (line.n == 0 || *line.p == ';' || *line.p == '#')
		return;
	line = config_strip_comment(line);
	bool section = str_take_prefix(&line, STR("["));
	if (section && str_take_until(&line, ']', &name))
		config_check_section(r, name);
	else if (section || (!str_has(line, '=') && !str_has(line, ':')))
		config_fail(r, "expected \"key = value\" or \"[section]\"");
	else if (!section && config_has_hash(line))
		config_fail(r, "a comment after a value begins with \";\", not with \"#\"");
}

/* Hand the next line to inih and count it, because only some builds of inih pass line numbers. */
static char *config_next_line(char *to, int size, void *arg)
{
	struct config_reading *r = arg;
	struct str line;
	if (!str_take_line(&r->text, &line))
		return NULL;
	r->line++;
	/* inih would take an indented line for a continuation of the previous line */
	line = str_trim(line);
	if (str_has(line, '\0'))
		config_fail(r, "a NUL byte");
	if (line.n + 2 > (size_t)size)	/* newer versions of inih need room for a newline */
		config_fail(r, "a line of more than %d bytes", size - 2);
	config_check_line(r, line);
	/*
	 * replace a wrong section line by [?], so that the section's keys are not set in the
	 * previous section
	 */
	if (r->failed_at == r->line)
		line = str_peek(line) == '[' ? STR("[?]") : STR("");
	str_copy(to, (size_t)size, line);
	return to;
}

/* Parse the text of a file. Correct lines take effect even if other lines are wrong. */
static void config_read_text(struct config *c, const char *path, struct str text,
			     struct buf *errors)
{
	struct config_reading r = { .c = c, .path = path, .text = text, .errors = errors };
	int bad_line = ini_parse_stream(config_next_line, &r, config_on_key, &r);
	if (bad_line && r.n_errors == 0) {
		r.line = bad_line;
		config_fail(&r, "expected \"key = value\" or \"[section]\"");
	}
	if (r.n_errors > ERRORS_MAX)
		buf_addf(errors, "%s: and %zu more\n", path, r.n_errors - ERRORS_MAX);
}

int config_read(struct config *c, const char *path, struct buf *errors)
{
	struct files here = { .rootfd = AT_FDCWD };
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	size_t before = errors->n;

	int result = files_read(&here, path, FILE_TO_END, &b, &text);
	here.rootfd = -1;
	files_free(&here);
	if (result < 0) {
		buf_addf(errors, "%s: %s\n", path, strerror(-result));
		return result;
	}
	config_read_text(c, path, text, errors);
	buf_addf(&c->files, "%s%s", c->files.n ? ", " : "", path);
	return errors->n > before ? -EINVAL : 0;
}

static int config_compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Return true for README, and for backup copies that editors and package managers make. */
static bool config_is_copy(struct str name)
{
	static const char *const endings[] = {
		"~", ".bak", ".old", ".orig", ".rpmnew", ".rpmsave", ".rpmorig", ".dpkg-old",
		".dpkg-dist", ".dpkg-new", ".ucf-old", ".ucf-dist", "README",
	};
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++)
		if (str_ends(name, str_of(endings[i])))
			return true;
	return false;
}

static int config_is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/*
 * Read a file of conf.d, or warn that its name lacks the suffix .conf. Backup copies and README are
 * ignored.
 */
static int config_read_entry(struct config *c, const char *dir, const char *name,
			     struct buf *errors)
{
	char path[PATH_MAX + NAME_MAX + 2];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (str_ends(str_of(name), STR(".conf")))
		return config_read(c, path, errors);
	if (!config_is_copy(str_of(name)))
		buf_addf(&c->warnings, "%s: warning: not read: the name must end in .conf\n", path);
	return 0;
}

static int config_read_folder(struct config *c, const char *dir, struct buf *errors)
{
	struct dirent **entry;
	int result = 0;
	int n = scandir(dir, &entry, config_is_shown, config_compare_names);
	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0) {
		result = -errno;
		buf_addf(errors, "%s: %s\n", dir, strerror(-result));
		return result;
	}
	for (int i = 0; i < n; i++) {
		int r = config_read_entry(c, dir, entry[i]->d_name, errors);
		if (r < 0)
			result = r;
		free(entry[i]);
	}
	free(entry);
	return result;
}

int config_read_all(struct config *c, const char *path, struct buf *errors)
{
	char dir[PATH_MAX];
	const char *slash = strrchr(path, '/');
	snprintf(dir, sizeof(dir), "%.*sconf.d", slash ? (int)(slash + 1 - path) : 0, path);
	int r = access(path, F_OK) < 0 && errno == ENOENT ? 0 : config_read(c, path, errors);
	int more = config_read_folder(c, dir, errors);
	return r < 0 ? r : more;
}
