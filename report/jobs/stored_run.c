/* SPDX-License-Identifier: BSD-3-Clause */
/* stored_run.c - serialize "stored runs": runs that a database keeps for nodometer jobs --from */
#include "report/jobs/stored_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "archive/input.h"

#define MAGIC   "nodokept1"
#define NUMBERS 9
#define TEXTS   7

static void stored_run_put_text(struct buf *b, const char *text)
{
	buf_addf(b, "%s", text ? text : "");
	buf_add_char(b, '\0');
}

void stored_run_put(struct buf *b, const struct listed_job *j, struct str row)
{
	const uint64_t number[NUMBERS] = {
		(uint64_t)j->first, (uint64_t)j->last, j->samples, j->nodes_allocated, j->nodes,
		j->begun, j->ended, j->unread, j->open,
	};
	const char *const text[TEXTS] = {
		j->id, j->user, j->account, j->partition, j->name, j->end.exit, j->end.state,
	};
	buf_addf(b, MAGIC);
	for (size_t i = 0; i < NUMBERS; i++)
		buf_addf(b, " %llu", (unsigned long long)number[i]);
	buf_add_char(b, '\n');
	for (size_t i = 0; i < TEXTS; i++)
		stored_run_put_text(b, text[i]);
	buf_add(b, row);
}

static bool stored_run_take_number(struct str *line, uint64_t most, uint64_t *ret)
{
	struct str word;
	return str_take_word(line, &word) && str_take_u64(&word, ret) && !word.n && *ret <= most;
}

static bool stored_run_parse_numbers(struct str line, struct listed_job *j)
{
	uint64_t n[NUMBERS];
	bool ok = str_take_prefix(&line, STR(MAGIC));
	for (size_t i = 0; i < NUMBERS && ok; i++)
		ok = stored_run_take_number(&line, i < 4 ? INT64_MAX : UINT32_MAX, &n[i]);
	if (!ok || line.n || n[0] > n[1])
		return false;
	*j = (struct listed_job){
		.first = (int64_t)n[0], .last = (int64_t)n[1], .samples = n[2],
		.nodes_allocated = n[3], .nodes = (uint32_t)n[4], .begun = (uint32_t)n[5],
		.ended = (uint32_t)n[6], .unread = (uint32_t)n[7], .open = n[8], .row = ROW_NONE,
	};
	return true;
}

bool stored_run_parse(struct str bytes, struct stored_run *ret)
{
	const char *text[TEXTS];
	struct listed_job *j = &ret->job;
	struct str line;
	if (!str_take_until(&bytes, '\n', &line) || !stored_run_parse_numbers(line, j))
		return false;
	for (size_t i = 0; i < TEXTS; i++) {
		if (!str_take_until(&bytes, '\0', &line))
			return false;
		text[i] = line.p;
	}
	const char **const to[] = { &j->id, &j->user, &j->account, &j->partition, &j->name };
	for (size_t i = 0; i < ARRAY_SIZE(to); i++)
		*to[i] = text[i][0] ? text[i] : NULL;
	ret->row = bytes;
	return j->id && str_copy(j->end.exit, sizeof(j->end.exit), str_of(text[5])) &&
	       str_copy(j->end.state, sizeof(j->end.state), str_of(text[6]));
}

static int stored_run_take_copy(struct str *text, struct stored_run *ret)
{
	struct str rest = *text;
	uint64_t size;
	if (!rest.n)
		return 0;
	if (!str_take_u64(&rest, &size) || !str_take_prefix(&rest, STR(" ")) || size > rest.n)
		return -EBADMSG;
	*text = str_skip(rest, (size_t)size);
	return stored_run_parse((struct str){ rest.p, (size_t)size }, ret) ? 1 : -EBADMSG;
}

int stored_run_take(struct str *text, struct stored_run *ret)
{
	int r = stored_run_take_copy(text, ret);
	struct str rest = *text;
	struct stored_run copy;
	while (r > 0 && stored_run_take_copy(&rest, &copy) > 0 &&
	       strcmp(copy.job.id, ret->job.id) == 0 && copy.job.first <= ret->job.last) {
		*text = rest;
		if (copy.job.samples > ret->job.samples)
			*ret = copy;
	}
	return r;
}

int stored_run_read(struct archive_file *file, size_t *n, struct buf *b)
{
	size_t at = 0;
	while (at < *n && (file[at].epoch || strcmp(file[at].host, ANSWER_STORED_HOST) != 0))
		at++;
	if (at == *n)
		return 0;
	int r = input_read_all(file[at].path, ANSWER_BYTES_MAX, b);
	free((char *)file[at].path);
	free((char *)file[at].host);
	memmove(&file[at], &file[at + 1], (--*n - at) * sizeof(*file));
	return r;
}

const char *stored_run_why(int error)
{
	return error == -EBADMSG ? "it sent no valid runs" : strerror(-error);
}

struct answer_request stored_run_request(uint64_t formula, char formula_text[STORED_FORMULA_MAX])
{
	snprintf(formula_text, STORED_FORMULA_MAX, "%016llx", (unsigned long long)formula);
	return (struct answer_request){ .rows = true, .since = INT64_MIN, .until = INT64_MAX,
					.job = str_of(formula_text), .what = ANSWER_STORED };
}
