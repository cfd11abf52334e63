/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job_slot.c - find the job that runs in the cgroup of an HTCondor slot
 *
 * The cgroup is named "condor", the path of EXECUTE and the slot's name, with "_" for "/".
 * HTCondor's starter, an ancestor of the job's processes, keeps the job's ClassAd in
 * EXECUTE/dir_PID/.job.ad (htcondor: condor_starter.V6.1/vanilla_proc.cpp, StartJob();
 * baseStarter.cpp, WriteAdFiles()). /proc/PID/cwd and environ are not used, because they need
 * CAP_SYS_PTRACE.
 */
#include "collectors/job_slot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/names.h"
#include "base/system/proc_stat.h"
#include "collectors/job_names.h"
#include "collectors/job_owners.h"

#define ANCESTORS 64	/* largest number of ancestors of a process to follow */
/*
 * largest number of directories to try as EXECUTE, HTCondor's directory of jobs, for each ancestor
 * of a process
 */
#define DIRS      100
#define AD_MAX    (256 << 10)	/* largest number of bytes to read of a .job.ad */
#define BELOW     64	/* largest number of cgroups to search below the slot's cgroup */
/* largest number of processes to try per cgroup: most processes lead to the starter */
#define PROCESSES 20

/*
 * Directories in dir_PID that may contain .job.ad: up to HTCondor 23, dir_PID itself; with
 * STARTER_NESTED_SCRATCH, one of the other two.
 */
static const char *const places[] = { ".", "htcondor", "scratch" };

struct slot_search {
	struct source *s;
	uint64_t starter;
	char *to;
	size_t size, dirs;
	bool seen;		/* a directory EXECUTE/dir_PID of the starter exists */
	bool may_be_forged;	/* the job itself may have written the .job.ad */
};

/* Parse "ClusterId = 12". Attribute names are case-insensitive. */
static bool job_slot_parse_attribute(struct str line, struct str name, uint64_t *ret)
{
	return line.n > name.n && strncasecmp(line.p, name.p, name.n) == 0 &&
	       (line = str_trim(str_skip(line, name.n)), str_take_prefix(&line, STR("="))) &&
	       (line = str_trim(line), str_take_u64(&line, ret)) && str_trim(line).n == 0;
}

bool job_of_ad(struct str ad, char *to, size_t size)
{
	uint64_t cluster = 0, proc = 0;
	bool has_cluster = false, has_proc = false;
	struct str line;
	while (str_take_line(&ad, &line)) {
		has_cluster |= job_slot_parse_attribute(line, STR("ClusterId"), &cluster);
		has_proc |= job_slot_parse_attribute(line, STR("ProcId"), &proc);
	}
	int n = snprintf(to, size, "%llu.%llu", (unsigned long long)cluster,
			 (unsigned long long)proc);
	return has_cluster && has_proc && n > 0 && (size_t)n < size;
}

/*
 * Read a .job.ad. Do not trust it: the directory belongs to the job, which may have replaced the
 * file by another or by a link.
 */
static bool try_place(struct slot_search *x, int dirfd, const char *place)
{
	struct buf ad CLEANUP(buf_free) = { 0 };
	struct stat st;
	int dir CLEANUP(close_fd) =
		openat(dirfd, place, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd CLEANUP(close_fd) = dir < 0 ? -1 :
		openat(dir, ".job.ad", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	if (st.st_nlink != 1 || !job_owner_is_known(x->s, &st)) {
		x->may_be_forged = true;
		return false;
	}
	buf_reserve(&ad, AD_MAX);
	ssize_t n = pread(fd, ad.p, AD_MAX, 0);
	return n > 0 && job_of_ad((struct str){ ad.p, (size_t)n }, x->to, x->size);
}

static bool try_execute(struct slot_search *x, const char *execute)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/dir_%llu", execute, (unsigned long long)x->starter);
	int fd CLEANUP(close_fd) =
		files_open(&x->s->files, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	x->seen |= fd >= 0;
	for (size_t i = 0; fd >= 0 && i < ARRAY_SIZE(places); i++)
		if (try_place(x, fd, places[i]))
			return true;
	return false;
}

/*
 * Find EXECUTE by reading each "_" in name as itself or as "/", and following the directories that
 * exist.
 */
static bool find_execute(struct slot_search *x, char *path, size_t n, struct str name)
{
	for (size_t i = 1; i < name.n && n + 1 + i < 400; i++) {
		if (name.p[i] != '_')
			continue;
		path[n] = '/';
		memcpy(path + n + 1, name.p, i);
		path[n + 1 + i] = '\0';
		const char *below = path + 1;	/* path relative to the root */
		int fd CLEANUP(close_fd) =
			files_open(&x->s->files, below, O_RDONLY | O_DIRECTORY);
		if (fd < 0)
			continue;
		if (++x->dirs > DIRS)
			return false;
		if (try_execute(x, below) ||
		    find_execute(x, path, n + 1 + i, str_skip(name, i + 1)))
			return true;
	}
	return false;
}

static uint64_t job_slot_parent_pid(struct source *s, uint64_t pid)
{
	char path[64];
	struct str text;
	struct proc_stat st;
	snprintf(path, sizeof(path), "proc/%llu/stat", (unsigned long long)pid);
	return job_read_once(s, path, &text) && proc_stat_take(text, STAT_PPID, &st) ?
	       st.field[STAT_PPID] : 0;
}

static bool find_starter(struct slot_search *x, uint64_t pid, struct str name)
{
	char path[512];
	for (int i = 0; i < ANCESTORS && pid > 1; i++) {
		x->starter = pid = job_slot_parent_pid(x->s, pid);
		x->dirs = 0;
		if (pid > 1 && find_execute(x, path, 0, name))
			return true;
	}
	return false;
}

/*
 * List the processes of a cgroup. If the cgroup has none, list those of the first cgroup below it
 * that has processes.
 */
static size_t read_processes(struct source *s, const char *dir, uint64_t *pid, size_t max)
{
	struct names below CLEANUP(names_free) = { 0 };
	char path[512];
	struct str text, line;
	size_t n = 0;
	if (names_list(&below, &s->files, dir, "") < 0)
		below.n = 0;
	for (size_t i = 0; i <= below.n && i <= BELOW && n == 0; i++) {
		snprintf(path, sizeof(path), "%.200s/%.*s/cgroup.procs", dir, i ? 255 : 1,
			 i ? below.name[i - 1] : ".");
		if (!job_read_once(s, path, &text))
			continue;
		while (n < max && str_take_line(&text, &line))
			n += str_take_u64(&line, &pid[n]);
	}
	return n;
}

int job_of_slot(struct source *s, const char *dir, struct str name, char *to, size_t size,
		const char **why)
{
	struct slot_search x = { .s = s, .to = to, .size = size };
	uint64_t pid[PROCESSES];
	char slot[256];
	size_t n = str_copy(slot, sizeof(slot), name) ? read_processes(s, dir, pid, PROCESSES) : 0;
	if (n == 0)
		return -EAGAIN;
	for (size_t i = 0; i < n; i++)
		if (find_starter(&x, pid[i], str_of(slot)))
			return 0;
	*why = x.may_be_forged ?
		"its .job.ad is owned neither by root nor by one of scheduler-users" :
	       x.seen ? "the .job.ad in its starter's directory cannot be read" :
			"no ancestor of its processes has a directory in HTCondor's EXECUTE "
			"directory";
	return -ENOENT;
}
