/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_rules.c - rules about CPU time: use by the job and by others, waits, spread over CPUs */
#include "figures/findings/cpu_rules.h"

#include <inttypes.h>
#include <math.h>
#include "figures/findings/demand_rules.h"
#include "figures/findings/evidence.h"
#include "figures/neighbours.h"
#include "figures/parts.h"
#include "figures/runs.h"
#include "figures/units.h"
#include "figures/used.h"

/* fraction of the time: if tasks waited longer for a CPU, there were too few CPUs */
#define CONTENDED_PART .05
#define NAMED 3		/* largest number of programs that a finding lists */

static double cpu_known_share(const struct node *n, const char *id)
{
	size_t f = figure_find(id);
	return value_known(&n->value[f]) ? node_value(n, f) : 0;
}

/*
 * Return the busy percentage of a node's CPU time, without the time that an idle kernel needs.
 * Returns a negative number if unknown.
 */
static double cpu_busy_share(const struct node *n)
{
	if (!value_known(&n->value[figure_find("cpu.user")]))
		return -1;
	return busy_time(cpu_known_share(n, "cpu.user") + cpu_known_share(n, "cpu.nice"),
			 cpu_known_share(n, "cpu.system"), 100);
}

/*
 * Whether the job did nothing on a node. If the job had the node alone, the node must be idle, too:
 * programs that the user started by ssh are not in the job's cgroup.
 */
static bool cpu_job_did_nothing(const struct report *r, size_t node, const struct used *u,
				double threshold)
{
	bool busy = node_is_exclusive(r, node) &&
		    cpu_busy_share(&r->node[node]) >= 100 * KERNEL_ITSELF;
	return 100 * u->n < threshold && !busy;
}

bool no_cpu_time(const struct report *r, double threshold, struct buf *why)
{
	size_t known = 0, none = 0, first = 0;

	if (demand_node(r))
		/* the waits of the job's tasks are known: rule "asleep" reports more */
		return false;
	for (size_t i = r->n; i-- > 0; ) {
		struct used u = used_of_node(r, i, USED_CPU);
		if (u.of <= 0 || u.at_least || r->node[i].samples < 2)
			continue;
		known++;
		if (cpu_job_did_nothing(r, i, &u, threshold)) {
			none++;
			first = i;
		}
	}
	buf_addf(why, "%zu of %zu nodes had no CPU time to speak of: ", none, known);
	report_put_nodes(why, r, none, first);
	return none > 0;
}

/* Return the percentage of the node's CPU time that the job used; negative: unknown. */
static double cpu_work_share(const struct report *r, size_t node)
{
	struct neighbours n = neighbours_of(r, node);
	return n.others > 0 ? 100 * n.job / n.capacity : cpu_busy_share(&r->node[node]);
}

struct busy_nodes {
	size_t nodes, most_node, least_node;
	double most, least;
};

/*
 * Find the most and the least busy node, among the nodes with several samples and a known CPU use.
 * Returns false if there are not two such nodes, none was busy, or other jobs were on a node.
 */
static bool cpu_compare_nodes(const struct report *r, struct busy_nodes *b)
{
	*b = (struct busy_nodes){ 0 };
	for (size_t i = 0; i < r->n; i++) {
		double share = cpu_work_share(r, i);
		if (share < 0 || r->node[i].samples < 2)
			continue;
		if (b->nodes == 0 || share > b->most) {
			b->most = share;
			b->most_node = i;
		}
		if (b->nodes == 0 || share < b->least) {
			b->least = share;
			b->least_node = i;
		}
		b->nodes++;
	}
	return !report_is_shared(r) && b->nodes >= 2 && b->most > 0;
}

bool idle_nodes(const struct report *r, double threshold, struct buf *why)
{
	struct busy_nodes b;
	size_t idle = 0, first = 0;

	if (!cpu_compare_nodes(r, &b))
		return false;
	for (size_t i = r->n; i-- > 0; ) {
		double share = cpu_work_share(r, i);
		if (share < 0 || r->node[i].samples < 2 || 100 * share > (100 - threshold) * b.most)
			continue;
		idle++;
		first = i;
	}
	buf_addf(why, "%zu of %zu nodes did nothing: ", idle, b.nodes);
	report_put_nodes(why, r, idle, first);
	return idle > 0;
}

