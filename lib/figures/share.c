/* SPDX-License-Identifier: BSD-3-Clause */
/* share.c - a job's share of a node's energy, if other jobs are on the node, too */
#include "figures/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/devices.h"
#include "figures/job.h"
#include "schema/since_last.h"

/* Fractions of a resource: used by the job, and allocated to the job, each with an upper bound. */
struct share_fractions {
	double used, used_most;
	double given, given_most;
	double idle;		/* fraction of the resource that no job used */
};

/* CPU time that was used on the node since an energy source was last read. */
struct sharing_use {
	/*
	 * CPU seconds. .job: used by the job; .job_most: upper bound of .job; .busy: busy time of
	 * all CPUs; .all: used by all jobs, but at least .busy; .capacity: elapsed time times the
	 * number of CPUs
	 */
	double job, job_most, all, busy, capacity;
	/* CPU seconds allocated to the job, and an upper bound of them */
	double given, given_most;
	/* joules of all GPUs; the job's share of these joules, with lower and upper bound */
	double gpu, gpu_mine, gpu_least, gpu_most;
	/* joules of all memory; the job's share of these joules, with lower and upper bound */
	double memory;
	double memory_mine, memory_least, memory_most;
	bool shared, unknown;
};

enum { CPU_TIMES = 5 };
static const char *const times[CPU_TIMES] = {
	"cpu.user", "cpu.nice", "cpu.system", "cpu.irq", "cpu.softirq",
};

/* Readings of one GPU in the newest sample. */
struct sharing_gpu {
	double joules;
	bool listed;	/* the sample has a row of type gpu_job for the GPU itself */
	/* the GPU had processes of the job (.has_job), or of other jobs (.other) */
	bool has_job, other;
	double busy, busy_all, memory, memory_all;
	bool no_busy, no_memory;
};

struct sharing {
	struct str job;
	struct since_last cpu, busy;
	size_t time[CPU_TIMES];	/* indexes in figures[] of the figures in times[] */
	size_t counter, bmc, acpi, packages[2], dram, gpu_energy[2], mem_total, mem_used;
	/* use of the node since the last reading of each source */
	struct sharing_use use[ENERGY_NONE];
	struct share share[ENERGY_NONE];
	/* joules of each GPU at the previous sample; negative: unknown */
	double gpu_before[2][GPUS_MAX];
	struct sharing_gpu gpu[GPUS_MAX];
	bool was_shared;	/* other jobs stayed on the node after the newest sample */
	bool job_cpu_read;			/* some sample had the CPU time of the job itself */
	struct reading_of_meter {
		int64_t usec;			/* time of the last reading; 0: none yet */
		double watts;
	} meter[ENERGY_NONE];
	int64_t usec;				/* time of the newest sample; 0: there is none */
};

void share_add(struct share *to, const struct share *more)
{
	to->of += more->of;
	to->joules += more->joules;
	to->least += more->least;
	to->most += more->most;
	to->unknown |= more->unknown;
}

struct sharing *sharing_new(struct str job)
{
	struct sharing *s = memset(xrealloc(NULL, sizeof(*s)), 0, sizeof(*s));

	s->job = job;
	for (size_t i = 0; i < CPU_TIMES; i++)
		s->time[i] = figure_find(times[i]);
	s->counter = figure_find("pm_counters.energy");
	s->bmc = figure_find("ipmi_dcmi.power");
	s->acpi = figure_find("hwmon_power.input");
	s->packages[0] = figure_find("intel_rapl.pkg_energy");
	s->packages[1] = figure_find("amd64_rapl.pkg_energy");
	s->dram = figure_find("intel_rapl.dram_energy");
	s->gpu_energy[0] = figure_find("nvidia_gpu.energy");
	s->gpu_energy[1] = figure_find("amd_gpu.energy");
	s->mem_total = figure_find("mem.MemTotal");
	s->mem_used = figure_find("mem.MemUsed");
	sharing_clear(s);
	return s;
}

void sharing_free(struct sharing *s)
{
	if (!s)
		return;
	since_last_free(&s->cpu);
	since_last_free(&s->busy);
	free(s);
}

