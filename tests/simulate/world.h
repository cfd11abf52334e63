/* SPDX-License-Identifier: BSD-3-Clause */
/* world.h - a simulated clock and one simulated processor for all processes of a node */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * The processes take turns. A process that would wait gives its turn to another process, which is
 * chosen at random, from the seed, among the processes that may have something to do. When no
 * process has anything to do, the clock jumps to the next deadline. All state is in memory that
 * every process maps. Slot 0 belongs to the driver, which makes sure that an ending process has
 * ended before another one continues.
 */
enum { SLOTS = 128, FILES = 4096 };
enum slot_state { SLOT_FREE, SLOT_WAITS, SLOT_RUNS, SLOT_ENDS, SLOT_DONE };

struct world {
	uint64_t random, hash;
	uint64_t generation;		/* count of events that a process may wait for */
	int64_t mono_ns;		/* time since the start of the history */
	/* time of the node's boot on the clock mono_ns; wall clock minus mono_ns */
	int64_t boot_ns, offset_ns;
	uint32_t clock_sets, numbers;	/* counts of wall clock changes; of started processes */
	int32_t running, reap, asker;
	uint32_t pause_1_in;		/* on average, one in this many calls pauses; 0: none */
	int64_t room;			/* bytes of free space on the disk; -1: unlimited */
	int64_t hangs_until_ns;
	uint32_t sync_fails;		/* number of syncs that will fail */
	uint64_t turns;
	struct slot {
		int32_t pid, parent;	/* parent: slot of the parent */
		uint32_t number;	/* number of the process, as getpid() returns it */
		uint32_t go, state;
		uint64_t checked;	/* .generation when the process last found nothing to do */
		int64_t deadline_ns;
		int32_t dies_with_parent, in_disk, killed;
		int32_t sleeps;		/* only time and signals wake the process */
		int32_t status;		/* exit status by wait(2), for a child of the driver */
		int64_t cpu_ns;
		uint64_t wakeups;
	} slot[SLOTS];
	struct file {
		uint64_t inode;
		int64_t synced;		/* bytes that a power failure leaves */
		/* time of the last write; a write older than BACK_NS is synced */
		int64_t written_ns;
	} file[FILES];
};

/*
 * age in ns at which Linux has synced a write: vm.dirty_expire_centisecs and one round of writeback
 */
#define BACK_NS INT64_C(35000000000)

typedef long looker(void *arg);		/* returns 0 as long as the wait must go on */

#define NEVER     INT64_MAX
#define SIGNALLED INT32_MIN

extern struct world *sim;
extern int sim_self;			/* slot of this process; -1: not simulated */
extern int sim_effect; /* set if this process has changed something that others may wait for */
extern int sim_signalled;		/* set if a signal may have come */
extern void (*sim_fire)(void);		/* called to make timers of this process due */
extern int64_t (*sim_next_timer)(void);

/* Return the function of the C library with this name. */
void *sim_real(const char *name);

/* Copy a variable of the environment. Returns NULL if it does not exist. */
const char *sim_take(const char *variable, char *to, size_t size);

int64_t sim_wall_ns(void);
int64_t sim_after_ns(int64_t ns);
int64_t sim_in_ns(const struct timespec *t);
struct timespec sim_of_ns(int64_t ns);
uint64_t sim_random(void);
void sim_mix(const void *p, uint64_t n);

/*
 * Wait until look() returns a value other than 0, and return it. Returns SIGNALLED if a signal
 * arrives first, or 0 at the deadline.
 */
long sim_block(int64_t until_ns, looker *look, void *arg, const sigset_t *mask);

/* Tell the simulation of a call that others may notice, with its name and data. */
void sim_call(char what, const void *p, size_t n);

int sim_new_slot(int parent);
void sim_await(void);
void sim_end(void);
int sim_slot_of(int pid);
int sim_die(int slot);
void sim_wake(int slot);
struct file *sim_file(uint64_t inode, int64_t size);
