/* SPDX-License-Identifier: BSD-3-Clause */
/* share.c - a job's share of a node's energy, where other jobs are on the node, too */
#include "figures/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "figures/devices.h"
#include "figures/job.h"
#include "schema/since_last.h"

/* The parts of something that the job used, and was given. */
struct parts_had {
	double used, used_most;
	double given, given_most;
	double idle;		/* the part of it that nobody used */
};

/* Since the last reading of a source. */
struct use {
	double own, own_most, all, busy, whole;	/* seconds of CPUs: job, all jobs or node, node */
	double given, given_most;		/* the same that the job was given */
	double gpu, gpu_mine, gpu_least, gpu_most;	/* joules */
	double memory;				/* joules, of which the job has */
	double memory_mine, memory_least, memory_most;
	bool shared, unknown;
};

enum { CPU_TIMES = 5 };
static const char *const times[CPU_TIMES] = {
	"cpu.user", "cpu.nice", "cpu.system", "cpu.irq", "cpu.softirq",
};

/* A GPU in a sample. */
struct gpu {
	double joules;
	bool asked;			/* for processes: */
	bool own, other;		/* of the job, and of others */
	double busy, busy_all, memory, memory_all;
	bool no_busy, no_memory;
};

struct sharing {
	struct str job;
	struct since_last cpu, busy;
	size_t time[CPU_TIMES];			/* figures */
	size_t counter, bmc, acpi, packages[2], dram, gpu_energy[2], mem_total, mem_used;
	struct use use[ENERGY_NONE];		/* of each source */
	struct share share[ENERGY_NONE];
	double gpu_before[2][GPUS_MAX];		/* joules; negative: not read yet */
	struct gpu gpu[GPUS_MAX];
	bool was_shared;			/* others were there after the newest sample */
	bool own_read;				/* some sample had the job's CPU time */
	struct reading_of_meter {
		int64_t usec;			/* 0: none yet */
		double watts;
	} meter[ENERGY_NONE];
	int64_t usec;				/* of the newest sample; 0: there is none */
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
	s->was_shared = s->own_read = false;
	s->usec = 0;
}

/* Another job was there before this sample, or after it. */
static bool has_other(const struct record *r, struct str job, enum mark_kind but)
{
	for (size_t i = 0; i < r->n_jobs; i++)
		if (!str_eq(r->job[i], job) && !job_has_mark(r, but, r->job[i]))
			return true;
	return false;
}

/* The rows of a type that have a key, from .i and .k 0 on. */
struct walk {
	const char *type, *key;
	size_t i, k;
	const struct record_type *of;	/* the newest row's, and its key */
	int at;
};

static const struct record_row *next_row(const struct record *r, struct walk *w)
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

/* CPU time and memory of the job, and of all jobs. */
struct own {
	bool cpu_known, memory_known;
	double cpu, cpu_all, memory, memory_all;
};

static void take_own_cpu(struct sharing *s, const struct record *r, struct own *own)
{
	struct walk w = { .type = "job", .key = "cpu" };
	const struct record_row *row;
	uint64_t n;

	since_last_begin(&s->cpu);
	while ((row = next_row(r, &w))) {
		if (!since_last_take(&s->cpu, row->device, row->value[w.at], &n))
			continue;
		double seconds = (double)n / 1e6;
		own->cpu_all += seconds;
		if (str_eq(row->device, s->job)) {
			own->cpu = seconds;
			own->cpu_known = true;
		}
	}
}

static void take_own_memory(const struct sharing *s, const struct record *r, struct own *own)
{
	struct walk w = { .type = "job", .key = "mem" };
	const struct record_row *row;

	while ((row = next_row(r, &w))) {
		own->memory_all += row_double(row, (size_t)w.at);
		if (str_eq(row->device, s->job)) {
			own->memory = row_double(row, (size_t)w.at);
			own->memory_known = true;
		}
	}
}

static double counted(const struct steps *steps, size_t figure)
{
	const struct step *step = &steps->step[figure];
	return step->is == STEP_KNOWN ? step->n : 0;
}

static size_t count_cpus(const struct record *r)
{
	struct walk w = { .type = "cpu", .key = "user" };
	size_t n = 0;

	while (next_row(r, &w))
		n++;
	return n;
}

