/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - the commands of nodometer trace */
#pragma once

#include "filetrace/recorder.h"

struct calls_request {
	char **command;		/* exactly one of .command, .pid and .job is set */
	pid_t pid;
	const char *job;
	uint32_t recorded;	/* set of operations to record */
	int64_t slow;		/* least duration of a recorded call, in nanoseconds */
	struct trace_recorder_form form;
	int fd;			/* descriptor of the output file for records */
	/* called when writing fails or works again; see struct trace_recorder */
	void (*failed)(int error);
};

/* Trace system calls, without a mount. Returns an exit status. */
int trace_calls(const struct calls_request *q);
int trace_report_main(int argc, char **argv);	/* run nodometer trace report */
