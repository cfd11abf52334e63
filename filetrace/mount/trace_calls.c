/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_calls.c - records operations on files by the system calls of a process, a job, a command */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/privileges.h"
#include "tracers/files/calls/call_read.h"
#include "tracers/files/calls/kernel_calls.h"
#include "tracers/files/mount/caller.h"
#include "tracers/files/mount/program.h"
#include "tracers/files/recorder.h"
#include "tracers/tcp/job_groups.h"

#define LOOK_MS  10		/* between two looks at the records */
#define NOTE_EACH 4096		/* records: a look at many of them takes long */
#define NOT_RUN  126		/* as of sh(1) */
#define NOT_FOUND 127

struct tracing {
	const struct calls_request *q;
	struct kernel_calls *kernel;
	struct call_reader reader;
	struct trace_recorder to;
	struct buf line;
	uint64_t n, bad;	/* records of the kernel */
	pid_t child;		/* the command, 0: none, or it has ended */
	int go;			/* a pipe: the command waits for a byte */
	int status;		/* of waitpid(2) */
};

static volatile sig_atomic_t asked;	/* the signal that came last */

static void on_signal(int number)
{
	asked = number;
}

/* A signal that was ignored from the start, as by nohup(1), stays so. */
static void catch_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction before, action = { .sa_handler = on_signal };
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
}

static _Noreturn void run_command(char **command, int go)
{
	char byte;
	if (read(go, &byte, 1) != 1)
		_exit(CLI_FAILED);
	execvp(command[0], command);
	int error = errno;
	log_error("%s: %s", command[0], strerror(error));
	_exit(error == ENOENT ? NOT_FOUND : NOT_RUN);
}

/* Before anything of this process changes that a command would inherit. 0 or -errno. */
static int start_command(struct tracing *t)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	t->child = fork();
	if (t->child == 0) {
		close(ends[1]);
		run_command(t->q->command, ends[0]);
	}
	close(ends[0]);
	t->go = ends[1];
	return t->child < 0 ? -errno : 0;
}

static uint64_t lost_calls(const struct tracing *t)
{
	return kernel_calls_lost(t->kernel) + t->bad;
}

static void note_losses(struct tracing *t)
{
	trace_recorder_missed(&t->to, lost_calls(t), kernel_calls_other(t->kernel));
}

static void take_record(void *arg, struct str record)
{
	struct tracing *t = arg;
	struct event e;
	if (++t->n % NOTE_EACH == 0)
		note_losses(t);
	int r = call_read(&t->reader, record, &e);
	if (r == -EBADMSG)
		t->bad++;
	if (r < 0 || !(t->q->recorded & OPERATION(e.op)))
		return;
	e.user = caller_user(e.uid);
	e.group = caller_group(e.gid);
	t->line.n = 0;
	t->q->form.put(&t->line, &e, t->q->form.with_result);
	trace_recorder_put(&t->to, buf_str(&t->line));
}

struct pids {
	pid_t *pid;
	size_t n, cap;
};

static bool has(const struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->pid[i] == pid)
			return true;
	return false;
}

/* 1, or why not: a process that has gone is none of the job's any more. */
static int follow(struct tracing *t, struct pids *all, pid_t pid)
{
	int r = kernel_calls_follow(t->kernel, pid);
	if (r < 0)
		return r;
	all->pid = vec_reserve(all->pid, &all->cap, all->n + 1, sizeof(*all->pid));
	all->pid[all->n++] = pid;
	return 1;
}

static bool is_wanted(const struct tracing *t, const struct pids *all, pid_t pid)
{
	if (t->q->job)
		return caller_in_job(pid, str_of(t->q->job));
	return has(all, caller_parent(pid));
}

/* Processes that began before, in one look at all of them. The number that are new. */
static size_t look(struct tracing *t, struct pids *all)
{
	size_t before = all->n;
	DIR *proc = opendir("/proc");
	uint64_t pid;
	if (!proc)
		return 0;
	for (const struct dirent *d; (d = readdir(proc)); ) {
		struct str name = str_of(d->d_name);
		if (!str_is_u64(name) || !str_take_u64(&name, &pid) || (pid_t)pid == getpid())
			continue;
		if (!has(all, (pid_t)pid) && is_wanted(t, all, (pid_t)pid))
			(void)!follow(t, all, (pid_t)pid);
	}
	closedir(proc);
	return all->n - before;
}

/* Looks until nothing is new: children of a process that is followed are followed, too. */
static int follow_running(struct tracing *t)
{
	struct pids all = { 0 };
	int r = t->q->pid ? follow(t, &all, t->q->pid) : 1;
	while (r > 0 && look(t, &all))
		;
	if (r > 0 && all.n == 0)
		r = -ESRCH;
	free(all.pid);
	return r < 0 ? r : 0;
}

