/* SPDX-License-Identifier: BSD-3-Clause */
/* shim.c - LD_PRELOAD for simulate.py: clocks, timers, waits, processes and the disk of world.h */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/simulate/world.h"

#define SECOND  INT64_C(1000000000)
#define TIMERS  16
#define STEP_NS 1000		/* simulated time that reading the clock takes */

struct timer {
	int fd, wall, cancel, canceled;
	uint32_t sets;		/* number of clock changes when the timer was armed */
	int64_t next_ns, each_ns;
};

static struct timer timers[TIMERS];
static int64_t alarm_ns;
static char receiver[108];

static int64_t after_ms(int ms)
{
	return ms < 0 ? NEVER : sim_after_ns(ms * INT64_C(1000000));
}

/* Timers */

static int64_t due_ns(const struct timer *t)
{
	if (t->cancel && t->sets != sim->clock_sets)
		return sim->mono_ns;
	return !t->next_ns ? NEVER : t->wall ? t->next_ns - sim->offset_ns : t->next_ns;
}

static int64_t next_timer(void)
{
	int64_t first = alarm_ns ? alarm_ns : NEVER;
	for (int i = 0; i < TIMERS; i++)
		if (timers[i].fd && due_ns(&timers[i]) < first)
			first = due_ns(&timers[i]);
	return first;
}

static void tell(const struct timer *t, uint64_t n)
{
	if (syscall(SYS_write, t->fd, &n, sizeof(n)) < 0)
		abort();
}

static void fire_one(struct timer *t)
{
	int64_t now = t->wall ? sim_wall_ns() : sim->mono_ns;
	if (t->cancel && t->sets != sim->clock_sets) {
		t->sets = sim->clock_sets;
		t->canceled = 1;
		tell(t, 1);
	}
	if (!t->next_ns || now < t->next_ns)
		return;
	int64_t n = 1 + (t->each_ns ? (now - t->next_ns) / t->each_ns : 0);
	t->next_ns = t->each_ns ? t->next_ns + n * t->each_ns : 0;
	tell(t, (uint64_t)n);
}

static void fire(void)
{
	for (int i = 0; i < TIMERS; i++)
		if (timers[i].fd)
			fire_one(&timers[i]);
	if (alarm_ns && sim->mono_ns >= alarm_ns) {
		alarm_ns = 0;
		sim_signalled = 1;
		syscall(SYS_kill, syscall(SYS_getpid), SIGALRM);
	}
}

static struct timer *timer_of(int fd)
{
	for (int i = 0; sim_self >= 0 && fd > 0 && i < TIMERS; i++)
		if (timers[i].fd == fd)
			return &timers[i];
	return NULL;
}

/* Find the slot of this process by its process id, or by the slot number in its environment. */
static int find_slot(void)
{
	int pid = (int)syscall(SYS_getpid), slot = sim_slot_of(pid);
	const char *given = getenv("SIM_SLOT");
	if (slot > 0)
		return slot;
	for (slot = 0; given && *given >= '0' && *given <= '9'; given++)
		slot = 10 * slot + *given - '0';
	const struct slot *s = &sim->slot[slot < SLOTS ? slot : 0];
	/* s->pid is 0 if the parent has not yet stored the id of this process */
	if (slot <= 0 || s->state != SLOT_WAITS || (s->pid && s->pid != pid))
		return -1;
	sim->slot[slot].pid = pid;
	return slot;
}

__attribute__((constructor)) static void begin(void)
{
	char path[256];
	int fd = sim_take("SIM_WORLD", path, sizeof(path)) ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	sim = mmap(NULL, sizeof(*sim), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	int slot = sim == MAP_FAILED ? -1 : find_slot();
	if (slot < 0)
		return;
	sim_self = slot;
	sim_fire = fire;
	sim_next_timer = next_timer;
	sim_take("SIM_RECEIVER", receiver, sizeof(receiver));
	if (sim->slot[slot].state == SLOT_WAITS)
		sim_await();
}

__attribute__((destructor)) static void end(void)
{
	sim_end();
}

/* Clocks */

static int64_t look_at_clock(clockid_t clock)
{
	if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
		return sim->slot[sim_self].cpu_ns += STEP_NS;
	sim->mono_ns += STEP_NS;
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? sim_wall_ns() :
	       sim->mono_ns - sim->boot_ns;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (sim_self < 0)
		return (int)syscall(SYS_clock_gettime, clock, t);
	*t = sim_of_ns(look_at_clock(clock));
	return 0;
}

time_t time(time_t *ret)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	if (ret)
		*ret = t.tv_sec;
	return t.tv_sec;
}

