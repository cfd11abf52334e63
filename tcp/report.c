/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - nodometer tcp report: find why the connections of a recording were slow */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/clock.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/foreign.h"
#include "base/wrapped.h"
#include "figures/units.h"
#include "tcp/joined.h"
#include "tcp/tcp.h"
#include "tcp/verdicts.h"

enum { BY, TOP, ONLY, JOIN, JSON, CSV };
static const struct cli_option options[] = {
	[BY]   = { "by",    "WHAT", "rank by held (default), retransmits, window, receiver, "
		   "buffer, application, rtt or stalls" },
	[TOP]  = { "top",   "N",    "show the first N connections (default 10)", 'n' },
	[ONLY] = { "ports", "L.R",  "only connections of this local and remote port; may be "
		   "repeated", 'p' },
	[JOIN] = { "join",  "FILE", "add the file accesses of each connection, from nodometer "
		   "xrootd --fireflies" },
	[JSON] = { "json",  NULL,   "print one object: "
		   "share/nodometer/schemas/tcp-1.json" },
	[CSV]  = { "csv",   NULL,   "print one line per connection" },
};
static const struct cli cli = {
	.command = "tcp report", .operands = "FILE", CLI_OPTIONS(options),
	.page = "nodometer-tcp(1)",
	.about = "Reports what limited each TCP connection of a .pm file, with advice.",
};

/* Names of the limits, indexed by enum limit: .name for JSON and CSV, .title for text. */
static const struct {
	const char *name, *title;
} limits[LIMITS] = {
	[LIMIT_WINDOW]      = { "window",      "congestion window" },
	[LIMIT_RECEIVER]    = { "receiver",    "peer's window" },
	[LIMIT_BUFFER]      = { "buffer",      "send buffer" },
	[LIMIT_APPLICATION] = { "application", "application" },
};

struct report_request {
	struct capture capture;
	struct verdicts v;
	struct joined joined;
	const char *file, *join;
	const struct ranking *by;
	uint64_t top;
	bool json, csv;
};

/* Totals of all connections. */
struct report_sums {
	uint64_t sent, received, segments, retransmits;
	uint64_t verdicts[VERDICTS];
	int64_t limited[LIMITS], total;
	size_t unknown;		/* number of connections for which no limit is known */
};

static const struct ranking *report_parse_ranking(const char *name)
{
	for (size_t i = 0; i < n_rankings; i++)
		if (strcmp(rankings[i].name, name) == 0)
			return &rankings[i];
	cli_wrong(&cli, "--by %s: unknown order; use held, retransmits, window, receiver, "
		  "buffer, application, rtt or stalls", name);
}

static void report_parse_arguments(struct report_request *q, int argc, char **argv)
{
	const char *arg;

	for (int o; (o = cli_next(&cli, argc, argv, &arg)) >= 0; ) {
		if (o == BY)
			q->by = report_parse_ranking(arg);
		else if (o == TOP)
			q->top = cli_number(&cli, "top", arg, 1, UINT32_MAX);
		else if (o == ONLY)
			ports_add(&q->capture.only, &cli, arg);
		else if (o == JOIN)
			q->join = arg;
		q->json |= o == JSON;
		q->csv |= o == CSV;
	}
	if (q->json && q->csv)
		cli_wrong(&cli, "--json cannot be used with --csv");
	if (q->csv && q->join)
		cli_wrong(&cli, "--join cannot be used with --csv: a connection may have several "
			  "accesses");
	if (optind + 1 != argc)
		cli_wrong(&cli, "name one FILE");
	q->file = argv[optind];
}

static struct report_sums report_sum_all(const struct verdicts *v)
{
	struct report_sums a = { .sent = 0 };

	for (size_t i = 0; i < v->n; i++) {
		const struct verdict_sums *s = &v->p[i];
		a.sent += s->sent.n;
		a.received += s->received.n;
		a.segments += s->segments.n;
		a.retransmits += s->retransmits.n;
		a.verdicts[s->verdict]++;
		a.unknown += !s->limits_known;
		if (s->verdict == VERDICT_IDLE)
			continue;
		for (int k = 0; k < LIMITS; k++) {
			time_add(&a.limited[k], s->limited[k]);
			time_add(&a.total, s->limited[k]);
		}
	}
	return a;
}

/*
 * Return the connection's name, such as "10.0.0.1:1055 10.0.0.2:5050", with " (2)" appended for the
 * second connection of that name.
 */