void sharing_clear(struct sharing *s)
{
	since_last_clear(&s->cpu);
	since_last_clear(&s->busy);
	memset(s->use, 0, sizeof(s->use));
	memset(s->share, 0, sizeof(s->share));
	memset(s->meter, 0, sizeof(s->meter));
	for (size_t i = 0; i < GPUS_MAX; i++)
		s->gpu_before[0][i] = s->gpu_before[1][i] = -1;
	s->was_shared = s->job_cpu_read = false;
	s->usec = 0;
}

/*
 * Whether the record lists a job other than `job`. Jobs with a mark of kind `ignored` in the record
 * do not count.
 */
static bool sharing_has_other_job(const struct record *r, struct str job, enum mark_kind ignored)
{
	for (size_t i = 0; i < r->n_jobs; i++)
		if (!str_eq(r->job[i], job) && !record_has_mark(r, ignored, r->job[i]))
			return true;
	return false;
}

/*
 * Iterator over the rows of a record type that have a key. Set .type and .key, and leave the other
 * members zero.
 */
struct sharing_walk {
	const char *type, *key;
	size_t i, k;
	/* record type of the current row, and index of the key in this type */
	const struct record_type *of;
	int at;
};

static const struct record_row *sharing_next_row(const struct record *r, struct sharing_walk *w)
{
	for (; w->i < r->n_types; w->i++, w->k = 0) {
		const struct record_rows *rows = &r->rows[w->i];
		if (w->k == 0 && strcmp(rows->type->name, w->type) != 0)
			continue;
		w->of = rows->type;
		w->at = record_key_find(rows->type, w->key);
		for (; w->at >= 0 && w->k < rows->n; w->k++)
			if (row_has(&rows->row[w->k], (size_t)w->at))
				return &rows->row[w->k++];
	}
	return NULL;
}

/* CPU seconds and bytes of memory of the job itself, and of all jobs together. */
struct sharing_job_use {
	bool cpu_known, memory_known;
	double cpu, cpu_all, memory, memory_all;
};

static void sharing_take_job_cpu(struct sharing *s, const struct record *r,
				 struct sharing_job_use *job_use)
{
	struct sharing_walk w = { .type = "job", .key = "cpu" };
	const struct record_row *row;
	uint64_t n;

	since_last_begin(&s->cpu);
	while ((row = sharing_next_row(r, &w))) {
		if (!since_last_take(&s->cpu, row->device, row->value[w.at], &n))
			continue;
		double seconds = (double)n / 1e6;
		job_use->cpu_all += seconds;
		if (str_eq(row->device, s->job)) {
			job_use->cpu = seconds;
			job_use->cpu_known = true;
		}
	}
}

static void sharing_take_job_memory(const struct sharing *s, const struct record *r,
				    struct sharing_job_use *job_use)
{
	struct sharing_walk w = { .type = "job", .key = "mem" };
	const struct record_row *row;

	while ((row = sharing_next_row(r, &w))) {
		job_use->memory_all += row_double(row, (size_t)w.at);
		if (str_eq(row->device, s->job)) {
			job_use->memory = row_double(row, (size_t)w.at);
			job_use->memory_known = true;
		}
	}
}

static double sharing_step_amount(const struct steps *steps, size_t figure)
{
	const struct step *step = &steps->step[figure];
	return step->is == STEP_KNOWN ? step->n : 0;
}

static size_t sharing_count_cpus(const struct record *r)
{
	struct sharing_walk w = { .type = "cpu", .key = "user" };
	size_t n = 0;

	while (sharing_next_row(r, &w))
		n++;
	return n;
}

/*
 * Return the use of CPUs since the previous sample. The job's CPU time counts as unknown if it
 * exceeds the time of all CPUs by more than 5 %.
 */
