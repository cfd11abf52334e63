/* SPDX-License-Identifier: BSD-3-Clause */
/* job_last_row.c - write the row of a job: the totals over all of its cgroups */
#include "collectors/job_last.h"

#include "base/clock.h"
#include "schema/types/job.h"

void job_last_take_io(struct job_last *j, struct source *s, struct job_disks *disks,
		      const struct job_io_reading *file, struct job_values *got)
{
	uint64_t *sums = &got->value[RD_BYTES];
	if (j->group.known.present & JOB_IO_MASK)
		job_io_take(&j->io, disks, s, j->group.part, j->group.parts, sums);
	else if (file->is_full)
		got->present &= ~JOB_IO_MASK;
	else if (got->present & JOB_IO_MASK)
		job_io_take(&j->io, disks, s, file->part, file->n, sums);
}

static uint64_t job_last_value(const struct job_last *j, const struct metric *m, size_t k,
			       bool peak)
{
	if (m->kind == COUNTER)
		return j->sum[k] + j->value[k] + (k < JOB_TIMES ? j->unread_time[k] : 0);
	return peak && j->largest[k] > j->value[k] ? j->largest[k] : j->value[k];
}

void job_last_put(struct job_last *j, struct source *s, const struct job_last_keys *keys)
{
	struct row row = rows_add(&s->rows, str_of(j->device));
	for (size_t k = 0; k < s->rows.n_metrics; k++)
		if ((j->present >> k & 1))
			row_set(row, k, job_last_value(j, &s->rows.metrics[k], k, k == keys->peak));
	int64_t us = (monotonic_ns() - j->read_ns) / 1000;
	row_set(row, keys->age, !j->gone ? 0 : us > 0 ? (uint64_t)us : 1);
	row_set(row, keys->whole, j->gone ? j->whole & ~j->lacks : 0);
	if (j->cpus)
		row_set(row, keys->cpus, j->cpus);
	if (s->shared && s->shared->passing)
		return;
	if (j->follows)
		rows_reopened(&s->rows);
	j->follows = j->fresh = false;
}

void job_lasts_put_gone(struct job_lasts *l, struct source *s, const struct job_last_keys *keys)
{
	size_t kept = 0;
	for (size_t i = 0; i < l->n; i++) {
		struct job_last *j = &l->job[i];
		if (!j->gone) {
			l->job[kept++] = *j;
			continue;
		}
		job_io_free(&j->io);
		if (!j->fresh || !j->present)
			continue;
		job_last_put(j, s, keys);
		l->ended[l->n_ended++ % JOB_ENDED] =
			(struct job_ended){ str_hash(str_of(j->device)), j->inode, j->value[0] };
	}
	l->n = kept;
}
