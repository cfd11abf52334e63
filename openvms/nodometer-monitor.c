/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-monitor.c - nodometer monitor: classes of OpenVMS MONITOR, of this node or of files */
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
#include "base/system/privileges.h"
#include "formats/vms/dump.h"
#include "formats/vms/vms_time.h"
#include "monitor/display.h"
#include "monitor/merged.h"
#include "monitor/played.h"
#include "monitor/record.h"
#include "monitor/summary.h"
#include "monitor/this_node.h"

struct monitor {
	struct request request;
	struct run *run;		/* of each input */
	size_t n_runs;
	struct recording record;
	int record_file, summary_file;	/* open from the start, or -1 */
	struct display display;
	int64_t end;			/* of the moments, microseconds */
	int64_t tick;			/* live: when the next is due, monotonic milliseconds */
	int64_t due[VMS_NODES_MAX];	/* played back: stamps before it are passed over */
	uint64_t seen[VMS_NODES_MAX];	/* moments, of which each every-th is taken */
	uint64_t every;
	bool stopped, failed;
};

/* "12 is a multiple": the recorded interval divides the one that is asked for. */
static int check_interval(struct monitor *m, const struct moments *from)
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

/* Raw files do not say their interval: there it is the time that decides. */
static bool is_due(struct monitor *m, const struct moments *from)
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

static bool is_wanted(struct monitor *m, const struct moments *from)
{
	int64_t usec = vms_time_usec(from->moment.stamp);
	if (!from->moment.has || usec < m->request.begin)
		return false;
	if (m->request.node &&
	    !str_eq(moments_host(from, from->moment.index), str_of(m->request.node)))
		return false;
	if (m->request.end_after && m->end == INT64_MAX)
		m->end = usec + m->request.end;
	m->stopped |= usec > m->end;
	return !m->stopped && is_due(m, from);
}

/* Moments that passed while this one was late are missed; the next is due in step with them. */
static int64_t wait_ms(struct monitor *m, struct moments *from)
{
	if (from->name)
		return m->display.terminal ? m->request.viewing * 1000 : 0;
	int64_t now = monotonic_ns() / 1000000, interval = m->request.interval * 1000;
	m->tick += interval;
	int64_t missed = m->tick < now ? (now - m->tick) / interval : 0;
	moments_node(from, 0)->missed += (uint32_t)missed;
	m->tick += missed * interval;
	int64_t ms = m->tick < now ? 0 : m->tick - now, left = (m->end - realtime_us()) / 1000 + 1;
	return left > ms ? ms : left > 0 ? left : 0;
}

static void take_moment(struct monitor *m, struct run *run)
{
	struct moments *from = &run->from;
	if (!is_wanted(m, from))
		return;
	struct stats *stats = run_stats(run, from->moment.index);
	stats_take(stats, &from->moment);
	if (m->request.record && record_moment(&m->record, from) < 0)
		m->failed = m->stopped = true;
	struct shown newest = { .view = &m->request.view, .stats = stats,
				.moment = &from->moment, .from = from,
				.index = from->moment.index };
	if (!m->stopped && !display_show(&m->display, &newest, wait_ms(m, from)))
		m->stopped = true;
	m->stopped |= !from->name && realtime_us() >= m->end;
}

/* Counts begin again where the node was booted. */
static void take_node(struct run *run)
{
	uint8_t i = run->from.index;
	int64_t boot = run->from.node[i] ? run->from.node[i]->boot : 0;
	if (run->of[i] && (!boot || boot != run->boot[i]))
		stats_restart(run->of[i]);
	run->boot[i] = boot;
	free(run->host[i]);
	run->host[i] = run->of[i] ? xstrdup(moments_host(&run->from, i)) : NULL;
}

