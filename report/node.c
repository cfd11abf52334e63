/* SPDX-License-Identifier: BSD-3-Clause */
/* node.c - a job on one node, from the files of its host */
#include "report/node.h"

#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/log.h"
#include "formats/raw_marks.h"
#include "report/job.h"

#define SECOND 1000000
#define TIMES_MAX (4u << 20)	/* of one run; gaps after so many samples are not seen */
#define TOLD_MAX 5		/* defects of a file that are told one by one */

/*
 * How far from the job's other nodes a file may lie. A job that is started again may run on other
 * nodes days later; a job id that comes round again does so after months.
 */
#define WINDOW (7 * 86400)	/* seconds */

/* The search of one host, across its files. */
struct host {
	struct report *r;
	struct job_watch watch;
	struct tally *tally;
	struct node node;
	bool found;
	bool newest_is_ours;
	int64_t usec;		/* newest sample */
	int64_t run_start, run_end;
	struct buf boot_id;
	uint64_t uptime;	/* seconds, of the newest header */
	int64_t *time;		/* of the run's samples */
	size_t n_times, cap_times;
	bool in_file;		/* a sample of this file was the job's */
};

/* What is wrong with a file, kept until it is known that the job is in it. */
struct defects {
	const char *path;
	const struct input *in;
	struct buf told;
	unsigned n;
};

static void keep_defect(void *arg, enum raw_defect kind, uint64_t line, const char *what)
{
	struct defects *d = arg;
	if (kind == RAW_UNREADABLE && input_error(d->in))
		return;		/* told by itself, whatever else is wrong */
	if (d->n++ < TOLD_MAX)
		buf_addf(&d->told, "%s:%llu: %s\n", d->path, (unsigned long long)line, what);
}

