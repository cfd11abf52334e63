/* SPDX-License-Identifier: BSD-3-Clause */
/* test_marked.c - find marks of requests that the archive's current or closed files have already */
#include "tests/unit/archive_node.h"

#include <sys/mman.h>
#include <unistd.h>
#include "archive/marked.h"

#define SCHEMA    "!cpu user,E idle,E\n!nodometer cpu bytes rows errors stalls\n"
#define HEADER    "$hpcperfstats 1.0.2\n" SCHEMA
#define ROWS      "cpu 0 1 2\nnodometer - 5 6 2 0 0\n"
#define BEGIN     "%begin 7 source=hook request="
#define END       "%end 7 source=hook request="
#define AT(time)  time "000000.12"	/* id of a request made in this second */
#define NEW_MARKS(marks) "\n100 7\n" marks ROWS

/* Start a new file at this second, with marks in its first record group. */
static void begin_file(struct node *n, int64_t seconds, const char *marks)
{
	struct buf group CLEANUP(buf_free) = { 0 };
	buf_addf(&group, "\n%lld 7\n%s" ROWS, (long long)seconds, marks);
	assert_int_equal(archive_begin(&n->a, seconds * 1000000, STR(HEADER), buf_str(&group)), 0);
}

/*
 * Check whether marked_already() finds some of these marks in the archive. left: the record group
 * without the marks found.
 */
static void assert_marked(struct node *n, const char *marks, bool want, const char *left)
{
	struct buf to CLEANUP(buf_free) = { 0 }, group CLEANUP(buf_free) = { 0 };
	buf_addf(&group, "\n100 7\n%s" ROWS, marks);
	assert_int_equal(marked_already(&n->a, buf_str(&group), &to), want);
	if (want)
		assert_text(buf_str(&to), str_of(left));
}

TEST(marks_in_the_current_file_are_found)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	assert_marked(&n, BEGIN AT("20") "\n", false, "");
	begin_file(&n, 10, BEGIN AT("10") "\n");
	assert_int_equal(archive_append(&n.a, STR("\n20 7\n" BEGIN AT("20") "\n" ROWS)), 0);
	assert_int_equal(archive_append(&n.a, STR("\n21 7\n" ROWS)), 0);
	assert_marked(&n, BEGIN AT("20") "\n", true, NEW_MARKS(""));
	assert_marked(&n, BEGIN AT("10") "\n%half\n", true, NEW_MARKS("%half\n"));
	assert_marked(&n, BEGIN AT("20") "1\n", false, "");
}

/* After the file with the mark, one or more other files were begun. */
TEST(marks_in_closed_files_are_found)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin_file(&n, 10, BEGIN AT("9") "\n");
	begin_file(&n, 20, END AT("19") "\n");
	begin_file(&n, 30, "");
	begin_file(&n, 40, "");
	assert_marked(&n, END AT("19") "\n", true, "\n100 -\n" ROWS);
	assert_marked(&n, BEGIN AT("9") "\n", true, NEW_MARKS(""));
	assert_marked(&n, BEGIN AT("9") "\n" BEGIN AT("50") "\n", true,
		      NEW_MARKS(BEGIN AT("50") "\n"));
	archive_close(&n.a);	/* "current" was removed, so only the closed files are left */
	assert_int_equal(unlinkat(n.tree.fd, "n1/current", 0), 0);
	assert_int_equal(archive_open(&n.a, n.tree.path, "n1"), 0);
	assert_int_equal(archive_lock(&n.a, 0), 0);
	assert_marked(&n, END AT("19") "\n", true, "\n100 -\n" ROWS);
}

/* Names that look like files of records may be empty files, links or folders. */
TEST(what_holds_no_record_does_not_end_the_search)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin_file(&n, 20, END AT("19") "\n");
	begin_file(&n, 40, "");
	tree_put(&n.tree, "n1/37", STR(""));
	assert_marked(&n, END AT("19") "\n", true, "\n100 -\n" ROWS);
	assert_int_equal(mkdirat(n.tree.fd, "n1/38", 0755), 0);
	assert_int_equal(symlinkat("20", n.tree.fd, "n1/39"), 0);
	assert_marked(&n, END AT("19") "\n", true, "\n100 -\n" ROWS);
}

/*
 * One request makes two marks of a requeued job, its end and its next begin. So a mark is the same
 * only if kind, job and request are.
 */
TEST(mark_is_identified_by_kind_job_and_request)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	begin_file(&n, 10, END AT("10") "\n");
	assert_marked(&n, BEGIN AT("10") "\n", false, "");
	assert_marked(&n, "%begin 8 source=hook request=" AT("10") "\n", false, "");
	assert_marked(&n, "%end 8 source=hook request=" AT("10") "\n", false, "");
	assert_marked(&n, "%half request=" AT("10") "\n", false, "");
	assert_marked(&n, END AT("10") "\n" BEGIN AT("10") "\n", true,
		      "\n100 -\n" BEGIN AT("10") "\n" ROWS);
}

/*
 * Two processes got the same request and wrote its mark into one record group: drop the second
 * mark.
 */
TEST(repeated_mark_is_written_once)
{
	struct node n CLEANUP(node_free);
	node_open(&n);
	assert_marked(&n, BEGIN AT("10") "\n%half\n" BEGIN AT("10") "\n", true,
		      NEW_MARKS(BEGIN AT("10") "\n%half\n"));
	assert_marked(&n, END AT("10") "\n" BEGIN AT("10") "\n", false, "");
}

/* A read beyond the text fails: the memory page after it is not readable. */
TEST(empty_line_at_the_end_is_not_read_past)
{
	static const char marks[] = "\n100 7\n" BEGIN AT("10") "\n" BEGIN AT("10") "\n\n";
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = sizeof(marks) - 1;
	struct buf to CLEANUP(buf_free) = { 0 };
	struct node n CLEANUP(node_free);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(mprotect(p + page, page, PROT_NONE), 0);
	char *text = memcpy(p + page - size, marks, size);
	node_open(&n);
	assert_true(marked_already(&n.a, (struct str){ text, size }, &to));
	assert_text(buf_str(&to), STR("\n100 7\n" BEGIN AT("10") "\n\n"));
	munmap(p, 2 * page);
}

int main(void)
{
	RUN(cmocka_unit_test(marks_in_the_current_file_are_found),
	    cmocka_unit_test(marks_in_closed_files_are_found),
	    cmocka_unit_test(what_holds_no_record_does_not_end_the_search),
	    cmocka_unit_test(mark_is_identified_by_kind_job_and_request),
	    cmocka_unit_test(repeated_mark_is_written_once),
	    cmocka_unit_test(empty_line_at_the_end_is_not_read_past));
}