int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	struct timespec t;
	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	*ret = (struct timeval){ t.tv_sec, t.tv_nsec / 1000 };
	return 0;
}

int getrusage(__rusage_who_t who, struct rusage *ret)
{
	if (sim_self < 0)
		return (int)syscall(SYS_getrusage, who, ret);
	*ret = (struct rusage){ .ru_maxrss = 1000 };
	return 0;
}

ssize_t getrandom(void *p, size_t n, unsigned flags)
{
	if (sim_self < 0)
		return syscall(SYS_getrandom, p, n, flags);
	for (size_t i = 0; i < n; i++)
		((unsigned char *)p)[i] = (unsigned char)(sim_random() >> 32);
	return (ssize_t)n;
}

/* Sleep */

static int sleep_until(int64_t until_ns)
{
	if (sim_block(until_ns, NULL, NULL, NULL) != SIGNALLED)
		return 0;
	errno = EINTR;
	return -1;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
	if (sim_self < 0)
		return (int)syscall(SYS_nanosleep, t, left);
	return sleep_until(sim_after_ns(sim_in_ns(t)));
}

int usleep(useconds_t us)
{
	return nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

struct polled {
	struct pollfd *p;
	nfds_t n;
};

static long look_poll(void *arg)
{
	const struct polled *a = arg;
	const struct timespec none = { 0, 0 };
	return syscall(SYS_ppoll, a->p, a->n, &none, NULL, 0);
}

static int poll_until(struct pollfd *p, nfds_t n, int64_t until_ns, const sigset_t *mask)
{
	struct polled a = { p, n };
	long r = sim_block(until_ns, n ? look_poll : NULL, &a, mask);
	if (r != SIGNALLED)
		return (int)r;
	errno = EINTR;
	return -1;
}

int poll(struct pollfd *p, nfds_t n, int ms)
{
	if (sim_self < 0)
		return (int)syscall(SYS_poll, p, n, ms);
	return poll_until(p, n, after_ms(ms), NULL);
}

int ppoll(struct pollfd *p, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
	if (sim_self < 0)
		return (int)syscall(SYS_ppoll, p, n, t, mask, _NSIG / 8);
	return poll_until(p, n, t ? sim_after_ns(sim_in_ns(t)) : NEVER, mask);
}

struct epolled {
	int fd, n;
	struct epoll_event *events;
};

static long look_epoll(void *arg)
{
	const struct epolled *a = arg;
	return syscall(SYS_epoll_pwait, a->fd, a->events, a->n, 0, NULL, 0);
}

int epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
	if (sim_self < 0)
		return (int)syscall(SYS_epoll_pwait, fd, events, n, ms, NULL, 0);
	struct epolled a = { fd, n, events };
	long r = sim_block(after_ms(ms), look_epoll, &a, NULL);
	if (r != SIGNALLED)
		return (int)r;
	errno = EINTR;
	return -1;
}

/* Timers of descriptors and signals */

int timerfd_create(clockid_t clock, int flags)
{
	if (sim_self < 0)
		return (int)syscall(SYS_timerfd_create, clock, flags);
	int fd = eventfd(0, flags);	/* eventfd(2) and timerfd_create(2) have the same flags */
	for (int i = 0; fd > 0 && i < TIMERS; i++)
		if (!timers[i].fd) {
			timers[i] = (struct timer){ .fd = fd, .wall = clock == CLOCK_REALTIME };
			return fd;
		}
	abort();
}

int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old)
{
	struct timer *t = timer_of(fd);
	uint64_t n;
	if (!t)
		return (int)syscall(SYS_timerfd_settime, fd, flags, value, old);
	while (syscall(SYS_read, fd, &n, sizeof(n)) > 0)
		;
	t->next_ns = sim_in_ns(&value->it_value);
	if (t->next_ns && !(flags & TFD_TIMER_ABSTIME))
		t->next_ns += t->wall ? sim_wall_ns() : sim->mono_ns;
	else if (t->next_ns && !t->wall)
		t->next_ns += sim->boot_ns;
	t->each_ns = sim_in_ns(&value->it_interval);
	t->cancel = !!(flags & TFD_TIMER_CANCEL_ON_SET);
	t->canceled = 0;
	t->sets = sim->clock_sets;
	return 0;
}