static const char *report_connection_name(const struct report_request *q,
					  const struct verdict_sums *s, char text[160])
{
	const struct tcp_connection *c = &q->capture.connection[s->connection];

	if (c->same)
		snprintf(text, 160, "%s (%u)", c->name, c->same + 1);
	else
		snprintf(text, 160, "%s", c->name);
	return text;
}

static const struct verdict_sums *report_find_worst(const struct verdicts *v,
						    const struct ranking *by)
{
	const struct verdict_sums *most = NULL;

	for (size_t i = 0; i < v->n; i++)
		if (ranking_value(by, &v->p[i]) > (most ? ranking_value(by, most) : 0))
			most = &v->p[i];
	return most;
}

static const char *report_format_rank(char text[48], const struct ranking *by, double v)
{
	if (by->unit == RANKING_SECONDS)
		snprintf(text, 48, "%s", text_value(UNIT_SECONDS, v).s);
	else
		snprintf(text, 48, by->unit == RANKING_TIMES ? "%.1f x" : "%.0f", v);
	return text;
}

static void report_put_worst(struct buf *b, const struct report_request *q)
{
	char name[160], value[48];

	buf_addf(b, "\n%-32s %12s  %s\n", "the worst by", "", "connection");
	for (size_t i = 0; i < n_rankings; i++) {
		const struct ranking *by = &rankings[i];
		const struct verdict_sums *s = report_find_worst(&q->v, by);
		if (s)
			buf_addf(b, "%-32s %12s  %s\n", by->title,
				 report_format_rank(value, by, ranking_value(by, s)),
				 report_connection_name(q, s, name));
	}
}

static void report_put_limits(struct buf *b, const struct report_sums *a)
{
	if (a->total == 0)
		return;
	buf_addf(b, "\n%-32s %12s %8s\n", "limited by", "time", "share");
	for (int i = 0; i < LIMITS; i++)
		buf_addf(b, "%-32s %12s %8s\n", limits[i].title,
			 text_value(UNIT_SECONDS, (double)a->limited[i] / 1e6).s,
			 text_percent(100 * (double)a->limited[i] / (double)a->total).s);
}

static void report_put_summary(struct buf *b, const struct report_request *q,
			       const struct report_sums *a)
{
	const struct pm_header *h = &q->capture.h;

	buf_addf(b, "%zu connection%s in %s: %s sent, %s received\n", q->v.n,
		 q->v.n == 1 ? "" : "s", text_duration(q->v.last - q->v.first).s,
		 text_value(UNIT_BYTES, (double)a->sent).s,
		 text_value(UNIT_BYTES, (double)a->received).s);
	if (a->segments)
		buf_addf(b, "%llu of %llu segments sent again (%s)\n",
			 (unsigned long long)a->retransmits, (unsigned long long)a->segments,
			 text_percent(100 * (double)a->retransmits / (double)a->segments).s);
	if (h->missed_moments || h->lost_snapshots)
		buf_addf(b, "%llu moments were missed and %llu snapshots lost: the numbers are too "
			 "low\n", (unsigned long long)h->missed_moments,
			 (unsigned long long)h->lost_snapshots);
	if (a->unknown)
		buf_addf(b, "the limits of %zu connections are unknown\n", a->unknown);
	buf_addf(b, "\n%-32s %12s\n", "verdict", "connections");
	for (int i = 0; i < VERDICTS; i++)
		if (a->verdicts[i])
			buf_addf(b, "%-32s %12llu\n", verdict_names[i],
				 (unsigned long long)a->verdicts[i]);
	report_put_limits(b, a);
	report_put_worst(b, q);
}

static void report_put_share(struct buf *b, const struct verdict_sums *s, enum limit limit,
			     int width)
{
	double all = 0;

	for (int i = 0; i < LIMITS; i++)
		all += (double)s->limited[i];
	if (s->limits_known && all > 0)
		buf_addf(b, " %*.0f %%", width - 2, 100 * (double)s->limited[limit] / all);
	else
		buf_addf(b, " %*s", width, "-");
}

