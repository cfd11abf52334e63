/* SPDX-License-Identifier: BSD-3-Clause */
/* caller.c - the process that asks for an operation: its names, and to act with its rights */
#include "tracers/files/mount/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/map.h"
#include "base/system/privileges.h"

#define GROUPS_MAX 65536	/* NGROUPS_MAX of Linux */
#define TEXT_MAX   (1 << 20)	/* of files of /proc, and of entries of passwd and group */

static void read_proc(pid_t pid, const char *name, struct buf *text)
{
	char path[64];
	ssize_t n = 1;
	text->n = 0;
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && n > 0 && text->n < TEXT_MAX) {
		buf_reserve(text, 4096);
		n = read(fd, text->p + text->n, 4096);
		if (n > 0)
			text->n += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
}

/* The rest of the line that starts with a key of /proc/PID/status (proc_pid_status(5)); or "". */
static struct str status_value(const struct buf *status, struct str key)
{
	struct str text = buf_str(status), line;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, key))
			return line;
	return STR("");
}

/* The number behind a key of /proc/PID/status, or what stands for none. */
static pid_t number_of(pid_t pid, struct str key, pid_t none)
{
	struct buf status CLEANUP(buf_free) = { 0 };
	uint64_t number;
	read_proc(pid, "status", &status);
	struct str value = str_trim(status_value(&status, key));
	return str_take_u64(&value, &number) ? (pid_t)number : none;
}

pid_t caller_parent(pid_t process)
{
	return number_of(process, STR("PPid:"), 0);
}

/*
 * A thread that is in the group of its own number is a process: tgkill(2) finds no other, and costs
 * a hundredth of reading what a thread belongs to.
 */
pid_t caller_process(pid_t thread)
{
	if (thread == 0)
		return 0;
	if (syscall(SYS_tgkill, thread, thread, 0) == 0 || errno == EPERM)
		return thread;
	return number_of(thread, STR("Tgid:"), thread);
}

/* exe and environ of another user are for who may trace the process: CAP_SYS_PTRACE (proc(5)). */
void caller_executable(pid_t process, struct buf *path)
{
	char link[64];
	path->n = 0;
	if (process == 0)
		return;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)process);
	buf_reserve(path, PATH_MAX);
	uint64_t own = privileges_raise(PRIVILEGE_PTRACE);
	ssize_t n = readlink(link, path->p, PATH_MAX);
	privileges_lower(own);
	if (n > 0 && path->p[0] == '/') {
		path->n = (size_t)n;
		return;
	}
	read_proc(process, "cmdline", path);
	const char *end = memchr(path->p, '\0', path->n);
	if (end)
		path->n = (size_t)(end - path->p);
}

/* Slurm, PBS and Torque, Grid Engine, LSF, Flux. */
static const char *const job_variables[] = {
	"SLURM_JOB_ID=", "PBS_JOBID=", "JOB_ID=", "LSB_JOBID=", "FLUX_JOB_ID=",
};

bool caller_in_job(pid_t process, struct str job)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str entry;
	uint64_t own = privileges_raise(PRIVILEGE_PTRACE);
	read_proc(process, "environ", &text);
	privileges_lower(own);
	struct str rest = buf_str(&text);
	while (str_take_until(&rest, '\0', &entry))
		for (size_t i = 0; i < ARRAY_SIZE(job_variables); i++)
			if (str_take_prefix(&entry, str_of(job_variables[i])) && str_eq(entry, job))
				return true;
	return false;
}

struct known {
	pthread_mutex_t lock;
	struct map of;
};

static struct known users = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct known groups = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char *user_name(uint32_t uid, char *text, size_t size)
{
	struct passwd entry, *found = NULL;
	getpwuid_r(uid, &entry, text, size, &found);
	return found ? found->pw_name : NULL;
}

static char *group_name(uint32_t gid, char *text, size_t size)
{
	struct group entry, *found = NULL;
	getgrgid_r(gid, &entry, text, size, &found);
	return found ? found->gr_name : NULL;
}

