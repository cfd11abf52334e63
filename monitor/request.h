/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h - what the command line asks nodometer monitor for */
#pragma once

#include "monitor/played.h"
#include "monitor/view.h"

#define REQUEST_INPUTS_MAX 64

struct request {
	uint32_t classes;		/* bit n: class n */
	struct played_file input[REQUEST_INPUTS_MAX];	/* .fd is the caller's */
	size_t n_inputs;		/* 0: this node, now */
	const char *record;		/* files, or NULL */
	const char *summary;		/* "-": standard output */
	bool display, dump, by_node, customer;
	int64_t interval, viewing, flush;	/* seconds; .interval 0: as recorded */
	int64_t begin, end;		/* microseconds; 0, INT64_MAX: not given */
	bool end_after;			/* .end counts from the begin */
	const char *comment, *node;
	struct view view;
};

/* Ends the program where the usage is wrong, or help was asked for. */
void request_take(struct request *r, int argc, char **argv);