/*
 * Whether one part of the job's CPU time (parts.h) is at least `threshold` percent of the time of
 * CPUs on which the job had processes.
 */
static bool cpu_part_is_large(const struct report *r, enum part part, double threshold,
			      struct buf *why)
{
	struct parts p = parts_of(r);
	double of = p.of - p.part[PART_UNUSED];
	double percent = of > 0 ? 100 * p.part[part] / of : 0;
	buf_addf(why, "for %.1f %% of the time of the CPUs that it worked on", percent);
	return of > 0 && percent >= threshold;
}

/* fraction of the time: a CPU quota limits the job if it stopped the job's tasks for longer */
#define QUOTA_HELD_PART .05

/* Whether a CPU quota limits the job. */
static bool cpu_quota_limits(const struct report *r)
{
	double seconds = evidence_seconds(r);
	return hidden_count(r, "job.throttled") >= QUOTA_HELD_PART * seconds && seconds > 0;
}

/* Append how long the job's own tasks waited for a CPU, if known. */
static void cpu_put_wait(struct buf *why, const struct report *r)
{
	double wait = 0;
	bool at_least = false, known = false;

	for (size_t i = 0; i < r->n; i++) {
		const struct value *v = &r->node[i].value[figure_find("job.cpu_wait")];
		known |= value_known(v);
		at_least |= v->at_least > 0 || !value_known(v);
		wait += value_known(v) ? v->n : 0;
	}
	if (known)
		buf_addf(why, ". Its own tasks waited %s%s for a CPU",
			 at_least ? "at least " : "", text_value(UNIT_SECONDS, wait).s);
}

/*
 * Return how many CPUs the job can use at most, if its threads are bound to few CPUs or a quota
 * limits it. Returns 0 if the job can use all of its CPUs.
 */
static double cpu_held_to(const struct node *n)
{
	const struct bound *b = &n->course.bound;
	const struct value *throttled = &n->value[figure_find("job.throttled")];
	double seconds = (double)n->usec / 1e6, cpus = 0;

	if (b->threads > b->cpus && n->course.demand.cpus > (double)b->cpus)
		cpus = (double)b->cpus;
	if (value_known(throttled) && throttled->n >= QUOTA_HELD_PART * seconds &&
	    (cpus <= 0 || n->course.widest < cpus))
		cpus = n->course.widest;
	return cpus;
}

/*
 * Return the demand of a job that may use all CPUs of its only node, so that its tasks need not
 * wait while CPUs are idle. Returns NULL if the job may not, or if this or the demand is unknown.
 */
static const struct demand *cpu_free_demand(const struct report *r)
{
	const struct node *n = demand_node(r);
	bool all = n && used_of(r, USED_CPU).of >= (double)n->course.cpus && cpu_held_to(n) <= 0;
	return all ? &n->course.demand : NULL;
}

/*
 * fraction of the used CPU time: if the busiest CPU of each interval has more, one thread did all
 * the work
 */
#define ONE_CPU_PART .85

/* more than one thread and its shell */
#define SEVERAL_THREADS 3

/* Return the number of threads and processes of a job on one node, or 0 if few or unknown. */
static double cpu_several_threads(const struct report *r)
{
	const struct value *v = &r->node[0].value[figure_find("job.pids")];
	return value_known(v) && v->n >= SEVERAL_THREADS ? v->n : 0;
}

/* CPUs: the tasks of a job that never uses more may run one at a time */
#define TURNS_MOST 1.1
/* in fewer samples, running threads may be missed */
#define MIN_SAMPLES 6

static bool cpu_never_uses_two(const struct node *n)
{
	return n->samples >= MIN_SAMPLES && n->course.widest <= TURNS_MOST;
}

#define LIKE_A_LOCK ", like tasks that wait for the same lock"

/*
 * Append a note if several threads together never used more than one CPU. like: a comparison at the
 * end of the note, LIKE_A_LOCK or "".
 */
static void cpu_put_turns(const struct report *r, const struct used *u, const char *like,
			  struct buf *why)
{
	const struct node *n = &r->node[0];
	double threads = cpu_several_threads(r);

	if (r->n != 1 || u->n < ONE_CPU_PART || !cpu_never_uses_two(n) || threads <= 0)
		return;
	buf_addf(why, "; it had %.0f threads and processes, but never used more than %.2f CPUs at "
		 "a time%s", threads, n->course.widest, like);
}

