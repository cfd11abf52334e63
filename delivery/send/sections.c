/* SPDX-License-Identifier: BSD-3-Clause */
/* sections.c - read the sections [sink NAME] of the configuration: sinks and their keys */
#include "send/sections.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/nearest.h"
#include "base/system/unit.h"
#include "formats/line/line.h"
#include "schema/type.h"

#define DAY_US   86400000000
#define HOUR_US  3600000000
#define RATE_MAX 100000
/*
 * default of "rate": small for records, because thousands of nodes may send records to one
 * receiver; large for lines, because only few hosts send lines
 */
#define RATE_RECORDS 100
#define RATE_LINES   10000

static bool section_is_label_name(struct str s)
{
	static const char *const reserved[] = { "host", "hostname", "device", "type", "time",
					     "jobid" };
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (str_eq(s, str_of(reserved[i])))
			return false;
	return line_label_is_name(s);
}

static bool section_labels_are_valid(const struct key *k, const char *text, struct buf *why)
{
	struct str list = str_of(text), rest = list, word, name, value;
	while (str_take_item(&rest, &word)) {
		if (sink_take_label(&list, &name, &value) && section_is_label_name(name) && value.n)
			continue;
		buf_addf(why, "%s: expected NAME=VALUE, with a NAME of lowercase letters, digits "
			 "and _ other than host, hostname, device, type, time and jobid, not \""
			 STR_FMT "\"", k->name, STR_ARG(word));
		return false;
	}
	return true;
}

/*
 * Return true if the type has the key. Names of hardware counters depend on the node, so a type of
 * such counters may have any key.
 */
static bool section_type_has_key(const struct type *t, struct str key)
{
	for (size_t i = 0; t && !t->counters && i < t->n_metrics; i++)
		if (str_eq(key, str_of(t->metrics[i].name)))
			return true;
	return !t || t->counters;
}

static bool section_drop_is_valid(const struct key *k, const char *text, struct buf *why)
{
	struct str list = str_of(text), item, type;
	char name[64];
	while (str_take_item(&list, &item)) {
		bool whole = !str_take_until(&item, '.', &type);
		if (!str_copy(name, sizeof(name), whole ? item : type) ||
		    !type_list_check(k, name, why))
			return false;
		if (!whole && !section_type_has_key(type_find(name), item)) {
			buf_addf(why, "%s: type %s has no key \"" STR_FMT "\"; \"nodometer types "
				 "--schema %s\" lists them", k->name, name, STR_ARG(item), name);
			return false;
		}
	}
	return true;
}

#define AT(field) offsetof(struct section, field)
static const struct key section_keys[] = {
	{ "interval", KEY_NUMBER, AT(interval_us), key_times, 0, DAY_US, .usual = "0",
	  .help = "shortest time between two records; 0: send every record" },
	{ "delay",    KEY_NUMBER, AT(delay_us), key_times, 0, HOUR_US, .usual = "0",
	  .help = "delay records by a fixed part of this time, derived from the hostname" },
	{ "max-age",  KEY_NUMBER, AT(max_age_us), key_times, 0, 3650 * DAY_US, .usual = "0",
	  .help = "leave out records older than this; 0: send all" },
	{ "types",    KEY_TEXT,   AT(types), .check = type_list_check,
	  .help = "types to send (default: all but proc)" },
	{ "drop",     KEY_TEXT,   AT(drop), .check = section_drop_is_valid,
	  .help = "types and keys to leave out: TYPE or TYPE.KEY ..., such as ps or vm.pgfault" },
	{ "labels",   KEY_TEXT,   AT(labels), .check = section_labels_are_valid,
	  .help = "labels to add to each value: NAME=VALUE ..., such as cluster=a" },
	{ "lines",    KEY_PATH_OR_NOTHING, AT(lines),
	  .help = "file of nodometer xrootd whose lines are sent instead of records" },
	{ "runs",     KEY_CHOICE, AT(runs), .no = "no", .yes = "yes", .usual = "no",
	  .help = "yes: send the job summaries of [agent] summary-dir instead of records" },
	{ "live",     KEY_CHOICE, AT(live), .no = "no", .yes = "yes", .usual = "yes",
	  .help = "also send the samples of [agent] live-interval at once" },
	{ "rate",     KEY_NUMBER, AT(rate), key_counts, 1, RATE_MAX,
	  .help = "records per second at most (default 100; lines: 10000)" },
};