static void report_put_numbers(struct buf *b, const struct verdict_sums *s)
{
	struct text sent = s->sent.known ? text_value(UNIT_BYTES, (double)s->sent.n) :
					   (struct text){ "-" };
	struct text again = { "-" };

	if (s->retransmits.known && s->segments.n)
		again = text_percent(100 * (double)s->retransmits.n / (double)s->segments.n);
	buf_addf(b, "%10s %7s", sent.s, again.s);
	report_put_share(b, s, LIMIT_WINDOW, 7);
	report_put_share(b, s, LIMIT_RECEIVER, 7);
	report_put_share(b, s, LIMIT_BUFFER, 6);
	report_put_share(b, s, LIMIT_APPLICATION, 11);
	if (s->rtt > 0)
		buf_addf(b, " %9.5g", s->rtt / 1e3);
	else
		buf_addf(b, " %9s", "-");
	if (s->rtt > 0 && s->least_rtt > 0)
		buf_addf(b, " %6.1f", s->rtt / s->least_rtt);
	else
		buf_addf(b, " %6s", "-");
	if (s->stalls_known)
		buf_addf(b, " %6u\n", s->stalls);
	else
		buf_addf(b, " %6s\n", "-");
}

static void report_put_advice(struct buf *b, const struct verdict_sums *s)
{
	struct buf text CLEANUP(buf_free) = { 0 };

	buf_addf(&text, "%s: %s", verdict_names[s->verdict], verdict_advice(s));
	wrapped_put(b, 4, buf_str(&text));
}

static void report_put_text(struct buf *b, const struct report_request *q)
{
	char name[160];
	size_t n = q->v.n < q->top ? q->v.n : (size_t)q->top;
	struct report_sums a = report_sum_all(&q->v);

	report_put_summary(b, q, &a);
	buf_addf(b, "\n%10s %7s %7s %7s %6s %11s %9s %6s %6s\n", "sent", "again", "window",
		 "peer", "buffer", "application", "rtt, ms", "/least", "stalls");
	for (size_t i = 0; i < n; i++) {
		const struct verdict_sums *s = &q->v.p[i];
		buf_addf(b, "%s\n", report_connection_name(q, s, name));
		report_put_numbers(b, s);
		report_put_advice(b, s);
		joined_put_text(b, &q->joined, &q->capture.connection[s->connection], s);
	}
	if (n < q->v.n)
		buf_addf(b, "and %zu more: --top N shows more, --json and --csv all\n",
			 q->v.n - n);
}

static void report_json_amount(struct buf *b, const char *name, struct known_amount a)
{
	if (a.known)
		json_u64(b, name, a.n);
}

static void report_json_limits(struct buf *b, const int64_t *limited, bool known)
{
	if (!known)
		return;
	json_open(b, "limited", '{');
	for (int i = 0; i < LIMITS; i++)
		json_seconds(b, limits[i].name, limited[i]);
	json_close(b, '}');
}

static void report_json_rtt(struct buf *b, const char *name, double usec)
{
	if (usec > 0)
		json_seconds(b, name, (int64_t)usec);
}

/* Append a connection as JSON, without unknown values. */
static void report_put_json_connection(struct buf *b, const struct report_request *q,
				       const struct verdict_sums *s)
{
	const struct tcp_connection *c = &q->capture.connection[s->connection];
	char name[160];

	json_open(b, NULL, '{');
	json_str(b, "connection", str_of(report_connection_name(q, s, name)));
	json_u64(b, "lport", c->ports.local);
	json_u64(b, "rport", c->ports.remote);
	json_str(b, "verdict", str_of(verdict_names[s->verdict]));
	json_str(b, "advice", str_of(verdict_advice(s)));
	json_seconds(b, "start", s->start);
	json_seconds(b, "seconds", s->usec);
	report_json_amount(b, "sent", s->sent);
	report_json_amount(b, "received", s->received);
	report_json_amount(b, "segments", s->segments);
	report_json_amount(b, "retransmits", s->retransmits);
	report_json_limits(b, s->limited, s->limits_known);
	report_json_rtt(b, "rtt", s->rtt);
	report_json_rtt(b, "least_rtt", s->least_rtt);
	report_json_amount(b, "stalls", (struct known_amount){ s->stalls, s->stalls_known });
	if (s->stalls_known)
		json_seconds(b, "stalled", s->stalled);
	joined_put_json(b, &q->joined, c, s);
	json_close(b, '}');
}

