/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - nodometer xrootd: the program with its inputs and outputs */
#pragma once

#include <stdio.h>
#include "xrootd/input/address_map.h"
#include "xrootd/input/datagrams.h"
#include "xrootd/input/forward.h"
#include "xrootd/input/messages.h"
#include "xrootd/state/keeper.h"
#include "xrootd/input/net_list.h"
#include "xrootd/join/flows.h"
#include "xrootd/input/sender_names.h"
#include "xrootd/lines/line_filter.h"
#include "xrootd/lines/user_text.h"
#include "xrootd/queue.h"
#include "xrootd/receiver.h"
#include "xrootd/xrd_record.h"

enum xrootd_option {
	PORT, MESSAGES, QUEUE, PASSWORD_FILE, CA_FILE, BIND, ALLOW, MAP, READ, OUTPUT, STATE, FINAL,
	TRANSFERS, SESSIONS, FORMAT, VO, PREFIX, REST, FIREFLIES, OPEN, CACHE, COPIES, CONNECTIONS,
	SUMMARIES, SHOVEL, EVENTS, CSV, RAW, NAMES, FORWARD, LISTEN, PLAIN, RETAIN, MEMORY, BUFFER
};

enum output_kind {
	KIND_TRANSFERS, KIND_SESSIONS, KIND_CACHE, KIND_COPIES, KIND_CONNECTIONS, KIND_SUMMARIES,
	KIND_DATAGRAMS, KIND_EVENTS, KIND_RAW
};

enum line_format { FORMAT_NONE, FORMAT_NODOMETER, FORMAT_OSG, FORMAT_WLCG };
extern const char *const line_format_names[];

/*
 * Indexes in xrootd_program.to. TO_TRANSFERS: the first output of transfers; TO_EVENTS: the output
 * of events; from TO_MORE on: all other outputs of lines; TO_RAW: the output of records.
 */
enum { TO_TRANSFERS, TO_EVENTS, TO_MORE, TO_RAW = SAVED_LINES, OUTPUTS };
_Static_assert(OUTPUTS == RECEIVER_OUTPUTS, "each may be a file");

struct xrootd_output {
	bool on;
	enum output_kind kind;
	enum line_format format;	/* FORMAT_NONE: no --format was given */
	struct line_filter filter;
	bool open;			/* --open: also report files that are still open */
	const char *path;		/* path of the file; NULL or "-": standard output */
	int fd;
	struct buf text;		/* lines not written yet; unused for TO_RAW */
	bool waits;	/* lines wait because the disk is full, and this was logged */
	/* time of the last write, in nanoseconds of CLOCK_MONOTONIC */
	int64_t tried_ns;
	uint64_t lost;			/* lines dropped since the disk became full */
	uint64_t lost_ever;		/* lines dropped since the start */
};

struct xrootd_program {
	const char *bind, *read;
	FILE *capture;		/* opened file of --read */
	const char *output;		/* --output: the default file */
	uint16_t port[DATAGRAM_PORTS_MAX];
	size_t n_ports;
	/* --messages: read the shoveler's messages from standard input, or from a queue */
	bool take_messages;
	struct queue queue;
	struct messages_in messages;
	struct buf unwrapped;		/* the datagram in a shoveler's message received by UDP */
	struct datagrams in;		/* the UDP ports */
	struct net_list allow;
	struct address_map map;
	struct keeper keeper;
	struct buf state_path;		/* default path of the state file */
	struct sender_names *names;	/* NULL without --names */
	bool final, ask_names;
	uint64_t refused;		/* number of datagrams from networks outside --allow */
	uint64_t memory, buffer;	/* --memory and --buffer, in MB */
	int64_t retain_days;
	struct xrootd_output to[OUTPUTS];
	struct flows flows;
	uint16_t flow_port;		/* UDP port of fireflies, 0 without --fireflies */
	struct user_texts users;
	/* last output option so far: --format and filters apply to it */
	struct xrootd_output *last_added;
	bool csv;			/* --csv: events as CSV */
	char host[256];			/* name of this host, for FORMAT_WLCG */
	struct osg_summaries *summaries;	/* NULL without --summaries */
	const char *forward_to;		/* NULL without --forward */
	struct forward forward;
	const char *listen;		/* NULL without --listen */
	bool plain;	/* --plain: allow a --listen address that other hosts can reach */
	struct counts_page *page;	/* NULL without --listen */
	struct xrd_join *join;
	struct xrd_sums *sums;		/* NULL without --raw */
	struct xrd_recorder recorder;
	uint64_t bytes;			/* total size of all datagrams, in bytes */
	uint64_t bad_reports;
	/* number of lost, dropped, refused and evicted items that the log already has */
	uint64_t reported;
	bool lost_lines;		/* lines were lost at the end */
	/* .group_failed: writing the last record group failed; .group_made: made since a save */
	bool group_failed, group_made;
};

