/* SPDX-License-Identifier: BSD-3-Clause */
/* print_schema.c - print the keys of types and their meaning: nodometer types --schema */
#include "cli/print_schema.h"

#include <errno.h>
#include <stdio.h>
#include "base/json.h"
#include "base/log.h"
#include "cli/look.h"
#include "formats/raw_write.h"
#include "schema/type.h"

static void schema_put_line(const struct type *t)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (!t->n_metrics)
		return;
	buf_addf(&b, "!%s", t->name);
	for (size_t i = 0; i < t->n_metrics; i++)
		raw_put_key(&b, str_of(t->metrics[i].name), t->metrics[i].kind,
			    str_of(t->metrics[i].unit), t->metrics[i].bits);
	buf_add_char(&b, '\n');
	fwrite(b.p, 1, b.n, stdout);
}

static void print_key_text(const struct type *t, size_t key)
{
	const struct metric *m = &t->metrics[key];
	struct buf where CLEANUP(buf_free) = { 0 };

	printf("  %-26s %-8s %-5s %s", m->name, metric_kind_name(m->kind),
	       *m->unit ? m->unit : "-", m->help);
	if (m->bits)
		printf("; %d bits", m->bits);
	type_put_where(t, key, &where);
	if (where.n)
		printf(" (" STR_FMT ")", STR_ARG(buf_str(&where)));
	putchar('\n');
}

static void print_help_text(const struct type *t)
{
	printf("%s - %s\n  device: %s\n  source: %s\n  default: %s%s\n", t->name, t->about,
	       t->device, t->source, t->off ? "off" : "on",
	       t->isolate ? ", read by a separate process" : "");
	for (size_t i = 0; i < t->n_metrics; i++)
		print_key_text(t, i);
	putchar('\n');
}

/* Append all that nodometer knows about a type, and which of its keys this node has. */
static void schema_put_type(struct buf *b, const struct type *t, const struct sampler *s)
{
	const struct type_state *here = look_find(s, t->name);
	bool active = here && !type_is_absent(here);

	json_open(b, NULL, '{');
	json_str(b, "type", str_of(t->name));
	type_put_json(b, t);
	json_bool(b, "default", !t->off);
	json_bool(b, "here", active);
	json_open(b, "keys", '[');
	for (size_t i = 0; i < t->n_metrics; i++) {
		const struct metric *m = &t->metrics[i];
		json_open(b, NULL, '{');
		key_put_json(b, m->name, m->kind, m->unit, m->bits, m->help);
		json_bool(b, "here", active && (here->mask[i / 64] >> i % 64 & 1));
		json_close(b, '}');
	}
	json_close(b, ']');
	json_close(b, '}');
}

static int unknown(const char *name)
{
	log_error("unknown type %s; \"nodometer types\" lists them", name);
	return -ENOENT;
}

static int check_types(char **name)
{
	for (; *name; name++)
		if (!type_find(*name))
			return unknown(*name);
	return 0;
}

static void for_each(char **name, void (*print)(const struct type *))
{
	for (size_t i = 0; !*name && i < n_types; i++)
		print(types[i]);
	for (; *name; name++)
		print(type_find(*name));
}

/* Append the built-in types, and the types of the counters that the configuration names. */
static int schema_put_types(struct buf *b, const struct sampler *s, char **name)
{
	for (size_t i = 0; !*name && i < n_types; i++)
		schema_put_type(b, types[i], s);
	for (size_t i = 0; !*name && i < s->n; i++)
		if (!type_find(s->type[i].c->type->name))
			schema_put_type(b, s->type[i].c->type, s);
	for (; *name; name++) {
		const struct type_state *here = look_find(s, *name);
		const struct type *t = here ? here->c->type : type_find(*name);
		if (!t)
			return unknown(*name);
		schema_put_type(b, t, s);
	}
	return 0;
}

static int print_json(const struct config *c, char **name)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct sampler s;

	if (sample_this_node(&s, c) < 0)
		return CLI_FAILED;
	json_open(&b, NULL, '{');
	json_open(&b, "types", '[');
	int r = schema_put_types(&b, &s, name);
	json_close(&b, ']');
	buf_add(&b, STR("}\n"));
	sampler_free(&s);
	return r < 0 ? CLI_WRONG : cli_publish(NULL, buf_str(&b));
}

static int configure_and_print(struct options *o, char **name)
{
	struct config c;
	if (options_configure(o, &c) < 0)
		return CLI_WRONG;
	int status = print_json(&c, name);
	config_free(&c);
	return status;
}

int print_schema(struct options *o, enum schema_form form, char **name)
{
	if (form == SCHEMA_JSON)
		return configure_and_print(o, name);
	if (check_types(name) < 0)
		return CLI_WRONG;
	for_each(name, form == SCHEMA_TEXT ? print_help_text : schema_put_line);
	return cli_flush();
}
