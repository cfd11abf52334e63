/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_put.c - the figures of a job's summary, and the line that they make */
#include "agent/summary.h"

#include <string.h>
#include "formats/json.h"

#define ID_MAX     260	/* bytes of the id in JSON, its quotes included */
#define PARTIAL    ",\"partial\":["
#define HEADER_MAX 340	/* with the longest id; then hardly a figure has room */

#define COUNTED SUMMARY_COUNTED
#define DISKS   .not_device = { "dm-*", "md[0-9]*", "zd[0-9]*" }
#define NO_LO   .not_device = { "lo" }

/*
 * The order is that of worth: where there is no room the last ones are left out. Which devices are
 * in a sum is as in the figures of a report. nodometer-end(1) says what each name means.
 */
const struct summary_figure summary_figures[] = {
	{ "cpu_user",     "cpu", "user",           COUNTED, .01 },
	{ "cpu_user",     "cpu", "nice",           COUNTED, .01 },
	{ "cpu_sys",      "cpu", "system",         COUNTED, .01 },
	{ "cpu_sys",      "cpu", "irq",            COUNTED, .01 },
	{ "cpu_sys",      "cpu", "softirq",        COUNTED, .01 },
	{ "mem_peak",     "mem", "MemUsed",        SUMMARY_PEAK, 1024, { "FilePages", "Slab" } },
	{ "job_cpu",      "job", "cpu",            SUMMARY_OWN, 1e-6 },
	{ "job_mem_peak", "job", "mem_peak",       SUMMARY_OWN_PEAK, 1 },
	{ "oom_kills",    "job", "oom_kill",       SUMMARY_OWN, 1 },
	{ "energy",       "intel_rapl", "pkg_energy",  COUNTED, .001 },
	{ "energy",       "intel_rapl", "dram_energy", COUNTED, .001 },
	{ "energy",       "amd64_rapl", "pkg_energy",  COUNTED, .001 },
	{ "gpu_energy",   "nvidia_gpu", "energy",      COUNTED, .001 },
	{ "gpu_energy",   "amd_gpu",    "energy",      COUNTED, 1e-6 },
	{ "gpu_busy",     "nvidia_gpu", "utilization", SUMMARY_MEAN, .01 },
	{ "gpu_busy",     "amd_gpu",    "gpu_util",    SUMMARY_MEAN, .01 },
	{ "fs_read",      "llite", "read_bytes",   COUNTED, 1 },
	{ "fs_read",      "nfs",   "server_read",  COUNTED, 1 },
	{ "fs_written",   "llite", "write_bytes",  COUNTED, 1 },
	{ "fs_written",   "nfs",   "server_write", COUNTED, 1 },
	{ "disk_read",    "block", "rd_sectors",   COUNTED, 512, DISKS },
	{ "disk_written", "block", "wr_sectors",   COUNTED, 512, DISKS },
	{ "ib_rx",        "ib_ext", "port_rcv_data",  COUNTED, 4 },
	{ "ib_rx",        "opa",    "PortRcvData",    COUNTED, 8 },
	{ "ib_tx",        "ib_ext", "port_xmit_data", COUNTED, 4 },
	{ "ib_tx",        "opa",    "PortXmitData",   COUNTED, 8 },
	{ "net_rx",       "net", "rx_bytes",       COUNTED, 1, NO_LO },
	{ "net_tx",       "net", "tx_bytes",       COUNTED, 1, NO_LO },
	{ "swapped_in",   "vm",  "pswpin",         COUNTED, 1 },
	{ "swapped_out",  "vm",  "pswpout",        COUNTED, 1 },
};
_Static_assert(ARRAY_SIZE(summary_figures) == SUMMARY_FIGURES, "a row for each");

/* ABSENT: this node has no such thing. */
enum state { ABSENT, KNOWN, PART, UNKNOWN };

static enum state worse(enum state a, enum state b)
{
	return a > b ? a : b;
}

static enum state device_state(const struct summary *s, const struct summary_job *j,
			       const struct summary_device *d)
{
	if (!d->counts || d->seen < j->begin)
		return ABSENT;
	if (d->counter.waiting || d->bad > j->begin || d->waited == j->begin)
		return UNKNOWN;
	return d->first > j->begin || d->seen < s->tick ? PART : KNOWN;
}

static enum state counted(const struct summary *s, const struct summary_job *j, size_t f,
			  double *value)
{
	const struct summary_followed *w = &s->followed[f];
	enum state state = w->full ? UNKNOWN : ABSENT;
	uint64_t sum = 0;
	for (size_t i = 0; i < w->n; i++) {
		state = worse(state, device_state(s, j, &w->device[i]));
		if (w->device[i].counts)
			sum += w->device[i].counter.total;
	}
	*value = (double)(sum - j->figure[f].base);
	return state;
}

static enum state gauged(const struct summary *s, const struct summary_job *j, size_t f,
			 double *value)
{
	uint32_t n = j->figure[f].samples;
	*value = j->figure[f].n;
	if (n == 0)
		return s->followed[f].seen ? UNKNOWN : ABSENT;
	if (summary_figures[f].how == SUMMARY_MEAN)
		*value /= n;
	return KNOWN;
}

