/* SPDX-License-Identifier: BSD-3-Clause */
/* test_source.c - read "key value" files by a plan, and keep files open */
#include "tests/unit/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "collectors/collector.h"
#include "collectors/key_lines.h"
#include "collectors/lustre.h"
#include "schema/type.h"
#include "tests/unit/descriptors.h"

static const struct metric metrics[] = {
	{ "alpha", GAUGE, "", "" }, { "beta", GAUGE, "", "" }, { "gamma", GAUGE, "", "", "c" },
};

/*
 * Read a text, and return its values as decimal digits: alpha 1, beta 2 and c 3 give 123. A digit 0
 * stands for a missing value.
 */
static unsigned read_row(struct source *s, size_t skip, const char *text)
{
	unsigned v = 0;
	source_clear(s);
	row_key_values(s, rows_add(&s->rows, STR("-")), skip, str_of(text));
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++) {
		bool have = rows_present(&s->rows, 0)[0] >> i & 1;
		v = v * 10 + (have ? (unsigned)rows_values(&s->rows, 0)[i] : 0);
	}
	return v;
}

TEST(lines_may_come_and_go_between_samples)
{
	struct files root = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));

	static const struct {
		const char *text;
		unsigned want;
	} steps[] = {
		{ "alpha 1\nother 9\nbeta 2\nc 3\n", 123 },
		{ "alpha 1\nother 9\nbeta 2\nc 3\n", 123 },
		{ "alpha 4\nother 99\nbeta 5\nc 6\n", 456 },	/* all lines after "other" moved */
		{ "alpha 1\nother 99\nbeta 2\nc 3\n", 123 },
		/* a key must be at the start of a line, so this "beta" is not a key */
		{ "alpha 4\nother 9abeta 7\nbeta 5\nc 6\n", 456 },
		{ "alpha 1\nother 9\nbeta 2\nc 3\n", 123 },
		/* beta is in the line in which "other" was */
		{ "alpha 4\nbeta 5\nc 6\n",          456 },
		{ "alpha 1\nother 9\nbeta 2\nc 3",   123 },
		{ "garbage\nmore\nand\nmore\n",      0   },
		{ "c 3\nbeta 2\nalpha 1\nx 4\n",     123 },
		{ "",                                0   },
		{ "c: 3 kB\nbeta:\t2\nalphabet 7\n", 23  },
		{ "c:\nbeta 99999999999999999999\n", 0   },
	};
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_int_equal(read_row(&s, 0, steps[i].text), steps[i].want);
}

TEST(keys_may_follow_a_label)
{
	struct files root = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));

	assert_int_equal(read_row(&s, 7, "Node 0 alpha: 1 kB\nNode\n\nNode 0 c: 3\n"), 103);
	assert_int_equal(read_row(&s, 8, "Node 12 alpha: 2 kB\nNode\n\nNode 12 c: 4"), 204);
}

