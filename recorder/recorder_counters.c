/* SPDX-License-Identifier: BSD-3-Clause */
/* recorder_counters.c - hardware counters are given to jobs, and taken back */
#include "recorder/recorder.h"

#include <errno.h>
#include "recorder/recorder_steps.h"
#include "schema/marks.h"

static void close_for_jobs(struct sampler *s, const struct jobs *j)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	buf_add(&why, STR("counters released to job "));
	jobs_put_released(j, &why);
	buf_add_char(&why, '\0');
	sampler_hold_off(s, HOLDS_HARDWARE, why.p);
}

/* What begins at 0 and ends with the sample has nothing to subtract from. */
void counters_choose(struct sampler *s, const struct jobs *j, bool single)
{
	if (single)
		sampler_hold_off(s, HOLDS_COUNTERS, "a single sample has nothing to subtract from; "
				 "nodometerd counts");
	else if (jobs_any_released(j))
		close_for_jobs(s, j);
	else
		sampler_hold_off(s, HOLDS_NOTHING, "");
}

bool recorder_take_back(struct recorder *r, struct str id)
{
	if (jobs_release(&r->jobs, id, false) < 0)
		return false;
	recorder_add_mark(r, mark_verbs[MARK_ACQUIRE], id);
	return true;
}

/* Still with what was counted; with the mark on its way the counters are closed. */
static int give(struct recorder *r, struct str id)
{
	jobs_put(&r->jobs, &r->ids);
	recorder_add_mark(r, mark_verbs[MARK_RELEASE], id);
	int e = recorder_record(r, 0);
	if (e == 0)
		e = jobs_release(&r->jobs, id, true);
	if (e == 0)
		recorder_save_jobs(r);
	return e;
}

int recorder_release(struct recorder *r, struct str id)
{
	if (!job_id_valid(id))
		return -EINVAL;
	int e = recorder_enter(r);
	if (e < 0)
		return e;
	const struct job *job = jobs_find(&r->jobs, id);
	int known = !job ? -ENOENT : job->released ? -EALREADY : 0;
	if (known == 0)
		e = give(r, id);
	counters_choose(&r->sampler, &r->jobs, !r->out.keep);
	recorder_leave(r);
	if (e < 0 || known == -ENOENT)
		return e < 0 ? e : known;
	return sampler_hangs_on(&r->sampler) ? -EBUSY : known;
}

int recorder_acquire(struct recorder *r, struct str id)
{
	size_t n = 0;
	if (id.n && !job_id_valid(id))
		return -EINVAL;
	int e = recorder_enter(r);
	if (e < 0)
		return e;
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct str one = str_of(r->jobs.job[i].id);
		if (id.n == 0 || str_eq(id, one))
			n += recorder_take_back(r, one);
	}
	if (n > 0) {
		jobs_put(&r->jobs, &r->ids);
		e = recorder_record(r, 0);
		if (e == 0)
			recorder_save_jobs(r);
	}
	recorder_leave(r);
	return e < 0 ? e : n > 0 ? 0 : -ENOENT;
}
