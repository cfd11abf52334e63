/* SPDX-License-Identifier: BSD-3-Clause */
/* caller.c - identify the process that makes a request, and act with its rights */
#include "filetrace/mount/caller.h"

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

#define GROUPS_MAX 65536	/* Linux: NGROUPS_MAX */
/* limit in bytes for files in /proc and for passwd and group entries */
#define TEXT_BYTES_MAX   (1 << 20)

static void caller_read_proc(pid_t pid, const char *name, struct buf *text)
{
	char path[64];
	ssize_t n = 1;
	text->n = 0;
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && n > 0 && text->n < TEXT_BYTES_MAX) {
		buf_reserve(text, 4096);
		n = read(fd, text->p + text->n, 4096);
		if (n > 0)
			text->n += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
}

/* Return the text after `key` on its line of /proc/PID/status (proc_pid_status(5)), or "". */
static struct str caller_status_value(const struct buf *status, struct str key)
{
	struct str text = buf_str(status), line;
	while (str_take_line(&text, &line))
		if (str_take_prefix(&line, key))
			return line;
	return STR("");
}

/* Return the number after key in /proc/PID/status, or `none` if the line is missing. */
static pid_t caller_status_number(pid_t pid, struct str key, pid_t none)
{
	struct buf status CLEANUP(buf_free) = { 0 };
	uint64_t number;
	caller_read_proc(pid, "status", &status);
	struct str value = str_trim(caller_status_value(&status, key));
	return str_take_u64(&value, &number) ? (pid_t)number : none;
}

pid_t caller_parent(pid_t process)
{
	return caller_status_number(process, STR("PPid:"), 0);
}

/*
 * First try tgkill(2), which succeeds if the thread's number is also the number of its process:
 * this takes a hundredth of the time of reading /proc.
 */
pid_t caller_process(pid_t thread)
{
	if (thread == 0)
		return 0;
	if (syscall(SYS_tgkill, thread, thread, 0) == 0 || errno == EPERM)
		return thread;
	return caller_status_number(thread, STR("Tgid:"), thread);
}

/* Reading exe and environ of another user's process requires CAP_SYS_PTRACE (proc(5)). */
void caller_executable(pid_t process, struct buf *path)
{
	char link[64];
	path->n = 0;
	if (process == 0)
		return;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)process);
	buf_reserve(path, PATH_MAX);
	uint64_t saved = privileges_raise(PRIVILEGE_PTRACE);
	ssize_t n = readlink(link, path->p, PATH_MAX);
	privileges_lower(saved);
	if (n > 0 && path->p[0] == '/') {
		path->n = (size_t)n;
		return;
	}
	caller_read_proc(process, "cmdline", path);
	const char *end = memchr(path->p, '\0', path->n);
	if (end)
		path->n = (size_t)(end - path->p);
}

/* Environment variables with the job id, of Slurm, PBS and Torque, Grid Engine, LSF, and Flux. */
static const char *const job_variables[] = {
	"SLURM_JOB_ID=", "PBS_JOBID=", "JOB_ID=", "LSB_JOBID=", "FLUX_JOB_ID=",
};

bool caller_in_job(pid_t process, struct str job)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	struct str entry;
	uint64_t saved = privileges_raise(PRIVILEGE_PTRACE);
	caller_read_proc(process, "environ", &text);
	privileges_lower(saved);
	struct str rest = buf_str(&text);
	while (str_take_until(&rest, '\0', &entry))
		for (size_t i = 0; i < ARRAY_SIZE(job_variables); i++)
			if (str_take_prefix(&entry, str_of(job_variables[i])) && str_eq(entry, job))
				return true;
	return false;
}

struct name_cache {
	pthread_mutex_t lock;
	struct map of;
};

static struct name_cache users = { .lock = PTHREAD_MUTEX_INITIALIZER };
static struct name_cache groups = { .lock = PTHREAD_MUTEX_INITIALIZER };

static char *caller_lookup_user(uint32_t uid, char *text, size_t size)
{
	struct passwd entry, *found = NULL;
	getpwuid_r(uid, &entry, text, size, &found);
	return found ? found->pw_name : NULL;
}

