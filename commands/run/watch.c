/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.c - the sampler of a run on one node, from its first rank to its last */
#include "run/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/system/child.h"
#include "recorder/requests.h"
#include "recorder/recorder.h"

#define LOCK_MS    10000
#define LATE_NS    INT64_C(10000000000)	/* how long to wait for ranks that have not joined */
#define PAUSE_MS   20
#define SETTLE_MS  10000	/* how long a disk that does not answer may delay the end */

struct sampling {
	const struct watch *w;
	struct recorder recorder;
	struct config config;
	struct job_tree tree;
	struct source *job;	/* the sampler's source for type job */
	int fifo;
	/* number of ranks that joined, and of ranks whose command has ended */
	size_t joined, left;
	int status;		/* status of the first command that failed, else 0 */
	int64_t alone_ns;	/* monotonic time since which no process of the run exists, or 0 */
	int said;		/* last error that was reported; it is not reported again */
};

/*
 * Configure the sampler with defaults, below the folder of the run. Ignore the site's
 * configuration, which is for the site's agent.
 */
static void configure(struct sampling *s)
{
	struct config *c = &s->config;
	const struct watch *w = s->w;
	config_init(c);
	str_copy(c->dir, sizeof(c->dir), str_of(w->room->dir));
	str_copy(c->runtime_dir, sizeof(c->runtime_dir), str_of(w->room->node_dir));
	str_copy(c->hostname, sizeof(c->hostname), str_of(w->hostname));
	c->job_file[0] = '\0';
	c->interval_us = w->interval_us;
	c->retain.free_floor = 0;
	c->job_cgroups = c->bpf = false;
}

static struct source *job_source(struct sampler *of)
{
	size_t i = 0;
	while (of->type[i].c->type != &job_type)
		i++;
	return &of->type[i].source;
}

/*
 * Take the first sample. Like the last sample, it lists all processes, so that the report can name
 * other programs that used the CPUs. Other samples do not, because listing is expensive.
 */
static int watch_begin(struct sampling *s)
{
	struct buf job CLEANUP(buf_free) = { 0 };
	char error[768];

	configure(s);
	int e = recorder_open(&s->recorder, &s->config, s->w->listener, error, sizeof(error));
	if (e < 0) {
		say_error(s->w->listener, "%s", error);
		return e;
	}
	str_copy(s->tree.id, sizeof(s->tree.id), str_of(s->w->id));
	s->recorder.sampler.shared.tree = &s->tree;
	s->job = job_source(&s->recorder.sampler);
	recorder_set_lock_timeout(&s->recorder, LOCK_MS);
	buf_addf(&job, "%s%s%s", s->w->id, *s->w->attributes ? " " : "", s->w->attributes);
	sampler_use(&s->recorder.sampler, &process_type, true);
	e = recorder_serve(&s->recorder, LOCK_MS);
	if (e == 0)
		e = recorder_begin(&s->recorder, buf_str(&job));
	if (e == -EEXIST)
		e = 0;		/* the previous sampler was killed after it had begun the job */
	sampler_use(&s->recorder.sampler, &process_type, false);
	/* drop the job summary, because the report shows more */
	job_summary_forget(&s->recorder.summary, str_of(s->w->id));
	/*
	 * as if the job file were watched: do not read it again, because no other process writes it
	 */
	s->recorder.jobs_file.watched = true;
	const struct recorder_status is = recorder_status(&s->recorder);
	if (e == 0 && is.stopped)
		say_warning(s->w->listener, "%s: %s", s->w->room->dir, is.stopped);
	return e;
}

static void watch_take(struct sampling *s, const struct room_message *m)
{
	if (m->what == ROOM_JOINED) {
		job_tree_add(&s->tree, m->pid);
		s->joined++;
	} else {
		job_tree_end(&s->tree, m->pid, &m->used, &m->command);
		s->left++;
		s->status = s->status ? s->status : m->status;
	}
}

/* Read the messages of the processes of the run. Returns false if no process is left. */
static bool watch_take_all(struct sampling *s)
{
	struct room_message m;
	ssize_t n;
	while ((n = read(s->fifo, &m, sizeof(m))) == sizeof(m))
		watch_take(s, &m);
	return n < 0 && errno == EAGAIN;
}

/* Return whether the run is over: all ranks joined and left, or there was none for LATE_NS. */
static bool watch_is_over(struct sampling *s)
{
	if (watch_take_all(s)) {
		s->alone_ns = 0;
		return false;
	}
	if (!s->alone_ns)
		s->alone_ns = monotonic_ns();
	return s->joined >= (s->w->ranks ? s->w->ranks : 1) ||
	       monotonic_ns() - s->alone_ns > LATE_NS;
}

/* Return the next multiple of the interval on the wall clock, at which all nodes sample. */
static int64_t next_tick(const struct sampling *s, int64_t now)
{
	return now - now % s->w->interval_us + s->w->interval_us;
}