/* mean number of tasks that must wait while CPUs are idle */
#define BESIDE_LEAST .1

bool waits_beside_idle(const struct report *r, double threshold, struct buf *why)
{
	const struct demand *d = cpu_free_demand(r);
	struct used u = used_of(r, USED_CPU);

	if (!d || u.n <= 0)
		return false;
	buf_addf(why, "on average %.2f tasks waited while as many CPUs were idle, and %.2f CPUs "
		 "were used", d->beside_idle, u.n);
	cpu_put_turns(r, &u, "", why);
	return d->beside_idle >= BESIDE_LEAST && 100 * d->beside_idle >= threshold * u.n;
}

/* fraction of the waits for a CPU: if CPUs were idle for more of it, there were enough CPUs */
#define ENOUGH_PART .5

bool waits_for_cpu(const struct report *r, double threshold, struct buf *why)
{
	double held = hidden_count(r, "job.throttled");	/* seconds */
	const struct demand *d = cpu_free_demand(r);
	bool is = cpu_part_is_large(r, PART_CPU, threshold, why);

	if (d && d->waiting > 0 && d->beside_idle >= ENOUGH_PART * d->waiting)
		return false;
	if (held > 0)
		buf_addf(why, ", a quota held it for %s", text_value(UNIT_SECONDS, held).s);
	if (cpu_quota_limits(r) && r->n == 1 && r->node[0].course.widest > 0)
		buf_addf(why, ": the limit of %.2g CPUs", r->node[0].course.widest);
	cpu_put_wait(why, r);
	return is;
}

bool waits_for_io(const struct report *r, double threshold, struct buf *why)
{
	struct derived_total size, rate;
	bool is = cpu_part_is_large(r, PART_IO, threshold, why);

	if (evidence_at_least(r, "disk_rate", &rate) && rate.n >= 1 &&
	    total_derived(r, derived_find("disk_size"), &size) && size.bound == BOUND_NONE)
		buf_addf(why, ", with %.0f disk requests a second of %s each", rate.n,
			 text_value(UNIT_BYTES, 1e3 * size.n).s);
	return is;
}

bool waits_for_memory(const struct report *r, double threshold, struct buf *why)
{
	return cpu_part_is_large(r, PART_MEMORY, threshold, why);
}

/* runnable threads in a sample: one of the job, one of the sampler, one of a daemon */
#define FEW_RUN 3
/* processes of a job with one worker, with shells and the scheduler's processes */
#define FEW_PIDS 6

/*
 * Whether one thread did all the work: in each interval, one CPU did it; or, since a thread may
 * move between CPUs if samples are far apart, the job has few processes, and samples show few
 * threads that want a CPU.
 */
static bool cpu_runs_one_thread(const struct node *n, double used)
{
	const struct value *running = &n->value[figure_find("ps.running_peak")];
	const struct value *threads = &n->value[figure_find("job.pids")];

	if (n->course.top_share >= ONE_CPU_PART * used)
		return true;
	return n->samples >= MIN_SAMPLES && value_known(running) && running->n <= FEW_RUN &&
	       (!value_known(threads) || threads->n <= FEW_PIDS);
}

/* tasks compete for CPUs if their waits exceed this fraction of their CPU time */
#define COMPETE_PART .5

/*
 * Whether the job's tasks compete for one CPU: a quota limits them, or they waited long, as tasks
 * do that are bound to the same CPU.
 */
static bool cpu_tasks_compete(const struct report *r)
{
	double wait, cpu;
	return cpu_quota_limits(r) ||
	       (evidence_sum(r, "job.cpu_wait", &wait) && evidence_sum(r, "job.cpu", &cpu) &&
		wait > COMPETE_PART * cpu);
}

/* Append that the job had several threads, although only one worked at a time. */
static void cpu_put_threads(const struct report *r, struct buf *why)
{
	double threads = cpu_several_threads(r);
	if (threads > 0)
		buf_addf(why, ", although it had %.0f threads and processes: they worked one at a "
			 "time", threads);
}

static bool cpu_node_is_serial(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_CPU);
	buf_addf(why, "%.2f CPUs busy of %.0f", u.n, u.of);
	return r->n == 1 && u.full > 1 && !u.at_least && node_is_exclusive(r, 0) &&
	       u.n >= threshold / 100 && u.n <= 1.01 && !r->node[0].course.gpus &&
	       r->node[0].course.widest < PARALLEL_CPUS &&
	       !cpu_tasks_compete(r) && cpu_runs_one_thread(&r->node[0], u.n);
}