/* Seconds of CPUs since the sample before. The job cannot have used more than there were. */
static struct use cpu_use(struct sharing *s, const struct record *r, const struct steps *steps,
			  const struct own *own, const struct allocation *given, uint32_t cores)
{
	double seconds = s->usec < r->usec ? (double)(r->usec - s->usec) / 1e6 : 0;
	double cpus = (double)count_cpus(r);
	struct use u = { .whole = cpus * seconds };

	for (size_t i = 0; i < CPU_TIMES; i++)
		u.busy += counted(steps, s->time[i]);
	u.unknown = seconds > 0 && (cpus <= 0 || given->cpus == 0 ||
				    steps->step[s->time[0]].is != STEP_KNOWN);
	u.busy = fmin(u.busy, u.whole);
	bool known = own->cpu_known && own->cpu <= 1.05 * u.whole;
	double others = own->cpu_all - own->cpu;
	u.own = known ? own->cpu : 0;
	u.all = fmax(u.busy, others + u.own);
	u.own_most = known ? u.own : u.all - others;
	u.given = fmin((double)given->cpus, cpus) * seconds;
	u.given_most = cores && cores < cpus ?
		       fmin((double)given->cpus * cpus / cores, cpus) * seconds : u.given;
	s->own_read |= known;
	return u;
}

static double part(double of, double whole)
{
	return whole > 0 ? of / whole : 0;
}

static struct parts_had had_cpus(const struct use *u)
{
	return (struct parts_had){
		part(u->own, u->all), part(u->own_most, u->all),
		part(u->given, u->whole), part(u->given_most, u->whole),
		u->whole > 0 ? 1 - u->busy / u->whole : 1,
	};
}

/* Of the node, with the bounds of a job that has these parts of it. */
static struct share divide(double joules, const struct parts_had *had)
{
	return (struct share){
		.of = joules,
		.joules = joules * (had->used * (1 - had->idle) + had->given * had->idle),
		.least = joules * fmin(had->used, had->given),
		.most = joules * fmax(had->used_most, had->given_most),
	};
}

/* Energy of DRAM goes by what each holds of it, or else by CPU time as the rest does. */
static void memory_use(const struct sharing *s, const struct steps *steps, const struct own *own,
		       const struct allocation *given, struct use *u)
{
	const struct step *total = &steps->step[s->mem_total], *used = &steps->step[s->mem_used];
	struct parts_had had = had_cpus(u);

	u->memory = counted(steps, s->dram);
	bool known = total->is == STEP_KNOWN && used->is == STEP_KNOWN && total->n > 0;
	if (known && own->memory_known) {
		double all = fmin(fmax(used->n, own->memory_all), total->n);
		had.used = had.used_most = fmin(part(own->memory, all), 1);
		had.idle = 1 - all / total->n;
		if (given->mem)
			had.given = had.given_most = fmin((double)given->mem / total->n, 1);
	}
	struct share share = divide(u->memory, &had);
	u->memory_mine = share.joules;
	u->memory_least = share.least;
	u->memory_most = share.most;
}

static void take_gpu_row(struct sharing *s, const struct record_type *type,
			 const struct record_row *row, uint64_t processes)
{
	int busy = record_key_find(type, "busy"), memory = record_key_find(type, "memory");
	struct str job;
	uint64_t n = 0, number;
	bool has = busy >= 0 && row_has(row, (size_t)busy) &&
		   since_last_take(&s->busy, row->device, row->value[busy], &n);

	if (!held_take_device(row->device, &number, &job) || number >= GPUS_MAX)
		return;
	struct gpu *g = &s->gpu[number];
	g->asked |= !job.p;
	if (!job.p || (processes == 0 && n == 0))
		return;
	bool own = str_eq(job, s->job), holds = memory >= 0 && row_has(row, (size_t)memory);
	double bytes = holds ? row_double(row, (size_t)memory) : 0;
	g->own |= own;
	g->other |= !own;
	g->no_busy |= !has;
	g->no_memory |= !holds;
	g->busy += own ? (double)n : 0;
	g->busy_all += (double)n;
	g->memory += own ? bytes : 0;
	g->memory_all += bytes;
}

/* Joules of each GPU since the sample before; one that is new has none. */
static void take_gpu_energy(struct sharing *s, const struct job_sample *t, int kind)
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
		const struct reading *r = &d->reading[figure - d->first];
		double now = (double)r->counter.total * r->scale, *was = s->gpu_before[kind];
		if (was[number] >= 0)
			s->gpu[number].joules += now - was[number];
		was[number] = now;
	}
}

static struct share share_of_gpu(const struct gpu *g, const struct held *given, unsigned number)
{
	bool named = false, busy = !g->no_busy && g->busy_all > 0;

	for (unsigned i = 0; i < given->n; i++)
		named |= given->gpu[i].number == number;
	if ((named || g->own) && !g->other)
		return (struct share){ g->joules, g->joules, g->joules, g->joules, false };
	if (!g->own && !named && (g->asked || given->n))
		return (struct share){ .of = g->joules };
	double had = busy ? g->busy / g->busy_all : part(g->memory, g->memory_all);
	bool unknown = g->other ? !busy && (g->no_memory || g->memory_all <= 0) : true;
	return (struct share){ g->joules, unknown ? 0 : had * g->joules, 0, g->joules, unknown };
}