static struct sharing_use sharing_cpu_use(struct sharing *s, const struct record *r,
					  const struct steps *steps,
					  const struct sharing_job_use *job_use,
					  const struct allocation *given, uint32_t cores)
{
	double seconds = s->usec < r->usec ? (double)(r->usec - s->usec) / 1e6 : 0;
	double cpus = (double)sharing_count_cpus(r);
	struct sharing_use u = { .capacity = cpus * seconds };

	for (size_t i = 0; i < CPU_TIMES; i++)
		u.busy += sharing_step_amount(steps, s->time[i]);
	u.unknown = seconds > 0 && (cpus <= 0 || given->cpus == 0 ||
				    steps->step[s->time[0]].is != STEP_KNOWN);
	u.busy = fmin(u.busy, u.capacity);
	bool known = job_use->cpu_known && job_use->cpu <= 1.05 * u.capacity;
	double others = job_use->cpu_all - job_use->cpu;
	u.job = known ? job_use->cpu : 0;
	u.all = fmax(u.busy, others + u.job);
	u.job_most = known ? u.job : u.all - others;
	u.given = fmin((double)given->cpus, cpus) * seconds;
	u.given_most = cores && cores < cpus ?
		       fmin((double)given->cpus * cpus / cores, cpus) * seconds : u.given;
	s->job_cpu_read |= known;
	return u;
}

static double sharing_ratio(double of, double whole)
{
	return whole > 0 ? of / whole : 0;
}

static struct share_fractions sharing_cpu_parts(const struct sharing_use *u)
{
	return (struct share_fractions){
		sharing_ratio(u->job, u->all), sharing_ratio(u->job_most, u->all),
		sharing_ratio(u->given, u->capacity), sharing_ratio(u->given_most, u->capacity),
		u->capacity > 0 ? 1 - u->busy / u->capacity : 1,
	};
}

/* Return the job's share of `joules`, with bounds, from the fractions in f. */
static struct share sharing_divide(double joules, const struct share_fractions *f)
{
	return (struct share){
		.of = joules,
		.joules = joules * (f->used * (1 - f->idle) + f->given * f->idle),
		.least = joules * fmin(f->used, f->given),
		.most = joules * fmax(f->used_most, f->given_most),
	};
}

/*
 * Compute the job's share of the energy of DRAM: divide it by the memory that each job holds or, if
 * this is unknown, by CPU time.
 */
static void sharing_add_memory(const struct sharing *s, const struct steps *steps,
			       const struct sharing_job_use *job_use,
			       const struct allocation *given, struct sharing_use *u)
{
	const struct step *total = &steps->step[s->mem_total], *used = &steps->step[s->mem_used];
	struct share_fractions f = sharing_cpu_parts(u);

	u->memory = sharing_step_amount(steps, s->dram);
	bool known = total->is == STEP_KNOWN && used->is == STEP_KNOWN && total->n > 0;
	if (known && job_use->memory_known) {
		double all = fmin(fmax(used->n, job_use->memory_all), total->n);
		f.used = f.used_most = fmin(sharing_ratio(job_use->memory, all), 1);
		f.idle = 1 - all / total->n;
		if (given->mem)
			f.given = f.given_most = fmin((double)given->mem / total->n, 1);
	}
	struct share share = sharing_divide(u->memory, &f);
	u->memory_mine = share.joules;
	u->memory_least = share.least;
	u->memory_most = share.most;
}

static void sharing_take_gpu_row(struct sharing *s, const struct record_type *type,
				 const struct record_row *row, uint64_t processes)
{
	int busy = record_key_find(type, "busy"), memory = record_key_find(type, "memory");
	struct str job;
	uint64_t n = 0, number;
	bool has = busy >= 0 && row_has(row, (size_t)busy) &&
		   since_last_take(&s->busy, row->device, row->value[busy], &n);

	if (!held_take_device(row->device, &number, &job) || number >= GPUS_MAX)
		return;
	struct sharing_gpu *g = &s->gpu[number];
	g->listed |= !job.p;
	if (!job.p || (processes == 0 && n == 0))
		return;
	bool is_job = str_eq(job, s->job), holds = memory >= 0 && row_has(row, (size_t)memory);
	double bytes = holds ? row_double(row, (size_t)memory) : 0;
	g->has_job |= is_job;
	g->other |= !is_job;
	g->no_busy |= !has;
	g->no_memory |= !holds;
	g->busy += is_job ? (double)n : 0;
	g->busy_all += (double)n;
	g->memory += is_job ? bytes : 0;
	g->memory_all += bytes;
}