/* Return a random number below n. The numbers are the same in each run of the test. */
static unsigned pick(unsigned n)
{
	static uint32_t seed = 1;
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

#define LINES_MAX 10

/* Change the previous file: lines vanish, appear and move, and values grow. */
static void change_order(unsigned char order[LINES_MAX], size_t *n)
{
	size_t at = pick(LINES_MAX), other = pick(LINES_MAX);
	unsigned char line = order[at];
	switch (pick(6)) {
	case 0:
		order[at] = order[other];
		order[other] = line;
		break;
	case 1:
		*n = pick(LINES_MAX + 1);
	}
}

static unsigned long long pick_value(void)
{
	static const unsigned longest[] = { 1, 10, 1000, 100000000, 4294967295 };
	unsigned long long v = pick(longest[pick(ARRAY_SIZE(longest))]);
	return v * (pick(9) ? 1 : 999999937);
}

TEST(a_key_is_found_wherever_it_stood_in_the_last_file)
{
	static const char *const keys[LINES_MAX] = {
		"alpha", "alphabet", "alp", "b", "beta", "c", "VmSize", "VmSwap", "x", "xy",
	};
	unsigned char order[LINES_MAX] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	uint16_t places[LINES_MAX] = { 0 };
	struct buf text CLEANUP(buf_free) = { 0 };
	size_t n = LINES_MAX;
	for (int round = 0; round < 20000; round++) {
		text.n = 0;
		for (size_t i = 0; i < n; i++)
			buf_addf(&text, "%s%s%8llu kB\n", keys[order[i]], pick(2) ? ":\t" : " ",
				 pick_value());
		struct key_lines fast = key_lines_of(buf_str(&text));
		for (size_t k = 0; k < LINES_MAX; k++) {
			struct key_lines slow = key_lines_of(buf_str(&text));
			uint64_t got = 0, want = 0;
			bool found = key_lines_find(&fast, str_of(keys[k]), &places[k]) &&
				     key_lines_take_u64(&fast, &got);
			assert_int_equal(key_lines_find(&slow, str_of(keys[k]), &(uint16_t){ 0 }) &&
					 key_lines_take_u64(&slow, &want), found);
			assert_int_equal(got, want);
		}
		change_order(order, &n);
	}
}

/* Parse the keys of a status file that type proc needs, and print what was found. */
static void parse_status(struct buf *to, const char *file, uint16_t place[3])
{
	struct key_lines l = key_lines_of(str_of(file));
	uint64_t v;
	to->n = 0;
	if (key_lines_find(&l, STR("Name"), &place[0])) {
		struct str name = key_lines_take_rest(&l);
		buf_addf(to, "name " STR_FMT ",", STR_ARG(name));
	}
	if (key_lines_find(&l, STR("VmRSS"), &place[1]))
		buf_addf(to, "rss %llu,", key_lines_take_u64(&l, &v) ? (unsigned long long)v : 0);
	if (key_lines_find(&l, STR("Threads"), &place[2]))
		buf_addf(to, "threads %llu",
			 key_lines_take_u64(&l, &v) ? (unsigned long long)v : 0);
}

TEST(a_status_does_not_depend_on_the_last_process)
{
	static const struct {
		const char *file, *found;
	} status[] = {
		{ "Name:\ta\nVmRSS:\t 5 kB\nThreads:\t4\n", "name \ta,rss 5,threads 4" },
		{ "Name:\tlong\nVmRSS:\t50 kB\nThreads:\t4\n", "name \tlong,rss 50,threads 4" },
		{ "New:\t1\nName:\ta\nVmRSS:\t 5 kB\nThreads:\t4", "name \ta,rss 5,threads 4" },
		{ "Name:\ta\nVmHWM:\t 6 kB\nVmRSS:\t 5 kB\n", "name \ta,rss 5," },
		{ "Threads:\t4\nName:\ta\nVmRSS:\t 5 kB\n", "name \ta,rss 5,threads 4" },
		{ "Name:\tVmRSS:\nThreads:\t4\n", "name \tVmRSS:,threads 4" },
		{ "Name:\ta\nVmRSS:\t 5", "name \ta,rss 5," },
		{ "Name:\ta\nVmRSS:", "name \ta,rss 0," },
		{ "Name:\ta\nVmRSS", "name \ta," },
		{ "Name:", "name ," },
		{ "", "" },
	};
	struct buf found CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(status); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(status); k++) {
			uint16_t place[3] = { 0 };
			parse_status(&found, status[i].file, place);
			parse_status(&found, status[k].file, place);
			assert_true(str_eq(buf_str(&found), str_of(status[k].found)));
		}
	}
}

TEST(a_key_is_at_its_place_only_if_a_line_begins_there)
{
	const struct key_lines l = key_lines_of(STR("Name:\tVmRSS:\nVmRSS:\t5\n"));
	assert_ptr_equal(key_lines_after(&l, 0, STR("Name")), l.begin + 5);
	assert_ptr_equal(key_lines_after(&l, 13, STR("VmRSS")), l.begin + 19);
	assert_null(key_lines_after(&l, 6, STR("VmRSS")));
	assert_null(key_lines_after(&l, 0, STR("VmRSS")));
	assert_null(key_lines_after(&l, 21, STR("VmRSS")));
	assert_null(key_lines_after(&l, UINT16_MAX, STR("VmRSS")));
}

