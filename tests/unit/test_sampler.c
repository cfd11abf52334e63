/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sampler.c - sample every type while sources appear, disappear, fail or hang */
#include "tests/unit/clock_ahead.h"
#include "tests/unit/heard.h"
#include "tests/unit/tree.h"

#include <glob.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include "recorder/sampler.h"
#include "archive/tail.h"
#include "base/clock.h"

#define DEADLINE_NS INT64_C(20000000000)	/* timeout of an answer; a busy machine is slow */
#define HANGS_NS    INT64_C(300000000)		/* timeout if no answer can come */

static size_t allocations;	/* number of realloc calls (linker option -Wl,--wrap=realloc) */
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n)
{
	allocations++;
	return __real_realloc(p, n);
}

static size_t type_number(const char *name)
{
	for (size_t i = 0; i < n_collectors; i++)
		if (strcmp(types[i]->name, name) == 0)
			return i;
	fail_msg("no type %s", name);
	return 0;
}

/* A sampler that has only selected types, and the text of its newest sample. */
struct trial {
	struct sampler s;
	enum type_use *use;
	struct buf schema, rows;
};

static void trial_begin(struct trial *t, const char *root, const char *type, enum type_use use)
{
	*t = (struct trial){ .use = xrealloc(NULL, n_collectors * sizeof(*t->use)) };
	for (size_t i = 0; i < n_collectors; i++)
		t->use[i] = USE_OFF;
	t->use[type_number(type)] = use;
	assert_int_equal(sampler_init(&t->s, root, t->use, DEADLINE_NS), 0);
}

static void trial_end(struct trial *t)
{
	sampler_free(&t->s);
	free(t->use);
	buf_free(&t->schema);
	buf_free(&t->rows);
}

static struct type_state *type_of(struct trial *t, const char *type)
{
	return &t->s.type[type_number(type)];
}

/* Return the cost of this type in the newest sample. */
static const struct cost *cost_of(const struct trial *t, const char *type)
{
	for (size_t i = 0; i < t->s.n_collected; i++)
		if (strcmp(t->s.collected[i]->c->type->name, type) == 0)
			return &t->s.cost[i];
	fail_msg("type %s was not asked", type);
	return NULL;
}

/*
 * Take a sample, and keep its schema and the rows of all types but the agent's own. Returns true if
 * the schema changed.
 */
static bool collect(struct trial *t)
{
	bool changed = sampler_collect(&t->s);
	t->schema.n = t->rows.n = 0;
	sampler_put_schema(&t->s, &t->schema);
	sampler_put_rows(&t->s, &t->rows, 0, 0);
	for (size_t at = 0; at < t->rows.n; ) {
		struct str rest = str_skip(buf_str(&t->rows), at), line;
		str_take_line(&rest, &line);
		if (str_starts(line, STR("nodometer ")))
			t->rows.n = at;
		at += line.n + 1;
	}
	return changed;
}

/* The next text of /proc/stat, whether it changes the schema, and the expected keys and rows. */
struct cpu_step {
	const char *stat;
	bool changed;
	const char *keys, *rows;
};
#define FOUR "user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs"
#define FIVE FOUR " iowait,E,U=cs"
#define BOTH "cpu 0 1 2 3 4 5\ncpu 1 1 2 3 4 5\n"

static void try_cpu_steps(const struct cpu_step *steps, size_t n)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	trial_begin(&t, root.path, "cpu", USE_ON);
	for (size_t i = 0; i < n; i++) {
		struct buf want CLEANUP(buf_free) = { 0 };
		tree_put(&root, "proc/stat", str_of(steps[i].stat));
		assert_int_equal(collect(&t), steps[i].changed);
		buf_addf(&want, "!cpu %s\n", steps[i].keys);
		assert_true(str_starts(buf_str(&t.schema), buf_str(&want)));
		assert_text(buf_str(&t.rows), str_of(steps[i].rows));
	}
}

#define ODD FIVE "\n!cpu.2 " FOUR	/* a CPU that lacks iowait */

