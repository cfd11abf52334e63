/* SPDX-License-Identifier: BSD-3-Clause */
/* status_held.c - status --idle-gpus: list GPUs that are allocated to jobs but idle */
#include "cli/status_held.h"


struct held_line {
	struct str job, gpu, used;
	/* .since: start of the GPU's idle time, 0 if unknown; .sample: time of the sample */
	int64_t since, sample;
};

static bool held_take_time(struct str *in, int64_t *usec)
{
	struct str word;
	*usec = 0;
	return str_take_word(in, &word) && (str_eq(word, STR("-")) || str_take_time(&word, usec));
}

static bool held_take_line(struct str text, struct held_line *l)
{
	struct str key;
	return str_take_word(&text, &key) && str_eq(key, STR("held")) &&
	       str_take_word(&text, &l->job) && str_take_word(&text, &l->gpu) &&
	       held_take_time(&text, &l->since) && str_take_word(&text, &l->used) &&
	       held_take_time(&text, &l->sample);
}

int status_held(struct buf *out, struct buf *why, struct str reply, int64_t least_us)
{
	int status = HELD_NONE;
	struct str text;
	struct held_line l;
	while (str_take_line(&reply, &text)) {
		if (!held_take_line(text, &l))
			continue;
		if (!l.since) {
			buf_addf(why, "job " STR_FMT ": GPU " STR_FMT " may be idle: type gpu_job "
				 "has no row for it\n", STR_ARG(l.job), STR_ARG(l.gpu));
			status = status == HELD_NONE ? HELD_UNKNOWN : status;
		} else if (l.sample - l.since >= least_us) {
			buf_addf(out, STR_FMT " " STR_FMT " %lld " STR_FMT "\n", STR_ARG(l.job),
				 STR_ARG(l.gpu), (long long)((l.sample - l.since) / 1000000),
				 STR_ARG(l.used));
			status = HELD_SOME;
		}
	}
	return status;
}
