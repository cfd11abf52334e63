/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json_schemas.c - make the JSON schemas from templates and the tables that have the keys
 *
 * Copies a template from standard input to standard output, and replaces each line such as
 * "@FIGURES@" by the names in a table, as elements of an array or members of an object. Runs while
 * nodometer is built.
 */
#include <stdio.h>
#include <string.h>
#include "base/json.h"
#include "cli/status_lines.h"
#include "figures/derived.h"
#include "figures/findings/findings.h"
#include "figures/parts.h"
#include "figures/slow.h"
#include "figures/used.h"
#include "figures/usual.h"
#include "report/compare/measures.h"
#include "report/fleet/rules.h"
#include "schema/delta.h"
#include "top/columns.h"

static void json_schemas_put_figures(struct buf *b)
{
	for (size_t i = 0; i < n_figures; i++)
		json_str(b, NULL, str_of(figure_id(&figures[i]).s));
}

static void json_schemas_put_derived(struct buf *b)
{
	for (size_t i = 0; i < n_derived; i++)
		json_str(b, NULL, str_of(derived[i].id));
}

static void put_rules(struct buf *b)
{
	for (size_t i = 0; i < n_finding_rules; i++)
		json_str(b, NULL, str_of(finding_rules[i].name));
}

static void put_faults(struct buf *b)
{
	for (size_t i = 0; i < FLEET_FAULTS; i++)
		json_str(b, NULL, str_of(fleet_rules[i].name));
}

static void put_summary(struct buf *b)
{
	for (size_t i = 0; i < n_summary_names; i++)
		json_str(b, NULL, str_of(summary_names[i]));
}

static void json_schemas_put_used(struct buf *b)
{
	for (size_t i = 0; i < USED_WHATS; i++)
		json_str(b, NULL, str_of(used_names[i]));
}

static void json_schemas_put_parts(struct buf *b)
{
	for (size_t i = 0; i < PARTS; i++)
		json_str(b, NULL, str_of(part_names[i].name));
}

static void put_slow(struct buf *b)
{
	for (size_t i = 0; i < SLOW_MEASURES; i++)
		json_str(b, NULL, str_of(slow_measures[i].name));
}

static void json_schemas_put_measures(struct buf *b)
{
	for (size_t i = 0; i < MEASURES; i++)
		json_str(b, NULL, str_of(measures[i].name));
}

static void json_schemas_put_hows(struct buf *b)
{
	for (int h = DELTA_WRAPPED; h < DELTA_HOWS; h++)
		json_str(b, NULL, str_of(delta_how_name((enum delta_how)h)));
}

static void put_member(struct buf *b, const char *name, const char *type, const char *about)
{
	json_open(b, name, '{');
	json_str(b, "type", str_of(type));
	if (about)
		json_str(b, "description", str_of(about));
	json_close(b, '}');
}

static void put_status(struct buf *b)
{
	static const char *const types[STATUS_JOB] = {
		[STATUS_NUMBER] = "integer", [STATUS_MOMENT] = "number",
		[STATUS_SECONDS] = "number", [STATUS_TEXT] = "string",
	};
	for (size_t i = 0; i < n_status_lines; i++)
		if (status_lines[i].shape < STATUS_JOB)
			put_member(b, status_lines[i].key, types[status_lines[i].shape],
				   status_lines[i].label);
}

/* Write the schema of an object of numbers: the sums of a type, or one of its devices. */
static void put_top_type(struct buf *b, const char *name, const struct top_type *t)
{
	json_open(b, name, '{');
	json_str(b, "type", STR("object"));
	json_bool(b, "additionalProperties", false);
	json_open(b, "properties", '{');
	put_member(b, t->sums ? "devices" : "device", t->sums ? "integer" : "string", NULL);
	for (size_t i = 0; i < TOP_KEYS && t->key[i].key; i++)
		put_member(b, t->key[i].key, "number", NULL);
	json_close(b, '}');
	json_close(b, '}');
}

static void put_top(struct buf *b)
{
	for (const struct top_type *t = top_types; t < top_types + n_top_types; t++) {
		if (t->sums) {
			put_top_type(b, t->name, t);
			continue;
		}
		json_open(b, t->name, '{');
		json_str(b, "type", STR("array"));
		put_top_type(b, "items", t);
		json_close(b, '}');
	}
}

static const struct {
	const char *line;
	void (*put)(struct buf *b);
} places[] = {
	{ "@DERIVED@\n", json_schemas_put_derived },
	{ "@FAULTS@\n",  put_faults  },
	{ "@FIGURES@\n", json_schemas_put_figures },
	{ "@HOWS@\n",    json_schemas_put_hows },
	{ "@MEASURES@\n", json_schemas_put_measures },
	{ "@PARTS@\n",   json_schemas_put_parts },
	{ "@RULES@\n",   put_rules   },
	{ "@SLOW@\n",    put_slow    },
	{ "@STATUS@\n",  put_status  },
	{ "@SUMMARY@\n", put_summary },
	{ "@TOP@\n",     put_top     },
	{ "@USED@\n",    json_schemas_put_used },
};

static void json_schemas_put_line(struct buf *b, const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (strcmp(places[i].line, line) == 0) {
			places[i].put(b);
			buf_add_char(b, '\n');
			return;
		}
	buf_add(b, str_of(line));
}

int main(void)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	char line[1024];
	while (fgets(line, sizeof(line), stdin))
		json_schemas_put_line(&b, line);
	fwrite(b.p, 1, b.n, stdout);
	return ferror(stdin) || fflush(stdout) != 0;
}
