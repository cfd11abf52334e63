/* SPDX-License-Identifier: BSD-3-Clause */
/* test_record.c - make the same record from the sampler's memory and from a file */
#include "tests/unit/tree.h"

#include <string.h>
#include "formats/raw_read.h"
#include "formats/raw_write.h"
#include "recorder/live.h"

#define STAT "cpu  9 0 0 0\ncpu0 1 2 3 4 5 6 7 0 0 0\ncpu1 11 12 13 14 15 16 17 0 0 0\n" \
	     "ctxt 5\nprocesses 6\nprocs_running 2\nprocs_blocked 0\n"


struct text {
	struct str left;
	size_t piece;
};

static ssize_t read_text(void *arg, char *to, size_t n)
{
	struct text *t = arg;
	n = n > t->piece ? t->piece : n;
	n = n > t->left.n ? t->left.n : n;
	memcpy(to, t->left.p, n);
	t->left = str_skip(t->left, n);
	return (ssize_t)n;
}

static void assert_mark(const char *text, enum mark_kind kind, const char *subject,
			const char *rest)
{
	struct mark m = mark_parse(str_of(text));
	assert_int_equal(m.kind, kind);
	assert_true(str_eq(m.text, str_of(text)));
	assert_true(str_eq(m.subject, str_of(subject)));
	assert_true(str_eq(m.rest, str_of(rest)));
}

TEST(a_mark_has_a_verb_a_subject_and_a_rest)
{
	assert_mark("begin 7", MARK_BEGIN, "7", "");
	assert_mark("end  7.batch  a=b c=d ", MARK_END, "7.batch", "a=b c=d");
	assert_mark("attributes 7 user=u", MARK_ATTRIBUTES, "7", "user=u");
	assert_mark("counters_release 7", MARK_RELEASE, "7", "");
	assert_mark("counters_acquire 7", MARK_ACQUIRE, "7", "");
	assert_mark("counters_restart ib mlx5_0/1 mlx5_1/1", MARK_RESTART, "ib",
		    "mlx5_0/1 mlx5_1/1");
	assert_mark("begin", MARK_OTHER, "", "");
	assert_mark("begin ", MARK_OTHER, "", "");
	assert_mark("beginning 7", MARK_OTHER, "", "");
	assert_mark(" begin 7", MARK_OTHER, "", "");
	assert_mark("", MARK_OTHER, "", "");
}