static uint64_t job_number(const char *job)
{
	struct job_groups *g;
	if (!job || job_groups_open(&g, job) < 0)
		return 0;
	uint64_t number = job_groups_number(g);
	job_groups_free(g);
	return number;
}

static int refuse(const char *what, const char *why)
{
	log_error("%s: %s", what, why);
	return CLI_FAILED;
}

static int load(struct tracing *t)
{
	const struct calls_wanted wanted = {
		.recorded = t->q->recorded, .slow = t->q->slow, .running = !t->q->command,
		.job = job_number(t->q->job), .take = take_record, .arg = t,
	};
	const char *why;
	int r = kernel_calls_load(&t->kernel, &wanted, &why);
	return r < 0 ? refuse("system calls cannot be traced", *why ? why : strerror(-r)) : 0;
}

/* From here on this process reads texts that others made. */
static void leave_privileges(void)
{
	static const struct confine_path paths[] = {	/* of names of users and groups */
		{ "/etc", CONFINE_READ }, { "/var/lib/sss", CONFINE_READ },
		{ "/run", CONFINE_READ },
	};
	struct identity who = privileges_nobody();
	struct confined c;
	int r = privileges_become(&who, 0);
	if (r < 0)
		log_warning("cannot become another user: %s", strerror(-r));
	confine(paths, ARRAY_SIZE(paths), 0, &c);
	if (*c.why)
		log_debug("not confined: %s", c.why);
}

static int begin(struct tracing *t)
{
	int r = t->q->command ? start_command(t) : 0;
	if (r < 0)
		return refuse(t->q->command[0], strerror(-r));
	catch_signals();
	r = kernel_calls_attach(t->kernel);
	if (r < 0)
		return refuse("system calls cannot be traced", strerror(-r));
	r = t->child ? kernel_calls_follow(t->kernel, t->child) : follow_running(t);
	if (r < 0)
		return refuse(t->q->job ? "no process of this job can be traced" :
			      "the process cannot be traced", strerror(-r));
	leave_privileges();
	r = trace_recorder_start(&t->to, t->q->fd, &t->q->form, t->q->failed);
	return r < 0 ? refuse("thread", strerror(-r)) : 0;
}

/* Ctrl-C is for the command while it runs: whether and when it ends is its own affair. */
static bool ends(struct tracing *t)
{
	if (t->child && waitpid(t->child, &t->status, WNOHANG) == t->child)
		t->child = 0;
	if (t->child && (asked == SIGINT || asked == SIGQUIT))
		asked = 0;
	return asked || !kernel_calls_live(t->kernel);
}

static void read_some(struct tracing *t, int ms)
{
	kernel_calls_read(t->kernel, ms);
	note_losses(t);
}

static void run(struct tracing *t)
{
	if (t->child && write(t->go, "", 1) < 0)
		log_warning("the command does not begin: %s", strerror(errno));
	if (t->child)
		close(t->go);
	else
		log_notice("tracing; end with Ctrl-C");
	while (!ends(t))
		read_some(t, LOOK_MS);
	kernel_calls_detach(t->kernel);
	read_some(t, 0);
	if (t->child && !asked)
		waitpid(t->child, &t->status, 0);
}

static int say_end(const struct tracing *t, uint64_t unwritten)
{
	uint64_t lost = lost_calls(t), other = kernel_calls_other(t->kernel);
	log_notice("%llu records", (unsigned long long)(t->to.lines - unwritten));
	if (lost)
		log_error("%llu calls were lost: they came faster than they could be written",
			  (unsigned long long)lost);
	if (other)
		log_warning("%llu calls of 32-bit programs were not recorded",
			    (unsigned long long)other);
	if (unwritten)
		log_error("%llu records were lost: %s", (unsigned long long)unwritten,
			  strerror(-t->to.error));
	int status = WIFSIGNALED(t->status) ? 128 + WTERMSIG(t->status) : WEXITSTATUS(t->status);
	return status == 0 && (lost || unwritten) ? CLI_FAILED : status;
}

int trace_calls(const struct calls_request *q)
{
	static struct tracing t;
	t.q = q;
	t.reader.epoch = clock_ns(CLOCK_REALTIME) - monotonic_ns();
	if (load(&t) != 0)
		return CLI_FAILED;
	int status = begin(&t);
	if (status == 0) {
		run(&t);
		status = say_end(&t, trace_recorder_end(&t.to));
	}
	kernel_calls_free(t.kernel);
	call_reader_free(&t.reader);
	buf_free(&t.line);
	return status;
}