static void section_set_defaults(const struct key *k, size_t n, void *to)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < n; i++)
		if (k[i].usual && !key_set(&k[i], to, k[i].usual, &why))
			abort();	/* the table of sinks is wrong */
}

static struct section *sections_find(const struct sections *s, struct str name)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(name, str_of(s->one[i]->name)))
			return s->one[i];
	return NULL;
}

/* Return true if the label is valid as part of a file name. */
static bool section_is_file_name(struct str label)
{
	for (size_t i = 0; i < label.n; i++) {
		char c = label.p[i], lower = (char)(c | 0x20);
		if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') && c != '_' &&
		    c != '-')
			return false;
	}
	return true;
}

static void section_report_unknown_sink(struct buf *why, struct str kind)
{
	struct nearest near = { NULL, 0 };
	char text[SECTION_NAME];
	str_copy(text, sizeof(text), kind);
	for (size_t i = 0; i < n_sinks; i++)
		nearest_try(&near, text, sinks[i]->name);
	buf_addf(why, "unknown sink %s; ", text);
	if (near.best)
		buf_addf(why, "did you mean [sink %s]?", near.best);
	else
		buf_addf(why, "nodometer-send --help lists them");
}

static bool sections_add(void *arg, struct str name, struct buf *why)
{
	struct sections *s = arg;
	struct str rest = name, kind = { 0 };
	if (sections_find(s, name))	/* a section may be continued in another file */
		return true;
	str_take_word(&rest, &kind);
	const struct sink *sink = sink_find(kind);
	if (!sink) {
		section_report_unknown_sink(why, kind);
		return false;
	}
	if (!section_is_file_name(str_trim(rest))) {
		buf_addf(why, "[sink " STR_FMT "]: use only letters, digits, - and _ after the "
			 "name", STR_ARG(name));
		return false;
	}
	if (s->n == SECTIONS_MAX) {
		buf_addf(why, "[sink " STR_FMT "]: too many sinks: at most %d; remove some",
			 STR_ARG(name), SECTIONS_MAX);
		return false;
	}
	struct section *one = xrealloc(NULL, sizeof(*one));
	*one = (struct section){ .sink = sink, .state = xrealloc(NULL, sink->size) };
	memset(one->state, 0, sink->size);
	str_copy(one->name, sizeof(one->name), name);
	section_set_defaults(section_keys, ARRAY_SIZE(section_keys), one);
	section_set_defaults(sink->keys, sink->n_keys, one->state);
	s->one[s->n++] = one;
	return true;
}

static void section_report_unknown_key(struct buf *why, const struct section *s, const char *key)
{
	struct nearest near = { NULL, 0 };
	char file[64];
	snprintf(file, sizeof(file), "%s-file", key);
	if (key_find(s->sink->keys, s->sink->n_keys, file)) {
		buf_addf(why, "unknown key %s in [sink %s]: put the %s into a file that "
			 "other users cannot read, and set %s", key, s->name, key, file);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(section_keys); i++)
		nearest_try(&near, key, section_keys[i].name);
	for (size_t i = 0; i < s->sink->n_keys; i++)
		nearest_try(&near, key, s->sink->keys[i].name);
	buf_addf(why, "unknown key %s in [sink %s]; ", key, s->name);
	if (near.best)
		buf_addf(why, "did you mean %s?", near.best);
	else
		buf_addf(why, "nodometer-send --help lists them");
}

/* If the sink copies whole files, refuse keys that would change records. */
static bool section_accepts_key(const struct section *s, const struct key *k, struct buf *why)
{
	if (!s->sink->files || k->offset == AT(rate) || k->offset == AT(delay_us))
		return true;
	buf_addf(why, "%s: [sink %s] copies files unchanged, with all types; remove the line, or "
		 "set %s in a sink that sends records, such as [sink http]", k->name, s->name,
		 k->name);
	return false;
}

static bool sections_set(void *arg, struct str name, const char *key, const char *value,
			 struct buf *why)
{
	struct section *s = sections_find(arg, name);
	if (!s)
		return true;	/* the section was rejected and reported before */
	const struct key *k = key_find(section_keys, ARRAY_SIZE(section_keys), key);
	if (k)
		return section_accepts_key(s, k, why) && key_set(k, s, value, why);
	k = key_find(s->sink->keys, s->sink->n_keys, key);
	if (k)
		return key_set(k, s->state, value, why);
	section_report_unknown_key(why, s, key);
	return false;
}