TEST(statistics_do_not_depend_on_the_last_file)
{
	static const char *const keys[LINES_MAX] = {
		"read_bytes", "write_bytes", "req_waittime", "req_waittim", "ost_read", "ost_sync",
		"ldlm_cancel", "unknown", "obd_ping", "ost_write",
	};
	unsigned char order[LINES_MAX] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct lustre_lines fast = { 0 };
	struct buf text CLEANUP(buf_free) = { 0 };
	struct source s CLEANUP(source_free);
	size_t n = LINES_MAX;
	source_init(&s, &(struct files){ .rootfd = -1 }, osc_type.metrics, osc_type.n_metrics);
	for (int round = 0; round < 20000; round++) {
		text.n = 0;
		buf_addf(&text, "snapshot_time 1.5 secs.usecs\n");
		for (size_t i = 0; i < n; i++) {
			const char *key = keys[order[i]];
			bool time = strcmp(key, "req_waittime") == 0;
			buf_addf(&text, "%-25s %llu samples [%s] 1 4096 %llu 1\n", key,
				 pick_value(), time ? "usec" : "bytes", pick_value());
		}
		source_clear(&s);
		rows_add(&s.rows, STR("fast"));
		rows_add(&s.rows, STR("slow"));
		struct row row[2];
		for (size_t i = 0; i < 2; i++)
			row[i] = (struct row){ s.rows.value + i * s.rows.n_metrics,
					       s.rows.present + i };
		struct lustre_lines none = { 0 };
		assert_true(lustre_add_stats(&s, &fast, row[0], buf_str(&text)));
		assert_true(lustre_add_stats(&s, &none, row[1], buf_str(&text)));
		assert_int_equal(*row[0].present, *row[1].present);
		for (size_t k = 0; k < s.rows.n_metrics; k++)
			if (row_is_set(row[0], k))
				assert_int_equal(row[0].value[k], row[1].value[k]);
		change_order(order, &n);
	}
}

#define STATS_START "snapshot_time 1.5 secs.usecs\n"
#define STATS_READ  "read_bytes                12 samples [bytes] 1 4096 7000 1\n"
#define STATS_WAIT  "req_waittime              9 samples [usec] 1 9 80 1\n"
#define STATS_PING  "obd_ping                  3 samples [usec] 1 2 3 4\n"

/* Parse the statistics of a server, and print the keys and values that were found. */
static void parse_stats(struct buf *to, const char *file, struct lustre_lines *lines)
{
	struct source s CLEANUP(source_free);
	source_init(&s, &(struct files){ .rootfd = -1 }, osc_type.metrics, osc_type.n_metrics);
	struct row row = rows_add(&s.rows, STR("server"));
	bool whole = lustre_add_stats(&s, lines, row, str_of(file));
	to->n = 0;
	for (size_t k = 0; k < s.rows.n_metrics; k++)
		if (whole && row_is_set(row, k))
			buf_addf(to, "%s %llu,", osc_type.metrics[k].name,
				 (unsigned long long)row.value[k]);
	if (!whole)
		buf_addf(to, "malformed");
}

