/* SPDX-License-Identifier: BSD-3-Clause */
/* request.h - parse the command line of nodometer monitor */
#pragma once

#include "openvms/played.h"
#include "openvms/view.h"

#define REQUEST_INPUTS_MAX 64

/*
 * A time of --begin or --end. A time of day is in the time zone of the node whose samples are
 * compared, which may differ from the zone of this machine.
 */
struct time_bound {
	/*
	 * microseconds since the epoch; from a time of day, converted in the time zone of this
	 * machine
	 */
	int64_t usec;
	/* only a time of day was given: compare .clock with the local time of a sample */
	bool by_clock;
	int64_t clock;		/* .usec plus this machine's UTC offset, in microseconds */
};

struct monitor_request {
	uint32_t classes;		/* bit n: class n was requested */
	struct played_file input[REQUEST_INPUTS_MAX];	/* the caller sets .fd; see played_open() */
	size_t n_inputs;		/* 0: read this node, live */
	const char *record;		/* path of the recording to write; NULL: none */
	/* path of the summary to write; "-": standard output; NULL: none */
	const char *summary;
	bool display, dump, by_node, customer;
	/* all three in seconds; .interval 0: use the recorded interval */
	int64_t interval, viewing, flush;
	struct time_bound begin, end;	/* .usec if not given: 0 for .begin, INT64_MAX for .end */
	bool end_after;			/* .end.usec is a duration from the first sample used */
	const char *comment, *node;
	struct view view;
};

/*
 * Compare the time of a sample of node n with a bound. Returns < 0 if the sample is earlier, 0 if
 * the times are equal, or > 0 if it is later.
 */
int time_bound_compare(const struct time_bound *b, int64_t usec, const struct vms_node *n);

/* Parse the command line. Ends the program if the usage is wrong or help was requested. */
void request_take(struct monitor_request *r, int argc, char **argv);