struct config_sinks sections_take(struct sections *s)
{
	return (struct config_sinks){ sections_add, sections_set, s };
}

void section_put_place(const struct section *s, const struct config *c, struct buf *b)
{
	char name[SECTION_NAME + 8];
	snprintf(name, sizeof(name), "sink %s", s->name);
	config_put_place(c, name, "", b);
	buf_addf(b, "[%s] ", name);
}

/*
 * Append "FILE:LINE: [sink NAME] WHY". If WHY begins with a key of the section, LINE is the line of
 * the key, otherwise the line of the section.
 */
static void section_put_error(const struct section *s, const struct config *c, struct str why,
			      struct buf *b)
{
	char name[SECTION_NAME + 8], key[64];
	size_t before = b->n, n = 0;
	snprintf(name, sizeof(name), "sink %s", s->name);
	while (n < why.n && why.p[n] != ' ' && why.p[n] != ':')
		n++;
	if (n > 0 && str_copy(key, sizeof(key), (struct str){ why.p, n }))
		config_put_place(c, name, key, b);
	if (b->n == before)
		config_put_place(c, name, "", b);
	buf_addf(b, "[%s] " STR_FMT "\n", name, STR_ARG(why));
}

/* Check the keys "lines" and "runs" together. Returns the error, or NULL. */
static const char *section_lines_error(const struct section *s, const struct config *c)
{
	if ((s->runs || s->lines[0]) && !s->sink->put_line)
		return "this sink can send only records; amqp, kafka, stomp and http can also send "
		       "lines";
	if (s->runs && s->lines[0])
		return "lines is set, too; set only one of them, since each selects a file whose "
		       "lines are sent";
	if (s->runs && !c->summary_dir[0])
		return "[agent] summary-dir, the folder of the job summaries, is not set";
	return NULL;
}

/* Check the keys "types", "drop" and "format" together. Returns the error, or NULL. */
static const char *section_types_error(const struct section *s)
{
	if (!s->sink->unfolded && strchr(s->drop, '.'))
		return "drop: this sink can leave out only whole types";
	if (s->sink->whole && s->sink->whole(s->state) && (s->types[0] || s->drop[0]))
		return "format: this format sends whole records, so types and drop cannot be set";
	return NULL;
}

int sections_check(const struct sections *s, const struct config *c, struct buf *errors)
{
	int r = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct buf why CLEANUP(buf_free) = { 0 };
		const struct sink *sink = s->one[i]->sink;
		const char *wrong = section_lines_error(s->one[i], c);
		if (wrong)
			buf_addf(&why, "%s: %s", s->one[i]->runs ? "runs" : "lines", wrong);
		else if ((wrong = section_types_error(s->one[i])))
			buf_add(&why, str_of(wrong));
		else if (!sink->check || sink->check(s->one[i]->state, &why) == 0)
			continue;
		section_put_error(s->one[i], c, buf_str(&why), errors);
		r = -EINVAL;
	}
	return r;
}

int64_t section_rate(const struct section *s)
{
	return s->rate ? s->rate : s->lines[0] && !s->runs ? RATE_LINES : RATE_RECORDS;
}

void sections_find_runs(const struct sections *s, const struct config *c, const char *host)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->one[i]->runs)
			snprintf(s->one[i]->lines, sizeof(s->one[i]->lines), "%s/%s.jsonl",
				 c->summary_dir, host);
}

/* Append "FILE:LINE: KEY = VALUE: WHY" to the warnings or to the errors. */
static void section_say_key(const struct section *s, const struct key *k, struct config *c,
			    struct buf *errors, const struct buf *why)
{
	char name[SECTION_NAME + 8];
	struct buf *to = errors ? errors : &c->warnings;
	snprintf(name, sizeof(name), "sink %s", s->name);
	config_put_place(c, name, k->name, to);
	buf_addf(to, "%s%s = %s: " STR_FMT "\n", errors ? "" : "warning: ", k->name,
		 (const char *)s->state + k->offset, STR_ARG(buf_str(why)));
}

/*
 * Check the file that a key names. If this user is not root and lacks the permission to read it,
 * warn only: the sender's user may have the permission.
 */