TEST(the_schema_has_the_keys_that_exist)
{
	static const struct cpu_step steps[] = {
		{ "cpu 9\ncpu0 1 2 3 4\n", true, FOUR, "cpu 0 1 2 3 4\n" },
		{ "cpu 9\ncpu0 5 6 7 8\n", false, FOUR, "cpu 0 5 6 7 8\n" },
		{ "cpu0 1 2 3 4 5\n", true, FIVE, "cpu 0 1 2 3 4 5\n" },
		{ "cpu0 1 2 3 4 5\ncpu1 1 2 3 4\n", false, FIVE, "cpu 0 1 2 3 4 5\n" },
		{ "cpu0 1 2 3 4\ncpu1 1 2 3 4 5\n", true, ODD,
		  "cpu.2 0 1 2 3 4\ncpu 1 1 2 3 4 5\n" },
		{ "cpu0 1 2 3 4\ncpu1\n", false, ODD, "cpu.2 0 1 2 3 4\n" },
		{ "garbage\n", false, ODD, "" },
		{ "", false, ODD, "" },
	};
	try_cpu_steps(steps, ARRAY_SIZE(steps));
}

TEST(a_row_that_lacks_a_key_in_two_samples_is_kept_without_the_key)
{
	static const struct cpu_step steps[] = {
		{ "cpu0 1 2 3 4 5\ncpu1 1 2 3 4 5\n", true, FIVE, BOTH },
		{ "cpu0 1 2 3 4 5\ncpu1 1 2 3 4\n", false, FIVE, "cpu 0 1 2 3 4 5\n" },
		{ "cpu0 1 2 3 4 5\ncpu1 1 2 3 4 5\n", false, FIVE, BOTH },
		{ "cpu0 1 2 3 4 6\ncpu1 1 2 3 4\n", false, FIVE, "cpu 0 1 2 3 4 6\n" },
		{ "cpu0 1 2 3 4 7\ncpu1 1 2 3 4\n", true, ODD,
		  "cpu 0 1 2 3 4 7\ncpu.2 1 1 2 3 4\n" },
		{ "cpu0 1 2 3 4 8\ncpu1 1 2 3\n", false, ODD, "cpu 0 1 2 3 4 8\n" },
		{ "cpu0 1 2 3 4 8\n", false, ODD, "cpu 0 1 2 3 4 8\n" },
	};
	try_cpu_steps(steps, ARRAY_SIZE(steps));
}

TEST(a_device_that_lacks_a_key_affects_no_other)
{
	static const struct cpu_step steps[] = {
		{ "cpu0 1 2 3 4 5\ncpu1 1 2 3 4\n", true, ODD,
		  "cpu 0 1 2 3 4 5\ncpu.2 1 1 2 3 4\n" },
		{ "cpu0 1 2 3 4 5\ncpu1 1 2 3\n", false, ODD, "cpu 0 1 2 3 4 5\n" },
		{ "cpu0 1 2 3 4 5\ncpu1 1 2 3 4 5\n", false, ODD, BOTH },
		{ "cpu0 1 2 3 4 5\ncpu1 1 2 3 4\n", false, ODD,
		  "cpu 0 1 2 3 4 5\ncpu.2 1 1 2 3 4\n" },
		{ "cpu0 1 2 3 4 5\n", false, ODD, "cpu 0 1 2 3 4 5\n" },
	};
	try_cpu_steps(steps, ARRAY_SIZE(steps));
}

TEST(a_device_that_lacks_a_key_is_named_once)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	tree_make(&root);
	trial_begin(&t, root.path, "cpu", USE_ON);
	t.s.listener = &listener;
	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4 5\ncpu1 1 2 3\n"));
	assert_true(collect(&t));
	assert_lines(&heard, 0, 1, "type cpu: 1 lacks idle iowait");
	t.s.scanned_ns = 0;
	assert_false(collect(&t));
	assert_lines(&heard, 0, 1, "type cpu: 1 lacks");
}

TEST(a_type_that_the_node_lacks_is_looked_for_once_a_minute)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	trial_begin(&t, root.path, "cpu", USE_ON);
	assert_false(collect(&t));
	assert_int_equal(type_of(&t, "cpu")->result, -ENOENT);
	assert_false(type_of(&t, "cpu")->active);

	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4\n"));
	assert_false(collect(&t));
	assert_text(buf_str(&t.rows), STR(""));
	t.s.scanned_ns = 0;
	assert_true(collect(&t));
	assert_text(buf_str(&t.rows), STR("cpu 0 1 2 3 4\n"));
}

