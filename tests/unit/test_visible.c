/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_visible.c - give a user exactly the user's own runs, and no line of another user's run
 *
 * Each test day simulates random runs of a few ids and users on one node. An id is used again at
 * once or later, with or without an end mark of the run before, by the same user or another one.
 * Marks may name the user early, late, not at all, or wrongly, and begin marks may be lost.
 * OWN_SEEDS sets the number of days.
 */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "answer/visible.h"
#include "base/buf.h"
#include "tests/fuzz/records_in.h"

enum { IDS = 3, USERS = 3, STEPS = 60, RUNS_MAX = 2 * IDS * STEPS };
static const char *const users[USERS] = { "ann", "ben", "cem" };
static const char *const ids[IDS] = { "100", "../100", "1%n" };
#define UID(user) (2000 + (user))

/* How the marks of a run name its user. */
enum said { BY_BOTH, BY_UID, BY_NAME, LATER, NOT_AT_ALL, CONTRADICTING, BEGIN_LOST, SAIDS };

struct a_run {
	int user;
	enum said said;
	int begun;
};

struct day {
	uint32_t seed;
	struct a_run run[RUNS_MAX];
	size_t n;
	int now[IDS];		/* current run of each id, or -1 */
	int idle[IDS];		/* number of records since the id's last run */
	int of[STEPS][IDS];	/* last run that the record names, or -1 */
	int before[STEPS][IDS];	/* run that ended in the record, or -1 */
	/* run of this id whose begin and end are both in this step's record, or -1 */
	int between[STEPS][IDS];
	struct buf text;
};

static uint32_t draw(struct day *d, uint32_t n)
{
	d->seed = d->seed * 1664525 + 1013904223;
	return (d->seed >> 8) % n;
}

static void put_who(struct day *d, const struct a_run *r, enum said said)
{
	if (said == BY_BOTH || said == BY_UID || said == CONTRADICTING)
		buf_addf(&d->text, " uid=%d", UID(r->user));
	if (said == CONTRADICTING)
		buf_addf(&d->text, " user=%s", users[(r->user + 1) % USERS]);
	if (said == BY_BOTH || said == BY_NAME)
		buf_addf(&d->text, " user=%s", users[r->user]);
}

static void begin_as(struct day *d, struct buf *marks, int id, struct a_run run)
{
	struct a_run *r = &d->run[d->n];
	*r = run;
	if (r->said == BEGIN_LOST && d->idle[id] == 0)
		/*
		 * readers would take this run for the previous one, since no record lies between
		 * the two
		 */
		r->said = BY_BOTH;
	d->now[id] = (int)d->n++;
	if (r->said == BEGIN_LOST)
		return;
	struct buf all = d->text;
	d->text = *marks;
	buf_addf(&d->text, "%%begin %s source=hook", ids[id]);
	put_who(d, r, r->said);
	buf_addf(&d->text, " name=of_%d.\n", d->now[id]);
	*marks = d->text;
	d->text = all;
}

static void begin(struct day *d, struct buf *marks, int id, int step)
{
	begin_as(d, marks, id, (struct a_run){ (int)draw(d, USERS), (enum said)draw(d, SAIDS),
					       step });
}

static void end(struct day *d, struct buf *marks, int id)
{
	buf_addf(marks, "%%end %s source=hook by=of_%d. name=of_%d.\n", ids[id],
		 (int)draw(d, RUNS_MAX), d->now[id]);
}

/* Start another run of the id by a begin mark. The first run's end mark may be lost. */
static void begin_again(struct day *d, struct buf *marks, int id, int step)
{
	int first = d->now[id];
	const struct a_run *r = &d->run[first];
	struct a_run next = { (int)draw(d, USERS), (enum said)draw(d, BEGIN_LOST), step };
	if (r->said == BEGIN_LOST)
		return;
	if (r->said <= BY_NAME && draw(d, 2))
		next = (struct a_run){ (r->user + 1) % USERS, (enum said)draw(d, LATER), step };
	else
		end(d, marks, id);
	d->between[step][id] = first;
	begin_as(d, marks, id, next);
}

