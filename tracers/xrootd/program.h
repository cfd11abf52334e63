/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - what the parts of nodometer xrootd share: the program, its input and its output */
#pragma once

#include <stdio.h>
#include "tracers/xrootd/input/datagrams.h"
#include "tracers/xrootd/input/forward.h"
#include "tracers/xrootd/input/messages.h"
#include "tracers/xrootd/state/keeper.h"
#include "tracers/xrootd/input/net_list.h"
#include "tracers/xrootd/join/flows.h"
#include "tracers/xrootd/input/sender_names.h"
#include "tracers/xrootd/lines/line_filter.h"
#include "tracers/xrootd/lines/user_text.h"
#include "tracers/xrootd/receiver.h"
#include "tracers/xrootd/xrd_record.h"

enum option {
	PORT, MESSAGES, BIND, ALLOW, READ, OUTPUT, STATE, FINAL, TRANSFERS, FORMAT, VO, PREFIX,
	REST, FIREFLIES, OPEN, CACHE, COPIES, CONNECTIONS, SUMMARIES, SHOVEL, EVENTS, CSV, RAW,
	NAMES, FORWARD, RETAIN, MEMORY, BUFFER
};

enum output_kind {
	KIND_TRANSFERS, KIND_CACHE, KIND_COPIES, KIND_CONNECTIONS, KIND_SUMMARIES,
	KIND_DATAGRAMS, KIND_EVENTS, KIND_RAW
};

enum line_format { FORMAT_NONE, FORMAT_OWN, FORMAT_OSG, FORMAT_WLCG };
extern const char *const line_format_names[];

/* The first output of transfers, that of events, others of lines, and that of records. */
enum { TO_TRANSFERS, TO_EVENTS, TO_MORE, TO_RAW = SAVED_LINES, OUTPUTS };
_Static_assert(OUTPUTS == RECEIVER_OUTPUTS, "each may be a file");

struct output {
	bool on;
	enum output_kind kind;
	enum line_format format;	/* FORMAT_NONE: none was named */
	struct line_filter filter;
	bool open;			/* reports of open files, too */
	const char *path;		/* NULL, "-": standard output */
	int fd;
	struct buf text;		/* to be written; of TO_RAW, none */
	bool waits;			/* the disk takes no more, and that was said */
	int64_t tried_ns;		/* monotonic */
	uint64_t lost;			/* lines, since then */
};

struct program {
	const char *bind, *read;
	FILE *capture;		/* of .read, open */
	const char *output;		/* of what names no file of its own */
	uint16_t port[DATAGRAM_PORTS_MAX];
	size_t n_ports;
	bool take_messages;		/* on standard input */
	struct messages_in messages;
	struct datagrams in;		/* the ports */
	struct net_list allow;
	struct keeper keeper;
	struct buf state_path;		/* beside the output */
	struct sender_names *names;	/* or NULL */
	bool final, ask_names;
	uint64_t refused;		/* datagrams */
	uint64_t memory, buffer;	/* MB */
	int64_t retain_days;
	struct output to[OUTPUTS];
	struct flows flows;
	uint16_t flow_port;		/* of fireflies; 0: none are taken */
	struct user_texts users;
	struct output *named;		/* last: --format and filters are of it */
	bool csv;			/* events */
	char host[256];			/* this one, FORMAT_WLCG */
	struct osg_summaries *summaries;	/* or NULL */
	const char *forward_to;		/* or NULL */
	struct forward forward;
	struct xrd_join *join;
	struct xrd_sums *sums;		/* RAW: or NULL */
	struct xrd_recorder recorder;
	uint64_t bytes;			/* of datagrams */
	uint64_t bad_reports;
	uint64_t reported;			/* of what was lost, refused and forgotten */
	bool lost_lines;		/* at the end */
	bool failed, grouped;		/* a group was written: the state is saved after it */
};

#define OUT_BYTES 65536

/* Another output of lines, switched on, or NULL: there are too many. */
struct output *outputs_add(struct program *p, enum output_kind kind);

/* NULL, or what is wrong with them, maybe in why. */
const char *outputs_settle(struct program *p, char *why, size_t size);
void outputs_open(struct program *p);
void outputs_name_state(struct program *p);
void outputs_put_head(struct program *p);	/* of CSV */
void outputs_write(struct program *p);
void outputs_write_last(struct program *p);	/* whether it is time to try again or not */
bool outputs_wait(const struct program *p);	/* lines that no disk has taken */
void outputs_reopen(struct program *p);
void outputs_no_records(struct program *p, int error);	/* a file did not take a group */
void outputs_become(struct program *p);	/* user for root to become, see receiver.h */
void outputs_confine(const struct program *p);
void outputs_free(struct program *p);

/*
 * Writes the output's text, as far as there is room; the rest waits in memory and is tried again
 * each second. 0 or -errno.
 */
int output_write(struct output *o, const char *name);
void output_keep(struct output *o, size_t before);	/* a line was added: if there is room */
bool output_is_file(const struct output *o);
uint64_t output_size(const struct output *o);	/* of a file, else 0 */

/* Lines, each to the outputs that take it. */
bool fan_out_has(const struct program *p, enum output_kind kind);
bool fan_out_has_open(const struct program *p);	/* an output with --open */
void fan_out_login(void *program, struct str userid);	/* asks for the client's name */
void fan_out_firefly(struct program *p, const struct xrd_source *from, struct str datagram);
void fan_out_transfer(struct program *p, const struct xrd_transfer *t);
void fan_out_event(struct program *p, const struct xrd_event *e);
void fan_out_datagram(struct program *p, const struct xrd_source *from, struct str datagram,
		      int64_t now);

void program_take(void *arg, const struct xrd_source *from, struct str datagram, int64_t now);

/* Keeps open files for the next run, or ends them. */
void program_finish(struct program *p);
struct saved_output program_saved_output(const struct program *p);

/* Before root becomes another user: 0 or -errno, which is logged. */
int program_open_ports(struct program *p);

/* Until a signal; an exit status. */
int program_receive(struct program *p);
void program_say_counts(const struct program *p, uint64_t dropped);
void program_say_messages(const char *of, uint64_t n, uint64_t bad);	/* if any are bad */