TEST(a_new_key_between_known_ones_is_looked_for_once_a_minute)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	tree_put(&root, "proc/vmstat", STR("pgpgin 1\npgpgout 2\n"));
	trial_begin(&t, root.path, "vm", USE_ON);
	assert_true(collect(&t));
	tree_put(&root, "proc/vmstat", STR("pgpgin 1\npswpin 3\npgpgout 2\n"));
	assert_false(collect(&t));
	assert_text(buf_str(&t.rows), STR("vm - 1 2\n"));
	t.s.scanned_ns = 0;
	assert_true(collect(&t));
	assert_text(buf_str(&t.rows), STR("vm - 1 2 3\n"));
}

TEST(a_type_that_fails_affects_no_other)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	tree_put(&root, "proc/vmstat/x", STR("a folder where a file should be"));
	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4\n"));
	trial_begin(&t, root.path, "cpu", USE_ON);
	type_of(&t, "vm")->on = true;
	collect(&t);
	assert_text(buf_str(&t.rows), STR("cpu 0 1 2 3 4\n"));
	assert_int_equal(type_of(&t, "vm")->result, -EISDIR);
	assert_string_equal(type_of(&t, "vm")->source.why, "/proc/vmstat: Is a directory");
	assert_int_equal(cost_of(&t, "vm")->errors, 1);
	assert_int_equal(cost_of(&t, "vm")->stalls, 0);
	assert_int_equal(cost_of(&t, "cpu")->errors, 0);
}

TEST(a_type_that_hangs_is_a_stall_and_its_worker_is_replaced)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	tree_put(&root, "proc/vmstat", STR("pgpgin 5\n"));
	assert_int_equal(mkfifoat(root.fd, "proc/stat", 0600), 0);
	trial_begin(&t, root.path, "cpu", USE_ISOLATE);
	t.s.deadline_ns = HANGS_NS;
	type_of(&t, "vm")->on = true;

	collect(&t);
	assert_int_equal(type_of(&t, "cpu")->result, -ETIMEDOUT);
	assert_int_equal(cost_of(&t, "cpu")->stalls, 1);
	assert_int_equal(cost_of(&t, "vm")->rows, 1);
	assert_int_equal(type_of(&t, "cpu")->worker.fd, -1);

	assert_int_equal(unlinkat(root.fd, "proc/stat", 0), 0);
	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4\n"));
	for (int i = 0; i < 10000 && type_of(&t, "cpu")->result != 0; i++) {
		usleep(2000);	/* the kernel may need a while to end the old worker */
		collect(&t);
	}
	assert_int_equal(type_of(&t, "cpu")->result, 0);
	assert_int_equal(cost_of(&t, "cpu")->rows, 1);
	assert_int_equal(cost_of(&t, "cpu")->stalls, 0);
}

TEST(a_chip_that_hangs_is_left_out_and_the_others_are_read)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	tree_put(&root, "sys/class/hwmon/hwmon0/temp1_input", STR("41000\n"));
	tree_put(&root, "sys/class/hwmon/hwmon1/name", STR("bus\n"));
	assert_int_equal(mkfifoat(root.fd, "sys/class/hwmon/hwmon1/temp1_input", 0600), 0);
	tree_put(&root, "sys/class/hwmon/hwmon2/temp1_input", STR("43000\n"));
	trial_begin(&t, root.path, "hwmon_temp", USE_ON);
	t.s.deadline_ns = HANGS_NS;
	struct type_state *temp = type_of(&t, "hwmon_temp");
	struct heard heard = { 0 };
	const struct listener listener = { hear_line, &heard };
	t.s.listener = &listener;

	collect(&t);
	assert_int_equal(temp->result, -ETIMEDOUT);
	assert_lines(&heard, 1, 0, "hwmon_temp: hwmon1 does not answer");
	assert_in_range((temp->worker.retry_ns - monotonic_ns()) / 1000000000, 3590, 3600);
	for (int i = 0; i < 10000 && temp->result != 0; i++) {
		usleep(2000);	/* the kernel may need a while to end the old worker */
		collect(&t);
	}
	assert_text(buf_str(&t.rows), STR("hwmon_temp hwmon0/-/temp1 41000\n"
					  "hwmon_temp hwmon2/-/temp1 43000\n"));
	t.s.scanned_ns = 0;	/* scan for devices, which must change nothing */
	collect(&t);
	assert_int_equal(temp->result, 0);
	assert_int_equal(temp->source.rows.n, 2);

	assert_int_equal(unlinkat(root.fd, "sys/class/hwmon/hwmon1/temp1_input", 0), 0);
	tree_put(&root, "sys/class/hwmon/hwmon1/temp1_input", STR("42000\n"));
	temp->worker.retry_ns = 0;	/* simulates an hour later */
	t.s.scanned_ns = 0;
	collect(&t);
	assert_int_equal(temp->source.rows.n, 3);
}