/*
 * Add the joules of each GPU since the previous sample. A GPU without an earlier reading adds
 * nothing.
 */
static void sharing_take_gpu_energy(struct sharing *s, const struct job_sample *t, int kind)
{
	const struct devices *devices = tally_devices(t->tally);
	size_t figure = s->gpu_energy[kind];

	for (size_t i = 0; i < devices->n; i++) {
		const struct device *d = &devices->device[i];
		struct str name = str_of(d->name);
		uint64_t number;
		if (figure < d->first || figure >= d->first + d->n ||
		    !str_take_u64(&name, &number) || name.n || number >= GPUS_MAX)
			continue;
		const struct device_reading *r = &d->reading[figure - d->first];
		double now = (double)r->counter.total * r->scale, *was = s->gpu_before[kind];
		if (was[number] >= 0)
			s->gpu[number].joules += now - was[number];
		was[number] = now;
	}
}

static struct share sharing_divide_gpu(const struct sharing_gpu *g, const struct held *given,
				       unsigned number)
{
	bool named = false, busy = !g->no_busy && g->busy_all > 0;

	for (unsigned i = 0; i < given->n; i++)
		named |= given->gpu[i].number == number;
	if ((named || g->has_job) && !g->other)
		return (struct share){ g->joules, g->joules, g->joules, g->joules, false };
	if (!g->has_job && !named && (g->listed || given->n))
		return (struct share){ .of = g->joules };
	double part = busy ? g->busy / g->busy_all : sharing_ratio(g->memory, g->memory_all);
	bool unknown = g->other ? !busy && (g->no_memory || g->memory_all <= 0) : true;
	return (struct share){ g->joules, unknown ? 0 : part * g->joules, 0, g->joules, unknown };
}

static void sharing_add_gpus(struct sharing *s, const struct job_sample *t,
			     const struct steps *steps,
			     const struct held *given, struct sharing_use *u)
{
	struct sharing_walk w = { .type = "gpu_job", .key = "processes" };
	const struct record_row *row;

	if (steps->step[s->gpu_energy[0]].is == STEP_NONE &&
	    steps->step[s->gpu_energy[1]].is == STEP_NONE)
		return;
	memset(s->gpu, 0, sizeof(s->gpu));
	since_last_begin(&s->busy);
	while ((row = sharing_next_row(t->record, &w)))
		sharing_take_gpu_row(s, w.of, row, row->value[w.at]);
	for (int kind = 0; kind < 2; kind++)
		sharing_take_gpu_energy(s, t, kind);
	for (unsigned i = 0; i < GPUS_MAX; i++) {
		if (s->gpu[i].joules <= 0)
			continue;
		struct share share = sharing_divide_gpu(&s->gpu[i], given, i);
		u->gpu += share.of;
		u->gpu_mine += share.joules;
		u->gpu_least += share.least;
		u->gpu_most += share.most;
		u->unknown |= share.unknown;
	}
}

static void sharing_add_use(struct sharing_use *to, const struct sharing_use *u)
{
	to->job += u->job;
	to->job_most += u->job_most;
	to->all += u->all;
	to->busy += u->busy;
	to->capacity += u->capacity;
	to->given += u->given;
	to->given_most += u->given_most;
	to->gpu += u->gpu;
	to->gpu_mine += u->gpu_mine;
	to->gpu_least += u->gpu_least;
	to->gpu_most += u->gpu_most;
	to->memory += u->memory;
	to->memory_mine += u->memory_mine;
	to->memory_least += u->memory_least;
	to->memory_most += u->memory_most;
	to->shared |= u->shared;
	to->unknown |= u->unknown;
}

/*
 * Add the job's share of `joules`, the energy of the whole node since the last reading of the
 * source `from`. least, most: bounds of `joules`.
 */
