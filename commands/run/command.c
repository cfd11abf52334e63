/* SPDX-License-Identifier: BSD-3-Clause */
/* command.c - run a command and wait for it */
#include "run/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/system/child.h"

/* ms after which a signal to several processes has reached all processes */
#define BROADCAST_MS  20
#define KILL_ROUNDS   100
#define KILL_PAUSE_MS 5

/* Signals that are not forwarded: the kernel sends them for actions of the process itself. */
static const int own[] = {
	SIGCHLD, SIGCONT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGTTIN, SIGTTOU,
};

struct supervisor {
	const struct command *c;
	struct command_end *end;
	pid_t pid;		/* pid of the command */
	pid_t idle_peer;
	sigset_t before, caught;
	struct sigaction child_before;
	bool ended;
};

/*
 * Start an idle process in this process group. If a signal is also pending for the idle process, it
 * was sent to the whole group, and the command has received it already.
 */
static pid_t start_idle_peer(void)
{
	sigset_t all;
	/* named from the start, so that no sample takes it for a process of the run */
	pid_t pid = child_fork_named(JOB_TREE_HELPER, SIGKILL);
	if (pid != 0)
		return pid;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (int fd = 0; fd < 64; fd++)
		close(fd);
	for (;;)
		pause();
}

static void end_idle_peer(struct supervisor *f)
{
	if (f->idle_peer <= 0)
		return;
	kill(f->idle_peer, SIGKILL);
	while (waitpid(f->idle_peer, NULL, 0) < 0 && errno == EINTR)
		;
	f->idle_peer = 0;
}

/* Return whether a signal is pending for the idle process (ShdPnd of /proc/PID/status, proc(5)). */
static bool signal_came_to_all(const struct supervisor *f, int number)
{
	char path[64];
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text, line;
	uint64_t pending;
	if (f->idle_peer <= 0)
		return false;
	poll(NULL, 0, BROADCAST_MS);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)f->idle_peer);
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || files_read_fd(fd, FILE_RECORDS, &b, &text) < 0)
		return false;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, STR("ShdPnd:\t")))
			return str_take_hex(&line, &pending) && pending >> (number - 1) & 1;
	return false;
}

/* Forward a signal to the command, unless it was sent to the whole process group. */
static void command_forward_signal(struct supervisor *f, const struct signalfd_siginfo *i)
{
	int number = (int)i->ssi_signo;
	const union sigval value = { .sival_ptr = (void *)(uintptr_t)i->ssi_ptr };
	if (i->ssi_code == SI_KERNEL || f->ended)
		return;
	if (signal_came_to_all(f, number)) {
		end_idle_peer(f);
		f->idle_peer = start_idle_peer();
		return;
	}
	if (i->ssi_code == SI_QUEUE)
		sigqueue(f->pid, number, value);
	else
		kill(f->pid, number);
}

/* Stop this process like the command, so that the shell sees its job as stopped. */
static void command_stop_too(struct supervisor *f, int number)
{
	int fd CLEANUP(close_fd) = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (fd < 0 || number == SIGSTOP || tcgetpgrp(fd) != getpgrp())
		return;
	raise(SIGSTOP);
	kill(f->pid, SIGCONT);
}

/*
 * Read how long the command waited for a CPU. Call this before waitpid(2), after which the kernel
 * no longer knows the time.
 */
static void command_read_wait(struct supervisor *f)
{
	char path[64];
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	uint64_t slices;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)f->pid);
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && files_read_fd(fd, FILE_RECORDS, &b, &text) == 0 &&
	    job_wait_take(text, &f->end->command.wait, &slices))
		f->end->command.pid = f->pid;
}

/* Find a child that has ended, but do not reap it. Returns its pid, or 0 if there is none. */
static pid_t command_peek(void)
{
	siginfo_t i = { .si_pid = 0 };
	int r = waitid(P_ALL, 0, &i, WEXITED | WSTOPPED | WNOHANG | WNOWAIT);
	return r == 0 ? i.si_pid : 0;
}

static void command_reap(struct supervisor *f)
{
	int status;
	pid_t pid;
	while (!f->ended && (pid = command_peek()) > 0) {
		if (pid == f->pid)
			command_read_wait(f);
		if (waitpid(pid, &status, WNOHANG | WUNTRACED) <= 0)
			continue;
		if (pid == f->idle_peer && !WIFSTOPPED(status))
			f->idle_peer = 0;
		if (pid != f->pid)
			continue;
		if (WIFSTOPPED(status)) {
			command_stop_too(f, WSTOPSIG(status));
			continue;
		}
		f->end->status = status;
		f->ended = true;
	}
}

static void choose_signals(struct supervisor *f)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	sigfillset(&f->caught);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		sigdelset(&f->caught, own[i]);
	sigaddset(&f->caught, SIGCHLD);
	sigprocmask(SIG_BLOCK, &f->caught, &f->before);
	/* restore the default, because the kernel keeps no exit status if SIGCHLD is ignored */
	sigaction(SIGCHLD, &usual, &f->child_before);
	/* do not forward SIGPIPE: this process's own writes cause it */
	sigdelset(&f->caught, SIGPIPE);
}