/* Append a mark that names the user late, in a later record than the begin mark. */
static void attributes(const struct day *d, struct buf *marks, int id, int step)
{
	const struct a_run *r = &d->run[d->now[id]];
	if (r->said == LATER && step > r->begun)
		buf_addf(marks, "%%attributes %s source=hook uid=%d name=of_%d.\n", ids[id],
			 UID(r->user), d->now[id]);
}

static void live(struct day *d, struct buf *marks, int id, int step)
{
	int was = d->now[id];
	bool ends = was >= 0 && draw(d, 6) == 0, lost = ends && draw(d, 3) == 0;
	d->before[step][id] = d->between[step][id] = -1;
	if (ends && !lost)
		end(d, marks, id);
	if (ends && !lost)
		d->before[step][id] = was;
	if (ends)
		d->now[id] = -1;
	bool begins = d->now[id] < 0 && draw(d, 3) == 0;
	if (begins)
		begin(d, marks, id, step);
	else if (d->now[id] >= 0)
		attributes(d, marks, id, step);
	if (begins && draw(d, 4) == 0)
		begin_again(d, marks, id, step);
	d->of[step][id] = d->now[id];
	d->idle[id] = d->now[id] < 0 && d->before[step][id] < 0 ? d->idle[id] + 1 : 0;
}

/* Return the run that a record names for an id, or -1. */
static int named(const struct day *d, int step, int id)
{
	return d->of[step][id] >= 0 ? d->of[step][id] : d->before[step][id];
}

static void put_group(struct day *d, int step, struct str marks)
{
	size_t rows = 1, n = 0;
	buf_addf(&d->text, "\n%d ", 1700000000 + step);
	for (int id = 0; id < IDS; id++)
		if (named(d, step, id) >= 0)
			buf_addf(&d->text, "%s%s", n++ ? "," : "", ids[id]);
	buf_addf(&d->text, "%s\n" STR_FMT, n ? "" : "-", STR_ARG(marks));
	for (int id = 0; id < IDS; id++) {
		int run = named(d, step, id);
		if (run < 0)
			continue;
		buf_addf(&d->text, "job %s %d\nproc of_%d. %d\ngpu_job g/0@%s %d\nodd of_%d. 1\n",
			 ids[id], run, run, UID(d->run[run].user), ids[id], run, run);
		rows += 4;
	}
	buf_addf(&d->text, "vm - 1\nnodometer - %zu\n", rows + 1);
}

static void make_day(struct day *d, uint32_t seed)
{
	*d = (struct day){ .seed = seed * 2654435761u };
	for (int id = 0; id < IDS; id++) {
		d->now[id] = -1;
		d->idle[id] = 1;
	}
	buf_addf(&d->text, "$hpcperfstats 1.0.2\n$hostname n1\n$agent nodometer 1\n!gpu_job x\n"
		 "!job x\n!odd x\n!proc Uid\n!vm pgpgin,E\n!nodometer rows\n");
	for (int step = 0; step < STEPS; step++) {
		struct buf marks CLEANUP(buf_free) = { 0 };
		for (int id = 0; id < IDS; id++)
			live(d, &marks, id, step);
		if (draw(d, 8) == 0)
			buf_addf(&marks, "%%of_%d. says this\n", (int)draw(d, RUNS_MAX));
		put_group(d, step, buf_str(&marks));
	}
}

/* Tell if the marks of a run give it to the user, for a reader that sees every mark. */
static bool is_given(const struct day *d, int run, int user)
{
	const struct a_run *r = &d->run[run];
	if (r->user != user || r->said >= NOT_AT_ALL)
		return false;
	if (r->said != LATER)
		return true;
	for (int step = r->begun + 1; step < STEPS; step++)
		for (int id = 0; id < IDS; id++)
			if (d->of[step][id] == run)
				return true;
	return false;
}