static void sharing_divide_use(struct sharing *s, enum energy_from from, double joules,
			       double least,
			       double most)
{
	struct sharing_use u = s->use[from];
	struct share all = { joules, joules, least, most, false };

	s->use[from] = (struct sharing_use){ 0 };
	if (!u.shared || joules <= 0) {
		share_add(&s->share[from], &all);
		return;
	}
	/* counters of GPUs and memory may add up to a little more than a power meter shows */
	double by = fmin(1, joules / fmax(u.gpu + u.memory, 1e-9));
	struct share_fractions cpus = sharing_cpu_parts(&u);
	struct share share = sharing_divide(joules - by * (u.gpu + u.memory), &cpus);
	share.of = joules;
	share.joules += by * (u.gpu_mine + u.memory_mine);
	share.least = (share.least + by * (u.gpu_least + u.memory_least)) * least / joules;
	share.most = (share.most + by * (u.gpu_most + u.memory_most)) * most / joules;
	share.unknown = u.unknown;
	share_add(&s->share[from], &share);
}

/*
 * Integrate the power of a source over time. A reading covers the time since the last reading, also
 * the time of samples in between that lack one.
 */
static void sharing_read_meter(struct sharing *s, enum energy_from from, size_t figure,
			       const struct job_sample *t)
{
	struct reading_of_meter *was = &s->meter[from], now = { t->record->usec, 0 };
	double seconds = (double)(now.usec - was->usec) / 1e6;
	uint32_t devices;

	if (!tally_gauge(t->tally, figure, &now.watts, &devices))
		return;
	if (was->usec && !t->booted)
		sharing_divide_use(s, from, seconds * (now.watts + was->watts) / 2,
				   seconds * fmin(now.watts, was->watts),
				   seconds * fmax(now.watts, was->watts));
	s->use[from] = (struct sharing_use){ 0 };
	*was = now;
}

static void sharing_read_counter(struct sharing *s, enum energy_from from, bool read, double joules)
{
	if (read)
		sharing_divide_use(s, from, joules, joules, joules);
}

static void sharing_read_sources(struct sharing *s, const struct job_sample *t,
				 const struct steps *steps,
				 const struct sharing_use *u)
{
	const size_t *p = s->packages;
	double parts = sharing_step_amount(steps, p[0]) + sharing_step_amount(steps, p[1]) +
		       u->gpu + u->memory;

	sharing_read_counter(s, ENERGY_COUNTER, steps->step[s->counter].is == STEP_KNOWN,
			     sharing_step_amount(steps, s->counter));
	sharing_read_meter(s, ENERGY_BMC, s->bmc, t);
	sharing_read_meter(s, ENERGY_ACPI, s->acpi, t);
	sharing_read_counter(s, ENERGY_PARTS, parts > 0, parts);
}

void sharing_take(struct sharing *s, const struct job_sample *t, const struct steps *steps,
		  const struct allocation *given, const struct held *gpus, uint32_t cores)
{
	const struct record *r = t->record;
	struct sharing_job_use job_use = { 0 };

	if (t->booted)
		since_last_clear(&s->cpu);
	sharing_take_job_cpu(s, r, &job_use);
	sharing_take_job_memory(s, r, &job_use);
	struct sharing_use u = sharing_cpu_use(s, r, steps, &job_use, given, cores);
	sharing_add_memory(s, steps, &job_use, given, &u);
	sharing_add_gpus(s, t, steps, gpus, &u);
	u.shared = s->was_shared || sharing_has_other_job(r, s->job, MARK_BEGIN);
	for (int i = 0; i < ENERGY_NONE && s->usec; i++)
		sharing_add_use(&s->use[i], &u);
	sharing_read_sources(s, t, steps, &u);
	s->was_shared = sharing_has_other_job(r, s->job, MARK_END);
	s->usec = r->usec;
}

void sharing_end(struct sharing *s, struct share ret[ENERGY_NONE])
{
	for (int i = 0; i < ENERGY_NONE; i++) {
		ret[i] = s->share[i];
		ret[i].unknown |= !s->job_cpu_read;
	}
	sharing_clear(s);
}
