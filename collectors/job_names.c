/* SPDX-License-Identifier: BSD-3-Clause */
/* job_names.c - get the names of jobs from the names of directories */
#include "collectors/job_names.h"

#include <stdio.h>
#include <string.h>
#include "base/names.h"

static size_t literal(struct str pattern)
{
	size_t n = 0;
	while (n < pattern.n && pattern.p[n] != '*' && pattern.p[n] != '{')
		n++;
	return n;
}

/*
 * Match each literal piece of the pattern at the first possible position in the name. Because there
 * is no backtracking, the time is linear whatever names users choose.
 */
bool job_name_matches(struct str pattern, struct str name, struct str *job)
{
	size_t n = literal(pattern);
	if (name.n < n || memcmp(name.p, pattern.p, n) != 0)
		return false;
	pattern = str_skip(pattern, n);
	name = str_skip(name, n);
	while (pattern.n) {
		pattern = str_skip(pattern, *pattern.p == '{' ? strlen("{job}") : 1);
		n = literal(pattern);
		if (name.n < n)
			return false;
		bool last = pattern.n == n;
		const char *at = last ? name.p + name.n - n : memmem(name.p, name.n, pattern.p, n);
		if (!at || memcmp(at, pattern.p, n) != 0)
			return false;
		*job = (struct str){ name.p, (size_t)(at - name.p) };
		pattern = str_skip(pattern, n);
		name = str_skip(name, job->n + n);
	}
	return name.n == 0;
}

bool job_is_sluid(struct str name)
{
	if (name.n != 14 || *name.p != 's')
		return false;
	for (size_t i = 1; i < name.n; i++)
		if (!memchr("0123456789ABCDEFGHJKMNPQRSTVWXYZ", name.p[i], 32))
			return false;
	return true;
}

bool job_read_once(struct source *s, const char *path, struct str *ret)
{
	int r = source_read(s, path, ret);
	files_forget(&s->files, path);
	return r == 0;
}

/*
 * Find the first process that manages a step of the job. Returns false if there is none. Sets *id
 * to the job id in its title, such as "slurmstepd: [3385.0]", or to "" (Slurm's documentation
 * "cgroup v2", and CgroupJobIdPaths in cgroup.conf(5)).
 */
static bool ask_step(struct source *s, const char *dir, const char *step, struct str *id)
{
	char path[512];
	uint64_t pid;
	struct str text;
	snprintf(path, sizeof(path), "%.400s/%.64s/slurm/cgroup.procs", dir, step);
	if (!job_read_once(s, path, &text) || !str_take_u64(&text, &pid))
		return false;

	*id = (struct str){ 0 };
	snprintf(path, sizeof(path), "proc/%llu/cmdline", (unsigned long long)pid);
	if (job_read_once(s, path, &text) && str_take_prefix(&text, STR("slurmstepd: [")))
		str_take_until(&text, '.', id);
	return true;
}

bool job_of_sluid(struct source *s, const char *dir, struct str sluid, char *to, size_t size)
{
	struct names steps CLEANUP(names_free) = { 0 };
	bool alive = false;
	struct str id;
	if (names_list(&steps, &s->files, dir, "step_") < 0)
		return false;
	for (size_t i = 0; i < steps.n; i++) {
		if (!ask_step(s, dir, steps.name[i], &id))
			continue;
		alive = true;
		if (id.n)
			return str_copy(to, size, id);
	}
	return alive && str_copy(to, size, sluid);
}