static void filter(const struct day *d, const struct asker *asker,
		   const struct answer_request *wanted, struct buf *out)
{
	struct visible own = { .asker = asker, .wanted = wanted };
	const struct record *r;
	for (int pass = 0; pass < 2; pass++) {
		struct str text = buf_str(&d->text);
		struct record_source source = records_in(&text);
		visible_file(&own, 0);
		while (record_next(&source, &r) > 0) {
			if (pass)
				visible_put(&own, &source, r, out);
			else
				visible_look(&own, &source, r);
		}
		record_source_end(&source);
		if (!pass && !visible_turn(&own))
			break;
	}
	visible_free(&own);
	buf_add_char(out, '\n');
}

/*
 * Check that each run that the line names as "of_N." belongs to this user according to the run's
 * marks.
 */
static void has_no_other(const struct day *d, int user, struct str line)
{
	const char *at;
	uint64_t run;
	while (line.n && (at = memmem(line.p, line.n, "of_", 3))) {
		line = str_skip(line, (size_t)(at - line.p) + 3);
		assert_true(str_take_u64(&line, &run));
		if (!is_given(d, (int)run, user))
			fail_msg("user %d: a line of run %d", user, (int)run);
	}
}

/* Check all lines but rows of type proc, which rows_are_own() checks by their user id. */
static void lines_are_own(const struct day *d, int user, struct str text)
{
	struct str line;
	while (str_take_line(&text, &line))
		if (!str_starts(line, STR("proc ")))
			has_no_other(d, user, line);
}

static void rows_are_own(const struct day *d, int user, const struct record *r)
{
	for (size_t i = 0; i < r->n_types; i++) {
		const char *type = r->rows[i].type->name;
		assert_string_not_equal(type, "odd");
		for (size_t k = 0; k < r->rows[i].n; k++) {
			uint64_t v = r->rows[i].row[k].value[0];
			if (strcmp(type, "job") == 0 || strcmp(type, "gpu_job") == 0)
				assert_true(is_given(d, (int)v, user));
			else if (strcmp(type, "proc") == 0)
				assert_int_equal(v, UID(user));
		}
	}
}

/* Tell if the record has a run of this id that belongs to the user and was asked for. */
static bool is_own(const struct day *d, int user, const struct answer_request *q, int step, int id)
{
	const int runs[] = { d->of[step][id], d->before[step][id], d->between[step][id] };
	bool any = false;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		any |= runs[i] >= 0 && is_given(d, runs[i], user);
	return any && (!q->job.n || str_eq(q->job, str_of(ids[id])));
}

static void names_own(const struct day *d, int user, const struct answer_request *q,
		      const struct record *r, int step)
{
	size_t own = 0, all = 0;
	for (int id = 0; id < IDS; id++) {
		bool is = is_own(d, user, q, step, id);
		all += named(d, step, id) >= 0;
		own += is;
		assert_int_equal(record_has_job(r, str_of(ids[id])), is);
	}
	assert_int_equal(r->n_jobs, own + (own < all));
	assert_int_equal(record_has_job(r, STR(ANSWER_OTHERS)), own < all);
}

static bool any_own(const struct day *d, int user, const struct answer_request *q, int step)
{
	bool any = false;
	for (int id = 0; id < IDS; id++)
		any |= is_own(d, user, q, step, id);
	return any;
}