bool serial(const struct report *r, double threshold, struct buf *why)
{
	bool is = cpu_node_is_serial(r, threshold, why);

	if (!is) {
		why->n = 0;
		is = demand_is_serial(r, threshold, why);
	}
	if (is)
		cpu_put_threads(r, why);
	return is;
}

/*
 * Return the node of a job that ran on only one node, without GPUs, if other programs took little
 * of the job's CPU time; else NULL.
 */
static const struct node *cpu_only_node(const struct report *r)
{
	if (r->n != 1)
		return NULL;
	struct parts p = parts_of(r);
	const struct node *n = &r->node[0];
	bool disturbed = p.part[PART_OTHERS] > CONTENDED_PART * p.of;
	bool own = n->course.fade_of_job || node_is_exclusive(r, 0);
	return own && !disturbed && !n->course.gpus && used_of(r, USED_CPU).full > 1 ? n : NULL;
}

bool serial_part(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = cpu_only_node(r);

	if (demand_node(r))
		return demand_has_serial_part(r, threshold, why);
	if (!n || n->course.widest < PARALLEL_CPUS)
		return false;
	buf_addf(why, "for %.1f %% of the time, the longest from %s to %s, and up to %.2g CPUs at "
		 "other times", 100 * n->course.one_cpu, text_clock(n->course.one_from).s,
		 text_clock(n->course.one_to).s, n->course.widest);
	return 100 * n->course.one_cpu >= threshold;
}

/* fraction of the time: other CPUs may wait for a CPU that is busy for longer */
#define BUSIEST_PART .85
/* microseconds: in a longer interval between samples, threads move to other CPUs */
#define STAYS_US 60000000
/* fraction of the CPU time for which tasks must have slept */
#define MIN_ASLEEP_PART .1

/* Find jobs whose tasks sleep while one CPU is always busy: they wait for the task on this CPU. */
bool uneven_cpus(const struct report *r, double threshold, struct buf *why)
{
	const struct node *n = cpu_only_node(r);

	if (!n || !node_is_exclusive(r, 0) || n->course.top_share < BUSIEST_PART ||
	    n->course.others_share <= 0 || n->interval <= 0 || n->interval > STAYS_US)
		return false;
	struct parts p = parts_of(r);
	if (p.part[PART_ASLEEP] < MIN_ASLEEP_PART * (p.of - p.part[PART_UNUSED]))
		return false;
	buf_addf(why, "one of its CPUs was busy for %.1f %% of the time, each of the others that "
		 "it used for %.1f %%", 100 * n->course.top_share, 100 * n->course.others_share);
	return 100 * (n->course.top_share - n->course.others_share) >=
	       threshold * n->course.top_share;
}

/* Whether a node of the job has GPUs. */
static bool cpu_has_gpus(const struct report *r)
{
	size_t i = 0;
	for (; i < r->n && !r->node[i].course.gpus; i++)
		;
	return i < r->n;
}

/* Whether all nodes record waits of tasks (PSI). Idle time without such waits is then sleep. */
static bool cpu_has_pressure(const struct report *r)
{
	size_t i = 0;
	while (i < r->n && value_known(&r->node[i].value[figure_find("psi.cpu-some")]))
		i++;
	return i == r->n;
}

/*
 * Whether CPUs were idle because tasks slept. CPUs without a process of the job do not count. If
 * most CPUs had a process, cores are counted instead of hardware threads, since a core with one
 * busy thread is not idle.
 */
static bool cpu_node_is_asleep(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_CPU);
	struct parts p = parts_of(r);

	if (u.of <= 0 || p.of <= 0 || !cpu_has_pressure(r) || cpu_has_gpus(r))
		return false;
	bool few = p.part[PART_ASLEEP] < p.part[PART_UNUSED];
	double second = few ? 0 : p.of * (1 - u.full / u.of);
	double of = p.of - second - (few ? p.part[PART_UNUSED] : 0);
	double percent = of > 0 ? 100 * (p.part[PART_ASLEEP] - second) / of : 0;
	buf_addf(why, "%.2f CPUs busy of %.0f, and no CPU, disk or memory that they waited for",
		 u.n, u.of);
	cpu_put_turns(r, &u, LIKE_A_LOCK, why);
	return percent >= threshold;
}

