/* SPDX-License-Identifier: BSD-3-Clause */
/* receive.c - main loop of nodometer xrootd: receive datagrams, log losses, stop */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/system/signals.h"
#include "formats/xrootd/shoveler.h"
#include "xrootd/counts_page.h"
#include "xrootd/program.h"
#include "xrootd/receiver.h"

#define SERVERS_LOGGED_MAX 100
/*
 * time for a stop, in nanoseconds: half to read datagrams that wait, half to report open files;
 * saving the state may take longer if the disk is slow
 */
#define STOP_NS     900000000
/* number of reading rounds that a stop may make even if they take longer than STOP_NS / 2 */
#define STOP_ROUNDS 32

/* Add a summary packet. Ignore other datagrams, which arrive at the same port. */
static void receive_summary(struct xrootd_program *p, const struct xrd_source *from,
			    struct str datagram,
			    int64_t now)
{
	int e = xrd_reports_add(p->recorder.reports, &(struct xrd_report){
		.packet = datagram, .at = now, .from = &from->address, .sums = p->sums,
	});
	p->bad_reports += e < 0 && e != -ENOMSG;
}

/*
 * Forward a datagram with its source address. If the source is known only by name, count a failure.
 */
static void receive_forward(struct xrootd_program *p, const struct xrd_source *from,
			    struct str datagram)
{
	if (!from->name)
		forward_send(&p->forward, &from->address, from->port, datagram);
	else if (p->forward.fd >= 0)
		p->forward.failed++;
}

static void receive_datagram(struct xrootd_program *p, const struct xrd_source *from,
			     struct str datagram, int64_t now)
{
	if (p->allow.n && !net_list_has(&p->allow, &from->address)) {
		p->refused++;
		return;
	}
	struct xrd_source mapped = *from;
	address_map_apply(&p->map, &mapped);
	if (p->flow_port && firefly_is(datagram)) {
		fan_out_firefly(p, &mapped, datagram);
		return;
	}
	receive_forward(p, from, datagram);
	from = &mapped;
	p->bytes += datagram.n;
	fan_out_datagram(p, from, datagram, now);
	if (p->sums) {
		xrd_sums_tick(p->sums, now);
		receive_summary(p, from, datagram, now);
	}
	xrd_join_add(p->join, from, datagram, now);
	if (p->to[TO_EVENTS].text.n >= OUT_BYTES)
		outputs_write(p);
}

void program_take(void *arg, const struct xrd_source *from, struct str datagram, int64_t now)
{
	struct xrootd_program *p = arg;
	struct shoveled m;
	bool is_allowed = !p->allow.n || net_list_has(&p->allow, &from->address);
	if (!is_allowed || str_peek(datagram) != '{' ||
	    shoveler_read(str_without_end(datagram, '\0'), &m, &p->unwrapped) < 0) {
		receive_datagram(p, from, datagram, now);
		return;
	}
	const struct xrd_source source = message_source(&m);
	receive_datagram(p, &source, buf_str(&p->unwrapped), now);
}

struct saved_output program_saved_output(const struct xrootd_program *p)
{
	struct saved_output o = { .last_us = p->recorder.last_us, .bytes = p->bytes,
				  .size = xrd_recorder_size(&p->recorder),
				  .reports = p->recorder.reports,
				  .begun = p->recorder.begun && p->recorder.written };
	for (size_t i = 0; i < SAVED_LINES; i++) {
		o.lines[i].text = (struct buf *)&p->to[i].text;
		o.lines[i].size = output_size(&p->to[i]);
	}
	return o;
}

void program_finish(struct xrootd_program *p)
{
	outputs_write_last(p);
	struct saved_output o = program_saved_output(p);
	o.ended = true;
	bool kept = p->keeper.path && !p->final;
	if (kept && keeper_save(&p->keeper, p->join, p->sums, &o)) {
		xrd_join_abandon(p->join);
		return;
	}
	if (kept && (outputs_wait(p) || p->keeper.hangs)) {
		log_error("%s is not updated; it was saved at most a minute ago", p->keeper.path);
		p->lost_lines = true;
		xrd_join_abandon(p->join);
		return;
	}
	xrd_join_finish(p->join);
	if (p->sums)
		xrd_sums_finish(p->sums);
	outputs_write_last(p);
	p->lost_lines = outputs_wait(p);
	if (p->lost_lines)
		log_error("the waiting lines are lost");
	keeper_forget(&p->keeper);
}

static struct xrd_counts receive_sum_counts(const struct xrootd_program *p)
{
	const struct xrd_servers *all = xrd_join_servers(p->join);
	struct xrd_counts sum = all->gone;
	for (size_t i = 0; i < all->n; i++)
		xrd_counts_add(&sum, &all->server[i]->seen);
	return sum;
}