#define OUT_BYTES 65536

/* Add an output of lines. Returns NULL if there are too many outputs. */
struct xrootd_output *outputs_add(struct xrootd_program *p, enum output_kind kind);

/*
 * Check the outputs and set their defaults. Returns NULL or an error text (constant or in `why`).
 */
const char *outputs_settle(struct xrootd_program *p, char *why, size_t size);
/* Open the files. If this fails, log the error and end the program. */
void outputs_open(struct xrootd_program *p);
void outputs_name_state(struct xrootd_program *p);
/* Write the CSV header if the file of events is empty and the header does not wait yet. */
void outputs_put_head(struct xrootd_program *p);
/*
 * Write the waiting lines. End the program after an error that must not be retried: of a pipe, or
 * with --read.
 */
void outputs_write(struct xrootd_program *p);
/* Write all waiting lines now, without a delay for retries. */
void outputs_write_last(struct xrootd_program *p);
/* Return true if lines are not written yet. */
bool outputs_wait(const struct xrootd_program *p);
void outputs_reopen(struct xrootd_program *p);
/* handle a record group that could not be written to a file */
void outputs_no_records(struct xrootd_program *p, int error);
void outputs_become(struct xrootd_program *p);	/* drop root privileges, see receiver.h */
void outputs_confine(const struct xrootd_program *p);
void outputs_free(struct xrootd_program *p);

/*
 * Write the output's lines. If the disk is full, keep the lines in memory and retry each second.
 * Returns 0, also while the next try is not due, or -errno.
 */
int output_write(struct xrootd_output *o, const char *name);
/* drop the line that starts at `before` if too many lines wait */
void output_keep(struct xrootd_output *o, size_t before);
bool output_is_file(const struct xrootd_output *o);
/* Get the size of the file; 0 if it is not a regular file. */
uint64_t output_size(const struct xrootd_output *o);

/* Check if there is an output of this kind. */
bool fan_out_has(const struct xrootd_program *p, enum output_kind kind);
bool fan_out_has_open(const struct xrootd_program *p);	/* return true if an output has --open */
void fan_out_login(void *program, struct str userid);	/* look up the client's name */
void fan_out_firefly(struct xrootd_program *p, const struct xrd_source *from, struct str datagram);
void fan_out_transfer(struct xrootd_program *p, const struct xrd_transfer *t);
void fan_out_session(struct xrootd_program *p, const struct xrd_session_end *e);
void fan_out_event(struct xrootd_program *p, const struct xrd_event *e);
void fan_out_datagram(struct xrootd_program *p, const struct xrd_source *from, struct str datagram,
		      int64_t now);

/* Handle a datagram, or a message of the shoveler that contains a datagram. */
void program_take(void *arg, const struct xrd_source *from, struct str datagram, int64_t now);

/* Write the remaining lines, and save open files for the next run or end them. */
void program_finish(struct xrootd_program *p);
struct saved_output program_saved_output(const struct xrootd_program *p);

/* Open the UDP ports, before root privileges are dropped. Returns 0, or -errno, which is logged. */
int program_open_ports(struct xrootd_program *p);

/* Receive datagrams until a signal comes. Returns an exit status. */
int program_receive(struct xrootd_program *p);
void program_say_counts(const struct xrootd_program *p, uint64_t dropped);
/* Log the number of messages if some of them were bad. */
void program_say_messages(const char *of, uint64_t n, uint64_t bad);
