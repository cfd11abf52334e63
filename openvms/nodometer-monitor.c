/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-monitor.c - nodometer monitor: OpenVMS MONITOR for this node, or for files */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/foreign.h"
#include "formats/vms/dump.h"
#include "formats/vms/vms_time.h"
#include "openvms/display.h"
#include "openvms/merged.h"
#include "openvms/offered.h"
#include "openvms/played.h"
#include "openvms/record.h"
#include "openvms/summary.h"
#include "openvms/this_node.h"

struct monitor {
	struct monitor_request request;
	struct monitor_run *run;		/* array with the state of each input */
	size_t n_runs, n_opened;
	struct recording record;
	int record_file, summary_file;	/* descriptors opened at the start; -1: none */
	struct display display;
	struct time_bound end;		/* --end: later samples are not used */
	/* for live samples: time of the next sample, milliseconds of CLOCK_MONOTONIC */
	int64_t tick;
	/* for raw files: earliest stamp of the next sample to use, for each node */
	int64_t due[VMS_NODES_MAX];
	/* for recordings: number of samples read of each node; one in .every is used */
	uint64_t seen[VMS_NODES_MAX];
	uint64_t every;
	bool stopped, failed;
	bool empty;			/* no sample was used */
	struct offered offered;
};

/* Check that --interval is a multiple of the recorded interval. Sets .every. */
static int monitor_check_interval(struct monitor *m, const struct moments *from)
{
	int64_t want = m->request.interval, has = from->interval;
	m->every = 1;
	if (!want || !has)
		return 0;
	if (want % has) {
		log_error("%s: was recorded every %" PRId64 " s: --interval must be a multiple of "
			  "that; %" PRId64 " is the next", from->name, has, (want / has + 1) * has);
		return -EINVAL;
	}
	m->every = (uint64_t)(want / has);
	return 0;
}

/*
 * Return true if --interval selects this sample. Raw files do not state their interval, so the
 * times of their samples are compared.
 */
static bool monitor_is_due(struct monitor *m, const struct moments *from)
{
	uint8_t i = from->moment.index;
	if (!from->name)
		return true;
	if (from->interval)
		return m->seen[i]++ % m->every == 0;
	int64_t interval = m->request.interval * 10000000;
	if (from->moment.stamp < m->due[i])
		return false;
	m->due[i] = from->moment.stamp + interval - interval / 10;
	return true;
}

static bool monitor_wants_moment(struct monitor *m, const struct moments *from)
{
	const struct vms_node *node = from->node[from->moment.index];
	int64_t usec = vms_time_usec(from->moment.stamp);
	if (!offered_wants(&m->offered, &m->request, from))
		return false;
	if (time_bound_compare(&m->request.begin, usec, node) < 0) {
		offered_pass_over(&m->offered, from, true);
		return false;
	}
	if (m->request.end_after && m->end.usec == INT64_MAX)
		m->end.usec = usec + m->request.end.usec;
	if (time_bound_compare(&m->end, usec, node) > 0) {
		offered_pass_over(&m->offered, from, false);
		m->stopped = true;
		return false;
	}
	bool is_taken = monitor_is_due(m, from);
	m->offered.taken += is_taken;
	return is_taken;
}

/*
 * Return how many milliseconds to show the sample. Live: until the next sample or --end; file on a
 * terminal: --viewing-time; other file: 0. Counts samples that could not be taken in time.
 */
static int64_t monitor_wait_ms(struct monitor *m, struct moments *from)
{
	if (from->name)
		return m->display.terminal ? m->request.viewing * 1000 : 0;
	int64_t now = monotonic_ns() / 1000000, interval = m->request.interval * 1000;
	m->tick += interval;
	int64_t missed = m->tick < now ? (now - m->tick) / interval : 0;
	moments_node(from, 0)->missed += (uint32_t)missed;
	m->tick += missed * interval;
	int64_t ms = m->tick < now ? 0 : m->tick - now;
	int64_t left = (m->end.usec - realtime_us()) / 1000 + 1;
	return left > ms ? ms : left > 0 ? left : 0;
}

static void monitor_take_moment(struct monitor *m, struct monitor_run *run)
{
	struct moments *from = &run->from;
	if (!monitor_wants_moment(m, from))
		return;
	struct monitor_node *node = run_node_of_moment(run);
	if (!node)
		return;
	stats_take(&node->stats, &from->moment);
	if (m->request.record && record_moment(&m->record, from) < 0)
		m->failed = m->stopped = true;
	struct shown newest = { .view = &m->request.view, .stats = &node->stats,
				.moment = &from->moment, .from = from, .node = &node->facts };
	if (!m->stopped && !display_show(&m->display, &newest, monitor_wait_ms(m, from)))
		m->stopped = true;
	m->stopped |= !from->name && realtime_us() >= m->end.usec;
}

/* Use the next sample of this index, because another node now has the index. */
static void monitor_start_over(struct monitor *m, uint8_t index)
{
	m->due[index] = 0;
	m->seen[index] = 0;
}