static void play(struct monitor *m, struct run *run)
{
	while (!m->stopped) {
		switch (run->from.next(&run->from)) {
		case STEP_NODE:
			take_node(run);
			break;
		case STEP_GONE:
			if (m->request.record && record_gone(&m->record, run->from.index) < 0)
				m->failed = m->stopped = true;
			break;
		case STEP_MOMENT:
			take_moment(m, run);
			break;
		case STEP_END:
			m->failed |= run->from.failed;
			return;
		}
		m->stopped |= screen_interrupted();
	}
}

/* A begin that lies ahead is waited for. */
static void wait_for_begin(struct monitor *m)
{
	int64_t left;
	while (!m->stopped && (left = m->request.begin - realtime_us()) > 0) {
		int64_t ms = left / 1000 + 1;
		m->stopped = screen_wait(ms < 1000 ? ms : 1000) == SCREEN_QUIT;
	}
}

static void say_absent(uint32_t asked, uint32_t has)
{
	for (size_t i = 0; i < VMS_CLASSES; i++)
		if (asked >> i & 1 && !(has >> i & 1))
			log_notice("class %s: this node has no source for it", vms_classes[i].name);
}

static int open_live(struct monitor *m, struct run *run)
{
	uint32_t has = m->request.classes;
	int r = this_node_open(&run->from, &has);
	if (r < 0)
		return r;
	say_absent(m->request.classes, has);
	if (!has)
		return -ENODATA;
	wait_for_begin(m);
	m->tick = monotonic_ns() / 1000000;
	return 0;
}

/* Several are one, where they are recorded. */
static bool is_merge(const struct request *q)
{
	return q->record && q->n_inputs > 1;
}

static int open_played(struct monitor *m, struct run *run, const struct played_file *file)
{
	uint32_t has = m->request.classes;
	int r = is_merge(&m->request) ?
		merged_open(&run->from, file, m->request.n_inputs, has) :
		played_open(&run->from, file, &has);
	memset(m->due, 0, sizeof(m->due));
	memset(m->seen, 0, sizeof(m->seen));
	return r < 0 ? r : check_interval(m, &run->from);
}

/* The interval of a recording is what was asked for, or what it was made of. */
static int open_record(struct monitor *m, const struct moments *from)
{
	const struct request *q = &m->request;
	struct recording *r = &m->record;
	if (!q->record)
		return 0;
	*r = (struct recording){ .path = q->record, .fd = m->record_file,
				 .customer = q->customer, .flush = q->flush };
	m->record_file = -1;
	r->header.interval = (uint32_t)(q->interval ? q->interval : from->interval);
	str_copy(r->header.comment, sizeof(r->header.comment),
		 str_of(q->comment ? q->comment : from->comment));
	return record_open(r);
}

static void run_all(struct monitor *m)
{
	const struct request *q = &m->request;
	size_t n = q->n_inputs && !is_merge(q) ? q->n_inputs : 1;
	m->run = xrealloc(NULL, n * sizeof(*m->run));
	memset(m->run, 0, n * sizeof(*m->run));
	for (size_t i = 0; i < n && !screen_interrupted(); i++) {
		struct run *run = &m->run[m->n_runs++];
		m->stopped = false;
		m->end = q->end_after ? INT64_MAX : q->end;
		int r = q->n_inputs ? open_played(m, run, &q->input[i]) : open_live(m, run);
		if (r < 0 || open_record(m, &run->from) < 0) {
			m->failed = true;
			continue;
		}
		if (i == 0)
			display_open(&m->display);
		play(m, run);
	}
}

static void say_missed(const struct run *run)
{
	const struct vms_node *n = run->from.node[0];
	if (run->from.name || !n || !n->missed || !run->of[0])
		return;
	log_warning("%u of %u moments were missed, since this node was too busy for this interval",
		    n->missed, run->of[0]->moments + n->missed);
}

static int rewrite(int fd, struct str text)
{
	int e = files_write(fd, text);
	return e == 0 && ftruncate(fd, (off_t)text.n) < 0 && errno != EINVAL ? -errno : e;
}

