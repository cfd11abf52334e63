/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_job_model.c - check that each run has one begin and one end, whatever reports it
 *
 * The model plays random runs of a few jobs on one node. Reports by hooks and by cgroups come in
 * every order that a scheduler can produce; each may be missing, come twice, or come while no agent
 * runs. Cgroups disappear and return between steps, and jobs are requeued. MODEL_SEEDS sets the
 * number of simulated days.
 */
#include "tests/unit/tree.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include "recorder/job_sources.h"
#include "recorder/requests.h"
#include "base/names.h"
#include "formats/raw_write.h"

enum { JOBS = 4, STEPS = 90 };
enum event { HOOK_BEGIN, GROUP_MADE, GROUP_GONE, HOOK_END, EVENTS };

/*
 * Events that a run may have. A run with only its begin hook is left out: the agent would have to
 * guess its end.
 */
static const struct shape {
	unsigned has;
	/*
	 * Only for the first run of a job: an end without a begin, soon after another end, would
	 * seem to repeat that end.
	 */
	bool first;
} shapes[] = {
#define BIT(event) (1u << (event))
#define GROUP (BIT(GROUP_MADE) | BIT(GROUP_GONE))
	{ BIT(HOOK_BEGIN) | GROUP | BIT(HOOK_END), false },
	{ BIT(HOOK_BEGIN) | BIT(HOOK_END),         false },
	{ BIT(HOOK_BEGIN) | GROUP,                 false },
	{ GROUP | BIT(HOOK_END),                   false },
	{ GROUP,                                   false },
	{ BIT(HOOK_END),                           true  },
};

struct run {
	unsigned left, done;	/* bits of the events to come, and of past events */
	size_t runs;
	bool endless;		/* the last run has a begin mark, but its hook sent no end */
	bool grouped;		/* the cgroup exists */
	bool seen;		/* an agent has seen the cgroup */
	int64_t last_s;		/* time of the last event, in s (value of shift_s) */
	enum event last;
	bool twice;		/* the report of the last event was repeated */
	char want[STEPS * 2];
};

struct node {
	struct tree tree;
	struct config config;
	struct recorder *agent;	/* NULL if no agent runs */
	struct job_cgroup before[JOBS];
	size_t n_before;
	struct run run[JOBS];
	struct buf story;
	uint32_t seed;
};

static int64_t shift_s;	/* offset of all clocks, so that a simulated day is short */

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int r = (int)syscall(SYS_clock_gettime, clock, t);
	t->tv_sec += shift_s;
	return r;
}

static void add(char *text, const char *more)
{
	size_t n = strlen(text);
	memcpy(text + n, more, strlen(more) + 1);
}

static uint32_t any(struct node *n, uint32_t below)
{
	n->seed = n->seed * 1664525 + 1013904223;
	return (n->seed >> 8) % below;
}

static void id_of(size_t job, char *to)
{
	snprintf(to, 8, "%zu", 100 + job);
}

static struct recorder *open_recorder(struct node *n, bool keep)
{
	char error[768];
	struct recorder *r = xrealloc(NULL, sizeof(*r));
	assert_int_equal(recorder_open(r, &n->config, NULL, error, sizeof(error)), 0);
	r->to.keep = keep;
	return r;
}

static void close_recorder(struct recorder *r)
{
	recorder_close(r);
	free(r);
}

static void look(struct node *n)
{
	struct job_cgroup now[JOBS] = { 0 };
	size_t count = 0;
	for (size_t i = 0; i < JOBS; i++) {
		if (!n->run[i].grouped)
			continue;
		n->run[i].seen = true;
		id_of(i, now[count].id);
		now[count].is_new = !job_group_among(n->before, n->n_before, now[count].id);
		count++;
	}
	assert_true(recorder_groups(n->agent, now, count) >= 0);
	memcpy(n->before, now, sizeof(now));
	n->n_before = count;
}