int setitimer(__itimer_which_t which, const struct itimerval *value, struct itimerval *old)
{
	if (sim_self < 0 || which != ITIMER_REAL)
		return (int)syscall(SYS_setitimer, which, value, old);
	int64_t ns = value->it_value.tv_sec * SECOND + value->it_value.tv_usec * 1000;
	alarm_ns = ns ? sim_after_ns(ns) : 0;
	return 0;
}

unsigned alarm(unsigned seconds)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
	return 0;
}

/* Descriptors */

static int is_blocking(int fd)
{
	return !(syscall(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK);
}

/* Wait until the descriptor is ready, or its timeout has passed. Signal handlers run meanwhile. */
static int wait_for(int fd, short events)
{
	struct timeval t = { 0 };
	socklen_t size = sizeof(t);
	int64_t until = NEVER;
	getsockopt(fd, SOL_SOCKET, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &t, &size);
	if (t.tv_sec || t.tv_usec)
		until = sim_after_ns(t.tv_sec * SECOND + t.tv_usec * 1000);
	struct pollfd p = { .fd = fd, .events = events };
	struct polled a = { &p, 1 };
	long r;
	do
		r = sim_block(until, look_poll, &a, NULL);
	while (r == SIGNALLED);
	errno = EAGAIN;
	return r > 0 ? 0 : -1;
}

static ssize_t read_timer(struct timer *t, void *to, size_t n)
{
	sim_fire();
	ssize_t got = syscall(SYS_read, t->fd, to, n);
	if (got < 0 || !t->canceled)
		return got;
	t->canceled = 0;
	errno = ECANCELED;
	return -1;
}

ssize_t read(int fd, void *to, size_t n)
{
	struct timer *t = timer_of(fd);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct polled a = { &p, 1 };
	if (t)
		return read_timer(t, to, n);
	if (sim_self >= 0 && look_poll(&a) == 0 && is_blocking(fd) && wait_for(fd, POLLIN) < 0)
		return -1;
	sim_effect = 1;
	return syscall(SYS_read, fd, to, n);
}

static ssize_t receive(int fd, void *to, size_t n, int flags, struct sockaddr *from,
		       socklen_t *size)
{
	for (;;) {
		int quick = sim_self < 0 ? 0 : MSG_DONTWAIT;
		ssize_t got = syscall(SYS_recvfrom, fd, to, n, flags | quick, from, size);
		sim_effect = 1;
		if (got >= 0 || errno != EAGAIN || sim_self < 0 || flags & MSG_DONTWAIT ||
		    !is_blocking(fd) || wait_for(fd, POLLIN) < 0)
			return got;
	}
}

ssize_t recv(int fd, void *to, size_t n, int flags)
{
	return receive(fd, to, n, flags, NULL, NULL);
}

ssize_t recvfrom(int fd, void *restrict to, size_t n, int flags, struct sockaddr *restrict from,
		 socklen_t *restrict size)
{
	return receive(fd, to, n, flags, from, size);
}

ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
	sim_call('m', NULL, 0);
	for (;;) {
		int quick = sim_self < 0 ? 0 : MSG_DONTWAIT;
		ssize_t n = syscall(SYS_sendmsg, fd, m, flags | quick);
		if (n >= 0 || errno != EAGAIN || sim_self < 0 || flags & MSG_DONTWAIT ||
		    !is_blocking(fd) || wait_for(fd, POLLOUT) < 0)
			return n;
	}
}

ssize_t send(int fd, const void *p, size_t n, int flags)
{
	struct iovec part = { (void *)p, n };
	sim_call('s', p, n);
	return sendmsg(fd, &(struct msghdr){ .msg_iov = &part, .msg_iovlen = 1 }, flags);
}

/* Connect to the simulation's receiver by a Unix socket, so that no packet is in flight unseen. */
int connect(int fd, const struct sockaddr *to, socklen_t size)
{
	struct sockaddr_un there = { .sun_family = AF_UNIX };
	sim_call('c', NULL, 0);
	if (sim_self < 0 || to->sa_family != AF_INET)
		return (int)syscall(SYS_connect, fd, to, size);
	long flags = syscall(SYS_fcntl, fd, F_GETFL);
	int own = socket(AF_UNIX, SOCK_STREAM | (flags & O_NONBLOCK), 0);
	if (own < 0 || syscall(SYS_dup3, own, fd, O_CLOEXEC) < 0)
		return -1;
	syscall(SYS_close, own);
	memcpy(there.sun_path, receiver, sizeof(receiver));
	int r = (int)syscall(SYS_connect, fd, &there, sizeof(there));
	if (r < 0 && errno == ENOENT)
		errno = ECONNREFUSED;
	return r;
}

