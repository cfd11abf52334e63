/* SPDX-License-Identifier: BSD-3-Clause */
/* test_no_room.c - keep marks while the archive cannot be written and the memory is full */
#include "tests/unit/heard.h"
#include "tests/unit/recorder_node.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/names.h"

static bool peak_hangs;

/*
 * Replace open(): a process that opens .peak hangs until it is killed, as with a FUSE file system
 * that does not respond.
 */
int open(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	while (peak_hangs && str_ends(str_of(path), STR("/.peak")))
		pause();
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* Count the marks with this prefix in all raw files of the archive. */
static size_t marks_of(struct node *n, const char *prefix)
{
	struct names names CLEANUP(names_free) = { 0 };
	int fd CLEANUP(close_fd) = openat(n->tree.fd, "archive/n1", O_RDONLY | O_DIRECTORY);
	size_t found = 0;
	assert_int_equal(names_read(&names, fd, "", NAMES_OF_ALL), 0);
	for (size_t i = 0; i < names.n; i++) {
		char path[300];
		struct str line;
		if (names.name[i][0] > '9')
			continue;	/* "current" and "lock" are no raw files */
		snprintf(path, sizeof(path), "archive/n1/%s", names.name[i]);
		tree_get(&n->tree, path, &n->text);
		for (struct str text = buf_str(&n->text); str_take_line(&text, &line); )
			found += str_starts(line, str_of(prefix));
	}
	return found;
}

/* Send one request to the agent, and return the result of the request. */
static int ask_agent(struct node *n, enum request_what what, const char *text)
{
	struct request q = { .what = what, .text = str_of(text) };
	int e = recorder_requests(n->r, &q, 1);
	assert_true(e == 0 || e == q.result);
	buf_free(&q.summary);
	return q.result;
}

static void begin_and_end(struct node *n, int jobs)
{
	char id[20];
	for (int i = 0; i < jobs; i++) {
		snprintf(id, sizeof(id), "%d", i);
		assert_int_equal(ask_agent(n, REQUEST_BEGIN, id), 0);
		assert_int_equal(ask_agent(n, REQUEST_END, id), 0);
	}
}

/* The memory for waiting record groups has room for only 27 record groups of this node. */
TEST(memory_keeps_the_marks_of_more_jobs_than_samples)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	grow(&n, 256);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	int fd = hold_lock(&n);
	n.r->to.store.lock_ms = 0;
	begin_and_end(&n, 100);
	assert_int_equal(n.r->to.unwritten.n, 200);
	assert_int_equal(recorder_status(n.r).marks_lost, 0);
	close(fd);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(marks_of(&n, "%begin "), 100);
	assert_int_equal(marks_of(&n, "%end "), 100);
	assert_int_equal(spool_count(n.config.runtime_dir), 0);
}

/*
 * Lock the archive, and send marks of about 500 bytes until the memory is full. Returns the
 * descriptor of the lock.
 */
static int fill_memory(struct node *n)
{
	char text[480];
	int fd = hold_lock(n), marks = 0;
	n->r->to.store.lock_ms = 0;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	while (ask_agent(n, REQUEST_MARK, text) == 0)
		assert_true(++marks < UNWRITTEN_GROUPS_MAX);
	assert_true(marks > 1500);
	return fd;
}