static _Noreturn void command_become(const struct supervisor *f, int answer)
{
	sigaction(SIGCHLD, &f->child_before, NULL);
	sigprocmask(SIG_SETMASK, &f->before, NULL);
	execvp(f->c->argv[0], f->c->argv);
	int e = -errno;
	(void)!write(answer, &e, sizeof(e));
	_exit(127);
}

static int command_start(struct supervisor *f)
{
	int answer[2], e = 0;
	if (pipe2(answer, O_CLOEXEC) < 0)
		return -errno;
	f->pid = child_fork(SIGKILL);
	if (f->pid == 0)
		command_become(f, answer[1]);
	if (f->pid < 0)
		e = -errno;
	close(answer[1]);
	if (f->pid > 0 && read(answer[0], &e, sizeof(e)) != sizeof(e))
		e = 0;
	close(answer[0]);
	return e;
}

static void wait_for_end(struct supervisor *f, int signals)
{
	struct pollfd p[] = { { .fd = signals, .events = POLLIN }, { .fd = f->c->sampler } };
	struct signalfd_siginfo i;

	command_reap(f);
	while (!f->ended) {
		if (poll(p, ARRAY_SIZE(p), -1) < 0 && errno != EINTR)
			break;
		while (read(signals, &i, sizeof(i)) == sizeof(i))
			if (i.ssi_signo != SIGCHLD)
				command_forward_signal(f, &i);
		command_reap(f);
		if (p[1].revents && !f->ended)
			p[1].fd = f->c->lost(f->c->arg);
	}
}

static size_t list_children(pid_t *to, size_t max)
{
	char path[64], name[32];
	struct buf b CLEANUP(buf_free) = { 0 };
	struct files root = { .rootfd = AT_FDCWD };
	struct str text;
	uint64_t pid;
	size_t n = 0;
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || files_read_fd(fd, FILE_RECORDS, &b, &text) < 0)
		return 0;
	while (n < max && str_take_u64(&text, &pid)) {
		snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
		struct str line = files_line(&root, path, name, sizeof(name));
		if (line.n && !str_eq(line, STR(JOB_TREE_HELPER)))
			to[n++] = (pid_t)pid;
	}
	return n;
}

static void reap_left(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/*
 * Kill the remaining children, repeatedly, because children of a killed process become children of
 * this process.
 */
static void command_kill_left(void)
{
	pid_t left[256];
	for (int i = 0; i < KILL_ROUNDS; i++) {
		size_t n = list_children(left, ARRAY_SIZE(left));
		if (n == 0)
			return;
		for (size_t k = 0; k < n; k++)
			kill(left[k], SIGKILL);
		poll(NULL, 0, KILL_PAUSE_MS);
		reap_left();
	}
}

static void note_io(struct job_tree_used *u)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	struct str text;
	int fd CLEANUP(close_fd) = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && files_read_fd(fd, FILE_RECORDS, &b, &text) == 0)
		job_tree_take_io(u, text);
}

static void note_used(struct job_tree_used *u)
{
	struct rusage all;
	getrusage(RUSAGE_CHILDREN, &all);
	u->value[TREE_USER] = timeval_us(all.ru_utime);
	u->value[TREE_SYSTEM] = timeval_us(all.ru_stime);
	u->value[TREE_PGFAULT] = (uint64_t)all.ru_minflt;
	u->value[TREE_PGMAJFAULT] = (uint64_t)all.ru_majflt;
	u->value[TREE_MEM_PEAK] = (uint64_t)all.ru_maxrss * 1024;
	note_io(u);
}

void command_run(const struct command *c, struct command_end *ret)
{
	struct supervisor f = { .c = c, .end = ret };
	pid_t left[256];

	*ret = (struct command_end){ 0 };
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	choose_signals(&f);
	int signals = signalfd(-1, &f.caught, SFD_CLOEXEC | SFD_NONBLOCK);
	f.idle_peer = start_idle_peer();
	ret->error = signals < 0 ? -errno : command_start(&f);
	if (ret->error == 0)
		wait_for_end(&f, signals);
	if (ret->error == 0 && WIFSIGNALED(ret->status) && WTERMSIG(ret->status) == SIGKILL)
		command_kill_left();
	reap_left();
	note_used(&ret->used);	/* before the idle process ends, so that it does not count */
	end_idle_peer(&f);
	ret->left = list_children(left, ARRAY_SIZE(left));
	close_fd(&signals);
}

int command_status(const struct command_end *e)
{
	if (e->error)
		return (e->error == -ENOENT || e->error == -ENOTDIR ? 127 : 126) << 8;
	return e->status;
}

void command_end_like(const struct command_end *e)
{
	const struct rlimit none = { 0, 0 };
	int status = command_status(e);
	sigset_t only;
	if (!WIFSIGNALED(status))
		exit(WEXITSTATUS(status));
	/* the command has dumped core already: do not dump another core */
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(status), SIG_DFL);
	sigemptyset(&only);
	sigaddset(&only, WTERMSIG(status));
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(WTERMSIG(status));
	exit(128 + WTERMSIG(status));
}