static void ask(const struct day *d, int user, struct str job)
{
	struct buf out CLEANUP(buf_free) = { 0 };
	const struct asker asker = { (uid_t)UID(user), str_of(users[user]), false };
	const struct answer_request q = { true, INT64_MIN, INT64_MAX, job };
	const struct record *r;
	int step = 0;

	filter(d, &asker, &q, &out);
	lines_are_own(d, user, buf_str(&out));
	struct str text = buf_str(&out);
	struct record_source source = records_in(&text);
	while (record_next(&source, &r) > 0) {
		for (; 1700000000 + step < r->usec / 1000000; step++)
			assert_false(any_own(d, user, &q, step));
		names_own(d, user, &q, r, step++);
		rows_are_own(d, user, r);
	}
	for (; step < STEPS; step++)
		assert_false(any_own(d, user, &q, step));
	record_source_end(&source);
}

TEST(a_user_gets_all_own_runs_and_no_others)
{
	const char *text = getenv("OWN_SEEDS");
	struct str s = str_of(text ? text : "500");
	uint64_t seeds = 0;
	static struct day d;

	str_take_u64(&s, &seeds);
	for (uint32_t seed = 1; seed <= seeds; seed++) {
		make_day(&d, seed);
		for (int user = 0; user < USERS; user++) {
			ask(&d, user, STR(""));
			ask(&d, user, str_of(ids[seed % IDS]));
		}
		buf_free(&d.text);
	}
}

static void filter_text(const char *raw, const struct asker *asker, struct answer_request q,
			struct buf *out)
{
	struct day d = { .seed = 0 };
	buf_addf(&d.text, "$hpcperfstats 1.0.2\n$hostname n1\n!vm pgpgin,E\n!job x\n%s", raw);
	filter(&d, asker, &q, out);
	buf_free(&d.text);
	buf_add_char(out, '\0');
}

static const char two[] =
	"\n1700000000 7\n%begin 7 uid=2000\nvm - 1\njob 7 1\n"
	"\n1700000060 7,8\n%begin 8 uid=2001\nvm - 2\njob 7 2\njob 8 3\n"
	"\n1700000120 8\n%end 8 by=7\nvm - 3\njob 8 4\n\n";

TEST(a_trusted_user_gets_all_records_unchanged)
{
	const struct asker root = { 0, STR("root"), true };
	struct buf out CLEANUP(buf_free) = { 0 };
	filter_text(two, &root, (struct answer_request){ true, INT64_MIN, INT64_MAX, STR("") },
		    &out);
	assert_non_null(strstr(out.p, "1700000060 7,8\n%begin 8 uid=2001\n"
			       "vm - 2\njob 7 2\njob 8 3\n"));
	assert_non_null(strstr(out.p, "%end 8 by=7\n"));
}

TEST(each_user_gets_the_own_mark_if_an_id_ends_and_begins_in_one_record)
{
	static const char again[] = "\n1700000000 7\n%begin 7 uid=2000\njob 7 1\n"
		"\n1700000060 7\n%end 7 exit=0:0\n%begin 7 uid=2001\nvm - 2\njob 7 2\n"
		"\n1700000120 7\n%end 7\njob 7 3\n\n";
	const struct asker ann = { 2000, STR("ann"), false }, ben = { 2001, STR("ben"), false };
	const struct answer_request all = { true, INT64_MIN, INT64_MAX, STR("") };
	struct buf out CLEANUP(buf_free) = { 0 };
	filter_text(again, &ann, all, &out);
	assert_non_null(strstr(out.p, "\n1700000060 7\n%end 7 exit=0:0\nvm - 2\n\n"));
	out.n = 0;
	filter_text(again, &ben, all, &out);
	assert_non_null(strstr(out.p, "\n1700000060 7\n%begin 7 uid=2001\nvm - 2\n\n"));
	assert_non_null(strstr(out.p, "\n1700000120 7\n%end 7\njob 7 3\n"));
}

