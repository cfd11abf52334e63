/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_calls.c - record file operations by the system calls of a process, a job or a command */
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
#include "collectors/job_groups.h"
#include "filetrace/calls/call_read.h"
#include "filetrace/calls/kernel_calls.h"
#include "filetrace/mount/caller.h"
#include "filetrace/mount/program.h"
#include "filetrace/recorder.h"

#define READ_RING_MS  10		/* time between two reads of the ring */
/*
 * number of records between two updates of the loss counts, as one read of the ring may take long
 */
#define UPDATE_LOSSES_RECORDS 4096
#define NOT_RUN  126		/* exit status of sh(1) for a command that cannot be executed */
#define NOT_FOUND 127

struct tracing {
	const struct calls_request *q;
	struct kernel_calls *kernel;
	struct call_reader reader;
	struct trace_recorder to;
	struct buf line;
	uint64_t n, bad;	/* number of records from the kernel; number of malformed records */
	/* process id of the command; 0: there is no command, or it has ended */
	pid_t child;
	int go;			/* write end of a pipe: the command starts when it reads a byte */
	int status;		/* status of the command, from waitpid(2) */
};

static volatile sig_atomic_t last_signal;	/* the last signal received, or 0 */

static void calls_on_signal(int number)
{
	last_signal = number;
}

/*
 * Catch the signals that end the trace. A signal that was ignored from the start, as by nohup(1),
 * stays ignored.
 */
static void calls_catch_signals(void)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction before, action = { .sa_handler = calls_on_signal };
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
}

static _Noreturn void calls_run_command(char **command, int go)
{
	char byte;
	if (read(go, &byte, 1) != 1)
		_exit(CLI_FAILED);
	execvp(command[0], command);
	int error = errno;
	log_error("%s: %s", command[0], strerror(error));
	_exit(error == ENOENT ? NOT_FOUND : NOT_RUN);
}

/*
 * Fork the command's process, which waits before execve(2). This must come before this process
 * changes anything that the command would inherit. Returns 0 or -errno.
 */
static int calls_start_command(struct tracing *t)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	t->child = fork();
	if (t->child == 0) {
		close(ends[1]);
		calls_run_command(t->q->command, ends[0]);
	}
	close(ends[0]);
	t->go = ends[1];
	return t->child < 0 ? -errno : 0;
}

static uint64_t calls_count_lost(const struct tracing *t)
{
	return kernel_calls_lost(t->kernel) + t->bad;
}

static void calls_update_losses(struct tracing *t)
{
	trace_recorder_missed(&t->to, calls_count_lost(t), kernel_calls_32bit(t->kernel));
}

static void calls_write_record(void *arg, struct str record)
{
	struct tracing *t = arg;
	struct event e;
	if (++t->n % UPDATE_LOSSES_RECORDS == 0)
		calls_update_losses(t);
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

static bool calls_has_pid(const struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->pid[i] == pid)
			return true;
	return false;
}

/*
 * Start to follow a process. Returns 1 on success, -ESRCH if the process has exited, or another
 * -errno.
 */
static int calls_follow(struct tracing *t, struct pids *all, pid_t pid)
{
	int r = kernel_calls_follow(t->kernel, pid);
	if (r < 0)
		return r;
	all->pid = vec_reserve(all->pid, &all->cap, all->n + 1, sizeof(*all->pid));
	all->pid[all->n++] = pid;
	return 1;
}

static bool calls_is_wanted(const struct tracing *t, const struct pids *all, pid_t pid)
{
	if (t->q->job)
		return caller_in_job(pid, str_of(t->q->job));
	return calls_has_pid(all, caller_parent(pid));
}

/* Follow running processes in one pass over /proc. Returns the number of processes added. */
static size_t calls_follow_once(struct tracing *t, struct pids *all)
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
		if (!calls_has_pid(all, (pid_t)pid) && calls_is_wanted(t, all, (pid_t)pid))
			(void)!calls_follow(t, all, (pid_t)pid);
	}
	closedir(proc);
	return all->n - before;
}