struct known_name {
	uint32_t id;
	char *name;
};

static struct known_name *find(const struct known *k, uint32_t id)
{
	uint64_t hash = map_hash((struct str){ (const char *)&id, sizeof(id) });
	for (struct map_slot *at = NULL; (at = map_next(&k->of, hash, at));) {
		struct known_name *known = at->value.p;
		if (known->id == id)
			return known;
	}
	return NULL;
}

/* Two threads that ask for one name at once both look it up: one of them keeps it. */
static struct str name_of(struct known *k, uint32_t id,
			  char *(*look_up)(uint32_t id, char *text, size_t size))
{
	pthread_mutex_lock(&k->lock);
	struct known_name *known = find(k, id);
	pthread_mutex_unlock(&k->lock);
	if (known)
		return str_of(known->name);

	char *text = xrealloc(NULL, TEXT_MAX);
	const char *name = look_up(id, text, TEXT_MAX);
	pthread_mutex_lock(&k->lock);
	known = find(k, id);
	if (!known) {
		known = xrealloc(NULL, sizeof(*known));
		*known = (struct known_name){ id, xstrdup(str_of(name ? name : "")) };
		map_add(&k->of, map_hash((struct str){ (const char *)&id, sizeof(id) }),
			(union map_value){ .p = known });
	}
	pthread_mutex_unlock(&k->lock);
	free(text);
	return str_of(known->name);
}

struct str caller_user(uint32_t uid)
{
	return name_of(&users, uid, user_name);
}

struct str caller_group(uint32_t gid)
{
	return name_of(&groups, gid, group_name);
}

/* Not glibc's, which is for all threads of the process: credentials are a thread's own in Linux. */
static int set_groups(size_t n, const gid_t *list)
{
	return syscall(SYS_setgroups, n, list) < 0 ? -errno : 0;
}

/* "Groups:\t4 24 1000 \n"; a process that is gone has none, and nobody waits for the answer. */
static int take_groups(pid_t thread)
{
	struct buf status CLEANUP(buf_free) = { 0 };
	gid_t *list = NULL;
	size_t n = 0, cap = 0;
	uint64_t gid;

	read_proc(thread, "status", &status);
	struct str value = status_value(&status, STR("Groups:"));
	value = str_trim(value);
	while (n < GROUPS_MAX && str_take_u64(&value, &gid)) {
		list = vec_reserve(list, &cap, n + 1, sizeof(*list));
		list[n++] = (gid_t)gid;
	}
	int r = set_groups(n, list);
	free(list);
	return r;
}

/* The umask is shared by threads until one says that it wants its own. */
static void set_umask(mode_t mask)
{
	static __thread bool own;
	if (!own)
		unshare(CLONE_FS);
	own = true;
	umask(mask);
}

static bool is_other(const struct caller *c)
{
	return geteuid() == 0 && (c->uid != 0 || c->gid != 0);
}

void caller_leave(const struct caller *c)
{
	if (!is_other(c))
		return;
	setfsuid(0);
	setfsgid(0);
	set_groups(0, NULL);
}

int caller_enter(const struct caller *c, mode_t umask_of)
{
	set_umask(umask_of);
	if (!is_other(c))
		return 0;
	int r = take_groups(c->thread);
	if (r < 0)
		return r;
	setfsgid(c->gid);
	setfsuid(c->uid);
	/* setfsuid(2) reports no failure: called with -1 it returns the id in force. */
	if ((uint32_t)setfsuid((uid_t)-1) == c->uid && (uint32_t)setfsgid((gid_t)-1) == c->gid)
		return 0;
	caller_leave(c);
	return -EPERM;
}

void caller_enter_user(const struct caller *c)
{
	if (is_other(c))
		setfsuid(c->uid);
}

void caller_leave_user(const struct caller *c)
{
	if (is_other(c))
		setfsuid(0);
}