static void start_or_stop(struct node *n)
{
	buf_addf(&n->story, " %s", n->agent ? "stop" : "start");
	if (n->agent) {
		close_recorder(n->agent);
		n->agent = NULL;
		return;
	}
	n->agent = open_recorder(n, true);
	n->n_before = 0;
	look(n);
}

static void hook(struct node *n, size_t job, bool begin)
{
	struct recorder *r = n->agent ? n->agent : open_recorder(n, false);
	char id[8];
	id_of(job, id);
	int e = begin ? recorder_begin(r, str_of(id)) : recorder_end(r, str_of(id));
	assert_true(e == 0 || e == -EEXIST || e == -ENOENT || e == -EALREADY);
	if (r != n->agent)
		close_recorder(r);
}

static void do_event(struct node *n, size_t job, enum event e)
{
	static const char *const names[] = { "B", "+", "-", "E" };
	buf_addf(&n->story, " %s%zu", names[e], job);
	if (e == HOOK_BEGIN || e == HOOK_END) {
		hook(n, job, e == HOOK_BEGIN);
		return;
	}
	n->run[job].grouped = e == GROUP_MADE;
	if (n->agent)
		look(n);
}

/*
 * Return whether a run of this shape may come next. The agent can distinguish this run from the
 * previous one only if a cgroup or a hook comes between the two.
 */
static bool may_follow(struct node *n, const struct run *r, const struct shape *s)
{
	if (r->runs == 0)
		return true;
	if (!n->agent || s->first || shift_s - r->last_s < 120)
		return false;
	return !r->endless || s->has & BIT(HOOK_BEGIN);
}

static void begin_run(struct node *n, struct run *r)
{
	const struct shape *s = &shapes[any(n, ARRAY_SIZE(shapes))];
	if (!may_follow(n, r, s))
		return;
	r->left = s->has;
	r->done = 0;
	r->seen = false;
	r->runs++;
	r->endless = s->has & BIT(HOOK_BEGIN) && !(s->has & BIT(HOOK_END));
	add(r->want, s->has & (BIT(HOOK_BEGIN) | BIT(GROUP_MADE)) ? "be" : "e");
}

/* Play one of the events that may come next: begins in any order, then ends in any order. */
static void go_on(struct node *n, size_t job)
{
	struct run *r = &n->run[job];
	unsigned begins = BIT(HOOK_BEGIN) | BIT(GROUP_MADE);
	if (!r->left)
		begin_run(n, r);
	unsigned may = r->left & begins ? r->left & begins : r->left;
	if (!may)
		return;
	enum event e = (enum event)any(n, EVENTS);
	while (!(may & BIT(e)))
		e = (e + 1) % EVENTS;
	unsigned all = r->left | r->done;
	bool must_see = (e == GROUP_MADE && !(all & BIT(HOOK_BEGIN))) ||
			(e == GROUP_GONE && !(all & BIT(HOOK_END)) && !r->seen);
	if (must_see && !n->agent)
		start_or_stop(n);	/* an agent must see the event that separates two runs */
	do_event(n, job, e);
	r->left &= ~BIT(e);
	r->done |= BIT(e);
	r->last = e;
	r->last_s = shift_s;
	r->twice = false;
}

/* Repeat a hook at once, or remove and restore the cgroup of a job between two steps. */
static void disturb(struct node *n, size_t job)
{
	struct run *r = &n->run[job];
	bool is_hook = r->last == HOOK_BEGIN || r->last == HOOK_END;
	if (r->runs && !r->twice && is_hook && shift_s - r->last_s < 3) {
		do_event(n, job, r->last);
		r->twice = true;
	} else if (r->grouped && r->done & BIT(HOOK_BEGIN) && !(r->done & BIT(HOOK_END)) &&
		   r->left) {
		do_event(n, job, GROUP_GONE);
		shift_s += any(n, 5);
		do_event(n, job, GROUP_MADE);
	}
}