TEST(if_all_chips_hang_the_type_is_in_error_not_absent)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	tree_put(&root, "sys/class/hwmon/hwmon1/name", STR("bus\n"));
	assert_int_equal(mkfifoat(root.fd, "sys/class/hwmon/hwmon1/temp1_input", 0600), 0);
	trial_begin(&t, root.path, "hwmon_temp", USE_ON);
	t.s.deadline_ns = HANGS_NS;
	struct type_state *temp = type_of(&t, "hwmon_temp");
	collect(&t);
	for (int i = 0; i < 10000 && temp->result != -EIO; i++) {
		usleep(2000);
		collect(&t);
	}
	assert_int_equal(temp->result, -EIO);
	assert_string_equal(temp->source.why,
			    "hwmon1 did not answer and is skipped for a while");
}

/* The node's controller hangs if "freshness" stays the same for more than two seconds. */
TEST(counters_of_a_controller_that_hangs_are_left_out)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	tree_put(&root, "sys/cray/pm_counters/energy", STR("7 J 1593436788063063 us\n"));
	trial_begin(&t, root.path, "pm_counters", USE_ON);
	const struct type_state *pm = type_of(&t, "pm_counters");
	static const struct {
		const char *freshness;
		int seconds, result;
	} steps[] = { { "5\n", 0, 0 }, { "5\n", 1, 0 }, { "5\n", 2, -EIO }, { "6\n", 1, 0 },
		      { "6\n", 1, 0 }, { "6\n", 5, -EIO } };
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		tree_put(&root, "sys/cray/pm_counters/freshness", str_of(steps[i].freshness));
		later_s += steps[i].seconds;
		collect(&t);
		assert_int_equal(pm->result, steps[i].result);
		assert_int_equal(pm->source.rows.n, steps[i].result == 0);
	}
	later_s = 0;
	assert_string_equal(pm->source.why,
			    "freshness stays at 6: the node's controller does not write");
}

TEST(the_cost_of_a_worker_is_its_cpu_time)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4\n"));
	trial_begin(&t, root.path, "cpu", USE_ISOLATE);
	collect(&t);
	assert_true(cost_of(&t, "cpu")->cpu_ns > 0);
	t.s.deadline_ns = HANGS_NS;
	/* a worker that does not answer adds no CPU time, above all not that of the last sample */
	assert_int_equal(kill(type_of(&t, "cpu")->worker.pid, SIGSTOP), 0);
	collect(&t);
	assert_int_equal(cost_of(&t, "cpu")->stalls, 1);
	assert_int_equal(cost_of(&t, "cpu")->cpu_ns, 0);
}

/* Waiting for a CPU takes time, but is not a cost. */
TEST(costs_of_types_add_up_to_no_more_than_the_cpu_time)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	struct buf rows CLEANUP(buf_free) = { 0 };
	tree_make(&root);
	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4\n"));
	tree_put(&root, "proc/vmstat", STR("pgpgin 5\n"));
	trial_begin(&t, root.path, "cpu", USE_ON);
	type_of(&t, "vm")->on = true;
	sampler_collect(&t.s);
	assert_int_equal(t.s.n_collected, 2);
	t.s.cost[0].cpu_ns = INT64_C(3000000000000);
	t.s.cost[1].cpu_ns = INT64_C(1000000000000);
	t.s.cpu_ns = 0;
	sampler_put_rows(&t.s, &rows, 0, 0);
	assert_true(t.s.cost[0].cpu_ns + t.s.cost[1].cpu_ns <= (uint64_t)t.s.cpu_ns);
	assert_true(t.s.cost[0].cpu_ns > 2 * t.s.cost[1].cpu_ns);
}

/* Return the first value of the agent's own row: its CPU time. */
static uint64_t agent_cost(struct trial *t)
{
	uint64_t value = 0;
	t->rows.n = 0;
	sampler_put_rows(&t->s, &t->rows, 0, 0);
	const char *row = memmem(t->rows.p, t->rows.n, "nodometer - ", 12);
	assert_non_null(row);
	struct str rest = str_skip(buf_str(&t->rows), (size_t)(row + 12 - t->rows.p));
	assert_true(str_take_u64(&rest, &value));
	return value;
}

