/* SPDX-License-Identifier: BSD-3-Clause */
/* world.c - give turns to the simulated processes, and advance their clock */
#include "tests/simulate/world.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND     INT64_C(1000000000)
/* interval at which the driver checks that the running process is alive */
#define LOOK_NS    200000000
/*
 * number of checks without a new turn after which the running process is reported as never waiting
 */
#define LOOKS_MOST 300

struct world *sim;
const size_t sim_size = sizeof(struct world);	/* for simulate.py */
int sim_self = -1, sim_effect = 1, sim_signalled = 1;
void (*sim_fire)(void);
int64_t (*sim_next_timer)(void);

uint64_t sim_random(void)
{
	uint64_t x = sim->random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return sim->random = x;
}

/* Add n bytes to the hash of the history: FNV-1a. */
void sim_mix(const void *p, uint64_t n)
{
	const unsigned char *c = p;
	uint64_t h = sim->hash;
	for (uint64_t i = 0; i < n; i++)
		h = (h ^ c[i]) * 0x100000001b3;
	sim->hash = h;
}

void *sim_real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

const char *sim_take(const char *variable, char *to, size_t size)
{
	const char *value = getenv(variable);
	if (value)
		snprintf(to, size, "%s", value);
	return value;
}

int64_t sim_wall_ns(void)
{
	return sim->mono_ns + sim->offset_ns;
}

int64_t sim_in_ns(const struct timespec *t)
{
	return t->tv_sec * SECOND + t->tv_nsec;
}

struct timespec sim_of_ns(int64_t ns)
{
	return (struct timespec){ ns / SECOND, ns % SECOND };
}

int64_t sim_after_ns(int64_t ns)
{
	return ns > NEVER - sim->mono_ns ? NEVER : sim->mono_ns + ns;
}

int sim_new_slot(int parent)
{
	for (int i = 1; i < SLOTS; i++) {
		struct slot *s = &sim->slot[i];
		if (s->state != SLOT_FREE)
			continue;
		*s = (struct slot){ .parent = parent, .number = 1000 + sim->numbers++ % 30000,
				    .state = SLOT_WAITS, .deadline_ns = NEVER,
				    .checked = UINT64_MAX };
		return i;
	}
	fprintf(stderr, "no slot is free\n");
	abort();
}

int sim_slot_of(int pid)
{
	for (int i = 1; i < SLOTS; i++) {
		const struct slot *s = &sim->slot[i];
		if (s->pid == pid && s->state != SLOT_FREE && s->state != SLOT_DONE)
			return i;
	}
	return -1;
}

static int is_candidate(const struct slot *s)
{
	return s->state == SLOT_WAITS && (s->deadline_ns <= sim->mono_ns ||
					  (!s->sleeps && s->checked != sim->generation));
}

/*
 * Choose at random the slot that continues. The driver's slot 0 comes first if a process is ending.
 * Returns -1 if no process has anything to do.
 */
static int choose_ready(void)
{
	int found[SLOTS], n = 0;
	for (int i = 0; i < SLOTS; i++) {
		if (sim->slot[i].state == SLOT_ENDS)
			return 0;
		if (is_candidate(&sim->slot[i]))
			found[n++] = i;
	}
	return n == 0 ? -1 : n == 1 ? found[0] : found[sim_random() % (uint64_t)n];
}

static int choose(void)
{
	int next = choose_ready();
	if (next >= 0)
		return next;
	int64_t first = NEVER;
	for (int i = 0; i < SLOTS; i++)
		if (sim->slot[i].state == SLOT_WAITS && sim->slot[i].deadline_ns < first)
			first = sim->slot[i].deadline_ns;
	sim->mono_ns = first;
	return choose_ready();
}

