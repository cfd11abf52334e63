/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-types.c - nodometer types: list the types of data that this node has and lacks */
#include <stdio.h>
#include <string.h>
#include "cli/look.h"
#include "cli/print_schema.h"
#include "recorder/options.h"
#include "recorder/load_programs.h"
#include "collectors/pmu/pmu.h"
#include "base/json.h"
#include "base/log.h"

enum { ALL, JSON, SCHEMA, HELP_TEXT, N_TYPES_OPTIONS };

static const struct cli_option table[] = {
	[ALL]       = { "all",       NULL, "print one line per absent type, not per reason" },
	[JSON]      = { "json",      NULL, "print one JSON object" },
	[SCHEMA]    = { "schema",    NULL, "print the keys of all types, or of those named" },
	[HELP_TEXT] = { "help-text", NULL, "with --schema: print kind, unit and meaning of keys" },
};

#define NAMES_SHOWN 8
#define COLUMNS_WIDTH 19	/* characters of the columns between a type and its devices */

static const char *why_absent(const struct type_state *t)
{
	if (t->on)
		return t->source.why;
	return t->c->type->off ? "off unless the configuration switches it on" :
			   "switched off in the configuration";
}

static void print_devices(const struct rows *r)
{
	for (size_t i = 0; i < r->n && i < NAMES_SHOWN; i++)
		printf(" " STR_FMT, STR_ARG(rows_device(r, i)));
	if (r->n > NAMES_SHOWN)
		printf(" and %zu more", r->n - NAMES_SHOWN);
	putchar('\n');
}

/* Print, below a type, the devices that lack some of the type's keys. */
static void print_odd_devices(const struct type_state *t, int width)
{
	struct buf keys CLEANUP(buf_free) = { 0 };
	const struct odd_devices odd = type_odd_devices(t);
	const struct rows *r = &t->source.rows;
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (!odd_device(&odd, i) || n++ >= NAMES_SHOWN)
			continue;
		keys.n = 0;
		odd_device_put_keys(&odd, i, NAMES_SHOWN, &keys);
		printf("%*s " STR_FMT " lacks " STR_FMT "\n", width + COLUMNS_WIDTH, "",
		       STR_ARG(rows_device(r, i)), STR_ARG(buf_str(&keys)));
	}
	if (n > NAMES_SHOWN)
		printf("%*s %zu more devices lack keys\n", width + COLUMNS_WIDTH, "",
		       n - NAMES_SHOWN);
}

static int longest_name(const struct sampler *s)
{
	size_t longest = 0;
	for (size_t i = 0; i < s->n; i++)
		if (strlen(s->type[i].c->type->name) > longest)
			longest = strlen(s->type[i].c->type->name);
	return (int)longest;
}

static void print_active(const struct sampler *s, int width)
{
	printf("%-*s State  Interrupts Devices\n", width, "Type");
	for (size_t i = 0; i < s->n; i++) {
		const struct type_state *t = &s->type[i];
		if (type_is_absent(t))
			continue;
		printf("%-*s active  %10zu", width, t->c->type->name, type_interrupts(t));
		if (t->active && t->source.rows.n)
			print_devices(&t->source.rows);
		else
			puts(" - no device at the moment");
		if (t->active)
			print_odd_devices(t, width);
	}
}

static void print_each_absent(const struct sampler *s, int width)
{
	for (size_t i = 0; i < s->n; i++)
		if (type_is_absent(&s->type[i]))
			printf("%-*s absent  %s\n", width, s->type[i].c->type->name,
			       why_absent(&s->type[i]));
}

/*
 * Return the first part of the reason why a type is absent, up to "; ". Types with the same first
 * part share a line of output; the details of a single type are after "; ".
 */
static struct str main_reason(const struct type_state *t)
{
	const char *why = why_absent(t), *end = strstr(why, "; ");
	return (struct str){ why, end ? (size_t)(end - why) : strlen(why) };
}

static bool same_reason(const struct type_state *a, const struct type_state *b)
{
	return type_is_absent(a) && type_is_absent(b) && str_eq(main_reason(a), main_reason(b));
}

/* Print one line that lists type `first` and the later types that are absent for its reason. */
static void print_reason(const struct sampler *s, size_t first)
{
	struct str why = str_of(why_absent(&s->type[first]));
	size_t n = 0;

	for (size_t i = first; i < s->n; i++) {
		if (!same_reason(&s->type[first], &s->type[i]))
			continue;
		if (n++ < NAMES_SHOWN)
			printf(" %s", s->type[i].c->type->name);
		if (!str_eq(why, str_of(why_absent(&s->type[i]))))
			why = main_reason(&s->type[first]);
	}
	if (n > NAMES_SHOWN)
		printf(" and %zu more", n - NAMES_SHOWN);
	printf(": " STR_FMT "\n", STR_ARG(why));
}