int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags)
{
	sim_effect = 1;
	return (int)syscall(SYS_accept4, fd, from, size, flags);
}

int close(int fd)
{
	struct timer *t = timer_of(fd);
	if (t)
		t->fd = 0;
	sim_call('x', NULL, 0);
	return (int)syscall(SYS_close, fd);
}

int flock(int fd, int how)
{
	sim_call('l', &how, sizeof(how));
	return (int)syscall(SYS_flock, fd, how);
}

/* Processes */

pid_t getpid(void)
{
	return sim_self < 0 ? (pid_t)syscall(SYS_getpid) : (pid_t)sim->slot[sim_self].number;
}

pid_t getppid(void)
{
	if (sim_self < 0)
		return (pid_t)syscall(SYS_getppid);
	int parent = sim->slot[sim_self].parent;
	return parent > 0 ? (pid_t)sim->slot[parent].number : 1;
}

static void be_child(int slot)
{
	sim_self = slot;
	sim->slot[slot].pid = (int)syscall(SYS_getpid);
	memset(timers, 0, sizeof(timers));
	alarm_ns = 0;
	sim_await();
	sim_effect = 1;
}

pid_t fork(void)
{
	static pid_t (*of_libc)(void);
	sigset_t all, own;
	of_libc = of_libc ? of_libc : (pid_t (*)(void))sim_real("fork");
	if (sim_self < 0)
		return of_libc();
	sim_call('f', NULL, 0);
	int slot = sim_new_slot(sim_self);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &own);
	pid_t pid = of_libc();
	if (pid == 0)
		be_child(slot);
	else
		sim->slot[slot].pid = pid;
	if (pid < 0)
		sim->slot[slot].state = SLOT_FREE;
	sigprocmask(SIG_SETMASK, &own, NULL);
	return pid;
}

int posix_spawn(pid_t *restrict pid, const char *restrict path,
		const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict attr,
		char *const argv[restrict], char *const env[restrict])
{
	static int (*of_libc)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			      const posix_spawnattr_t *, char *const[], char *const[]);
	char *next[256], given[32];
	size_t n = 0;
	*(void **)&of_libc = of_libc ? (void *)of_libc : sim_real("posix_spawn");
	if (sim_self < 0)
		return of_libc(pid, path, actions, attr, argv, env);
	sim_call('p', path, 0);
	int slot = sim_new_slot(sim_self);
	snprintf(given, sizeof(given), "SIM_SLOT=%d", slot);
	next[n++] = given;
	for (size_t i = 0; env[i] && n < 255; i++)
		if (strncmp(env[i], "SIM_SLOT=", 9) != 0)
			next[n++] = env[i];
	next[n] = NULL;
	int r = of_libc(pid, path, actions, attr, argv, next);
	if (r == 0)
		sim->slot[slot].pid = *pid;
	else
		sim->slot[slot].state = SLOT_FREE;
	return r;
}

void _exit(int status)
{
	sim_end();
	for (;;)
		syscall(SYS_exit_group, status);
}

struct waited {
	pid_t pid;
	int *status, options;
};

static long look_wait(void *arg)
{
	const struct waited *a = arg;
	long r = syscall(SYS_wait4, a->pid, a->status, a->options | WNOHANG, NULL);
	return r < 0 ? -errno : r;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	struct waited a = { pid, status, options };
	long r;
	if (sim_self < 0)
		return (pid_t)syscall(SYS_wait4, pid, status, options, NULL);
	if (options & WNOHANG && pid > 0 && sim_slot_of(pid) > 0)
		return 0;
	do
		r = options & WNOHANG ? look_wait(&a) : sim_block(NEVER, look_wait, &a, NULL);
	while (r == SIGNALLED);
	if (r >= 0)
		return (pid_t)r;
	errno = (int)-r;
	return -1;
}

int kill(pid_t pid, int number)
{
	int slot = sim_self < 0 ? -1 : sim_slot_of(pid);
	sim_call('!', &number, sizeof(number));
	if (slot > 0 && number == SIGKILL)
		return sim_die(slot);
	if (slot > 0)
		sim_wake(slot);
	return (int)syscall(SYS_kill, pid, number);
}

int prctl(int option, ...)
{
	va_list rest;
	va_start(rest, option);
	long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long),
	     d = va_arg(rest, long);
	va_end(rest);
	if (sim_self > 0 && option == PR_SET_PDEATHSIG)
		sim->slot[sim_self].dies_with_parent = (int)a;
	return (int)syscall(SYS_prctl, option, a, b, c, d);
}
