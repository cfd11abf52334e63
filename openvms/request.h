/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h - parse the command line of nodometer monitor */
#pragma once

#include "openvms/played.h"
#include "openvms/view.h"

#define REQUEST_INPUTS_MAX 64

/*
 * A time of --begin or --end. A clock time is in the time zone of the node that the pages show,
 * which may differ from the zone of this machine.
 */
struct time_bound {
	/* microseconds since the epoch; a clock time is read in the zone of this machine */
	int64_t usec;
	bool by_clock;
	int64_t clock;		/* .usec plus the offset of this machine's zone */
};

struct monitor_request {
	uint32_t classes;		/* bit n: class n was requested */
	struct played_file input[REQUEST_INPUTS_MAX];	/* the caller opens and closes .fd */
	size_t n_inputs;		/* number of input files; 0: use this node, now */
	const char *record;		/* path of the recording to write, or NULL */
	/* path of the summary to write, or NULL; "-": standard output */
	const char *summary;
	bool display, dump, by_node, customer;
	/* all in seconds; .interval is 0 for the recorded interval */
	int64_t interval, viewing, flush;
	struct time_bound begin, end;	/* .usec is 0 or INT64_MAX if the bound is not given */
	bool end_after;			/* .end is the time from the begin to the end */
	const char *comment, *node;
	struct view view;
};

/* Compare a moment of a node with a bound: negative if it is earlier, 0, or positive if later. */
int time_bound_compare(const struct time_bound *b, int64_t usec, const struct vms_node *n);

/* Parse the command line. Ends the program if the usage is wrong or help was requested. */
void request_take(struct monitor_request *r, int argc, char **argv);