static void monitor_play(struct monitor *m, struct monitor_run *run)
{
	while (!m->stopped) {
		switch (run->from.next(&run->from)) {
		case STEP_NODE:
			if (run_take_node(run))
				monitor_start_over(m, run->from.index);
			break;
		case STEP_GONE:
			run_lose_node(run);
			monitor_start_over(m, run->from.index);
			if (m->request.record && record_gone(&m->record, run->from.index) < 0)
				m->failed = m->stopped = true;
			break;
		case STEP_MOMENT:
			monitor_take_moment(m, run);
			break;
		case STEP_END:
			m->failed |= run->from.failed;
			return;
		}
		m->stopped |= screen_interrupted();
	}
}

/* Wait until --begin if it lies in the future. */
static void monitor_wait_for_begin(struct monitor *m)
{
	int64_t left;
	while (!m->stopped && (left = m->request.begin.usec - realtime_us()) > 0) {
		int64_t ms = left / 1000 + 1;
		m->stopped = screen_wait(ms < 1000 ? ms : 1000) == SCREEN_QUIT;
	}
}

static void monitor_report_absent(uint32_t requested, uint32_t has)
{
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (requested >> i & 1 && !(has >> i & 1))
			log_notice("class %s: this node has no source for it", vms_classes[i].name);
}

static int monitor_open_live(struct monitor *m, struct monitor_run *run)
{
	uint32_t has = m->request.classes;
	int r = this_node_open(&run->from, &has);
	if (r < 0)
		return r;
	monitor_report_absent(m->request.classes, has);
	if (!has)
		return -ENODATA;
	monitor_wait_for_begin(m);
	m->tick = monotonic_ns() / 1000000;
	return 0;
}

/* Return true if several files are merged into one recording. */
static bool monitor_is_merge(const struct monitor_request *q)
{
	return q->record && q->n_inputs > 1;
}

static int monitor_open_played(struct monitor *m, struct monitor_run *run,
			       const struct played_file *file)
{
	uint32_t has = m->request.classes;
	int r = monitor_is_merge(&m->request) ?
		merged_open(&run->from, file, m->request.n_inputs, has) :
		played_open(&run->from, file, &has);
	memset(m->due, 0, sizeof(m->due));
	memset(m->seen, 0, sizeof(m->seen));
	return r < 0 ? r : monitor_check_interval(m, &run->from);
}

/* Open the recording to write. Its interval is --interval, or the interval of the input. */
static int monitor_open_record(struct monitor *m, const struct moments *from)
{
	const struct monitor_request *q = &m->request;
	struct recording *r = &m->record;
	if (!q->record)
		return 0;
	*r = (struct recording){ .path = q->record, .fd = m->record_file,
				 .customer = q->customer, .flush = q->flush };
	m->record_file = -1;
	r->measure = from->name && !from->interval;
	r->header.interval = (uint32_t)(q->interval ? q->interval : from->interval);
	str_copy(r->header.comment, sizeof(r->header.comment),
		 str_of(q->comment ? q->comment : from->comment));
	return record_open(r);
}

static void monitor_run_all(struct monitor *m)
{
	const struct monitor_request *q = &m->request;
	size_t n = q->n_inputs && !monitor_is_merge(q) ? q->n_inputs : 1;
	m->run = xrealloc(NULL, n * sizeof(*m->run));
	memset(m->run, 0, n * sizeof(*m->run));
	for (size_t i = 0; i < n && !screen_interrupted(); i++) {
		struct monitor_run *run = &m->run[m->n_runs++];
		m->stopped = false;
		m->end = q->end;
		if (q->end_after)
			m->end.usec = INT64_MAX;
		int r = q->n_inputs ? monitor_open_played(m, run,
							  &q->input[i]) : monitor_open_live(m, run);
		if (r < 0 || monitor_open_record(m, &run->from) < 0) {
			m->failed = true;
			continue;
		}
		m->n_opened++;
		if (i == 0)
			display_open(&m->display);
		monitor_play(m, run);
	}
}

static void monitor_report_missed(const struct monitor_run *run)
{
	const struct vms_node *n = run->from.node[0];
	if (run->from.name || !n || !n->missed || !run->at[0])
		return;
	log_warning("%u of %u moments were missed, since this node was too busy for this interval",
		    n->missed, run->at[0]->stats.moments + n->missed);
}

static int monitor_write_summary(const struct monitor *m, struct str text)
{
	const char *path = m->request.summary;
	int e = strcmp(path, "-") == 0 ? files_write(STDOUT_FILENO, text) :
		m->summary_file >= 0 ? files_rewrite(m->summary_file, text) :
		files_publish(path, text);
	if (e < 0 && e != -EPIPE)
		log_error("%s: %s", path, strerror(-e));
	return e;
}