TEST(statistics_of_a_server_do_not_depend_on_the_last_server)
{
	static const struct {
		const char *file, *found;
	} stats[] = {
		{ STATS_START STATS_READ STATS_WAIT STATS_PING,
		  "read_bytes 7000,reqs 9,wait 80,obd_ping 3," },
		{ STATS_START STATS_WAIT STATS_READ STATS_PING,
		  "read_bytes 7000,reqs 9,wait 80,obd_ping 3," },
		{ STATS_START STATS_READ STATS_PING, "read_bytes 7000,obd_ping 3," },
		{ STATS_START "new 1 samples [regs]\n" STATS_READ, "read_bytes 7000," },
		{ STATS_START " new\n:\n\n" STATS_PING, "obd_ping 3," },
		{ STATS_START STATS_READ STATS_READ, "read_bytes 14000," },
		{ STATS_START STATS_PING "req_waittime 0 samples [usec]",
		  "reqs 0,wait 0,obd_ping 3," },
		{ STATS_START STATS_READ "obd_ping 3 samples [", "read_bytes 7000,obd_ping 3," },
		{ STATS_START STATS_PING "read_bytes 2 samples [bytes] 1\n4 7 1\n", "malformed" },
		{ STATS_START STATS_PING "read_bytes 2 samples [bytes] 1 4096", "malformed" },
		{ STATS_START STATS_PING "read_bytes 2 samples", "malformed" },
		{ STATS_START STATS_PING "read_bytes ", "malformed" },
		{ STATS_START, "" },
		{ STATS_READ, "malformed" },
	};
	struct buf found CLEANUP(buf_free) = { 0 };
	for (size_t i = 0; i < ARRAY_SIZE(stats); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(stats); k++) {
			struct lustre_lines lines = { 0 };
			parse_stats(&found, stats[i].file, &lines);
			parse_stats(&found, stats[k].file, &lines);
			assert_true(str_eq(buf_str(&found), str_of(stats[k].found)));
		}
	}
}

static void put_file(const struct files *root, const char *name)
{
	int fd CLEANUP(close_fd) = openat(root->rootfd, name, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "1\n", 2), 2);
}

TEST(files_that_nobody_reads_any_more_are_closed)
{
	char dir[] = "/tmp/nodometer-test-XXXXXX";
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	struct str text;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(files_open_root(&root, dir), 0);
	put_file(&root, "a");
	put_file(&root, "b");
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));
	assert_int_equal(source_read(&s, "a", &text), 0);
	assert_int_equal(source_read(&s, "b", &text), 0);

	s.rescan = true;
	source_clear(&s);
	assert_int_equal(s.files.n, 2);
	assert_int_equal(source_read(&s, "b", &text), 0);
	source_clear(&s);
	assert_int_equal(s.files.n, 1);
	assert_int_equal(source_read(&s, "b", &text), 0);
	assert_true(str_eq(text, STR("1\n")));

	unlinkat(root.rootfd, "a", 0);
	unlinkat(root.rootfd, "b", 0);
	rmdir(dir);
}

TEST(only_the_device_list_of_the_last_directory_is_kept)
{
	char dir[] = "/tmp/nodometer-test-XXXXXX";
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct source s CLEANUP(source_free);

	assert_non_null(mkdtemp(dir));
	assert_int_equal(files_open_root(&root, dir), 0);
	assert_int_equal(mkdirat(root.rootfd, "old", 0700), 0);
	assert_int_equal(mkdirat(root.rootfd, "new", 0700), 0);
	put_file(&root, "new/n2");
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));

	assert_int_equal(source_devices(&s, "old", "n"), 0);
	assert_int_equal(source_devices(&s, "new", "n"), 1);
	put_file(&root, "new/n10");
	assert_int_equal(source_devices(&s, "new", "n"), 1);
	s.rescan = true;
	assert_int_equal(source_devices(&s, "new", "n"), 2);
	assert_string_equal(source_device_name(&s, 0), "n2");
	assert_int_equal(source_devices(&s, "gone", "n"), -ENOENT);
	assert_int_equal(source_devices(&s, "old", "n"), 0);

	unlinkat(root.rootfd, "new/n2", 0);
	unlinkat(root.rootfd, "new/n10", 0);
	unlinkat(root.rootfd, "new", AT_REMOVEDIR);
	unlinkat(root.rootfd, "old", AT_REMOVEDIR);
	rmdir(dir);
}