void program_say_counts(const struct xrootd_program *p, uint64_t dropped)
{
	const struct xrd_join_counts *c = xrd_join_counts(p->join);
	struct xrd_counts s = receive_sum_counts(p);
	log_notice("%llu datagrams, %llu lost, %llu out of order, %llu twice, %llu damaged, "
		   "%llu of summary data, %llu of these not read; %llu dropped here; "
		   "%llu unknown records; "
		   "%llu transfers, %llu incomplete; %llu users and files forgotten, "
		   "%llu transfers not written; %llu datagrams refused",
		   (unsigned long long)c->datagrams, (unsigned long long)s.n[XRD_LOST],
		   (unsigned long long)s.n[XRD_REORDERED],
		   (unsigned long long)s.n[XRD_DUPLICATE],
		   (unsigned long long)c->bad, (unsigned long long)c->summary,
		   (unsigned long long)p->bad_reports, (unsigned long long)dropped,
		   (unsigned long long)c->unknown, (unsigned long long)c->transfers,
		   (unsigned long long)c->incomplete, (unsigned long long)c->evicted,
		   (unsigned long long)c->unwritten, (unsigned long long)p->refused);
	if (p->flow_port)
		log_notice("%llu fireflies, %llu damaged", (unsigned long long)p->flows.seen,
			   (unsigned long long)p->flows.bad);
	const struct forward *f = &p->forward;
	if (f->fd >= 0)
		log_notice("%llu datagrams sent on to %s, %llu could not be%s%s, %llu were of "
			   "the other IP version", (unsigned long long)f->sent, p->forward_to,
			   (unsigned long long)f->failed, f->error ? ": " : "",
			   f->error ? strerror(f->error) : "",
			   (unsigned long long)f->foreign);
}

void program_say_messages(const char *of, uint64_t n, uint64_t bad)
{
	if (bad)
		log_warning("%s: %llu of %llu lines are not messages of the shoveler", of,
			    (unsigned long long)bad, (unsigned long long)n);
}

static void receive_log_server(const struct xrd_server *s)
{
	const uint64_t *n = s->seen.n;
	char name[XRD_NAME_SIZE];
	xrd_server_name(s, name, sizeof(name));
	log_notice("%s: %llu packets, %llu records, %llu lost in %llu gaps, %llu damaged, "
		   "%llu evicted, %llu joined, %llu incomplete, %zu open", name,
		   (unsigned long long)n[XRD_RECEIVED], (unsigned long long)n[XRD_RECORDS],
		   (unsigned long long)n[XRD_LOST], (unsigned long long)n[XRD_GAPS],
		   (unsigned long long)n[XRD_DAMAGED], (unsigned long long)n[XRD_FORGOTTEN],
		   (unsigned long long)n[XRD_JOINED], (unsigned long long)n[XRD_INCOMPLETE],
		   s->n_open);
}

/* Log the counts of the receiver and of each server (SIGUSR1). */
static void receive_log_health(const struct xrootd_program *p, uint64_t dropped)
{
	const struct xrd_servers *all = xrd_join_servers(p->join);
	program_say_counts(p, dropped);
	for (size_t i = 0; i < all->n && i < SERVERS_LOGGED_MAX; i++)
		receive_log_server(all->server[i]);
	if (all->n > SERVERS_LOGGED_MAX)
		log_notice("%zu more servers: --raw, type xrootd_receiver, has them all",
			   all->n - SERVERS_LOGGED_MAX);
}

/* Warn of losses, at most once a minute. */
static void receive_warn_of_losses(struct xrootd_program *p, uint64_t dropped, int64_t now)
{
	static int64_t said;
	uint64_t lost = receive_sum_counts(p).n[XRD_LOST];
	uint64_t evicted = xrd_join_counts(p->join)->evicted;
	uint64_t servers = xrd_join_servers(p->join)->evicted;
	uint64_t all = lost + dropped + p->refused + evicted + servers;
	if (all == p->reported || now - said < 60000000)
		return;
	log_warning("judging by their sequence numbers, %llu datagrams have been lost so far; "
		    "%llu were dropped here because the socket's buffer was full; %llu were "
		    "refused; %llu users and files and %llu servers were evicted for lack of "
		    "memory",
		    (unsigned long long)lost, (unsigned long long)dropped,
		    (unsigned long long)p->refused, (unsigned long long)evicted,
		    (unsigned long long)servers);
	p->reported = all;
	said = now;
}

static int receive_port(struct xrootd_program *p, struct datagrams *in, size_t port)
{
	struct datagram d[DATAGRAMS_AT_ONCE];
	int n = datagrams_receive(in, port, d);
	int64_t now = realtime_us();
	for (int i = 0; i < n; i++) {
		const struct xrd_source from = { d[i].from.sin6_addr, ntohs(d[i].from.sin6_port),
						 NULL };
		program_take(p, &from, d[i].bytes, now);
	}
	return n;
}

