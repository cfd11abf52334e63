/* SPDX-License-Identifier: BSD-3-Clause */
/* job_layouts.c - paths of the cgroups of batch schedulers' jobs */
#include "collectors/job_layouts.h"

#include <errno.h>
#include <stdio.h>
#include "base/buf.h"
#include "collectors/job_names.h"
#include "collectors/job_owners.h"
#include "collectors/job_slot.h"

enum { V1 = JOB_V1, V2 = JOB_V2 };

const struct job_mount job_mounts[] = {
	{ "sys/fs/cgroup",         NULL          },
	{ "sys/fs/cgroup/unified", NULL          },
	{ "sys/fs/cgroup",         "memory"      },
	{ "sys/fs/cgroup",         "cpuacct"     },
	{ "sys/fs/cgroup",         "cpu,cpuacct" },
	{ "sys/fs/cgroup",         "blkio"       },
	{ "sys/fs/cgroup",         "pids"        },
	{ "cgroup",                "memory"      },	/* mount point on RHEL 6 */
	{ "cgroup",                "cpuacct"     },
	/* Slurm (proctrack/cgroup) and LSF may use only one of these controllers */
	{ "sys/fs/cgroup",         "freezer", .bare = true },
	{ "sys/fs/cgroup",         "cpuset",  .bare = true },
	{ "cgroup",                "freezer", .bare = true },
};
const size_t n_job_mounts = ARRAY_SIZE(job_mounts);

/*
 * Grid Engine is not supported: in cpuset/sge.CELL/JOB.TASK (SoGE 8.1.9, uti/sge_cgroup.h), JOB.1
 * is either a job without tasks or the first task of an array, but the hooks use different names
 * for the two, so some jobs would appear under two names. The names in /dev/cpuset/sge/JOB.TASK are
 * ambiguous in the same way.
 */
const struct job_layout job_layouts[] = {
	/* With several slurmds on a node, the directory's name includes the slurmd's name. */
	{ "Slurm",    V1,      "slurm*/uid_*/job_{job}" },
	{ "Slurm",    V2,      "*.slice/*slurmstepd.scope/job_{job}", .users = "step_*/user" },
	{ "Slurm",    V2,      "*.slice/*slurmstepd.scope/{job}", .sluid = true,
	  .users = "step_*/user" },
	/* Slurm in a Kubernetes pod: kubepods.slice/[QOS.slice/]POD.slice/system.slice. */
	{ "Slurm",    V2,      "kubepods.slice/*.slice/*.slice/*slurmstepd.scope/job_{job}",
	  .users = "step_*/user" },
	{ "Slurm",    V2,      "kubepods.slice/*.slice/*.slice/*.slice/*slurmstepd.scope/job_{job}",
	  .users = "step_*/user" },
	/* the service is named pbs_jobs or pbspro */
	{ "OpenPBS",  V1 | V2, "*.service/jobid/{job}" },
	{ "Torque",   V1,      "torque/{job}" },
	/*
	 * htcondor is the value of HTCondor's setting BASE_CGROUP, below the root or, since
	 * HTCondor 24 on v2, below the parent of the starter's cgroup
	 */
	{ "HTCondor", V1 | V2, "htcondor/condor_{job}", .slot = true },
	{ "HTCondor", V2,      "system.slice/htcondor/condor_{job}", .slot = true },
	{ "HTCondor", V2,      "system.slice/condor.service/condor_{job}", .slot = true },
	/* directory names are job.ID.PID.TIME */
	{ "LSF",      V1 | V2, "lsf/*/job.{job}", .end = '.' },
	{ "Flux",     V2,      "user.slice/user-*.slice/user@*.service/*shell-*-{job}.service",
	  .common = true },
	{ "Flux",     V2,      "user.slice/user-*.slice/user@*.service/*.slice/"
			       "*shell-*-{job}.service", .common = true },
};
const size_t n_job_layouts = ARRAY_SIZE(job_layouts);

static struct str job_layout_take_part(struct str *path)
{
	struct str part;
	if (str_take_until(path, '/', &part))
		return part;
	part = *path;
	*path = str_skip(*path, path->n);
	return part;
}

/*
 * Returns false if the directory's name, such as Slurm's "uid_1000", has another user id than the
 * process in the directory.
 */
static bool user_fits(struct str pattern, struct str text, uid_t uid)
{
	uint64_t n;
	return !str_starts(pattern, STR("uid_")) ||
	       (str_take_u64(&text, &n) && text.n == 0 && n == uid);
}

/*
 * Returns true if path is a job's directory, or is below one. *at becomes the length of the path of
 * the job's directory.
 */