/* A control group that is gone took with it what it counted last. */
static enum state own(const struct summary *s, const struct summary_job *j, size_t f,
		      double *value)
{
	*value = (double)j->figure[f].own;
	if (!j->figure[f].own_seen)
		return ABSENT;
	return j->figure[f].own_bad ? UNKNOWN : j->figure[f].own_seen == s->tick ? KNOWN : PART;
}

static enum state find_value(const struct summary *s, const struct summary_job *j, size_t f,
			     double *value)
{
	switch (summary_figures[f].how) {
	case SUMMARY_OWN:
	case SUMMARY_OWN_PEAK:
		return own(s, j, f, value);
	case SUMMARY_COUNTED:
		return j->begin ? counted(s, j, f, value) : ABSENT;
	case SUMMARY_PEAK:
	case SUMMARY_MEAN:
		return j->begin ? gauged(s, j, f, value) : ABSENT;
	}
	return ABSENT;
}

/* The rows of one name, from *f on, which then is behind them. */
static enum state add_rows(const struct summary *s, const struct summary_job *j, size_t *f,
			   double *sum)
{
	const char *name = summary_figures[*f].name;
	enum state state = ABSENT;
	*sum = 0;
	for (; *f < SUMMARY_FIGURES && strcmp(summary_figures[*f].name, name) == 0; (*f)++) {
		double value = 0;
		enum state one = find_value(s, j, *f, &value);
		state = worse(state, one);
		if (one != ABSENT)
			*sum += value * summary_figures[*f].scale;
	}
	return state;
}

/* What the line gets together, so that what stands first can tell of what comes behind. */
struct line {
	struct buf figures, partial;
	size_t room;
	bool complete;
};

static void put_figure(struct line *l, const char *name, enum state state, double value)
{
	size_t figures = l->figures.n, partial = l->partial.n;
	l->complete &= state == KNOWN;
	if (state == UNKNOWN)
		return;
	buf_addf(&l->figures, ",\"%s\":%.4g", name, value);
	if (state == PART)
		buf_addf(&l->partial, "%s\"%s\"", partial ? "," : PARTIAL, name);
	if (l->figures.n + l->partial.n + 1 <= l->room)
		return;
	l->figures.n = figures;
	l->partial.n = partial;
	l->room = 0;	/* what comes behind is worth less */
	l->complete = false;
}

static void put_figures(struct line *l, const struct summary *s, const struct summary_job *j)
{
	for (size_t f = 0; f < SUMMARY_FIGURES; ) {
		const char *name = summary_figures[f].name;
		double value;
		enum state state = add_rows(s, j, &f, &value);
		if (state != ABSENT)
			put_figure(l, name, state, value);
	}
	if (l->partial.n)
		buf_add_char(&l->partial, ']');
}

/* Bytes that are no UTF-8 take six of them. What does not fit is cut off, and told. */
static bool put_id(struct buf *b, struct str id)
{
	size_t before = b->n, whole = id.n;
	for (json_put_string(b, id); b->n - before > ID_MAX; json_put_string(b, id)) {
		b->n = before;
		id.n--;
	}
	return id.n == whole;
}

static void put_header(struct buf *b, const struct summary_job *j, const char *host,
		       int64_t end_us)
{
	struct buf name CLEANUP(buf_free) = { 0 };
	json_put_string(&name, str_of(host));
	if (b->n + name.n + 80 <= HEADER_MAX)
		buf_addf(b, ",\"host\":" STR_FMT, STR_ARG(buf_str(&name)));
	if (end_us)
		buf_addf(b, ",\"end\":%lld", (long long)(end_us / 1000000));
	if (j && j->since_us && end_us >= j->since_us)
		buf_addf(b, ",\"elapsed_s\":%.10g",
			 (double)((end_us - j->since_us) / 1000) / 1000);
	if (j && j->shared)
		buf_add(b, STR(",\"shared\":true"));
}

void summary_put(const struct summary *s, struct str id, const char *host, int64_t end_us,
		 struct buf *b)
{
	struct buf header CLEANUP(buf_free) = { 0 };
	struct line l = { .complete = false };
	const struct summary_job *j = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (str_eq(id, str_of(s->job[i].id)))
			j = &s->job[i];
	buf_add(&header, STR("{\"job\":"));
	l.complete = put_id(&header, id) && j && j->begin;
	put_header(&header, j, host, end_us);
	/* ,"complete":false}, and the newline behind it */
	l.room = SUMMARY_MAX - header.n - sizeof(",\"complete\":false}");
	if (j)
		put_figures(&l, s, j);
	buf_addf(b, STR_FMT ",\"complete\":%s" STR_FMT STR_FMT "}", STR_ARG(buf_str(&header)),
		 l.complete ? "true" : "false", STR_ARG(buf_str(&l.figures)),
		 STR_ARG(buf_str(&l.partial)));
	buf_free(&l.figures);
	buf_free(&l.partial);
}