TEST(a_mark_keeps_the_identity_of_its_request)
{
	static const struct {
		const char *text, *request, *without;
	} cases[] = {
		{ "end 7 source=hook request=1000.12 at=0.001", "1000.12", NULL },
		{ "begin 7 a=b request=1000.12", "1000.12", "begin 7 a=b" },
		{ "half request=9.1 request=1000.12", "1000.12", "half request=9.1" },
		{ "half request=9.1 request=x.12", "9.1", NULL },
		{ "half request=", "", NULL }, { "half request=9", "", NULL },
		{ "half request=9.", "", NULL }, { "half request=.1", "", NULL },
		{ "half request=9.1x", "", NULL }, { "half xrequest=9.1", "", NULL },
		{ "half request=99999999999999999999.1", "", NULL },
		{ "half request=9223372036854775808.1", "", NULL },
		{ "half request=9223372036854775807.1", "9223372036854775807.1", "half" },
		{ "", "", NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct str text = str_of(cases[i].text), request = mark_request(text);
		assert_text(request, str_of(cases[i].request));
		assert_text(mark_without_request(text),
			    cases[i].without ? str_of(cases[i].without) : text);
	}
	assert_int_equal(mark_request_usec(STR("1000.12")), 1000);
	assert_int_equal(mark_request_usec(STR("")), INT64_MAX);
}

TEST(jobs_are_a_list_of_names_and_may_be_none)
{
	static const struct {
		const char *text, *list;
	} cases[] = {
		{ "-", "-" }, { "7", "7" }, { "7,8_1", "7,8_1" }, { ",7,,8,", "7,8" },
		{ "7,-", "7" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct buf file CLEANUP(buf_free) = { 0 }, jobs CLEANUP(buf_free) = { 0 };
		const struct record *g;
		buf_addf(&file, "$tacc_stats 2\n!t a\n\n1 %s\nt - 1\n", cases[i].text);
		struct text t = { buf_str(&file), 3 };
		struct record_source s = records_open(&(struct byte_source){ read_text, &t }, NULL);
		assert_int_equal(record_next(&s, &g), 1);
		record_put_jobs(&jobs, g);
		assert_true(str_eq(buf_str(&jobs), str_of(cases[i].list)));
		assert_true(g->n_jobs == 0 || record_has_job(g, STR("7")));
		assert_false(record_has_job(g, STR("-")));
		record_source_end(&s);
	}
}

/* A node with two types, and the sampler's state for it. */
struct node {
	struct tree tree;
	struct sampler sampler;
	struct live live;
};

static void node_open(struct node *n)
{
	enum type_use use[256] = { USE_DEFAULT };
	*n = (struct node){ .sampler = { .n = 0 } };
	tree_make(&n->tree);
	tree_put(&n->tree, "proc/stat", STR(STAT));
	tree_put(&n->tree, "proc/vmstat", STR("pgpgin 5\npgpgout 6\n"));
	assert_true(n_collectors <= ARRAY_SIZE(use));
	for (size_t i = 0; i < n_collectors; i++)
		use[i] = strcmp(types[i]->name, "cpu") && strcmp(types[i]->name, "vm") ? USE_OFF
											: USE_ON;
	assert_int_equal(sampler_init(&n->sampler, n->tree.path, use, 1000000000), 0);
}

static void node_free(struct node *n)
{
	live_free(&n->live);
	sampler_free(&n->sampler);
	tree_free(&n->tree);
}

/* Write the sampler's newest sample in the form of a file. */
static void put_file(struct node *n, struct buf *b, const char *marks)
{
	raw_put_property(b, "hpcperfstats", STR(RAW_VERSION));
	sampler_put_schema(&n->sampler, b);
	raw_put_group(b, 5000000, STR("7,8"), STR(""));
	buf_add(b, str_of(marks));
	sampler_put_rows(&n->sampler, b, 0, 0);
}

static const struct record_rows *rows_of(const struct record *r, const char *type)
{
	for (size_t i = 0; i < r->n_types; i++)
		if (strcmp(r->rows[i].type->name, type) == 0)
			return &r->rows[i];
	return NULL;
}

/*
 * Check that the live record has the rows of this type in the file's record: the same devices and
 * values, and keys with the same kind, width, scale and unit.
 */
static void assert_in(const struct record *live, const struct record_rows *file)
{
	const struct record_rows *rows = rows_of(live, file->type->name);
	assert_non_null(rows);
	assert_int_equal(rows->n, file->n);
	for (size_t i = 0; i < file->n; i++)
		assert_true(str_eq(rows->row[i].device, file->row[i].device));
	for (size_t k = 0; k < file->type->n_keys; k++) {
		const struct record_key *key = &file->type->key[k];
		int at = record_key_find(rows->type, key->name);
		assert_true(at >= 0);
		const struct record_key *same = &rows->type->key[at];
		assert_int_equal(same->kind, key->kind);
		assert_int_equal(same->bits, key->bits);
		assert_int_equal(same->scale, key->scale);
		assert_string_equal(same->unit_name, key->unit_name);
		for (size_t i = 0; i < file->n; i++) {
			assert_true(row_has(&rows->row[i], (size_t)at));
			assert_true(rows->row[i].value[at] == file->row[i].value[k]);
		}
	}
}

TEST(the_newest_sample_is_the_record_that_the_file_has)
{
	struct node n CLEANUP(node_free);
	struct buf file CLEANUP(buf_free) = { 0 };
	const char marks[] = "%begin 7 user=u\n";
	const struct record *read, *live = &n.live.record;
	size_t types_seen = 0;

	node_open(&n);
	sampler_collect(&n.sampler);
	buf_add(&n.sampler.restarts, STR("%counters_restart vm\n"));
	live_fill(&n.live, &n.sampler, 5000000, STR("7,8"), str_of(marks));
	put_file(&n, &file, marks);

	struct text text = { buf_str(&file), SIZE_MAX };
	struct record_source from_file = records_open(&(struct byte_source){ read_text, &text },
						      NULL);
	assert_int_equal(record_next(&from_file, &read), 1);
	assert_int_equal(live->usec, read->usec);
	assert_int_equal(live->n_jobs, 2);
	assert_int_equal(live->n_marks, 2);
	assert_int_equal(read->n_marks, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(live->mark[i].kind, i ? MARK_RESTART : MARK_BEGIN);
		assert_int_equal(live->mark[i].kind, read->mark[i].kind);
		assert_true(str_eq(live->job[i], read->job[i]));
		assert_true(str_eq(live->mark[i].text, read->mark[i].text));
	}
	for (size_t i = 0; i < read->n_types; i++)
		if (strcmp(read->rows[i].type->name, "nodometer") != 0) {
			assert_in(live, &read->rows[i]);
			types_seen++;
		}
	assert_int_equal(types_seen, 2);
	assert_int_equal(live->n_types, 2);
	assert_int_equal(live->n_rows, 3);
	record_source_end(&from_file);
}

/* A record with .restart makes readers forget which devices are built on which. */
TEST(live_record_restarts_only_when_devices_have_changed)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	sampler_collect(&n.sampler);
	for (int i = 0; i < 2; i++) {
		n.sampler.type[0].below_turn++;
		live_fill(&n.live, &n.sampler, 5000000, STR(""), STR(""));
		assert_true(n.live.record.restart);
		live_fill(&n.live, &n.sampler, 6000000, STR(""), STR(""));
		assert_false(n.live.record.restart);
	}
}

int main(void)
{
	RUN(cmocka_unit_test(a_mark_has_a_verb_a_subject_and_a_rest),
	    cmocka_unit_test(a_mark_keeps_the_identity_of_its_request),
	    cmocka_unit_test(jobs_are_a_list_of_names_and_may_be_none),
	    cmocka_unit_test(the_newest_sample_is_the_record_that_the_file_has),
	    cmocka_unit_test(live_record_restarts_only_when_devices_have_changed));
}