static void report_put_json(struct buf *b, const struct report_request *q)
{
	const struct pm_header *h = &q->capture.h;
	struct report_sums a = report_sum_all(&q->v);
	char name[160];

	json_open(b, NULL, '{');
	json_seconds(b, "start", q->v.first);
	json_seconds(b, "seconds", q->v.last - q->v.first);
	report_json_amount(b, "missed_moments",
			   (struct known_amount){ h->missed_moments, h->states_losses });
	report_json_amount(b, "lost_snapshots",
			   (struct known_amount){ h->lost_snapshots, h->states_losses });
	json_u64(b, "sent", a.sent);
	json_u64(b, "received", a.received);
	json_u64(b, "segments", a.segments);
	json_u64(b, "retransmits", a.retransmits);
	report_json_limits(b, a.limited, a.total > 0);
	json_u64(b, "limits_unknown", a.unknown);
	json_open(b, "verdicts", '{');
	for (int i = 0; i < VERDICTS; i++)
		json_u64(b, verdict_names[i], a.verdicts[i]);
	json_close(b, '}');
	json_open(b, "worst", '{');
	for (size_t i = 0; i < n_rankings; i++) {
		const struct verdict_sums *s = report_find_worst(&q->v, &rankings[i]);
		if (s)
			json_str(b, rankings[i].name, str_of(report_connection_name(q, s, name)));
	}
	json_close(b, '}');
	json_open(b, "connections", '[');
	for (size_t i = 0; i < q->v.n; i++)
		report_put_json_connection(b, q, &q->v.p[i]);
	json_close(b, ']');
	json_u64(b, "schema", 1);
	json_close(b, '}');
	buf_add_char(b, '\n');
}

static void report_csv_amount(struct buf *b, struct known_amount a)
{
	if (a.known)
		csv_int(b, (int64_t)a.n);
	else
		csv_raw(b, STR(""));
}

/* Append a time in seconds, or an empty field if unknown. */
static void report_csv_seconds(struct buf *b, int64_t usec, bool known)
{
	if (known)
		csv_seconds(b, usec);
	else
		csv_raw(b, STR(""));
}

static void report_put_csv(struct buf *b, const struct report_request *q)
{
	const struct pm_header *h = &q->capture.h;
	char name[160];

	buf_add(b, STR("connection,verdict,start,seconds,sent,received,segments,retransmits,"
		       "window,receiver,buffer,application,rtt,least_rtt,stalls,stalled,"
		       "missed_moments,lost_snapshots\n"));
	for (size_t i = 0; i < q->v.n; i++) {
		const struct verdict_sums *s = &q->v.p[i];
		csv_str(b, str_of(report_connection_name(q, s, name)));
		csv_str(b, str_of(verdict_names[s->verdict]));
		report_csv_seconds(b, s->start, s->start >= 0);
		report_csv_seconds(b, s->usec, s->usec >= 0);
		report_csv_amount(b, s->sent);
		report_csv_amount(b, s->received);
		report_csv_amount(b, s->segments);
		report_csv_amount(b, s->retransmits);
		for (int k = 0; k < LIMITS; k++)
			report_csv_seconds(b, s->limited[k], s->limits_known);
		report_csv_seconds(b, (int64_t)s->rtt, s->rtt > 0);
		report_csv_seconds(b, (int64_t)s->least_rtt, s->least_rtt > 0);
		report_csv_amount(b, (struct known_amount){ s->stalls, s->stalls_known });
		report_csv_seconds(b, s->stalled, s->stalls_known);
		report_csv_amount(b, (struct known_amount){ h->missed_moments, h->states_losses });
		report_csv_amount(b, (struct known_amount){ h->lost_snapshots, h->states_losses });
		csv_end(b);
	}
}

static int report_show(struct report_request *q)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	const struct capture *c = &q->capture;

	if (!c->time || c->n == 0) {
		log_error("%s: %s", q->file, c->n_moments == 0 ? "no snapshots" : !c->time ?
			  "no time column, so durations are unknown" :
			  "no connection with these ports");
		return CLI_FAILED;
	}
	verdicts_of(&q->v, c);
	verdicts_sort(&q->v, q->by);
	if (q->json)
		report_put_json(&b, q);
	else if (q->csv)
		report_put_csv(&b, q);
	else
		report_put_text(&b, q);
	verdicts_free(&q->v);
	return cli_publish(NULL, buf_str(&b));
}

int tcp_report_main(int argc, char **argv)
{
	struct report_request q = { .by = &rankings[0], .top = 10 };
	int status = CLI_FAILED;

	report_parse_arguments(&q, argc, argv);
	int fd CLEANUP(close_fd) = capture_open(q.file);
	int joined = q.join ? capture_open(q.join) : -1;
	foreign_confine(NULL, 0, 0, &log_listener);
	if ((!q.join || joined_load(&q.joined, q.join, joined) == 0) &&
	    capture_load(&q.capture, q.file, fd) == 0)
		status = report_show(&q);
	capture_free(&q.capture);
	free(q.capture.only.p);
	joined_free(&q.joined);
	return status;
}