/*
 * Repeat the passes until none finds a new process, so that children of followed processes are
 * followed, too.
 */
static int calls_follow_running(struct tracing *t)
{
	struct pids all = { 0 };
	int r = t->q->pid ? calls_follow(t, &all, t->q->pid) : 1;
	while (r > 0 && calls_follow_once(t, &all))
		;
	if (r > 0 && all.n == 0)
		r = -ESRCH;
	free(all.pid);
	return r < 0 ? r : 0;
}

static uint64_t calls_job_number(const char *job)
{
	struct job_groups *g;
	if (!job || job_groups_open(&g, job) < 0)
		return 0;
	uint64_t number = job_groups_number(g);
	job_groups_free(g);
	return number;
}

static int calls_report_failure(const char *what, const char *why)
{
	log_error("%s: %s", what, why);
	return CLI_FAILED;
}

static int calls_load(struct tracing *t)
{
	const struct calls_wanted wanted = {
		.recorded = t->q->recorded, .slow = t->q->slow, .running = !t->q->command,
		.job = calls_job_number(t->q->job), .take = calls_write_record, .arg = t,
	};
	const char *why;
	int r = kernel_calls_load(&t->kernel, &wanted, &why);
	return r < 0 ? calls_report_failure("system calls cannot be traced",
					    *why ? why : strerror(-r)) : 0;
}

/* Drop privileges: from here on this process reads texts that other users wrote. */
static void calls_drop_privileges(void)
{
	/* paths needed to look up names of users and groups */
	static const struct confine_path paths[] = {
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

static int calls_start(struct tracing *t)
{
	int r = t->q->command ? calls_start_command(t) : 0;
	if (r < 0)
		return calls_report_failure(t->q->command[0], strerror(-r));
	calls_catch_signals();
	r = kernel_calls_attach(t->kernel);
	if (r < 0)
		return calls_report_failure("system calls cannot be traced", strerror(-r));
	r = t->child ? kernel_calls_follow(t->kernel, t->child) : calls_follow_running(t);
	if (r < 0)
		return calls_report_failure(t->q->job ? "no process of this job can be traced" :
					    "the process cannot be traced", strerror(-r));
	calls_drop_privileges();
	r = trace_recorder_start(&t->to, t->q->fd, &t->q->form, t->q->failed);
	return r < 0 ? calls_report_failure("thread", strerror(-r)) : 0;
}

/* Return true if the trace must end. While a command runs, Ctrl-C is left to the command. */
static bool calls_is_finished(struct tracing *t)
{
	if (t->child && waitpid(t->child, &t->status, WNOHANG) == t->child)
		t->child = 0;
	if (t->child && (last_signal == SIGINT || last_signal == SIGQUIT))
		last_signal = 0;
	return last_signal || !kernel_calls_live(t->kernel);
}

static void calls_read_ring(struct tracing *t, int ms)
{
	kernel_calls_read(t->kernel, ms);
	calls_update_losses(t);
}

static void calls_run(struct tracing *t)
{
	if (t->child && write(t->go, "", 1) < 0)
		log_warning("cannot start the command: %s", strerror(errno));
	if (t->child)
		close(t->go);
	else
		log_notice("tracing; end with Ctrl-C");
	while (!calls_is_finished(t))
		calls_read_ring(t, READ_RING_MS);
	kernel_calls_detach(t->kernel);
	calls_read_ring(t, 0);
	if (t->child && !last_signal)
		waitpid(t->child, &t->status, 0);
}

static int calls_report_end(const struct tracing *t, uint64_t unwritten)
{
	uint64_t lost = calls_count_lost(t), other = kernel_calls_32bit(t->kernel);
	log_notice("%llu records", (unsigned long long)t->to.lines);
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
	if (calls_load(&t) != 0)
		return CLI_FAILED;
	int status = calls_start(&t);
	if (status == 0) {
		calls_run(&t);
		status = calls_report_end(&t, trace_recorder_end(&t.to));
	}
	kernel_calls_free(t.kernel);
	call_reader_free(&t.reader);
	buf_free(&t.line);
	return status;
}