static int section_look_at_file(const struct section *s, const struct key *k, const struct unit *u,
				struct config *c, struct buf *errors)
{
	struct buf path CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	int r = sink_try_file(k, (const char *)s->state + k->offset, &path, &why);
	bool ours = r == -EACCES && geteuid() != 0 && access(path.p, R_OK) < 0;
	if (r < 0)
		section_say_key(s, k, c, ours ? NULL : errors, &why);
	else if (path.n && !unit_may_read(u, path.p, &why))
		section_say_key(s, k, c, NULL, &why);
	return ours ? 0 : r;
}

static int section_look(const struct section *s, const struct unit *u, struct config *c,
			struct buf *errors)
{
	char name[SECTION_NAME + 8];
	int r = 0;
	snprintf(name, sizeof(name), "sink %s", s->name);
	for (size_t i = 0; i < s->sink->n_keys; i++) {
		const struct key *k = &s->sink->keys[i];
		if (k->is_storage)
			config_look_at_folder(c, u, name, k->name,
					      (const char *)s->state + k->offset, false);
		else if (section_look_at_file(s, k, u, c, errors) < 0)
			r = -EINVAL;
	}
	return r;
}

int sections_look(const struct sections *s, struct config *c, struct buf *errors)
{
	struct unit u CLEANUP(unit_free);
	int r = 0;
	unit_look(&u, "nodometer-send");
	config_look_at_folder(c, &u, "send", "state-dir", c->state_dir, true);
	for (size_t i = 0; i < s->n; i++)
		if (section_look(s->one[i], &u, c, errors) < 0)
			r = -EINVAL;
	return r;
}

void sections_free(struct sections *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->one[i]->state);
		free(s->one[i]);
	}
	s->n = 0;
}

void section_put_file(struct buf *b, const struct section *s)
{
	struct str rest = str_of(s->name), word;
	for (bool first = true; str_take_word(&rest, &word); first = false) {
		if (!first)
			buf_add_char(b, '.');
		buf_add(b, word);
	}
}

/*
 * Return the folder to name in a confinement rule: path, or its parent if path does not exist yet.
 * A rule needs an existing path, and a path may be created or mounted later.
 */
static const char *section_writable_folder(struct section *s, const char *path, size_t *n_above)
{
	if (!path[0] || access(path, F_OK) == 0 || *n_above == SECTION_ABOVE_MAX)
		return path;
	char *above = s->above[(*n_above)++];
	confine_parent(path, above, KEY_TEXT_MAX);
	return above;
}

size_t sections_put_paths(const struct sections *s, struct confine_path *to, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		size_t n_above = 0;
		/* allow the file's folder, because writers rename and recreate the file */
		if (s->one[i]->lines[0] && n < max) {
			char *above = s->one[i]->above[n_above++];
			confine_parent(s->one[i]->lines, above, KEY_TEXT_MAX);
			to[n++] = (struct confine_path){ above, CONFINE_READ };
		}
		for (size_t k = 0; k < s->one[i]->sink->n_keys && n < max; k++) {
			const struct key *key = &s->one[i]->sink->keys[k];
			const char *path = (const char *)s->one[i]->state + key->offset;
			if (key->kind != KEY_PATH && key->kind != KEY_PATH_OR_NOTHING &&
			    (key->kind != KEY_SECRET || path[0] != '/'))
				continue;
			to[n++] = (struct confine_path){
				key->is_storage ?
				section_writable_folder(s->one[i], path, &n_above) : path,
				key->is_storage ? CONFINE_KEEP : CONFINE_READ,
			};
		}
	}
	return n;
}

static void section_print_keys(FILE *to, const struct key *k, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct buf text CLEANUP(buf_free) = { 0 };
		buf_addf(&text, "%s%s%s%s", k[i].help, k[i].usual ? " (default " : "",
			 k[i].usual ? k[i].usual : "", k[i].usual ? ")" : "");
		buf_add_char(&text, '\0');
		cli_print_row(to, 17, k[i].name, text.p);
	}
}

void sections_print(FILE *to)
{
	fprintf(to, "\nEach section [sink NAME] of the configuration has these keys:\n");
	section_print_keys(to, section_keys, ARRAY_SIZE(section_keys));
	for (size_t i = 0; i < n_sinks; i++) {
		fprintf(to, "\n[sink %s]  %s\n", sinks[i]->name, sinks[i]->about);
		if (sinks[i]->files)
			fprintf(to, "  (copies whole files: of the keys above, only rate and "
				"delay)\n");
		section_print_keys(to, sinks[i]->keys, sinks[i]->n_keys);
	}
}
