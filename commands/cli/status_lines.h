/* SPDX-License-Identifier: BSD-3-Clause */
/* status_lines.h - the lines of the agent's reply to "status", and their keys in status --json */
#pragma once

#include <stddef.h>

/* how to print the value of a line; in JSON, lines from STATUS_JOB on become array elements */
enum status_shape {
	STATUS_NUMBER, STATUS_MOMENT, STATUS_SECONDS, STATUS_TEXT,
	STATUS_JOB, STATUS_ERROR, STATUS_LINE,
};

struct status_line {
	const char *key;
	enum status_shape shape;
	const char *label;
};

extern const struct status_line status_lines[];
extern const size_t n_status_lines;