/* A driver that is unloaded and loaded again makes the directory of its devices again. */
TEST(devices_of_a_directory_that_was_made_again_are_found)
{
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	tree_make(&t);
	tree_put(&t, "class/n1", STR("1\n"));
	assert_int_equal(files_open_root(&root, t.path), 0);
	source_init(&s, &root, metrics, ARRAY_SIZE(metrics));
	assert_int_equal(source_devices(&s, "class", "n"), 1);

	assert_int_equal(renameat(t.fd, "class", t.fd, "old"), 0);
	s.rescan = true;
	source_clear(&s);
	assert_int_equal(source_devices(&s, "class", "n"), -ENOENT);
	assert_string_equal(s.why, "/class: No such file or directory");

	tree_put(&t, "class/n2", STR("1\n"));
	source_clear(&s);
	assert_int_equal(source_devices(&s, "class", "n"), 1);
	assert_string_equal(source_device_name(&s, 0), "n2");
}

/* Check the reason that type pm_accel gives for a controller whose file has this text. */
static void assert_accel_why(const char *path, struct str text, const char *why)
{
	struct tree t CLEANUP(tree_free);
	struct files root = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	const struct collector *c = collector_find("pm_accel");
	tree_make(&t);
	tree_put(&t, "sys/cray/pm_counters/freshness", STR("1\n"));
	tree_put(&t, path, text);
	assert_int_equal(files_open_root(&root, t.path), 0);
	source_init(&s, &root, c->type->metrics, c->type->n_metrics);
	s.data = c->data;
	assert_int_equal(c->collect(&s), -ENOENT);
	assert_string_equal(s.why, why);
	files_free(&root);
}

TEST(accelerators_without_a_row_have_a_reason)
{
	assert_accel_why("sys/cray/pm_counters/energy", STR("7 J\n"),
			 "no /sys/cray/pm_counters/accelN_energy");
	assert_accel_why("sys/cray/pm_counters/accel2_energy", STR("none\n"),
			 "no number in /sys/cray/pm_counters/accel2_energy");
}

TEST(a_sensor_keeps_only_the_file_of_its_value_open)
{
	const struct collector *c = collector_find("hwmon_temp");
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	tree_make(&t);
	tree_put(&t, "sys/class/hwmon/hwmon0/name", STR("coretemp\n"));
	tree_put(&t, "sys/class/hwmon/hwmon0/temp1_label", STR("Core 0\n"));
	tree_put(&t, "sys/class/hwmon/hwmon0/temp1_input", STR("41000\n"));
	assert_int_equal(files_open_root(&root, t.path), 0);
	source_init(&s, &root, c->type->metrics, c->type->n_metrics);
	s.data = c->data;
	size_t before = open_descriptors();
	assert_int_equal(c->collect(&s), 0);
	assert_int_equal(s.rows.n, 1);
	assert_int_equal(open_descriptors() - before, 1);
}

/*
 * Become another user, as a daemon does that starts a user's program. /proc/PID then belongs to
 * that user.
 */
static void become_user(uid_t uid)
{
	if (setresuid(uid, uid, uid) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
		_exit(1);
}

/* Take a sample of type proc. Returns true if it has a row of this process. */
static bool has_process(struct source *s, const struct collector *c, pid_t pid)
{
	char end[32];
	snprintf(end, sizeof(end), "/%d/", (int)pid);
	source_clear(s);
	(void)c->collect(s);
	for (size_t i = 0; i < s->rows.n; i++) {
		const struct row_name *name = &s->rows.name[i];
		if (memmem(s->rows.names.p + name->at, name->n, end, strlen(end)))
			return true;
	}
	return false;
}

TEST(a_daemon_that_becomes_a_users_process_gets_a_row)
{
	const struct collector *c = collector_find("proc");
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	int go[2], gone[2];
	char byte;
	if (geteuid() != 0)
		skip();		/* only root can become another user */
	assert_int_equal(pipe(go) + pipe(gone), 0);
	pid_t child = fork();
	if (child == 0) {
		(void)!read(go[0], &byte, 1);
		become_user(54321);
		(void)!write(gone[1], "", 1);
		pause();
		_exit(0);
	}
	assert_int_equal(files_open_root(&root, "/"), 0);
	source_init(&s, &root, c->type->metrics, c->type->n_metrics);
	assert_false(has_process(&s, c, child));
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(read(gone[0], &byte, 1), 1);
	bool found = has_process(&s, c, child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_true(found);
	for (int i = 0; i < 2; i++) {
		close_fd(&go[i]);
		close_fd(&gone[i]);
	}
}

#define WAITERS 60

/* Count the requests in /proc/locks that wait for a lock. */
static size_t count_waiters(void)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text, line;
	size_t n = 0;
	int fd CLEANUP(close_fd) = open("/proc/locks", O_RDONLY);
	assert_int_equal(files_read_fd(fd, FILE_TO_END, &b, &text), 0);
	while (str_take_line(&text, &line))
		n += memmem(line.p, line.n, "->", 2) != NULL;
	return n;
}

static pid_t start_waiter(const char *path)
{
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(flock(open(path, O_RDWR), LOCK_EX));
	}
	return child;
}

