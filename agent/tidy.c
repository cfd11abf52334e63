/* SPDX-License-Identifier: BSD-3-Clause */
/* tidy.c - compress and remove old files, in a child process */
#include "agent/daemon.h"
#include "base/log.h"

static int tidy_on_child(sd_event_source *source, const siginfo_t *info, void *arg)
{
	struct daemon *d = arg;
	tidy_ended(&d->tidy, info->si_code != CLD_EXITED || info->si_status != 0,
		   &log_listener);
	sd_event_source_unref(source);
	return 0;
}

void daemon_tidy(struct daemon *d, bool now)
{
	if (!tidy_due(&d->tidy, now))
		return;
	pid_t pid = tidy_start(d->config.dir, d->recorder.host.name, &d->config.retain,
			       &log_listener);
	if (pid > 0 && sd_event_add_child(d->event, NULL, pid, WEXITED, tidy_on_child, d) >= 0)
		d->tidy.running = true;
}