TEST(the_cost_of_a_sample_includes_the_workers)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4\n"));
	trial_begin(&t, root.path, "cpu", USE_ISOLATE);
	sampler_collect(&t.s);
	t.s.cost[0].cpu_ns = 0;
	t.s.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t alone = agent_cost(&t);
	t.s.cost[0].cpu_ns = UINT64_C(3000000000000);
	t.s.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	assert_true(agent_cost(&t) > alone + UINT64_C(2900000000));	/* 2,900 s in us */
}

TEST(a_worker_that_was_killed_is_replaced_at_once)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4\n"));
	trial_begin(&t, root.path, "cpu", USE_ISOLATE);
	assert_true(collect(&t));
	pid_t pid = type_of(&t, "cpu")->worker.pid;
	assert_true(pid > 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_false(collect(&t));
	assert_text(buf_str(&t.rows), STR("cpu 0 1 2 3 4\n"));
	assert_true(type_of(&t, "cpu")->worker.pid != pid);
}

static bool holds(pid_t pid, const char *what)
{
	char path[64], to[256];
	for (int fd = 0; fd < 256; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
		ssize_t n = readlink(path, to, sizeof(to) - 1);
		if (n > 0 && str_eq((struct str){ to, (size_t)n }, str_of(what)))
			return true;
	}
	return false;
}

TEST(a_worker_holds_none_of_the_agents_files)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	char lock[128];
	tree_make(&root);
	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4\n"));
	tree_put(&root, "lock", STR(""));
	snprintf(lock, sizeof(lock), "%s/lock", root.path);
	int before = open(lock, O_RDONLY);
	trial_begin(&t, root.path, "cpu", USE_ISOLATE);
	int waiting = open(lock, O_RDONLY);
	collect(&t);
	assert_true(holds(getpid(), lock));
	assert_false(holds(type_of(&t, "cpu")->worker.pid, lock));
	close(before);
	close(waiting);
}

/* Add a row for CPU 0, whose user time is the UID of the first user who may own job directories. */
static int report_owner(struct source *s)
{
	row_set(rows_add(&s->rows, STR("0")), 0, s->shared->job_owners.uid[0]);
	return 0;
}

/* The owners decide which directories name jobs, also for type job in a worker. */
TEST(a_worker_knows_the_owners_of_job_directories)
{
	struct tree root CLEANUP(tree_free);
	struct trial t CLEANUP(trial_end);
	tree_make(&root);
	trial_begin(&t, root.path, "cpu", USE_ISOLATE);
	struct collector reports = { .type = type_of(&t, "cpu")->c->type, .collect = report_owner };
	type_of(&t, "cpu")->c = &reports;
	users_add(&t.s.shared.job_owners, 4711);
	collect(&t);
	assert_text(buf_str(&t.rows), STR("cpu 0 4711\n"));
}

TEST(a_worker_ends_with_its_sampler)
{
	struct tree root CLEANUP(tree_free);
	struct trial t;
	tree_make(&root);
	tree_put(&root, "proc/stat", STR("cpu0 1 2 3 4\n"));
	trial_begin(&t, root.path, "cpu", USE_ISOLATE);
	collect(&t);
	pid_t pid = type_of(&t, "cpu")->worker.pid;
	trial_end(&t);
	int r = -1;
	for (int i = 0; i < 30000 && (r = kill(pid, 0)) == 0; i++)
		usleep(1000);
	assert_int_equal(r, -1);
	assert_int_equal(errno, ESRCH);
}

/* Take the type from a path ".../tests/collectors/TYPE/CASE/root". */
static void take_type(const char *path, char *type, size_t size)
{
	const char *begin = strstr(path, "tests/collectors/") + strlen("tests/collectors/");
	str_copy(type, size, (struct str){ begin, strcspn(begin, "/") });
}