static void watch_sample(struct sampling *s, int64_t due)
{
	int64_t now = realtime_us();
	int64_t missed = (now - due) / s->w->interval_us;
	int e = recorder_tick(&s->recorder, missed || now - due > 10000 ? now : due,
			      (uint64_t)(missed > 0 ? missed : 0));
	if (e < 0 && e != s->said)
		say_error(s->w->listener, "%s: %s", s->w->room->dir, strerror(-e));
	s->said = e;
	job_tree_kill_lost(&s->tree, s->job, false);
}

static void wait_for_fronts(struct sampling *s, int64_t until_us)
{
	struct pollfd p = { .fd = s->alone_ns ? -1 : s->fifo, .events = POLLIN };
	int64_t left = until_us - realtime_us();
	if (s->alone_ns && left > PAUSE_MS * 1000)
		left = PAUSE_MS * 1000;
	if (left > 0)
		ppoll(&p, 1, &(struct timespec){ left / 1000000, left % 1000000 * 1000 }, NULL);
}

/*
 * Sample until the run is over. If the clock was set back, the next sample is at most one interval
 * away.
 */
static void watch_go_on(struct sampling *s)
{
	int64_t due = next_tick(s, realtime_us());
	while (!watch_is_over(s)) {
		int64_t now = realtime_us();
		if (due - now > s->w->interval_us)
			due = next_tick(s, now);
		if (now >= due) {
			watch_sample(s, due);
			due = next_tick(s, realtime_us());
		}
		wait_for_fronts(s, due);
	}
}

/*
 * Append how the commands ended, as in Slurm's accounting: exit=STATUS:SIGNAL and the state. Append
 * nothing if a rank's status is unknown because its process of nodometer run was killed, unless
 * another rank failed.
 */
static void watch_put_state(struct buf *b, const struct sampling *s)
{
	int signal = WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0;
	bool cancelled = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;

	if (s->status == 0 && s->left < s->joined)
		return;
	buf_addf(b, " exit=%d:%d state=%s", signal ? 0 : WEXITSTATUS(s->status), signal,
		 s->status == 0 ? "COMPLETED" : cancelled ? "CANCELLED" : "FAILED");
}

/*
 * Wait up to SETTLE_MS until the last record groups are written, because other users may keep the
 * disk busy.
 */
static void watch_settle(struct recorder *r)
{
	for (int ms = 0; recorder_settle(r) == -EINPROGRESS && ms < SETTLE_MS; ms += PAUSE_MS)
		usleep(PAUSE_MS * 1000);
}

static void watch_end(struct sampling *s)
{
	struct buf job CLEANUP(buf_free) = { 0 };

	buf_addf(&job, "%s", s->w->id);
	watch_put_state(&job, s);
	job_tree_kill_lost(&s->tree, s->job, true);
	sampler_use(&s->recorder.sampler, &process_type, true);
	int e = recorder_end(&s->recorder, buf_str(&job));
	watch_settle(&s->recorder);
	const struct recorder_status is = recorder_status(&s->recorder);
	if (e < 0 || is.waiting)
		say_error(s->w->listener, "%s: the end of the run is not recorded: %s",
			  s->w->room->dir, e < 0 ? strerror(-e) : is.stopped ? is.stopped : "?");
	recorder_close(&s->recorder);
	job_tree_free(&s->tree);
	room_leave(s->w->room);
}

/* Ignore signals that are meant for the command. */
static void watch_ignore_signals(void)
{
	sigset_t all;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, SIG_DFL);
	setsid();
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0)
		(void)!dup2(null, STDOUT_FILENO);
	(void)!chdir("/");
}

static _Noreturn void watch_run_sampler(const struct watch *w, int fifo, int answer)
{
	static struct sampling s;
	s.w = w;
	s.fifo = fifo;
	watch_ignore_signals();
	int e = watch_begin(&s);
	(void)!write(answer, &e, sizeof(e));
	close(answer);
	if (e == 0) {
		watch_go_on(&s);
		watch_end(&s);
	}
	_exit(e == 0 ? 0 : 1);
}

/*
 * Fork the sampler. The new process is named from the start, so that the sampler of an outer run
 * does not take it for a process of that run. Returns 0 if the sampler started, or -errno.
 */
static int watch_start_sampler(const struct watch *w, int fifo, const int answer[2])
{
	pid_t pid = child_fork_named(JOB_TREE_HELPER, 0);
	int e = pid < 0 ? -errno : -EIO;
	if (pid == 0) {
		close(answer[0]);
		watch_run_sampler(w, fifo, answer[1]);
	}
	close(answer[1]);
	if (pid > 0 && read(answer[0], &e, sizeof(e)) != sizeof(e))
		e = -EIO;
	close(answer[0]);
	return e;
}

int watch_start(const struct watch *w)
{
	int lock, fifo, answer[2], e;

	e = room_lock(w->room, &lock, &fifo);
	if (e < 0)
		return e;
	e = pipe2(answer, O_CLOEXEC) < 0 ? -errno : watch_start_sampler(w, fifo, answer);
	close(lock);
	close(fifo);
	return e;
}