/* Read all ports. Returns the number of datagrams, or -errno. */
static int receive_ports(struct xrootd_program *p, struct datagrams *in)
{
	int n = 0;
	for (size_t i = 0; i < in->n_ports; i++) {
		int r = receive_port(p, in, i);
		if (r < 0)
			return r;
		n += r;
	}
	return n;
}

/*
 * Get the descriptor from which messages are read, or -1. Do not read a queue while lines wait for
 * room on the disk.
 */
static int receive_message_fd(const struct xrootd_program *p)
{
	bool is_queue = queue_is_used(&p->queue);
	return !p->take_messages || (is_queue && outputs_wait(p)) ? -1 :
	       is_queue ? p->queue.messages : STDIN_FILENO;
}

/*
 * Acknowledge the messages of the queue whose data would survive a crash: messages in the newest
 * saved state or, without a state file, all messages once no lines wait to be written.
 */
static void receive_acknowledge(struct xrootd_program *p)
{
	if (!queue_is_used(&p->queue))
		return;
	if (p->keeper.path)
		queue_tell(&p->queue, p->keeper.messages_saved);
	else if (!outputs_wait(p))
		queue_tell(&p->queue, p->messages.n);
}

/*
 * Check if the state must be saved early: without acknowledgements, the broker stops after
 * QUEUE_AHEAD messages.
 */
static bool receive_is_ahead(const struct xrootd_program *p)
{
	return queue_is_used(&p->queue) &&
	       p->messages.n - p->keeper.messages_saved >= QUEUE_AHEAD / 2;
}

/*
 * Read messages from standard input or from the queue. Returns 1; 0 at the end of the input; or
 * -errno.
 */
static int receive_messages(struct xrootd_program *p)
{
	const struct xrd_datagrams to = { program_take, p };
	int r = messages_read(&p->messages, receive_message_fd(p), &to);
	if (r < 0 && r != -EAGAIN)
		log_error("messages: %s", strerror(-r));
	return r == -EAGAIN ? 1 : r;
}

static bool receive_has_messages(const struct xrootd_program *p)
{
	struct pollfd fd = { receive_message_fd(p), POLLIN, 0 };
	return poll(&fd, 1, 0) > 0 && fd.revents & POLLIN;
}

/*
 * Check if another round may be read after a request to stop: until the time `until`, and for the
 * first STOP_ROUNDS rounds even after that time, because a busy machine may be slow.
 */
static bool receive_may_go_on(int rounds, int64_t until)
{
	return rounds < STOP_ROUNDS || monotonic_ns() < until;
}

/*
 * Read the datagrams and messages that still wait, within the time for a stop, so that the saved
 * state includes them.
 */
static void receive_remaining(struct xrootd_program *p, struct datagrams *in)
{
	int64_t until = monotonic_ns() + STOP_NS / 2;
	for (int i = 0; receive_may_go_on(i, until) && receive_ports(p, in) > 0; i++)
		;
	for (int i = 0; receive_may_go_on(i, until) && receive_has_messages(p); i++)
		if (receive_messages(p) <= 0)
			break;
	xrd_join_hurry(p->join, STOP_NS / 2);
}

static void receive_tick(struct xrootd_program *p, struct datagrams *in)
{
	static int64_t ticked;
	int64_t now = realtime_us();
	if (now >= ticked && now - ticked < XRD_TICK)
		return;
	if (p->page)
		counts_page_tick(p->page);
	xrd_join_tick(p->join, now);
	if (p->sums)
		xrd_sums_tick(p->sums, now);
	receive_warn_of_losses(p, datagrams_lost(in), now);
	ticked = now;
	if (now - p->keeper.started_us < KEEP_EVERY && now >= p->keeper.started_us &&
	    !p->group_made && !receive_is_ahead(p))
		return;
	p->group_made = false;
	outputs_write(p);
	struct saved_output o = program_saved_output(p);
	p->keeper.messages = p->messages.n;
	keeper_save_aside(&p->keeper, p->join, p->sums, &o, now);
}

/* Warn if the receive buffer is smaller than requested: setsockopt(2) does not report this. */
static void receive_check_buffer(const struct xrootd_program *p, const struct datagrams *in)
{
	size_t granted = datagrams_room(in) / 2;	/* the kernel doubles the size: socket(7) */
	if (granted < p->buffer << 20)
		log_warning("the socket's buffer is %zu KB, not %llu: bursts beyond it are lost; "
			    "net.core.rmem_max, or ReceiveBuffer= of nodometer-xrootd.socket, "
			    "allow more", granted >> 10, (unsigned long long)p->buffer << 10);
}