static void give(int to)
{
	struct slot *s = &sim->slot[to];
	int64_t what[] = { s->number, sim->mono_ns };
	sim_mix(what, sizeof(what));
	sim->turns++;
	sim->running = to;
	__atomic_store_n(&s->go, 1, __ATOMIC_SEQ_CST);
	if (to != sim_self)
		syscall(SYS_futex, &s->go, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int is_dead(int pid)
{
	char path[32], text[512];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof(text) - 1);
	if (fd >= 0)
		syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	const char *end = strrchr(text, ')');
	return n <= 0 || !end || end[2] == 'Z' || end[2] == 'X';
}

/*
 * Give the turn to the driver if the running process has crashed. Abort with an error if the
 * running process never waits.
 */
static void look_after(void)
{
	static uint64_t turns;
	static int looks;
	struct slot *s = &sim->slot[sim->running];
	looks = turns == sim->turns ? looks + 1 : 0;
	turns = sim->turns;
	if (sim->running > 0 && s->pid && is_dead(s->pid)) {
		s->state = SLOT_ENDS;
		__atomic_store_n(&sim->slot[0].go, 1, __ATOMIC_SEQ_CST);
	}
	if (looks > LOOKS_MOST) {
		fprintf(stderr, "process %d (slot %d) does not wait at %lld ns\n", s->pid,
			sim->running, (long long)sim->mono_ns);
		abort();
	}
}

void sim_await(void)
{
	struct timespec limit = { 0, LOOK_NS };
	uint32_t *go = &sim->slot[sim_self].go;
	while (!__atomic_exchange_n(go, 0, __ATOMIC_SEQ_CST)) {
		long r = syscall(SYS_futex, go, FUTEX_WAIT, 0, sim_self ? NULL : &limit, NULL, 0);
		if (r < 0 && sim_self == 0)
			look_after();
	}
	sim->slot[sim_self].state = SLOT_RUNS;
}

static int is_ignored(int number)
{
	struct sigaction act;
	sigaction(number, NULL, &act);
	return act.sa_handler == SIG_IGN ||
	       (act.sa_handler == SIG_DFL &&
		(number == SIGCHLD || number == SIGCONT || number == SIGURG || number == SIGWINCH));
}

/*
 * Check if a signal is pending that `mask`, or else the process's own mask, does not block. Pending
 * signals are read only if a signal may have come: after a turn of other processes, or from a
 * timer.
 */
static int has_signal(const sigset_t *mask)
{
	static sigset_t pending;
	sigset_t own;
	if (sim_signalled)
		sigpending(&pending);
	sim_signalled = 0;
	if (sigisemptyset(&pending))
		return 0;
	sim_signalled = 1;
	sigprocmask(SIG_SETMASK, NULL, &own);
	for (int i = 1; i < 32; i++)
		if (sigismember(&pending, i) && !sigismember(mask ? mask : &own, i) &&
		    !is_ignored(i))
			return 1;
	return 0;
}

/*
 * Check once whether the wait is over. Returns 1 if so, with the result in *r, or 0 if other
 * processes must have their turn.
 */
static int look_once(int64_t until_ns, looker *look, void *arg, const sigset_t *mask, long *r)
{
	struct slot *s = &sim->slot[sim_self];
	if (sim_fire)
		sim_fire();
	s->checked = sim->generation;
	s->sleeps = !look;
	*r = SIGNALLED;
	if (sim_self && has_signal(mask))
		return 1;
	*r = look ? look(arg) : 0;
	if (*r || sim->mono_ns >= until_ns)
		return 1;
	int64_t timer = sim_next_timer ? sim_next_timer() : NEVER;
	s->deadline_ns = timer < until_ns ? timer : until_ns;
	return 0;
}

static void bury_asked(void);

/*
 * Let other processes have their turn. Block all signals meanwhile, so that no handler runs; *own
 * is the earlier mask.
 */
static void wait_turn(sigset_t *own, int *masked)
{
	sigset_t all;
	sim->slot[sim_self].state = SLOT_WAITS;
	int next = choose();
	if (next != sim_self && !*masked) {
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, own);
		*masked = 1;
	}
	sim_signalled |= next != sim_self;
	give(next);
	sim_await();
	if (sim_self == 0)
		bury_asked();
}

long sim_block(int64_t until_ns, looker *look, void *arg, const sigset_t *mask)
{
	sigset_t own;
	int masked = 0;
	long r;
	if (sim_effect)
		sim->generation++;
	sim_effect = 0;
	while (!look_once(until_ns, look, arg, mask ? mask : masked ? &own : NULL, &r))
		wait_turn(&own, &masked);
	sim->slot[sim_self].wakeups++;
	if (mask && r == SIGNALLED) {
		if (!masked)
			sigprocmask(SIG_SETMASK, NULL, &own);
		masked = 1;
		sigprocmask(SIG_SETMASK, mask, NULL);
	}
	if (masked)
		sigprocmask(SIG_SETMASK, &own, NULL);
	return r;
}

/* Give the turn to the driver, which waits for the process to end. */
void sim_end(void)
{
	if (sim_self <= 0 || sim->slot[sim_self].state == SLOT_ENDS)
		return;
	sim->slot[sim_self].state = SLOT_ENDS;
	give(0);
}

/*
 * Record a call whose effect other processes may see. At random, let them run before it, as on a
 * busy machine.
 */
