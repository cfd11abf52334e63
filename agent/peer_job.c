/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_job.c - find the job that a peer of the control socket belongs to */
#include "agent/peer_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "collectors/job_dirs.h"
#include "collectors/job_layouts.h"

/*
 * Return true if a file of /proc belongs to the user uid. If the peer has ended and its PID was
 * reused, this makes sure that the new process is at least one of the same user.
 */
static bool peer_owns_file(const struct files *root, const char *path, uid_t uid)
{
	struct stat st;
	int fd CLEANUP(close_fd) = files_open(root, path, O_RDONLY);
	return fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == uid;
}

static bool peer_job_by_cgroup(struct recorder *r, const struct ucred *peer, char *to, size_t size)
{
	const struct files *root = &r->sampler.root;
	struct source s CLEANUP(source_free);
	struct str text;
	char path[64];

	source_init(&s, root, NULL, 0);
	s.shared = &r->sampler.shared;
	snprintf(path, sizeof(path), "proc/%d/cgroup", (int)peer->pid);
	return peer_owns_file(root, path, peer->uid) && source_read_as(&s, path, FILE_TO_END,
								       &text) == 0 &&
	       job_of_cgroups(&s, text, peer->uid, to, size);
}

/*
 * Return true if a job has a cgroup on this node: a process outside this cgroup then does not
 * belong to the job. Look at the cgroups instead of collecting type job: a second reader of type
 * job would remove the sampler's watches of jobs, which share an inotify descriptor.
 */
static bool peer_job_has_cgroup(struct recorder *r, const char *id)
{
	struct job_dirs dirs CLEANUP(job_dirs_free) = { 0 };
	struct source s CLEANUP(source_free);
	bool found = false;

	source_init(&s, &r->sampler.root, NULL, 0);
	s.shared = &r->sampler.shared;
	job_dirs_look(&dirs, &s);
	for (size_t i = 0; i < dirs.n && !found; i++)
		found = strcmp(dirs.job[i].id, id) == 0;
	return found;
}

int peer_job(struct recorder *r, const struct ucred *peer, char *to, size_t size)
{
	if (peer->pid > 0 && peer_job_by_cgroup(r, peer, to, size))
		return jobs_find(&r->jobs, str_of(to)) ? 0 : -ENOENT;
	if (r->jobs.n != 1 || peer_job_has_cgroup(r, r->jobs.job[0].id))
		return -ESRCH;
	str_copy(to, size, str_of(r->jobs.job[0].id));
	return 0;
}