static void tell_defects(const struct defects *d)
{
	struct str told = buf_str(&d->told), line;
	while (str_take_line(&told, &line))
		log_warning(STR_FMT, STR_ARG(line));
	if (d->n > TOLD_MAX)
		log_warning("%s: and %u more", d->path, d->n - TOLD_MAX);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static int64_t median(const int64_t *v, size_t n)
{
	size_t bytes = n * sizeof(*v);
	int64_t *sorted = memcpy(xrealloc(NULL, bytes), v, bytes);
	qsort(sorted, n, sizeof(*v), by_value);
	int64_t m = sorted[n / 2];
	free(sorted);
	return m;
}

static void find_gaps(struct node *node, const int64_t *time, size_t n)
{
	if (n < 4)
		return;
	int64_t *interval = xrealloc(NULL, (n - 1) * sizeof(*interval));
	for (size_t i = 0; i + 1 < n; i++)
		interval[i] = time[i + 1] - time[i];
	node->interval = median(interval, n - 1);
	for (size_t i = 0; i + 1 < n; i++) {
		if (2 * interval[i] <= 5 * node->interval)
			continue;
		node->gaps++;
		if (interval[i] > node->longest) {
			node->longest = interval[i];
			node->longest_at = time[i];
		}
	}
	free(interval);
}

static void close_run(struct host *h, bool begin_mark, bool end_mark)
{
	struct node *node = &h->node;

	tally_fold(h->tally, node->value, &h->r->procs, h->r->n);
	find_gaps(node, h->time, h->n_times);
	if (node->runs++ == 0)
		node->start = h->run_start;
	node->end = h->run_end;
	node->usec += h->run_end - h->run_start;
	node->no_begin += h->r->job && !begin_mark;
	node->no_end += h->r->job && !end_mark;
	node->samples += h->n_times;
	h->n_times = 0;
}

static void take_sample(struct host *h, const struct raw_group *g)
{
	if (h->n_times == h->cap_times) {
		h->cap_times = h->cap_times ? 2 * h->cap_times : 256;
		h->time = xrealloc(h->time, h->cap_times * sizeof(*h->time));
	}
	if (h->n_times < TIMES_MAX)
		h->time[h->n_times++] = g->usec;
	if (h->n_times > 0 && g->usec < h->usec)
		h->node.set_back++;
	if (g->usec < h->run_start)
		h->run_start = g->usec;
	if (g->usec > h->run_end)
		h->run_end = g->usec;
	tally_group(h->tally, g);
}

/*
 * Whether the node was booted between the newest sample and this group, which a header precedes.
 * Without boot ids: its uptime went back, or is shorter than the time since that sample.
 */
static bool was_booted(struct host *h, const struct raw_reader *reader, int64_t usec)
{
	struct str id = raw_property(reader, "boot_id"), text = raw_property(reader, "uptime");
	bool first = h->usec == 0, booted = false;
	uint64_t uptime;

	if (id.n > 0 && h->boot_id.n > 0) {
		booted = !str_eq(id, buf_str(&h->boot_id));
	} else if (!first && str_take_u64(&text, &uptime)) {
		int64_t since = (usec - h->usec) / SECOND;
		booted = uptime < h->uptime || (since > 1 && uptime < (uint64_t)since - 1);
	}
	text = raw_property(reader, "uptime");
	if (!str_take_u64(&text, &h->uptime))
		h->uptime = 0;
	h->boot_id.n = 0;
	buf_add(&h->boot_id, id);
	return booted;
}

static unsigned count_marks(const struct raw_group *g, const char *name)
{
	unsigned n = 0;
	for (size_t i = 0; i < g->n_marks; i++) {
		struct str mark = g->mark[i], word;
		n += str_take_word(&mark, &word) && str_eq(word, str_of(name));
	}
	return n;
}

static bool in_range(const struct report *r, const struct raw_group *g)
{
	return r->job || (g->usec >= r->since && g->usec <= r->until);
}

static void tell_taken(struct host *h, const struct raw_group *g, unsigned what, bool booted)
{
	const struct taken t = { g, h->tally, what, h->watch.begun, booted };
	if ((what & JOB_TAKE) && h->r->taken)
		h->r->taken(h->r->arg, &t);
}

static void search_group(struct host *h, const struct raw_reader *reader, const struct raw_group *g)
{
	bool booted = g->restart && was_booted(h, reader, g->usec);
	unsigned what = in_range(h->r, g) ? job_watch_group(&h->watch, g, booted) : 0;

	if (what & JOB_CLOSE_LOST)
		close_run(h, true, false);
	if (what & JOB_DROP) {
		h->node.before += h->n_times;
		h->n_times = 0;
		tally_clear(h->tally);
	}
	if (what & JOB_OPEN)
		h->run_start = h->run_end = g->usec;
	if (booted && !(what & JOB_OPEN) && h->watch.state != JOB_AWAY)
		h->node.boots++;
	if (booted)
		tally_boot(h->tally);
	tally_marks(h->tally, g);
	h->node.released += h->watch.state != JOB_AWAY ? count_marks(g, RAW_MARK_RELEASE) : 0;
	if (what & JOB_TAKE) {
		take_sample(h, g);
		h->node.shared += h->r->job && job_shares(&h->watch, g, what);
		h->found = h->in_file = true;
	}
	tell_taken(h, g, what, booted);
	if (what & JOB_CLOSE)
		close_run(h, h->watch.begun, true);
	h->newest_is_ours = (what & JOB_TAKE) && !(what & JOB_CLOSE);
	h->usec = g->usec;
}

static void search_records(struct host *h, const char *path, struct input *in)
{
	struct defects d = { .path = path, .in = in };
	const struct raw_listener listener = { keep_defect, &d };
	const struct raw_source source = input_source(in);
	struct raw_reader *reader = raw_reader_new(&source, &listener);
	const struct raw_group *g;
	int r;

	h->in_file = false;
	tally_new_file(h->tally);
	while ((r = raw_read_group(reader, &g)) > 0)
		search_group(h, reader, g);
	if (input_error(in) != 0)
		log_warning("%s: %s", path, input_why(input_error(in)));
	if (r < 0 || input_error(in) != 0)
		h->r->unreadable++;
	if (r < 0 || h->in_file)
		tell_defects(&d);
	if (h->in_file) {
		h->node.bad_lines += raw_bad_lines(reader);
		h->node.torn += raw_torn(reader);
	}
	tally_new_file(h->tally);
	raw_reader_free(reader);
	buf_free(&d.told);
}

static void search_file(struct host *h, const char *path)
{
	struct input *in;
	int r = input_open(path, &in);
	if (r < 0) {
		log_warning("%s: %s", path, input_why(r));
		h->r->unreadable++;
		return;
	}
	search_records(h, path, in);
	input_free(in);
}

/* The file begins after the job was over, or the next one begins before it was there. */
static bool of_another_time(const struct report *r, const struct archive_file *file, bool last)
{
	if (!r->job)
		return file[0].epoch > r->until / SECOND ||
		       (!last && file[1].epoch < r->since / SECOND);
	if (r->n == 0)
		return false;
	return file[0].epoch > r->end / SECOND + WINDOW ||
	       (!last && file[1].epoch < r->start / SECOND - WINDOW);
}

static void add_node(struct report *r, const struct node *node)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 16;
		r->node = xrealloc(r->node, r->cap * sizeof(*r->node));
	}
	if (r->n == 0 || node->start < r->start)
		r->start = node->start;
	if (r->n == 0 || node->end > r->end)
		r->end = node->end;
	r->node[r->n++] = *node;
}