void sim_call(char what, const void *p, size_t n)
{
	if (sim_self <= 0)
		return;
	sim_mix(&what, 1);
	sim_mix(p, n);
	if (sim->pause_1_in && sim_random() % sim->pause_1_in == 0) {
		uint64_t scale = UINT64_C(1) << sim_random() % 24;
		sim_block(sim_after_ns(1000 + (int64_t)(sim_random() % (10 * scale))), NULL, NULL,
			  NULL);
	}
	sim_effect = 1;
}

/* Let the process of a slot check whether a signal has come. */
void sim_wake(int slot)
{
	sim->slot[slot].sleeps = 0;
	sim->slot[slot].checked = UINT64_MAX;
}

/* Kill a process, and return when it has ended. A process that waits for the disk ends later. */
int sim_die(int slot)
{
	struct slot *s = &sim->slot[slot];
	if (s->in_disk) {
		s->killed = 1;
		return 0;
	}
	if (syscall(SYS_kill, s->pid, SIGKILL) < 0)
		return -1;
	sim_effect = 1;
	sim->reap = slot;
	sim->asker = sim_self;
	if (sim_self == 0) {
		bury_asked();
		return 0;
	}
	give(0);
	sim_await();
	return 0;
}

/* Get or add the entry of a file. Bytes that existed before the first write count as synced. */
struct file *sim_file(uint64_t inode, int64_t size)
{
	for (uint64_t i = inode % FILES, n = 0; n < FILES; i = (i + 1) % FILES, n++) {
		struct file *f = &sim->file[i];
		if (f->inode && f->inode != inode)
			continue;
		if (!f->inode)
			*f = (struct file){ inode, size, sim->mono_ns };
		if (f->synced > size || sim->mono_ns - f->written_ns > BACK_NS)
			f->synced = size;
		return f;
	}
	abort();
}

/* Functions of the driver */

static void bury(int slot)
{
	struct slot *s = &sim->slot[slot];
	int fd = (int)syscall(SYS_pidfd_open, s->pid, 0);
	if (fd >= 0)
		poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, -1);
	close(fd);
	while (!is_dead(s->pid))
		usleep(50);
	if (s->parent > 0)
		sim_wake(s->parent);
	s->state = waitpid(s->pid, &s->status, WNOHANG) == s->pid ? SLOT_DONE : SLOT_FREE;
	for (int i = 1; i < SLOTS; i++) {
		struct slot *child = &sim->slot[i];
		if (child->state == SLOT_FREE || child->state == SLOT_DONE || child->parent != slot)
			continue;
		child->parent = 0;
		sim_wake(i);
		if (child->dies_with_parent == SIGKILL)
			bury(i);
	}
	sim->generation++;
}

static void bury_asked(void)
{
	for (int i = 1; i < SLOTS; i++)
		if (sim->slot[i].state == SLOT_ENDS)
			bury(i);
	if (sim->reap <= 0)
		return;
	int asker = sim->asker;
	bury(sim->reap);
	sim->reap = sim->asker = 0;
	if (asker == 0)
		return;
	sim->slot[0].state = SLOT_WAITS;
	give(asker);
	sim_await();
	bury_asked();
}

struct world *sim_create(const char *path, uint64_t seed)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*sim)) < 0)
		return NULL;
	void *p = mmap(NULL, sizeof(*sim), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return NULL;
	if (sim)
		munmap(sim, sizeof(*sim));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sim = p;
	sim_self = 0;
	sim->random = seed * 0x9e3779b97f4a7c15 + 0x1234567;
	sim->hash = 0xcbf29ce484222325;
	sim->mono_ns = 1;
	sim->room = -1;
	sim->slot[0] = (struct slot){ .pid = getpid(), .state = SLOT_RUNS, .deadline_ns = NEVER };
	return sim;
}

struct watched {
	struct pollfd *p;
	int n;
};

/* Look for work of the driver. Returns 1 if a descriptor is ready, 2 if a child has ended, or 0. */
static long look_at(void *arg)
{
	struct watched *w = arg;
	for (int i = 1; i < SLOTS; i++)
		if (sim->slot[i].state == SLOT_DONE)
			return 2;
	return w->n && poll(w->p, (nfds_t)w->n, 0) > 0;
}

/* Wait until look_at() returns a value other than 0, and return it. Returns 0 at the deadline. */
int sim_wait(int64_t until_ns, struct pollfd *p, int n)
{
	struct watched w = { p, n };
	sim_effect = 1;
	return (int)sim_block(until_ns, look_at, &w, NULL);
}