/* The end mark of a job that began while the memory was full must not precede its begin mark. */
TEST(marks_without_room_in_memory_wait_in_the_spool_in_their_order)
{
	struct node n CLEANUP(node_free);
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	const struct job_cgroup group = { .id = "11", .is_new = true };
	node_open(&n, true);
	grow(&n, 64);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(ask_agent(&n, REQUEST_BEGIN, "9"), 0);
	n.r->listener = &listener;
	int fd = fill_memory(&n);
	assert_lines(&heard, 1, 0, "memory is full of record groups");
	size_t waiting = n.r->to.unwritten.n;
	assert_int_equal(ask_agent(&n, REQUEST_BEGIN, "10 user=ann"), REQUEST_LEFT);
	assert_int_equal(ask_agent(&n, REQUEST_END, "10"), REQUEST_LEFT);
	assert_int_equal(ask_agent(&n, REQUEST_END, "9"), REQUEST_LEFT);
	assert_int_equal(ask_agent(&n, REQUEST_MARK, "end"), -EINVAL);
	assert_int_equal(recorder_groups(n.r, &group, 1), 1);
	assert_int_equal(recorder_job_file(n.r), -ETIMEDOUT);
	assert_int_equal(recorder_drain(n.r, NULL, NULL), -ENOBUFS);
	n.r->marks_left = false;	/* simulates a restart of the agent */
	assert_int_equal(recorder_drain(n.r, NULL, NULL), -ENOBUFS);
	assert_true(n.r->marks_left);
	assert_int_equal(recorder_sample(n.r, 0), -ENOBUFS);
	assert_int_equal(n.r->to.unwritten.n, waiting);
	assert_int_equal(recorder_status(n.r).marks_lost, 0);
	assert_int_equal(spool_count(n.config.runtime_dir), 5);

	close(fd);
	recorder_settle(n.r);
	assert_int_equal(recorder_drain(n.r, NULL, NULL), 5);
	assert_int_equal(marks_of(&n, "%xxx"), waiting + 1);
	tree_get(&n.tree, "archive/n1/current", &n.text);
	buf_add_char(&n.text, '\0');
	assert_non_null(strstr(n.text.p, "\n%begin 10 source=hook user=ann\n%end 10 source=hook\n"
			       "%end 9 source=hook\n%begin 11 source=cgroup "));
	assert_int_equal(ask_agent(&n, REQUEST_BEGIN, "12"), 0);
	assert_last(&n, "11,12 %begin 12 source=hook");
}

static void remove_spool(struct node *n)
{
	struct names names CLEANUP(names_free) = { 0 };
	int fd CLEANUP(close_fd) = openat(n->tree.fd, "run/marks", O_RDONLY | O_DIRECTORY);
	assert_int_equal(names_read(&names, fd, "", NAMES_OF_ALL), 0);
	for (size_t i = 0; i < names.n; i++)
		assert_int_equal(unlinkat(fd, names.name[i], 0), 0);
	assert_int_equal(unlinkat(n->tree.fd, "run/marks", AT_REMOVEDIR), 0);
}

TEST(a_mark_that_cannot_wait_anywhere_is_refused_and_named)
{
	struct node n CLEANUP(node_free);
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	node_open(&n, true);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	n.r->listener = &listener;
	int fd = fill_memory(&n);
	remove_spool(&n);
	assert_int_equal(ask_agent(&n, REQUEST_BEGIN, "7 user=ann"), -EIO);
	assert_int_equal(ask_agent(&n, REQUEST_END, "7"), -EIO);
	assert_int_equal(recorder_status(n.r).marks_lost, 2);
	assert_lines(&heard, 1, 0, "\"end 7\" is not marked");
	close(fd);
}

/* alarm(2) ends the test if opening .peak hangs. */
TEST(a_header_does_not_wait_for_a_file_system_that_hangs)
{
	struct node n CLEANUP(node_free);
	node_open(&n, true);
	peak_hangs = true;
	alarm(30);
	assert_int_equal(recorder_sample(n.r, 0), 0);
	assert_int_equal(recorder_rotate(n.r), 0);
	alarm(0);
	peak_hangs = false;
	assert_int_equal(groups(&n), 1);
	tree_put(&n.tree, "archive/n1/.peak", STR("flops=5 bandwidth=6\n"));
	/* on a busy machine, the next headers may not wait long enough for the file either */
	bool has_peak = false;
	for (int i = 0; i < 200 && !has_peak; i++) {
		assert_int_equal(recorder_rotate(n.r), 0);
		tree_get(&n.tree, "archive/n1/current", &n.text);
		has_peak = memmem(n.text.p, n.text.n, " flops=5 bandwidth=6\n", 21);
		usleep(has_peak ? 0 : 50000);
	}
	assert_true(has_peak);
}

int main(void)
{
	RUN(cmocka_unit_test(a_header_does_not_wait_for_a_file_system_that_hangs),
	    cmocka_unit_test(memory_keeps_the_marks_of_more_jobs_than_samples),
	    cmocka_unit_test(marks_without_room_in_memory_wait_in_the_spool_in_their_order),
	    cmocka_unit_test(a_mark_that_cannot_wait_anywhere_is_refused_and_named));
}