static int receive_open_page(struct xrootd_program *p)
{
	struct buf why CLEANUP(buf_free) = { 0 };
	p->page = counts_page_open(p, p->listen, &why);
	if (!p->page)
		log_error("--listen: " STR_FMT, STR_ARG(buf_str(&why)));
	return p->page ? 0 : -EADDRNOTAVAIL;
}

int program_open_ports(struct xrootd_program *p)
{
	struct datagrams *in = &p->in;
	*in = (struct datagrams){ .room = (int)(p->buffer << 20), .numeric = true };
	int r = datagrams_adopt(in);
	if (r < 0)
		log_error("sockets of systemd: %s", strerror(-r));
	for (size_t i = 0; i < p->n_ports && r >= 0; i++) {
		char port[8];
		const char *why;
		snprintf(port, sizeof(port), "%u", p->port[i]);
		r = datagrams_open(in, p->bind, port, &why);
		if (r < 0)
			log_error("UDP port %s: %s", port, why);
	}
	if (r >= 0 && in->n_ports)
		receive_check_buffer(p, in);
	return r >= 0 && p->listen ? receive_open_page(p) : r;
}

/*
 * Wait up to one second for input, and answer HTTP requests (--listen). Returns true if messages
 * can be read.
 */
static bool receive_wait(const struct xrootd_program *p, const struct datagrams *in,
			 const sigset_t *usual)
{
	const struct timespec second = { .tv_sec = 1 };
	struct pollfd fd[DATAGRAM_PORTS_MAX + 2];
	fd[0] = (struct pollfd){ receive_message_fd(p), POLLIN, 0 };
	fd[1] = (struct pollfd){ counts_page_fd(p->page), POLLIN, 0 };
	for (size_t i = 0; i < in->n_ports; i++)
		fd[i + 2] = (struct pollfd){ in->fd[i], POLLIN, 0 };
	int n = poll_and_signals(fd, in->n_ports + 2, &second, usual);
	if (p->page)
		counts_page_run(p->page);
	return n > 0 && fd[0].revents;
}

/*
 * Accept any sequence number from each server next, because a broker delivers unacknowledged
 * messages again.
 */
static void receive_restart_numbers(void *arg)
{
	struct xrootd_program *p = arg;
	xrd_join_resume(p->join, false);
}

static int receive_start_queue(struct xrootd_program *p)
{
	p->messages.again = queue_is_used(&p->queue) ? receive_restart_numbers : NULL;
	p->messages.again_arg = p;
	int r = queue_is_used(&p->queue) ? queue_start(&p->queue) : 0;
	if (r < 0)
		log_error("--messages %s: %s%s", p->queue.url, strerror(-r), r == -ENOENT ?
			  " (install nodometer-send, which has nodometer-xrootd-queue)" : "");
	return r;
}

/* Do one round of the main loop. Returns 1; 0 at the end of the messages; or -errno. */
static int receive_turn(struct xrootd_program *p, struct datagrams *in, const sigset_t *usual)
{
	int more = receive_wait(p, in, usual) ? receive_messages(p) : 1;
	if (receiver_take_hangup())
		outputs_reopen(p);
	if (receiver_take_question())
		receive_log_health(p, datagrams_lost(in));
	int r = receive_ports(p, in);
	keeper_look(&p->keeper);
	receive_tick(p, in);
	outputs_write(p);
	receive_acknowledge(p);
	if (r < 0)
		log_error("UDP ports: %s", strerror(-r));
	return r < 0 ? r : more;
}

/* Acknowledge all messages, unless lines were lost, and end the program that reads the queue. */
static void receive_end_queue(struct xrootd_program *p)
{
	if (!p->lost_lines)
		queue_tell(&p->queue, p->messages.n);
	queue_end(&p->queue);
	program_say_messages(queue_is_used(&p->queue) ? "queue" : "standard input", p->messages.n,
			     p->messages.bad);
}

int program_receive(struct xrootd_program *p)
{
	struct datagrams *in = &p->in;
	sigset_t usual;
	int r = 1;
	if (receive_start_queue(p) < 0)
		return CLI_FAILED;
	outputs_confine(p);
	receiver_block(&usual);
	p->keeper.started_us = realtime_us();
	while (!receiver_is_ended() && r > 0)
		r = receive_turn(p, in, &usual);
	if (r == 0 && queue_is_used(&p->queue)) {
		log_error("the reader of the queue has ended");
		r = -EPIPE;
	}
	receive_remaining(p, in);
	p->keeper.messages = p->messages.n;
	program_finish(p);
	program_say_counts(p, datagrams_lost(in));
	receive_end_queue(p);
	datagrams_close(in);
	return r < 0 || p->lost_lines ? CLI_FAILED : CLI_OK;
}