static void print_absent(const struct sampler *s)
{
	puts("\nAbsent, by reason (--all: a line for each type):");
	for (size_t i = 0; i < s->n; i++) {
		size_t before = 0;
		while (before < i && !same_reason(&s->type[before], &s->type[i]))
			before++;
		if (before < i || !type_is_absent(&s->type[i]))
			continue;
		putchar(' ');
		print_reason(s, i);
	}
}

/* Print which types BPF programs read, or why no BPF program is used. */
static void print_programs(const struct sampler *s, const struct programs *p)
{
	puts("\nBy programs in the kernel (BPF), not from files:");
	for (size_t i = 0; i < s->n; i++) {
		const struct type_state *t = &s->type[i];
		const char *why = p->program[t->c->program].why;
		if (t->c->program && t->on)
			printf(" %s: %s%s\n", t->c->type->name, why[0] ? "no: " : "yes", why);
	}
}

static void types_put_devices(struct buf *b, const struct rows *r)
{
	json_open(b, "devices", '[');
	for (size_t i = 0; i < r->n; i++)
		json_str(b, NULL, rows_device(r, i));
	json_close(b, ']');
}

static void put_odd_devices(struct buf *b, const struct type_state *t)
{
	struct buf keys CLEANUP(buf_free) = { 0 };
	const struct odd_devices odd = type_odd_devices(t);
	const struct rows *r = &t->source.rows;
	struct str rest, key;
	json_open(b, "lacking", '[');
	for (size_t i = 0; t->active && i < r->n; i++) {
		if (!odd_device(&odd, i))
			continue;
		keys.n = 0;
		odd_device_put_keys(&odd, i, SIZE_MAX, &keys);
		json_open(b, NULL, '{');
		json_str(b, "device", rows_device(r, i));
		json_open(b, "keys", '[');
		for (rest = buf_str(&keys); str_take_word(&rest, &key); )
			json_str(b, NULL, key);
		json_close(b, ']');
		json_close(b, '}');
	}
	json_close(b, ']');
}

static void types_put_keys(struct buf *b, const struct type_state *t)
{
	json_open(b, "keys", '[');
	for (size_t i = 0; i < t->c->type->n_metrics; i++)
		if (t->mask[i / 64] >> i % 64 & 1)
			json_str(b, NULL, str_of(t->c->type->metrics[i].name));
	json_close(b, ']');
}

/*
 * Append a counter. The codes of an event are written as strings, because JSON numbers may not hold
 * 64 bits.
 */
static void put_counter(struct buf *b, const struct pmu_counter *c)
{
	json_open(b, NULL, '{');
	json_str(b, "device", str_of(c->device));
	json_str(b, "key", str_of(c->key));
	json_str(b, "pmu", str_of(c->pmu));
	json_u64(b, "type", c->type);
	json_strf(b, "config", "0x%llx", (unsigned long long)c->config);
	json_strf(b, "config1", "0x%llx", (unsigned long long)c->config1);
	json_int(b, "cpu", c->cpu);
	json_close(b, '}');
}

/*
 * Append the counters that the type has opened or, for a captured tree, the counters that the type
 * would open on the captured machine.
 */
static void put_counters(struct buf *b, const struct type_state *t)
{
	struct pmu_counter c;
	json_open(b, "counters", '[');
	for (size_t i = 0; t->c->planned(&t->source, i, &c); i++)
		put_counter(b, &c);
	json_close(b, ']');
}

static void types_put_type(struct buf *b, const struct type_state *t, const struct programs *p)
{
	bool active = !type_is_absent(t);
	json_open(b, NULL, '{');
	json_str(b, "name", str_of(t->c->type->name));
	json_str(b, "summary", str_of(t->c->type->about));
	json_str(b, "source", str_of(t->c->type->source));
	json_bool(b, "active", active);
	if (active) {
		types_put_devices(b, &t->source.rows);
		types_put_keys(b, t);
		put_odd_devices(b, t);
		json_u64(b, "interrupts", type_interrupts(t));
	} else {
		json_str(b, "why", str_of(why_absent(t)));
	}
	if (t->c->planned)
		put_counters(b, t);
	if (t->on && t->c->program) {
		json_bool(b, "bpf", !p->program[t->c->program].why[0]);
		json_str(b, "why_files", str_of(p->program[t->c->program].why));
	}
	json_close(b, '}');
}

