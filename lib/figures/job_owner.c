/* SPDX-License-Identifier: BSD-3-Clause */
/* job_owner.c - the user of a run, as its marks say */
#include "figures/job_owner.h"

void job_owner_take(struct job_owner *o, const struct record *r, struct str job)
{
	bool name = job_attribute_text(r, job, STR("user"), o->user, sizeof(o->user));
	if (!name && (o->user[0] ||
		      !job_attribute_text(r, job, STR("uid"), o->user, sizeof(o->user))))
		return;
	o->by_uid = !name;
}
