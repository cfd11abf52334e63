/* SPDX-License-Identifier: BSD-3-Clause */
/* status_lines.h - lines of the agent's answer to "status", the keys of status --json */
#pragma once

#include <stddef.h>

enum status_shape {	/* Shape of a line; from STATUS_JOB on, lines are elements of arrays. */
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