/* Append a CPU, leaving out properties that are unknown. */
static void types_put_cpu(struct buf *b, const struct topology_cpu *c)
{
	json_open(b, NULL, '{');
	json_int(b, "cpu", c->number);
	if (c->package >= 0)
		json_int(b, "package", c->package);
	if (c->node >= 0)
		json_int(b, "node", c->node);
	if (c->core >= 0) {
		json_int(b, "core", c->core);
		json_int(b, "thread", c->thread);
	}
	json_close(b, '}');
}

static void types_put_topology(struct buf *b, struct sampler *s)
{
	struct topology *t = &s->shared.topology;
	json_open(b, "topology", '{');
	if (topology_look(t, &s->root) < 0) {
		json_str(b, "why", str_of(t->why));
	} else {
		json_open(b, "cpus", '[');
		for (size_t i = 0; i < t->n; i++)
			types_put_cpu(b, &t->cpu[i]);
		json_close(b, ']');
	}
	json_close(b, '}');
}

static int print_types_json(struct sampler *s, const struct programs *p)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	json_open(&b, NULL, '{');
	json_open(&b, "types", '[');
	for (size_t i = 0; i < s->n; i++)
		types_put_type(&b, &s->type[i], p);
	json_close(&b, ']');
	types_put_topology(&b, s);
	buf_add(&b, STR("}\n"));
	return cli_publish(NULL, buf_str(&b));
}

static void print_types(const struct sampler *s, const struct programs *p, bool all)
{
	int width = longest_name(s);
	print_active(s, width);
	if (all)
		print_each_absent(s, width);
	else
		print_absent(s);
	if (!s->root.in_root)	/* a captured tree has no kernel to load BPF programs */
		print_programs(s, p);
}

static int show_types(const struct config *c, bool json, bool all)
{
	struct sampler s;
	if (sample_this_node(&s, c) < 0)
		return CLI_FAILED;
	struct buf rows CLEANUP(buf_free) = { 0 };
	struct programs programs CLEANUP(programs_free) = { 0 };
	/* load the BPF programs as the agent does, but with the rights of this program's user */
	load_programs(&programs, c);
	/* add the rows of type nodometer, which show the cost of the other types */
	sampler_put_rows(&s, &rows, 0, 0);
	if (!json)
		print_types(&s, &programs, all);
	int status = json ? print_types_json(&s, &programs) : cli_flush();
	sampler_free(&s);
	return status;
}

static const struct cli cli = {
	.command = "types", .operands = "[TYPE...]", .common = CLI_ALL, CLI_OPTIONS(table),
	.about = "Prints the types of this node with devices, and why other types are absent, "
		 "or keys.",
};

/* Check that the given options may be combined. Returns CLI_END, or the value of cli_misused(). */
static int types_check_options(const bool *given, int argc, char **argv)
{
	if (!given[SCHEMA] && given[HELP_TEXT])
		return cli_misused(&cli, "--help-text needs --schema");
	if (given[SCHEMA] && given[ALL])
		return cli_misused(&cli, "--all cannot be used with --schema");
	if (given[HELP_TEXT] && given[JSON])
		return cli_misused(&cli, "--help-text cannot be used with --json");
	return given[SCHEMA] ? CLI_END : cli_refuse_operands(&cli, argc, argv);
}

int main(int argc, char **argv)
{
	struct options o = { 0 };
	bool given[N_TYPES_OPTIONS] = { false };
	struct config c;
	const char *arg;
	int id;

	log_open("nodometer types", LOG_LEVEL_INFO);
	while ((id = options_next(&o, &cli, argc, argv, &arg)) != CLI_END) {
		if (id < 0)
			return id == CLI_SHOWN ? CLI_OK : CLI_WRONG;
		given[id] = true;
	}
	if (types_check_options(given, argc, argv) != CLI_END)
		return CLI_WRONG;
	if (given[SCHEMA])
		return print_schema(&o, given[JSON] ? SCHEMA_JSON :
				    given[HELP_TEXT] ? SCHEMA_TEXT : SCHEMA_LINES, argv + optind);
	if (options_configure(&o, &c) < 0)
		return CLI_WRONG;
	int status = show_types(&c, given[JSON], given[ALL]);
	config_free(&c);
	return status;
}
