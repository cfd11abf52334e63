/* SPDX-License-Identifier: BSD-3-Clause */
/* test_audit.c - find the records that a receiver lacks and send only those again */
#include "tests/unit/tree.h"

#include "send/audit.h"

#define SCHEMA  "!vm a b\n!nodometer cpu bytes rows errors stalls\n"
#define HEADER  "$hpcperfstats 1.0.2\n$hostname n1\n" SCHEMA
#define GROUP(time, values) "\n" time " 7\n%begin 7\nvm - " values "\nnodometer - 5 6 2 0 0\n"
#define RECORDS HEADER GROUP("3610", "1 2") GROUP("3620", "3 4") GROUP("3630", "5 6")

/*
 * The receiver reports its records in lines "TIME\tTYPE\tROWS\tVALUES\tSUM", one for each record
 * and type. These macros build the lines.
 */
#define MARKS(time) time "000000\t\t1\t0\t0\n"
#define OWN(time)   time "000000\tnodometer\t1\t5\t13\n"
#define VM(time, rows, values, sum) time "000000\tvm\t" rows "\t" values "\t" sum "\n"
#define FIRST  MARKS("3610") OWN("3610") VM("3610", "1", "2", "3")
#define SECOND MARKS("3620") OWN("3620") VM("3620", "1", "2", "7")
#define THIRD  MARKS("3630") OWN("3630") VM("3630", "1", "2", "11")
#define ALL    FIRST SECOND THIRD

/* The receiver: its lines before and after a flush, and the times of the records sent to it. */
static struct receiver {
	const char *before, *after;
	bool flushed, lists_types;
	struct buf got;
} receiver;

static int open_it(void *state, const struct sink_node *node, struct buf *why)
{
	(void)state;
	(void)node;
	(void)why;
	return 0;
}

static int put(void *state, const struct record *g, struct buf *why)
{
	(void)state;
	(void)why;
	buf_addf(&receiver.got, "%lld ", (long long)(g->usec / 1000000));
	if (receiver.lists_types)
		for (size_t i = 0; i < g->n_types; i++)
			buf_addf(&receiver.got, "%s ", g->rows[i].type->name);
	return 0;
}

static int flush(void *state, struct buf *why)
{
	(void)state;
	why->n = 0;	/* a real sink with several receivers clears it, too */
	receiver.flushed = true;
	return 0;
}

static int held(void *state, int64_t since, int64_t until, struct buf *lines, struct buf *why)
{
	struct str all = str_of(receiver.flushed ? receiver.after : receiver.before), line;
	(void)state;
	(void)since;
	(void)why;
	while (str_take_line(&all, &line)) {
		buf_addf(lines, STR_FMT "\n", STR_ARG(line));
		if (!until)	/* the caller wants only the first line */
			break;
	}
	buf_add_char(lines, '\0');
	lines->n--;
	return 0;
}

static void close_it(void *state)
{
	(void)state;
}

static const struct sink sink = { .name = "asked", .open = open_it, .put = put, .flush = flush,
				  .held = held, .close = close_it };

/*
 * Audit three delivered records and return the result. receiver.got lists the records that were
 * sent again.
 */
static int audit(const char *before, const char *after, struct buf *said)
{
	struct tree t CLEANUP(tree_free);
	struct section section = { .sink = &sink, .rate = 1000, .name = "asked" };
	static struct config config;
	static const int stop = 0;
	const struct feed_node node = { .config = &config, .host = "n1", .stop = &stop };
	const struct cursor delivered = { .epoch = 3610, .offset = strlen(RECORDS),
					  .usec = 3630000000 };
	struct buf path CLEANUP(buf_free) = { 0 };

	tree_make(&t);
	tree_put(&t, "archive/n1/3610", STR(RECORDS GROUP("3640", "7 8")));
	snprintf(config.dir, sizeof(config.dir), "%s/archive", t.path);
	snprintf(config.state_dir, sizeof(config.state_dir), "%s/state", t.path);
	assert_int_equal(cursor_path(&path, config.state_dir, "n1", "asked"), 0);
	assert_int_equal(cursor_save(&delivered, path.p), 0);
	receiver.before = before;
	receiver.after = after;
	receiver.flushed = false;
	receiver.got.n = 0;
	said->n = 0;
	return audit_run(&section, &node, said);
}