static void finish(struct host *h, const char *name)
{
	if (h->watch.state != JOB_AWAY)
		close_run(h, h->watch.begun, false);
	if (!h->found) {
		free(h->node.value);
		return;
	}
	h->node.name = xstrdup(str_of(name));
	h->node.open = h->r->job && h->newest_is_ours;
	h->node.devices_left_out = tally_devices_left_out(h->tally);
	add_node(h->r, &h->node);
}

void report_host(struct report *r, const struct archive_file *file, size_t n)
{
	struct str job = str_of(r->job ? r->job : "");
	struct figures table = r->table.n ? r->table : (struct figures){ figures, n_figures };
	struct host h = { .r = r, .watch = { .job = job, .any = !r->job },
			  .tally = tally_new(job, table, r->device) };
	size_t bytes = table.n * sizeof(*h.node.value);

	h.node.value = memset(xrealloc(NULL, bytes), 0, bytes);
	r->hosts++;
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && file[i].epoch == file[i - 1].epoch)
			continue;	/* the same records, just being compressed */
		bool over = h.found && h.watch.state == JOB_AWAY &&
			    file[i].epoch > h.run_end / SECOND + WINDOW;
		if (over || (h.watch.state == JOB_AWAY &&
			     of_another_time(r, &file[i], i + 1 == n))) {
			r->passed_over++;
			continue;
		}
		if (r->progress)
			r->progress(r);
		r->files++;
		search_file(&h, file[i].path);
	}
	finish(&h, file[0].host);
	tally_free(h.tally);
	buf_free(&h.boot_id);
	free(h.time);
}

void report_free(struct report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->node[i].name);
		free(r->node[i].value);
	}
	free(r->node);
	procs_free(&r->procs);
}

static struct str domain(const char *host)
{
	const char *dot = strchr(host, '.');
	return str_of(dot ? dot : "");
}

static bool one_domain(const struct report *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (!str_eq(domain(r->node[i].name), domain(r->node[0].name)))
			return false;
	return true;
}

struct str node_name(const struct report *r, size_t node)
{
	struct str name = str_of(r->node[node].name), host = name, rest = name;
	if (one_domain(r))
		str_take_until(&rest, '.', &host);
	return host;
}