TEST(a_worker_sends_the_rows_that_its_collector_reads_here)
{
	struct buf pattern CLEANUP(buf_free) = { 0 };
	const char *top = getenv("srcdir");
	glob_t g;
	buf_addf(&pattern, "%s/tests/collectors/*/*/root", top ? top : ".");
	buf_add_char(&pattern, '\0');
	if (glob(pattern.p, 0, NULL, &g) != 0)
		skip();
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct trial here CLEANUP(trial_end), there CLEANUP(trial_end);
		char type[64];
		take_type(g.gl_pathv[i], type, sizeof(type));
		trial_begin(&here, g.gl_pathv[i], type, USE_ON);
		trial_begin(&there, g.gl_pathv[i], type, USE_ISOLATE);
		type_of(&here, type)->isolated = false;
		collect(&here);
		collect(&there);
		assert_text(buf_str(&there.schema), buf_str(&here.schema));
		assert_text(buf_str(&there.rows), buf_str(&here.rows));
		assert_string_equal(type_of(&there, type)->source.why,
				    type_of(&here, type)->source.why);
		assert_int_equal(type_of(&there, type)->source.bytes,
				 type_of(&here, type)->source.bytes);
	}
	globfree(&g);
}

TEST(every_group_is_complete)
{
	struct sampler s CLEANUP(sampler_free);
	struct buf group CLEANUP(buf_free) = { 0 };
	assert_int_equal(sampler_init(&s, "/", NULL, DEADLINE_NS), 0);
	for (int i = 0; i < 3; i++) {
		group.n = 0;
		buf_add(&group, STR("10 -\n%a mark\n"));
		sampler_collect(&s);
		sampler_put_rows(&s, &group, 0, 0);
		assert_true(tail_group_is_whole(buf_str(&group)));
	}
}

static size_t allocations_of_ten_samples(struct sampler *s, struct buf *b)
{
	allocations = 0;
	for (int i = 0; i < 10; i++) {
		b->n = 0;
		sampler_collect(s);
		sampler_put_rows(s, b, 0, 0);
	}
	return allocations;
}

TEST(after_some_samples_nothing_is_allocated)
{
	struct sampler s CLEANUP(sampler_free);
	struct buf b CLEANUP(buf_free) = { 0 };
	size_t n = 1;
	assert_int_equal(sampler_init(&s, "/", NULL, DEADLINE_NS), 0);
	for (int i = 0; i < 3; i++) {
		sampler_collect(&s);
		sampler_put_rows(&s, &b, 0, 0);
	}
	/* other programs may start processes, which allocates memory */
	for (int i = 0; i < 100 && n > 0; i++)
		n = allocations_of_ten_samples(&s, &b);
	assert_int_equal(n, 0);
}

TEST(a_root_that_cannot_be_opened_is_an_error)
{
	struct sampler s;
	assert_int_equal(sampler_init(&s, "/nonexistent", NULL, 1), -ENOENT);
	sampler_free(&s);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

int main(void)
{
	RUN(cmocka_unit_test(the_schema_has_the_keys_that_exist),
	    cmocka_unit_test(a_row_that_lacks_a_key_in_two_samples_is_kept_without_the_key),
	    cmocka_unit_test(a_device_that_lacks_a_key_affects_no_other),
	    cmocka_unit_test(a_device_that_lacks_a_key_is_named_once),
	    cmocka_unit_test(a_type_that_the_node_lacks_is_looked_for_once_a_minute),
	    cmocka_unit_test(a_new_key_between_known_ones_is_looked_for_once_a_minute),
	    cmocka_unit_test(a_type_that_fails_affects_no_other),
	    cmocka_unit_test(a_type_that_hangs_is_a_stall_and_its_worker_is_replaced),
	    cmocka_unit_test(a_chip_that_hangs_is_left_out_and_the_others_are_read),
	    cmocka_unit_test(if_all_chips_hang_the_type_is_in_error_not_absent),
	    cmocka_unit_test(counters_of_a_controller_that_hangs_are_left_out),
	    cmocka_unit_test(the_cost_of_a_worker_is_its_cpu_time),
	    cmocka_unit_test(the_cost_of_a_sample_includes_the_workers),
	    cmocka_unit_test(costs_of_types_add_up_to_no_more_than_the_cpu_time),
	    cmocka_unit_test(a_worker_that_was_killed_is_replaced_at_once),
	    cmocka_unit_test(a_worker_holds_none_of_the_agents_files),
	    cmocka_unit_test(a_worker_knows_the_owners_of_job_directories),
	    cmocka_unit_test(a_worker_ends_with_its_sampler),
	    cmocka_unit_test(a_worker_sends_the_rows_that_its_collector_reads_here),
	    cmocka_unit_test(every_group_is_complete),
	    cmocka_unit_test(after_some_samples_nothing_is_allocated),
	    cmocka_unit_test(a_root_that_cannot_be_opened_is_an_error));
}