/* Lock 20 bytes of the file, each with a lock of its own: the kernel lists newer locks first. */
static void lock_bytes(int fd)
{
	for (int i = 0; i < 20; i++) {
		struct flock one = { .l_type = F_WRLCK, .l_start = 2 * i, .l_len = 1 };
		assert_int_equal(fcntl(fd, F_SETLK, &one), 0);
	}
}

/*
 * A record of /proc/locks has the requests that wait for its lock. Such a record does not fit into
 * the rest of the kernel's page, so the first read ends before the record.
 */
TEST(requests_that_wait_for_one_lock_are_all_counted)
{
	const struct collector *c = collector_find("locks");
	struct tree t CLEANUP(tree_free);
	struct files root CLEANUP(files_free) = { .rootfd = -1 };
	struct source s CLEANUP(source_free);
	pid_t child[WAITERS];
	cpu_set_t here;
	char path[80];
	if (access("/proc/locks", R_OK) != 0)
		skip();
	CPU_ZERO(&here);
	CPU_SET((size_t)sched_getcpu(), &here);
	assert_int_equal(sched_setaffinity(0, sizeof(here), &here), 0);	/* listed by CPU */
	tree_make(&t);
	tree_put(&t, "a", STR(""));
	snprintf(path, sizeof(path), "%s/a", t.path);
	int fd CLEANUP(close_fd) = open(path, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	for (int i = 0; i < WAITERS; i++)
		child[i] = start_waiter(path);
	lock_bytes(fd);
	for (int i = 0; i < 3000 && count_waiters() < WAITERS; i++)
		usleep(10000);
	assert_int_equal(files_open_root(&root, "/"), 0);
	source_init(&s, &root, c->type->metrics, c->type->n_metrics);
	int r = c->collect(&s);
	for (int i = 0; i < WAITERS; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	assert_int_equal(r, 0);
	assert_true(rows_values(&s.rows, 0)[0] > 20);
	assert_true(rows_values(&s.rows, 0)[1] >= WAITERS);
}

int main(void)
{
	RUN(cmocka_unit_test(lines_may_come_and_go_between_samples),
	    cmocka_unit_test(keys_may_follow_a_label),
	    cmocka_unit_test(a_key_is_found_wherever_it_stood_in_the_last_file),
	    cmocka_unit_test(a_status_does_not_depend_on_the_last_process),
	    cmocka_unit_test(a_key_is_at_its_place_only_if_a_line_begins_there),
	    cmocka_unit_test(statistics_do_not_depend_on_the_last_file),
	    cmocka_unit_test(statistics_of_a_server_do_not_depend_on_the_last_server),
	    cmocka_unit_test(files_that_nobody_reads_any_more_are_closed),
	    cmocka_unit_test(only_the_device_list_of_the_last_directory_is_kept),
	    cmocka_unit_test(devices_of_a_directory_that_was_made_again_are_found),
	    cmocka_unit_test(accelerators_without_a_row_have_a_reason),
	    cmocka_unit_test(a_sensor_keeps_only_the_file_of_its_value_open),
	    cmocka_unit_test(a_daemon_that_becomes_a_users_process_gets_a_row),
	    cmocka_unit_test(requests_that_wait_for_one_lock_are_all_counted));
}
