/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - types and schema: what there is on this node, and what it means */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "agent/command.h"
#include "agent/recorder.h"
#include "base/log.h"
#include "collectors/pmu/pmu.h"
#include "formats/json.h"
#include "formats/raw_write.h"

enum { OPTION_HELP_TEXT = 1 };

static const struct option_help types_table[] = {
	{ "json", NULL, "one JSON object", OPTION_JSON },
	OPTIONS_COMMON
};
static const struct option_help schema_table[] = {
	{ "help-text", NULL, "keys with unit, kind and meaning", OPTION_HELP_TEXT },
	OPTIONS_COMMON
};

#define DEVICES_SHOWN 8

static const char *why_absent(const struct type_state *t)
{
	if (t->on)
		return t->sample.why;
	return t->c->off ? "off unless the configuration switches it on" :
			   "switched off in the configuration";
}

static void print_devices(const struct sample *s)
{
	for (size_t i = 0; i < s->n_rows && i < DEVICES_SHOWN; i++)
		printf(" " STR_FMT, STR_ARG(sample_device(s, i)));
	if (s->n_rows > DEVICES_SHOWN)
		printf(" and %zu more", s->n_rows - DEVICES_SHOWN);
	putchar('\n');
}

static int longest_name(void)
{
	size_t longest = 0;
	for (size_t i = 0; i < n_collectors; i++)
		if (strlen(collectors[i]->name) > longest)
			longest = strlen(collectors[i]->name);
	return (int)longest;
}

static void print_types(const struct sampler *s)
{
	int width = longest_name();
	for (size_t i = 0; i < n_collectors; i++) {
		const struct type_state *t = &s->type[i];
		if (t->active && t->sample.n_rows) {
			printf("%-*s active ", width, t->c->name);
			print_devices(&t->sample);
		} else if (t->on && t->result == 0) {
			printf("%-*s active  - no device at the moment\n", width, t->c->name);
		} else {
			printf("%-*s absent  %s\n", width, t->c->name, why_absent(t));
		}
	}
}

static void put_devices(struct buf *b, const struct sample *s)
{
	json_put_name(b, "devices");
	buf_add_char(b, '[');
	for (size_t i = 0; i < s->n_rows; i++) {
		if (i)
			buf_add_char(b, ',');
		json_put_string(b, sample_device(s, i));
	}
	buf_add_char(b, ']');
}

static void put_keys(struct buf *b, const struct type_state *t)
{
	bool first = true;
	json_put_name(b, "keys");
	buf_add_char(b, '[');
	for (size_t i = 0; i < t->c->n_metrics; i++) {
		if (!(t->mask[i / 64] >> i % 64 & 1))
			continue;
		if (!first)
			buf_add_char(b, ',');
		json_put_string(b, str_of(t->c->metrics[i].name));
		first = false;
	}
	buf_add_char(b, ']');
}

static void put_text(struct buf *b, const char *name, const char *text)
{
	json_put_name(b, name);
	json_put_string(b, str_of(text));
}

/* Numbers of encodings are strings: they are for people, and may have 64 bits. */
static void put_counter(struct buf *b, const struct pmu_counter *c)
{
	char text[32];
	buf_add_char(b, '{');
	put_text(b, "device", c->device);
	put_text(b, "key", c->key);
	put_text(b, "pmu", c->pmu);
	json_put_name(b, "type");
	buf_add_u64(b, c->type);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)c->config);
	put_text(b, "config", text);
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)c->config1);
	put_text(b, "config1", text);
	json_put_name(b, "cpu");
	buf_addf(b, "%d}", c->cpu);
}

/* What the type has opened, or would open if this were not a captured tree. */
static void put_counters(struct buf *b, const struct type_state *t)
{
	struct pmu_counter c;
	json_put_name(b, "counters");
	buf_add_char(b, '[');
	for (size_t i = 0; t->c->planned(&t->sample, i, &c); i++) {
		if (i)
			buf_add_char(b, ',');
		put_counter(b, &c);
	}
	buf_add_char(b, ']');
}

static void put_type(struct buf *b, const struct type_state *t)
{
	bool active = t->on && t->result == 0;
	buf_add_char(b, '{');
	put_text(b, "name", t->c->name);
	put_text(b, "summary", t->c->summary);
	put_text(b, "source", t->c->source);
	json_put_name(b, "active");
	buf_add(b, active ? STR("true") : STR("false"));
	if (active) {
		put_devices(b, &t->sample);
		put_keys(b, t);
	} else {
		put_text(b, "why", why_absent(t));
	}
	if (t->c->planned)
		put_counters(b, t);
	buf_add_char(b, '}');
}

static void put_number(struct buf *b, const char *name, int64_t v)
{
	json_put_name(b, name);
	buf_addf(b, "%lld", (long long)v);
}