static void monitor_sum_up(struct monitor *m)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct monitor_request *q = &m->request;
	if (!q->summary || m->n_runs == 0)
		return;
	if (q->n_inputs > 1)
		summary_put_many(&b, m->run, m->n_runs, &q->view, q->by_node);
	else
		summary_put_one(&b, m->run, &q->view);
	if (b.n && monitor_write_summary(m, buf_str(&b)) < 0)
		m->failed = true;
	m->empty |= b.n == 0;
}

/* Print the number n of records read, and warn if the file header states another number. */
static void monitor_compare_count(const char *path, const struct vms_header *h, uint64_t n)
{
	printf("%" PRIu64 " records", n);
	if (h->ending == 0 && h->records == 0)
		puts("; the recording was not closed");
	else if (h->records == n)
		puts(", as the file header says");
	else {
		puts("");
		log_warning("%s: the file header says %u records", path, h->records);
	}
}

static int monitor_dump_records(const char *path, struct vms_records *r)
{
	struct vms_header h = { .records = 0 }, newest;
	struct str record;
	uint64_t offset, n = 0;
	enum vms_end end;
	while (vms_records_next(r, &record, &offset, &end)) {
		struct buf b CLEANUP(buf_free) = { 0 };
		if (vms_take_header(record, &newest) == 0)
			h = newest;
		vms_dump(&b, ++n, offset, record, h.revision);
		if (files_write(STDOUT_FILENO, buf_str(&b)) < 0)
			return -EIO;
	}
	fflush(stdout);
	if (end != VMS_END_WHOLE)
		log_error("%s: %s", path, vms_end_text(end));
	if (n)
		monitor_compare_count(path, &h, n);
	return end == VMS_END_WHOLE ? 0 : -EBADMSG;
}

static int monitor_dump_file(const struct played_file *file)
{
	struct input *in;
	struct vms_records records;
	int r = input_take_file(file->fd, &in);
	if (r < 0) {
		struct buf why CLEANUP(buf_free) = { 0 };
		input_explain(&why, file->path, r);
		log_error("%s: " STR_FMT, file->path, STR_ARG(buf_str(&why)));
		return r;
	}
	struct byte_source src = input_bytes(in);
	vms_records_init(&records, &src);
	r = monitor_dump_records(file->path, &records);
	vms_records_free(&records);
	input_free(in);
	return r;
}

static int monitor_dump_all(const struct monitor_request *q)
{
	int status = CLI_OK;
	for (size_t i = 0; i < q->n_inputs; i++)
		if (monitor_dump_file(&q->input[i]) < 0)
			status = CLI_FAILED;
	return status;
}

static bool monitor_open_inputs(struct monitor_request *q)
{
	bool all = true;
	for (size_t i = 0; i < q->n_inputs; i++) {
		q->input[i].fd = input_open_file(q->input[i].path);
		all = all && q->input[i].fd >= 0;
	}
	return all;
}

/*
 * Return true if the summary file must be opened now: once the program has dropped root, it may no
 * longer be able to replace the file.
 */
static bool monitor_rewrites_summary(const struct monitor_request *q)
{
	return geteuid() == 0 && cli_is_file(q->summary);
}

/* Open all files, then drop privileges before any file is read. */
static int monitor_open_files(struct monitor *m)
{
	struct monitor_request *q = &m->request;
	m->record_file = m->summary_file = -1;
	if (monitor_open_inputs(q) && q->record &&
	    (m->record_file = cli_open_output(q->record)) < 0)
		return -1;
	if (monitor_rewrites_summary(q) && (m->summary_file = cli_open_output(q->summary)) < 0)
		return -1;
	const char *const outputs[] = { cli_is_file(q->summary) ? q->summary : NULL, NULL };
	if (q->n_inputs)
		foreign_confine(outputs, 0, 0, &log_listener);
	else	/* MAY_SIGNAL: the process must kill workers that hang */
		foreign_confine(outputs, this_node_needs(q->classes), MAY_COUNT | MAY_SIGNAL,
				&log_listener);
	return 0;
}

int main(int argc, char **argv)
{
	static struct monitor m;
	log_open("nodometer monitor", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	request_take(&m.request, argc, argv);
	if (monitor_open_files(&m) < 0)
		return CLI_FAILED;
	if (m.request.dump)
		return monitor_dump_all(&m.request);
	screen_signals();
	m.record.fd = -1;
	m.display.request = &m.request;
	monitor_run_all(&m);
	display_close(&m.display);
	if (m.record.fd >= 0 && record_close(&m.record) < 0)
		m.failed = true;
	monitor_sum_up(&m);
	m.empty |= m.request.n_inputs && m.offered.taken == 0;
	if (m.empty && m.n_opened == m.n_runs)
		offered_explain(&m.offered, &m.request);
	m.failed |= m.empty;
	offered_free(&m.offered);
	for (size_t i = 0; i < m.n_runs; i++) {
		monitor_report_missed(&m.run[i]);
		run_close(&m.run[i]);
	}
	free(m.run);
	close_fd(&m.record_file);
	close_fd(&m.summary_file);
	return m.failed ? CLI_FAILED : CLI_OK;
}