static char *caller_lookup_group(uint32_t gid, char *text, size_t size)
{
	struct group entry, *found = NULL;
	getgrgid_r(gid, &entry, text, size, &found);
	return found ? found->gr_name : NULL;
}

struct known_name {
	uint32_t id;
	char *name;
};

static struct known_name *caller_find_name(const struct name_cache *k, uint32_t id)
{
	uint64_t hash = map_hash((struct str){ (const char *)&id, sizeof(id) });
	for (struct map_slot *at = NULL; (at = map_next(&k->of, hash, at));) {
		struct known_name *known = at->value.p;
		if (known->id == id)
			return known;
	}
	return NULL;
}

/*
 * Return the name of a user or group, from the cache if possible. If two threads look up the same
 * name at once, one result is kept.
 */
static struct str caller_name_of(struct name_cache *k, uint32_t id,
				 char *(*look_up)(uint32_t id, char *text, size_t size))
{
	pthread_mutex_lock(&k->lock);
	struct known_name *known = caller_find_name(k, id);
	pthread_mutex_unlock(&k->lock);
	if (known)
		return str_of(known->name);

	char *text = xrealloc(NULL, TEXT_BYTES_MAX);
	const char *name = look_up(id, text, TEXT_BYTES_MAX);
	pthread_mutex_lock(&k->lock);
	known = caller_find_name(k, id);
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
	return caller_name_of(&users, uid, caller_lookup_user);
}

struct str caller_group(uint32_t gid)
{
	return caller_name_of(&groups, gid, caller_lookup_group);
}

/*
 * Set the groups of this thread only: glibc's setgroups() would change all threads of the process.
 */
static int caller_set_groups(size_t n, const gid_t *list)
{
	return syscall(SYS_setgroups, n, list) < 0 ? -errno : 0;
}

/*
 * Copy the caller's groups from /proc/PID/status, where the line reads "Groups: 4 24 1000". If the
 * caller has exited, clear the groups, which is harmless as nobody waits for the reply.
 */
static int caller_adopt_groups(pid_t thread)
{
	struct buf status CLEANUP(buf_free) = { 0 };
	gid_t *list = NULL;
	size_t n = 0, cap = 0;
	uint64_t gid;

	caller_read_proc(thread, "status", &status);
	struct str value = caller_status_value(&status, STR("Groups:"));
	value = str_trim(value);
	while (n < GROUPS_MAX && str_take_u64(&value, &gid)) {
		list = vec_reserve(list, &cap, n + 1, sizeof(*list));
		list[n++] = (gid_t)gid;
	}
	int r = caller_set_groups(n, list);
	free(list);
	return r;
}

/*
 * Set the umask of this thread. Threads share one umask; unshare(CLONE_FS) gives this thread its
 * own.
 */
static void caller_set_umask(mode_t mask)
{
	static __thread bool is_unshared;
	if (!is_unshared)
		unshare(CLONE_FS);
	is_unshared = true;
	umask(mask);
}

static bool caller_is_other_user(const struct caller *c)
{
	return geteuid() == 0 && (c->uid != 0 || c->gid != 0);
}

void caller_leave(const struct caller *c)
{
	if (!caller_is_other_user(c))
		return;
	setfsuid(0);
	setfsgid(0);
	caller_set_groups(0, NULL);
}

int caller_enter(const struct caller *c, mode_t umask_of)
{
	caller_set_umask(umask_of);
	if (!caller_is_other_user(c))
		return 0;
	int r = caller_adopt_groups(c->thread);
	if (r < 0)
		return r;
	setfsgid(c->gid);
	setfsuid(c->uid);
	/* setfsuid(2) reports no failure, but a call with -1 returns the current id */
	if ((uint32_t)setfsuid((uid_t)-1) == c->uid && (uint32_t)setfsgid((gid_t)-1) == c->gid)
		return 0;
	caller_leave(c);
	return -EPERM;
}

void caller_enter_user(const struct caller *c)
{
	if (caller_is_other_user(c))
		setfsuid(c->uid);
}

void caller_leave_user(const struct caller *c)
{
	if (caller_is_other_user(c))
		setfsuid(0);
}