static int write_summary(const struct monitor *m, struct str text)
{
	const char *path = m->request.summary;
	int e = strcmp(path, "-") == 0 ? files_write(STDOUT_FILENO, text) :
		m->summary_file >= 0 ? rewrite(m->summary_file, text) :
		files_publish(path, text);
	if (e < 0 && e != -EPIPE)
		log_error("%s: %s", path, strerror(-e));
	return e;
}

static void sum_up(struct monitor *m)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct request *q = &m->request;
	if (!q->summary || m->n_runs == 0)
		return;
	if (q->n_inputs > 1)
		summary_put_many(&b, m->run, m->n_runs, &q->view, q->by_node);
	else
		summary_put_one(&b, m->run, &q->view);
	if (b.n == 0) {
		log_error("there is nothing to sum up: no moment in this time");
		m->failed = true;
	} else if (write_summary(m, buf_str(&b)) < 0) {
		m->failed = true;
	}
}

/* The file header may say how many records there are; nothing trusts it. */
static void compare(const char *path, const struct vms_header *h, uint64_t n)
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

static int dump_records(const char *path, struct vms_records *r)
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
		compare(path, &h, n);
	return end == VMS_END_WHOLE ? 0 : -EBADMSG;
}

static int dump_file(const struct played_file *file)
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
	r = dump_records(file->path, &records);
	vms_records_free(&records);
	input_free(in);
	return r;
}

static int dump_all(const struct request *q)
{
	int status = CLI_OK;
	for (size_t i = 0; i < q->n_inputs; i++)
		if (dump_file(&q->input[i]) < 0)
			status = CLI_FAILED;
	return status;
}

static bool open_inputs(struct request *q)
{
	bool all = true;
	for (size_t i = 0; i < q->n_inputs; i++) {
		q->input[i].fd = input_open_file(q->input[i].path);
		all = all && q->input[i].fd >= 0;
	}
	return all;
}

/* A file that is there keeps what it has until there is something else for it. */
static int open_output(const char *path, int *fd)
{
	*fd = open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0644);
	if (*fd < 0)
		log_error("%s: %s", path, strerror(errno));
	return *fd < 0 ? -1 : 0;
}

/* Another user than root could not replace the summary in its folder. */
static bool is_fixed(const struct request *q)
{
	return geteuid() == 0 && q->summary && strcmp(q->summary, "-") != 0;
}

/* Files that root alone may open are open before root becomes another user, who reads them. */
static int open_files(struct monitor *m)
{
	struct request *q = &m->request;
	m->record_file = m->summary_file = -1;
	if (open_inputs(q) && q->record && open_output(q->record, &m->record_file) < 0)
		return -1;
	if (is_fixed(q) && open_output(q->summary, &m->summary_file) < 0)
		return -1;
	int r = privileges_leave_root("", q->n_inputs ? 0 : this_node_needs(q->classes));
	if (r < 0)
		log_warning("going on as root: %s", strerror(-r));
	return 0;
}

int main(int argc, char **argv)
{
	static struct monitor m;
	log_open("nodometer monitor", LOG_LEVEL_INFO);
	signal(SIGPIPE, SIG_IGN);
	request_take(&m.request, argc, argv);
	if (open_files(&m) < 0)
		return CLI_FAILED;
	if (m.request.dump)
		return dump_all(&m.request);
	screen_signals();
	m.record.fd = -1;
	m.display.request = &m.request;
	run_all(&m);
	display_close(&m.display);
	if (m.record.fd >= 0 && record_close(&m.record) < 0)
		m.failed = true;
	sum_up(&m);
	for (size_t i = 0; i < m.n_runs; i++) {
		say_missed(&m.run[i]);
		run_close(&m.run[i]);
	}
	free(m.run);
	close_fd(&m.record_file);
	close_fd(&m.summary_file);
	return m.failed ? CLI_FAILED : CLI_OK;
}