/* If a hook and the job file mark the same start, the sampler puts both marks into one record. */
TEST(second_begin_in_one_record_belongs_to_the_same_run)
{
	static const char *const begins[] = {
		"%begin 7 source=hook uid=2000\n%begin 7 source=file\n",
		"%begin 7 source=file\n%begin 7 source=hook uid=2000\n",
	};
	const struct asker ann = { 2000, STR("ann"), false }, ben = { 2001, STR("ben"), false };
	const struct answer_request all = { true, INT64_MIN, INT64_MAX, STR("") };
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		struct buf out CLEANUP(buf_free) = { 0 }, raw CLEANUP(buf_free) = { 0 };
		buf_addf(&raw, "\n1700000000 7\n%svm - 1\njob 7 1\n\n1700000060 7\nvm - 2\n"
			 "job 7 2\n\n1700000120 7\n%%end 7\nvm - 3\njob 7 3\n\n", begins[i]);
		buf_add_char(&raw, '\0');
		filter_text(raw.p, &ann, all, &out);
		assert_non_null(strstr(out.p, begins[i]));
		assert_non_null(strstr(out.p, "\nvm - 1\njob 7 1\n"));
		assert_non_null(strstr(out.p, "\n1700000060 7\nvm - 2\njob 7 2\n"));
		assert_non_null(strstr(out.p, "\n1700000120 7\n%end 7\nvm - 3\njob 7 3\n"));
		out.n = 0;
		filter_text(raw.p, &ben, all, &out);
		assert_string_equal(out.p, "\n");
	}
}

/* After a file was copied, or a host renamed, job 7 of host n2 may be another user's. */
TEST(a_run_does_not_go_on_at_another_host)
{
	static const char hosts[] = "\n1700000000 7\n%begin 7 uid=2000\nvm - 1\njob 7 1\n"
		"\n$hostname n2\n\n1700000060 7\nvm - 2\njob 7 2\n\n";
	const struct asker ann = { 2000, STR("ann"), false };
	struct buf out CLEANUP(buf_free) = { 0 };
	filter_text(hosts, &ann, (struct answer_request){ true, INT64_MIN, INT64_MAX, STR("") },
		    &out);
	assert_non_null(strstr(out.p, "\nvm - 1\njob 7 1\n"));
	assert_null(strstr(out.p, "vm - 2"));
	assert_null(strstr(out.p, "job 7 2"));
}

TEST(a_time_range_selects_whole_runs)
{
	const struct asker ben = { 2001, STR("ben"), false };
	struct buf out CLEANUP(buf_free) = { 0 };
	filter_text(two, &ben, (struct answer_request){ true, 1700000120000000, INT64_MAX,
							STR("") }, &out);
	assert_non_null(strstr(out.p, "1700000060 8,others\n%begin 8 uid=2001\nvm - 2\njob 8 3\n"));
	assert_non_null(strstr(out.p, "%end 8\n"));
	out.n = 0;
	filter_text(two, &ben, (struct answer_request){ true, INT64_MIN, 1700000059000000,
							STR("") }, &out);
	assert_string_equal(out.p, "\n");
}

TEST(a_request_for_runs_only_gets_marks_and_no_rows)
{
	const struct asker ben = { 2001, STR("ben"), false };
	struct buf out CLEANUP(buf_free) = { 0 };
	filter_text(two, &ben, (struct answer_request){ false, INT64_MIN, INT64_MAX, STR("") },
		    &out);
	assert_non_null(strstr(out.p, "\n\n1700000060 8,others\n%begin 8 uid=2001\n"
			       "\n1700000120 8\n%end 8\n"));
}

int main(void)
{
	RUN(cmocka_unit_test(a_user_gets_all_own_runs_and_no_others),
	    cmocka_unit_test(a_trusted_user_gets_all_records_unchanged),
	    cmocka_unit_test(each_user_gets_the_own_mark_if_an_id_ends_and_begins_in_one_record),
	    cmocka_unit_test(second_begin_in_one_record_belongs_to_the_same_run),
	    cmocka_unit_test(a_run_does_not_go_on_at_another_host),
	    cmocka_unit_test(a_time_range_selects_whole_runs),
	    cmocka_unit_test(a_request_for_runs_only_gets_marks_and_no_rows));
}