static bool job_layout_fits(const struct job_layout *l, struct str path, uid_t uid, struct str *id,
			    size_t *at)
{
	struct str pattern = str_of(l->path), all = path;
	while (pattern.n) {
		struct str want = job_layout_take_part(&pattern);
		struct str have = job_layout_take_part(&path);
		*id = have;
		if (have.n == 0 || !job_name_matches(want, have, id) ||
		    !user_fits(want, *id, uid))
			return false;
		*at = (size_t)(have.p + have.n - all.p);
	}
	return id->n > 0 && !str_has(*id, '\0') && (!l->sluid || job_is_sluid(*id));
}

static struct str job_layout_cut_id(const struct job_layout *l, struct str id)
{
	struct str head;
	return l->end && str_take_until(&id, l->end, &head) ? head : id;
}

int job_layout_name(struct source *s, const struct job_layout *l, const char *path, struct str id,
		    char *to, size_t size, const char **why)
{
	id = job_layout_cut_id(l, id);
	if (l->sluid)
		return job_of_sluid(s, path, id, to, size) ? 0 : -EAGAIN;
	int e = l->slot ? job_of_slot(s, path, id, to, size, why) : 0;
	if (e == 0 && l->slot)
		return 0;
	return e == -EAGAIN || !str_copy(to, size, id) ? -EAGAIN : e;
}

/*
 * Name a job by its directory. For HTCondor this is the slot's name: the name of the job is in
 * .job.ad, which the job can write to. That is acceptable for marks but not for access control.
 */
static bool job_layout_name_job(struct source *s, const struct job_layout *l, struct str dir,
				struct str id,
				char *to, size_t size)
{
	char path[400];
	const char *why;
	if (l->slot)
		return str_copy(to, size, id);
	int n = snprintf(path, sizeof(path), "sys/fs/cgroup/" STR_FMT, STR_ARG(dir));
	return n > 0 && (size_t)n < sizeof(path) &&
	       job_layout_name(s, l, path, id, to, size, &why) == 0;
}

/*
 * Returns true if the mount has these controllers. The kernel may print "cpuacct,cpu" for
 * controllers that are mounted as "cpu,cpuacct", with the links "cpu" and "cpuacct".
 */
static bool job_mount_has(const struct job_mount *t, struct str controllers)
{
	struct str one;
	if (!t->controller)
		return controllers.n == 0;
	if (str_eq(controllers, str_of(t->controller)))
		return true;
	while (str_take_item(&controllers, &one))
		if (str_eq(one, str_of(t->controller)))
			return true;
	return false;
}

static bool job_layout_dir_is_known(const struct source *s, struct str controllers, struct str dir)
{
	char path[400];
	for (const struct job_mount *t = job_mounts; t < job_mounts + n_job_mounts; t++) {
		if (!job_mount_has(t, controllers))
			continue;
		size_t n = (size_t)snprintf(path, sizeof(path), t->controller ? "%s/%s/" : "%s/",
					    t->mount, t->controller);
		if (!str_has(dir, '\0') && str_copy(path + n, sizeof(path) - n, dir) &&
		    job_path_is_known(s, path, n - 1))
			return true;
	}
	return false;
}

/*
 * Get the job of a line "4:memory:/slurm/uid_1000/job_123/step_0", or "0::/system.slice/..." for
 * v2: cgroups(7).
 */
static bool job_of_line(struct source *s, struct str line, uid_t uid, char *to, size_t size)
{
	struct str number, controllers, id;
	size_t at = 0;
	if (!str_take_until(&line, ':', &number) || !str_take_until(&line, ':', &controllers) ||
	    !str_take_prefix(&line, STR("/")))
		return false;
	int version = controllers.n ? V1 : V2;
	for (size_t i = 0; i < n_job_layouts; i++) {
		const struct job_layout *l = &job_layouts[i];
		if (!(l->versions & version) || !job_layout_fits(l, line, uid, &id, &at))
			continue;
		struct str dir = { line.p, at };
		return job_layout_dir_is_known(s, controllers, dir) &&
		       job_layout_name_job(s, l, dir, id, to, size);
	}
	return false;
}

bool job_of_cgroups(struct source *s, struct str cgroups, uid_t uid, char *to, size_t size)
{
	/* copy of cgroups, because finding the job's name reads files into the buffer of s */
	struct buf copy CLEANUP(buf_free) = { 0 };
	struct str text, line;
	buf_add(&copy, cgroups);
	text = buf_str(&copy);
	while (str_take_line(&text, &line))
		if (job_of_line(s, line, uid, to, size))
			return true;
	return false;
}
