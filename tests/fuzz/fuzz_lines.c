/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_lines.c - encode any record in each format: the encoding is whole and ends as stated */
#include <stdlib.h>
#include "base/utf8.h"
#include "formats/json_read.h"
#include "formats/line/line.h"
#include "formats/line/rates.h"
#include "schema/unfold.h"
#include "tests/fuzz/records_in.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void want(bool holds)
{
	if (!holds)
		abort();
}

static uint64_t take_varint(struct str *s)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		want(s->n);
		unsigned char c = (unsigned char)*s->p;
		*s = str_skip(*s, 1);
		v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return v;
	}
	abort();
}

/*
 * Check the fields of a message. A tree names the fields that contain messages: "1(2)" is field 1
 * and, in it, field 2.
 */
static void check_message(struct str s, const char *tree);

/* Get the fields in brackets after this field of the tree, or NULL if there are no brackets. */
static const char *inside(const char *tree, uint64_t field)
{
	unsigned depth = 0;
	for (; *tree && (depth || *tree != ')'); tree++) {
		if (!depth && tree[1] == '(' && (uint64_t)(*tree - '0') == field)
			return tree + 2;
		depth += *tree == '(';
		depth -= *tree == ')';
	}
	return NULL;
}

static void check_message(struct str s, const char *tree)
{
	while (s.n) {
		uint64_t tag = take_varint(&s), n;
		const char *more = inside(tree, tag >> 3);
		want(tag >> 3 >= 1 && tag >> 3 <= 9);
		switch (tag & 7) {
		case 0:
			take_varint(&s);
			break;
		case 1:
			want(s.n >= 8);
			s = str_skip(s, 8);
			break;
		case 2:
			n = take_varint(&s);
			want(n <= s.n);
			if (more)
				check_message((struct str){ s.p, (size_t)n }, more);
			else
				want(utf8_is_all((struct str){ s.p, (size_t)n }));
			s = str_skip(s, (size_t)n);
			break;
		default:
			abort();
		}
	}
}

static void check_otlp(struct str body)
{
	check_message(body, "1(1(1(2()))2(1()2(5(1(7(2())))7(1(7(2()))))))");
}

static void check_remote_write(struct str body)
{
	check_message(body, "1(1()2())");
}

static void check_objects(struct str body)
{
	struct str line, members;
	while (str_take_line(&body, &line))
		want(json_take_object(line, &members) && json_find(members, STR("time")).n &&
		     json_find(members, STR("host")).n);
}

/*
 * Check that each line is "MEASUREMENT[,TAG=VALUE...] FIELD=VALUE[,...] TIME", with exactly two
 * blanks that are not escaped.
 */
static void check_influx(struct str body)
{
	struct str line;
	want(utf8_is_all(body) && (!body.n || body.p[body.n - 1] == '\n'));
	while (str_take_line(&body, &line)) {
		size_t blanks = 0;
		for (size_t i = 0; i < line.n; i++) {
			want((unsigned char)line.p[i] >= ' ');
			if (line.p[i] == '\\')
				i++;
			else
				blanks += line.p[i] == ' ';
		}
		want(blanks == 2);
	}
}

/* Check that each opening quote has a closing quote in the same line. */
static void check_exposition(struct str body)
{
	struct str line;
	while (str_take_line(&body, &line)) {
		bool quoted = false;
		for (size_t i = 0; i < line.n && line.p[0] != '#'; i++) {
			if (quoted && line.p[i] == '\\')
				i++;
			else
				quoted ^= line.p[i] == '"';
		}
		want(!quoted && line.n);
	}
}

/* Check that the number of quotes is even, because a quote in a quoted text is doubled. */
static void check_csv(struct str body)
{
	size_t quotes = 0;
	for (size_t i = 0; i < body.n; i++)
		quotes += body.p[i] == '"';
	want(quotes % 2 == 0 && (!body.n || body.p[body.n - 1] == '\n'));
}

/*
 * Check a raw file: it has no control characters, and each line that is not blank follows the
 * format.
 */
static void check_raw(struct str body)
{
	struct str line;
	want(!body.n || body.p[body.n - 1] == '\n');
	while (str_take_line(&body, &line)) {
		struct str word, rest = line;
		for (size_t i = 0; i < line.n; i++)
			want((unsigned char)line.p[i] >= ' ' && line.p[i] != 0x7f);
		want(!line.n || strchr("$!%", *line.p) || (str_take_word(&rest, &word) && rest.n));
	}
}

static const struct {
	const char *name;
	void (*check)(struct str body);
} checks[] = {
	{ "clustercockpit", check_influx     },
	{ "csv",          check_csv          },
	{ "influx",       check_influx       },
	{ "jsonl",        check_objects      },
	{ "openmetrics",  check_exposition   },
	{ "otlp",         check_otlp         },
	{ "prometheus",   check_exposition   },
	{ "raw",          check_raw          },
	{ "records",      check_objects      },
	{ "remote-write", check_remote_write },
};

static void encode(const struct record_source *from, const struct record *r)
{
	struct line_whole whole = { .from = from, .record = r };
	static const struct line_label label[] = { { STR("cluster"), STR("a") } };
	struct rates rates CLEANUP(rates_free) = { .n = 0 };
	const struct line_node node = { STR("n1"), label, 1, &rates, &whole };
	for (size_t i = 0; i < n_line_encoders; i++) {
		struct buf body CLEANUP(buf_free) = { 0 };
		const struct line_encoder *e = line_encoders[i];
		if (e->head)
			e->head(&body, &node, r);
		if (e->begin)
			e->begin(&body);
		e->put(&body, &node, r);
		if (e->end)
			e->end(&body);
		for (size_t c = 0; c < ARRAY_SIZE(checks); c++)
			if (strcmp(checks[c].name, e->name) == 0)
				checks[c].check(buf_str(&body));
	}
	raw_copy_free(&whole.copy);
}

static bool all(void *arg, struct str type)
{
	(void)arg;
	(void)type;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct record_source from = records_in(&text);
	struct unfold *u = unfold_new(all, NULL);
	const struct record *r;
	while (record_next(&from, &r) > 0) {
		encode(&from, r);
		encode(&from, unfold(u, r, &from));
	}
	unfold_free(u);
	record_source_end(&from);
	return 0;
}