bool asleep(const struct report *r, double threshold, struct buf *why)
{
	bool is = cpu_node_is_asleep(r, threshold, why);

	if (!is) {
		why->n = 0;
		is = demand_is_asleep(r, threshold, why);
	}
	if (is)
		demand_put_longest_sleep(r, why);
	return is;
}

bool low_cpu(const struct report *r, double threshold, struct buf *why)
{
	struct used u = used_of(r, USED_CPU);

	if (cpu_has_gpus(r) || u.at_least || cpu_quota_limits(r))
		return false;
	struct parts parts = parts_of(r);
	double others = parts.of > 0 ? u.of * parts.part[PART_OTHERS] / parts.of : 0;
	buf_addf(why, "%.2f CPUs busy of %.0f", u.n, u.of);
	if (u.full < u.of)
		buf_addf(why, " hardware threads on %.0f cores", u.full);
	buf_addf(why, ": %.1f %%", used_full_percent(&u));
	cpu_put_turns(r, &u, LIKE_A_LOCK, why);
	u.n += others;		/* CPUs that other programs used are not idle either */
	return u.of > 0 && used_full_percent(&u) < threshold;
}

static bool cpu_find_fade(const struct report *r, double least, double threshold, struct buf *why)
{
	const struct course *worst = NULL;
	size_t at = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct course *c = &r->node[i].course;
		bool ours = c->fade_of_job || node_is_exclusive(r, i);
		if (c->fade_at && ours && (!worst || c->fade < worst->fade)) {
			worst = c;
			at = i;
		}
	}
	if (!worst || 100 * worst->fade < least)
		return false;
	buf_addf(why, "from %s on, ", text_clock(worst->fade_at).s);
	evidence_node(why, r, at);
	buf_addf(why, " had %.2g %% of the CPU use before", 100 * worst->fade);
	return 100 * worst->fade < threshold;
}

bool stopped(const struct report *r, double threshold, struct buf *why)
{
	return cpu_find_fade(r, 0, threshold, why);
}

bool faded(const struct report *r, double threshold, struct buf *why)
{
	return cpu_find_fade(r, STOPPED, threshold, why);
}

bool uneven(const struct report *r, double threshold, struct buf *why)
{
	struct busy_nodes b;

	if (!cpu_compare_nodes(r, &b))
		return false;
	buf_addf(why, "CPUs were busy for %.1f %% of the time on ", b.most);
	evidence_node(why, r, b.most_node);
	buf_addf(why, ", %.1f %% on ", b.least);
	evidence_node(why, r, b.least_node);
	return b.most > 10 && 100 * (b.most - b.least) / b.most >= threshold;
}

static bool cpu_is_job_user(const struct report *r, const struct proc *p)
{
	return r->n == 0 || !p->uid || p->uid == r->node[0].allocation.uid;
}

/* seconds: daemons may wait as long as a shorter job, so the node's waits prove nothing */
#define NODE_IS_EVIDENCE 10

/*
 * Whether there were too few CPUs for the job: its own tasks waited for a CPU; if this is unknown,
 * any task on the node waited (PSI); without PSI, hardly any CPU was idle.
 */
static bool cpu_is_contended(const struct node *n, const struct neighbours *of)
{
	const struct value *own = &n->value[figure_find("job.cpu_wait")];
	const struct value *waited = &n->value[figure_find("psi.cpu-some")];
	double seconds = (double)n->usec / 1e6, least = CONTENDED_PART * seconds;
	bool exact = value_known(own) && !own->at_least;

	if (value_known(own) && own->n >= least)
		return true;
	if (exact || seconds < NODE_IS_EVIDENCE)
		return false;
	return value_known(waited) ? waited->n >= least :
				     of->idle < 2 * CONTENDED_PART * of->capacity;
}

/* fraction of the CPU time of programs outside the job: programs with less are not listed */
#define WORTH_NAMING .05

/*
 * Append the programs outside the job with most CPU time, if the records have type process. Returns
 * the number of appended programs.
 */