/* What is not told is left out. */
static void put_cpu(struct buf *b, const struct topology_cpu *c)
{
	buf_add_char(b, '{');
	put_number(b, "cpu", c->number);
	if (c->package >= 0)
		put_number(b, "package", c->package);
	if (c->node >= 0)
		put_number(b, "node", c->node);
	if (c->core >= 0) {
		put_number(b, "core", c->core);
		put_number(b, "thread", c->thread);
	}
	buf_add_char(b, '}');
}

static void put_topology(struct buf *b, struct sampler *s)
{
	struct topology *t = &s->shared.topology;
	json_put_name(b, "topology");
	buf_add_char(b, '{');
	if (topology_look(t, &s->root) < 0) {
		put_text(b, "why", t->why);
	} else {
		json_put_name(b, "cpus");
		buf_add_char(b, '[');
		for (size_t i = 0; i < t->n; i++) {
			if (i)
				buf_add_char(b, ',');
			put_cpu(b, &t->cpu[i]);
		}
		buf_add_char(b, ']');
	}
	buf_add_char(b, '}');
}

static void print_types_json(struct sampler *s)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_add(&b, STR("{\"types\":["));
	for (size_t i = 0; i < n_collectors; i++) {
		if (i)
			buf_add_char(&b, ',');
		put_type(&b, &s->type[i]);
	}
	buf_add_char(&b, ']');
	put_topology(&b, s);
	buf_add(&b, STR("}\n"));
	fwrite(b.p, 1, b.n, stdout);
}

/* What a job has is not opened to look at it, either. */
static void hold_off_released(struct sampler *s, const struct config *c)
{
	static struct jobs jobs;	/* large */
	char path[CONFIG_TEXT_MAX + 8];
	snprintf(path, sizeof(path), "%s/jobs", c->runtime_dir);
	if (jobs_load(&jobs, path) == 0)
		counters_choose(s, &jobs, false);
}

static int run_types(const struct command *cmd, struct options *o, int argc, char **argv)
{
	struct sampler s;
	struct config c;
	bool json;

	int status = command_configure(cmd, o, argc, argv, &c, &json);
	if (status >= 0)
		return status;
	int r = sampler_init(&s, c.root, c.use, c.deadline_us * 1000);
	if (r < 0) {
		log_error("%s: %s", c.root, strerror(-r));
		config_free(&c);
		return EXIT_FAILED;
	}
	hold_off_released(&s, &c);
	sampler_collect(&s);
	struct buf rows CLEANUP(buf_free) = { 0 };
	sampler_put_rows(&s, &rows, 0, 0);	/* for the rows of what the others cost */
	if (json)
		print_types_json(&s);
	else
		print_types(&s);
	sampler_free(&s);
	config_free(&c);
	return EXIT_DONE;
}

static void print_schema(const struct collector *c)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (!c->n_metrics)
		return;
	buf_addf(&b, "!%s", c->name);
	for (size_t i = 0; i < c->n_metrics; i++)
		raw_put_key(&b, str_of(c->metrics[i].name), c->metrics[i].kind,
			    str_of(c->metrics[i].unit), c->metrics[i].bits);
	buf_add_char(&b, '\n');
	fwrite(b.p, 1, b.n, stdout);
}

static void print_help_text(const struct collector *c)
{
	static const char *const kinds[] = {
		[COUNTER] = "counter", [GAUGE] = "gauge", [CONTROL] = "control",
	};
	printf("%s - %s\n  source: %s\n  device: %s\n", c->name, c->summary, c->source, c->device);
	for (size_t i = 0; i < c->n_metrics; i++) {
		const struct metric *m = &c->metrics[i];
		printf("  %-26s %-8s %-5s %s\n", m->name, kinds[m->kind],
		       *m->unit ? m->unit : "-", m->help);
	}
	putchar('\n');
}

static int run_schema(const struct command *cmd, struct options *o, int argc, char **argv)
{
	bool text = false;
	int id;

	while ((id = options_next(o, argc, argv, cmd->table, cmd->n_table)) != -1) {
		if (id != OPTION_HELP_TEXT)
			return command_other_option(cmd, id);
		text = true;
	}
	void (*print)(const struct collector *) = text ? print_help_text : print_schema;
	for (int i = optind; i < argc; i++)
		if (!collector_find(argv[i])) {
			log_error("unknown type %s; \"nodometer types\" lists them", argv[i]);
			return EXIT_USAGE;
		}
	for (int i = optind; i < argc; i++)
		print(collector_find(argv[i]));
	for (size_t i = 0; optind == argc && i < n_collectors; i++)
		print(collectors[i]);
	return EXIT_DONE;
}

const struct command types_command = {
	.name = "types", .arguments = "", .run = run_types, OPTIONS(types_table),
	.summary = "every type: active with its devices, or absent and why",
};
const struct command schema_command = {
	.name = "schema", .arguments = "[TYPE...]", .run = run_schema, OPTIONS(schema_table),
	.summary = "the keys of the types, and what they mean",
};