static void step(struct node *n)
{
	uint32_t what = any(n, 100);
	size_t job = any(n, JOBS);
	shift_s += any(n, 3);
	if (what < 55) {
		go_on(n, job);
	} else if (what < 75) {
		disturb(n, job);
	} else if (what < 85) {
		start_or_stop(n);
	} else if (what < 90 && n->agent) {
		look(n);
		assert_int_equal(recorder_sample(n->agent, 0), 0);
	} else {
		shift_s += any(n, 100);
	}
}

/* End all runs, and advance the clock until the agent stops waiting for missing reports. */
static void finish(struct node *n)
{
	for (size_t i = 0; i < JOBS; i++)
		while (n->run[i].left)
			go_on(n, i);
	if (!n->agent)
		start_or_stop(n);
	look(n);
	shift_s += 700;
	look(n);
	if (n->agent->jobs.n)
		fail_msg("%s never ends:" STR_FMT, n->agent->jobs.job[0].id,
			 STR_ARG(buf_str(&n->story)));
}

/* Append 'b' for each begin mark and 'e' for each end mark of a file to the text of its job. */
static void add_marks(struct node *n, const char *file, char (*got)[STEPS * 4])
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text, line, id;
	uint64_t number;
	char path[NAME_SIZE + 16];
	snprintf(path, sizeof(path), "archive/n1/%s", file);
	tree_get(&n->tree, path, &b);
	text = buf_str(&b);
	while (str_take_line(&text, &line)) {
		bool begin = str_take_prefix(&line, STR("%begin "));
		if (!begin && !str_take_prefix(&line, STR("%end ")))
			continue;
		assert_true(str_take_word(&line, &id) && str_take_u64(&id, &number));
		assert_true(number >= 100 && number < 100 + JOBS);
		add(got[number - 100], begin ? "b" : "e");
	}
}

static void check(struct node *n)
{
	static char got[JOBS][STEPS * 4];
	struct files root = { .rootfd = n->tree.fd };
	struct names files CLEANUP(names_free) = { 0 };
	memset(got, 0, sizeof(got));
	assert_int_equal(names_list(&files, &root, "archive/n1", ""), 0);
	for (size_t i = 0; i < files.n; i++)
		if (files.name[i][0] <= '9')
			add_marks(n, files.name[i], got);
	for (size_t i = 0; i < JOBS; i++)
		if (strcmp(got[i], n->run[i].want) != 0)
			fail_msg("job %zu: want %s, got %s:" STR_FMT, i, n->run[i].want, got[i],
				 STR_ARG(buf_str(&n->story)));
}

static void play(uint32_t seed)
{
	struct node n = { .seed = seed };
	tree_make(&n.tree);
	tree_put(&n.tree, "root/proc/stat", STR("cpu0 1 2 3 4\n"));
	config_init(&n.config);
	snprintf(n.config.root, CONFIG_TEXT_MAX, "%s/root", n.tree.path);
	snprintf(n.config.dir, CONFIG_TEXT_MAX, "%s/archive", n.tree.path);
	snprintf(n.config.runtime_dir, CONFIG_TEXT_MAX, "%s/run", n.tree.path);
	str_copy(n.config.hostname, CONFIG_TEXT_MAX, STR("n1"));
	n.config.retain.free_floor = 0;
	for (size_t i = 0; i < n_collectors; i++)
		n.config.use[i] = strcmp(types[i]->name, "cpu") == 0 ? USE_ON : USE_OFF;
	buf_addf(&n.story, "seed %u:", seed);
	start_or_stop(&n);
	for (int i = 0; i < STEPS; i++)
		step(&n);
	finish(&n);
	check(&n);
	close_recorder(n.agent);
	config_free(&n.config);
	buf_free(&n.story);
	tree_free(&n.tree);
}

TEST(each_run_has_one_begin_mark_and_one_end_mark)
{
	const char *seeds = getenv("MODEL_SEEDS");
	struct str text = str_of(seeds ? seeds : "25");
	uint64_t n = 0;
	assert_true(str_take_u64(&text, &n));
	for (uint32_t seed = 1; seed <= n; seed++)
		play(seed);
}

int main(void)
{
	RUN(cmocka_unit_test(each_run_has_one_begin_mark_and_one_end_mark));
}