static size_t cpu_name_by_time(const struct report *r, struct buf *why)
{
	size_t named = 0;

	for (size_t i = 0; i < r->n && named < NAMED; i++) {
		double all = neighbours_of(r, i).others;
		for (size_t k = 0; k < BYSTANDERS_NAMED && all > 0 && named < NAMED; k++) {
			const struct bystander *p = &r->node[i].bystander[k];
			if (p->cpu < WORTH_NAMING * all)
				break;
			buf_addf(why, "%s%s of user %" PRIu64 ", %s", named++ ? "; " : ": ",
				 text_name(str_of(p->name), 24).s, p->uid,
				 text_value(UNIT_SECONDS, p->cpu).s);
		}
	}
	return named;
}

/* Append programs of other users, if the records have them and the reader may see them. */
static void cpu_name_programs(const struct report *r, struct buf *why)
{
	size_t named = cpu_name_by_time(r, why);

	if (named || !r->node[0].allocation.uid)
		return;
	for (size_t i = 0; i < r->procs.n && named < NAMED; i++) {
		const struct proc *p = &r->procs.proc[i];
		if (!cpu_is_job_user(r, p))
			buf_addf(why, "%s%s of user %" PRIu64, named++ ? ", " : "; seen there: ",
				 text_name(str_of(p->name), 24).s, p->uid);
	}
}

/* fraction of the job's CPU time that tasks with known waits need, to estimate the other waits */
#define READ_PART .5

/*
 * Estimate for how many seconds the job's tasks waited for a CPU on a node. Tasks whose waits were
 * not read are assumed to have waited as long per CPU second as the other tasks. Returns a negative
 * number if unknown.
 */
static double cpu_estimate_wait(const struct node *n)
{
	const struct value *wait = &n->value[figure_find("job.cpu_wait")];
	const struct value *of = &n->value[figure_find("job.cpu_wait_of")];
	const struct value *cpu = &n->value[figure_find("job.cpu")];

	if (!value_known(wait) || !wait->at_least)
		return value_known(wait) ? wait->n : -1;
	if (!value_known(of) || !value_known(cpu) || of->n < READ_PART * cpu->n || of->n <= 0)
		return -1;
	return wait->n * fmax(cpu->n / of->n, 1);
}

/* tasks run in turn if CPUs were idle during more than this fraction of their waits */
#define TURNS_PART .25

/* Whether the job never uses two CPUs, although other CPUs are idle while its tasks wait. */
static bool cpu_takes_turns(const struct node *n)
{
	const struct demand *d = &n->course.demand;
	return cpu_never_uses_two(n) && n->course.widest >= ONE_CPU_PART && d->waiting > 0 &&
	       d->beside_idle >= TURNS_PART * d->waiting;
}

/*
 * Return the CPU seconds that the job lost to other programs on a node: `took`, but at most its
 * waits for a CPU, and at most the unused time of the CPUs that it can use.
 */
static double cpu_missed(const struct report *r, size_t node, double took)
{
	const struct node *n = &r->node[node];
	const struct value *cpu = &n->value[figure_find("job.cpu")];
	double waited = cpu_estimate_wait(n), held = cpu_held_to(n);
	held = held <= 0 && cpu_takes_turns(n) ? n->course.widest : held;
	double missed = waited < 0 ? took : fmin(took, waited);

	if (held > 0 && value_known(cpu))
		missed = fmin(missed, fmax(held * (double)n->usec / 1e6 - cpu->n, 0));
	return missed;
}

double cpu_missed_seconds(const struct report *r)
{
	double sum = 0;
	for (size_t i = 0; i < r->n; i++)
		sum += cpu_missed(r, i, parts_of_node(r, i).part[PART_OTHERS]);
	return sum;
}

bool other_programs(const struct report *r, double threshold, struct buf *why)
{
	double given = 0, took = 0, time = evidence_seconds(r), missed = cpu_missed_seconds(r);
	bool contended = false;

	for (size_t i = 0; i < r->n; i++) {
		const struct neighbours of = neighbours_of(r, i);
		const struct parts p = parts_of_node(r, i);
		double one = p.part[PART_OTHERS];
		given += p.of;
		took += one;
		contended |= one > 0 && cpu_is_contended(&r->node[i], &of);
	}
	if (given <= 0 || !contended)
		return false;
	buf_addf(why, "they kept %.2f of its %.0f CPUs busy, %.1f %% of the CPU time given to it",
		 took * (double)r->n / time, given * (double)r->n / time, 100 * took / given);
	cpu_name_programs(r, why);
	cpu_put_wait(why, r);
	return 100 * missed / given >= threshold;
}