static void gpu_use(struct sharing *s, const struct job_sample *t, const struct steps *steps,
		    const struct held *given, struct use *u)
{
	struct walk w = { .type = "gpu_job", .key = "processes" };
	const struct record_row *row;

	if (steps->step[s->gpu_energy[0]].is == STEP_NONE &&
	    steps->step[s->gpu_energy[1]].is == STEP_NONE)
		return;
	memset(s->gpu, 0, sizeof(s->gpu));
	since_last_begin(&s->busy);
	while ((row = next_row(t->record, &w)))
		take_gpu_row(s, w.of, row, row->value[w.at]);
	for (int kind = 0; kind < 2; kind++)
		take_gpu_energy(s, t, kind);
	for (unsigned i = 0; i < GPUS_MAX; i++) {
		if (s->gpu[i].joules <= 0)
			continue;
		struct share share = share_of_gpu(&s->gpu[i], given, i);
		u->gpu += share.of;
		u->gpu_mine += share.joules;
		u->gpu_least += share.least;
		u->gpu_most += share.most;
		u->unknown |= share.unknown;
	}
}

static void add_use(struct use *to, const struct use *u)
{
	to->own += u->own;
	to->own_most += u->own_most;
	to->all += u->all;
	to->busy += u->busy;
	to->whole += u->whole;
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

/* Joules since the source's last reading: of the whole node, at least and at most. */
static void end_use(struct sharing *s, enum energy_from from, double joules, double least,
		    double most)
{
	struct use u = s->use[from];
	struct share all = { joules, joules, least, most, false };

	s->use[from] = (struct use){ 0 };
	if (!u.shared || joules <= 0) {
		share_add(&s->share[from], &all);
		return;
	}
	/* counters and a meter may differ by a little */
	double by = fmin(1, joules / fmax(u.gpu + u.memory, 1e-9));
	struct parts_had cpus = had_cpus(&u);
	struct share share = divide(joules - by * (u.gpu + u.memory), &cpus);
	share.of = joules;
	share.joules += by * (u.gpu_mine + u.memory_mine);
	share.least = (share.least + by * (u.gpu_least + u.memory_least)) * least / joules;
	share.most = (share.most + by * (u.gpu_most + u.memory_most)) * most / joules;
	share.unknown = u.unknown;
	share_add(&s->share[from], &share);
}

/* A sample may be without a reading: the next one has the time since the last. */
static void end_meter(struct sharing *s, enum energy_from from, size_t figure,
		      const struct job_sample *t)
{
	struct reading_of_meter *was = &s->meter[from], now = { t->record->usec, 0 };
	double seconds = (double)(now.usec - was->usec) / 1e6;
	uint32_t devices;

	if (!tally_gauge(t->tally, figure, &now.watts, &devices))
		return;
	if (was->usec && !t->booted)
		end_use(s, from, seconds * (now.watts + was->watts) / 2,
			seconds * fmin(now.watts, was->watts),
			seconds * fmax(now.watts, was->watts));
	s->use[from] = (struct use){ 0 };
	*was = now;
}

static void end_counter(struct sharing *s, enum energy_from from, bool read, double joules)
{
	if (read)
		end_use(s, from, joules, joules, joules);
}

static void end_uses(struct sharing *s, const struct job_sample *t, const struct steps *steps,
		     const struct use *u)
{
	const size_t *p = s->packages;
	double parts = counted(steps, p[0]) + counted(steps, p[1]) + u->gpu + u->memory;

	end_counter(s, ENERGY_COUNTER, steps->step[s->counter].is == STEP_KNOWN,
		    counted(steps, s->counter));
	end_meter(s, ENERGY_BMC, s->bmc, t);
	end_meter(s, ENERGY_ACPI, s->acpi, t);
	end_counter(s, ENERGY_PARTS, parts > 0, parts);
}

void sharing_take(struct sharing *s, const struct job_sample *t, const struct steps *steps,
		  const struct allocation *given, const struct held *gpus, uint32_t cores)
{
	const struct record *r = t->record;
	struct own own = { 0 };

	if (t->booted)
		since_last_clear(&s->cpu);
	take_own_cpu(s, r, &own);
	take_own_memory(s, r, &own);
	struct use u = cpu_use(s, r, steps, &own, given, cores);
	memory_use(s, steps, &own, given, &u);
	gpu_use(s, t, steps, gpus, &u);
	u.shared = s->was_shared || has_other(r, s->job, MARK_BEGIN);
	for (int i = 0; i < ENERGY_NONE && s->usec; i++)
		add_use(&s->use[i], &u);
	end_uses(s, t, steps, &u);
	s->was_shared = has_other(r, s->job, MARK_END);
	s->usec = r->usec;
}

void sharing_end(struct sharing *s, struct share ret[ENERGY_NONE])
{
	for (int i = 0; i < ENERGY_NONE; i++) {
		ret[i] = s->share[i];
		ret[i].unknown |= !s->own_read;
	}
	sharing_clear(s);
}
