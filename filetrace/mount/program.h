/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - the commands of nodometer trace */
#pragma once

#include "tracers/files/recorder.h"

struct calls_request {
	char **command;		/* of these three one is set */
	pid_t pid;
	const char *job;
	uint32_t recorded;	/* operations, as a set */
	int64_t slow;		/* nanoseconds: what is faster is not recorded */
	struct trace_recorder_form form;
	int fd;			/* of the records */
	void (*failed)(int error);	/* as that of struct trace_recorder */
};

int trace_calls(const struct calls_request *q);		/* without a mount */
int trace_report_main(int argc, char **argv);	/* nodometer trace report */