static void assert_said(const struct buf *said, const char *text)
{
	if (!memmem(said->p, said->n, text, strlen(text)))
		fail_msg("\"%s\" is not in \"" STR_FMT "\"", text, STR_ARG(buf_str(said)));
}

TEST(complete_receiver_gets_nothing_again)
{
	struct buf said CLEANUP(buf_free) = { 0 };
	assert_int_equal(audit(ALL, ALL, &said), 0);
	assert_text(buf_str(&receiver.got), STR(""));
	assert_said(&said, "3 records");
	assert_said(&said, ": the receiver has all of them");
}

/* The receiver lacks the second record, or only its marks, its rows or one of its values. */
TEST(incomplete_record_is_sent_again)
{
	static const char *const missing[] = {
		FIRST THIRD,
		FIRST OWN("3620") VM("3620", "1", "2", "7") THIRD,
		FIRST MARKS("3620") OWN("3620") THIRD,
		FIRST MARKS("3620") OWN("3620") VM("3620", "0", "2", "7") THIRD,
		FIRST MARKS("3620") OWN("3620") VM("3620", "1", "1", "3") THIRD,
	};
	struct buf said CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		assert_int_equal(audit(missing[i], ALL, &said), 0);
		assert_text(buf_str(&receiver.got), STR("3620 "));
		assert_said(&said, "1 were sent again, and the receiver has all of them");
	}
	assert_int_equal(audit(FIRST THIRD, FIRST THIRD, &said), 1);
	assert_said(&said, "1 were sent again, and 1 are still incomplete at the receiver");
}

/*
 * The receiver has another sum, more values or more rows for the second record. The difference is
 * reported, and the record is not sent again.
 */
TEST(different_values_are_reported_and_kept)
{
	static const char *const others[] = {
		FIRST MARKS("3620") OWN("3620") VM("3620", "1", "2", "8") THIRD,
		FIRST MARKS("3620") OWN("3620") VM("3620", "1", "3", "7") THIRD,
		FIRST MARKS("3620") OWN("3620") VM("3620", "2", "2", "7") THIRD,
	};
	struct buf said CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		assert_int_equal(audit(others[i], "", &said), 1);
		assert_text(buf_str(&receiver.got), STR(""));
		assert_said(&said, "the receiver holds other values of vm, which stay as they are");
	}
}

/*
 * The receiver lacks the agent's own row (type nodometer) of the second record, and has another sum
 * for the record's type vm. Only the agent's row is sent again.
 */
TEST(a_type_with_other_values_is_not_sent_again_with_its_record)
{
	struct buf said CLEANUP(buf_free) = { 0 };
	receiver.lists_types = true;
	assert_int_equal(audit(FIRST MARKS("3620") VM("3620", "1", "2", "8") THIRD,
			       FIRST MARKS("3620") OWN("3620") VM("3620", "1", "2", "8") THIRD,
			       &said), 1);
	receiver.lists_types = false;
	assert_text(buf_str(&receiver.got), STR("3620 nodometer "));
	assert_said(&said, "1 were sent again, and the receiver has all of them");
	assert_said(&said, "the receiver holds other values of vm");
}

/* The receiver lacks the first record because the sink was configured only after that record. */
TEST(records_before_the_sink_started_are_not_missing)
{
	struct buf said CLEANUP(buf_free) = { 0 };
	assert_int_equal(audit(SECOND THIRD, "", &said), 0);
	assert_text(buf_str(&receiver.got), STR(""));
	assert_said(&said, "2 records");
	buf_free(&receiver.got);
}

int main(void)
{
	RUN(cmocka_unit_test(complete_receiver_gets_nothing_again),
	    cmocka_unit_test(incomplete_record_is_sent_again),
	    cmocka_unit_test(different_values_are_reported_and_kept),
	    cmocka_unit_test(a_type_with_other_values_is_not_sent_again_with_its_record),
	    cmocka_unit_test(records_before_the_sink_started_are_not_missing));
}
