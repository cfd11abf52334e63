/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.c - the newest samples as a page that Prometheus reads: over HTTP, or as a file */
#include "sinks/sink.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/json.h"
#include "sinks/line_of.h"
#include "sinks/page.h"
#include "sinks/page_server.h"

#define FILE_NAME "nodometer.prom"
#define SECOND_US 1000000

struct metrics_sink {
	struct page_keys page;
	char textfile_dir[KEY_TEXT_MAX];

	const struct sink_node *sink_node;
	struct line_node node;
	struct line_label label[LINE_LABELS_MAX];
	struct page_server *server;
	bool failing;

	struct page file;		/* as the textfile collector wants it */
	pthread_mutex_t lock;		/* of what follows: it is read in the server's threads */
	struct page served;
};

#define AT(field) offsetof(struct metrics_sink, field)
static const struct key keys[] = {
	{ "listen", KEY_TEXT, AT(page.listen),
	  .help = "ADDRESS:PORT, as 127.0.0.1:9100: the page is /metrics there" },
	{ "socket-dir", KEY_PATH_OR_NOTHING, AT(page.socket_dir), .kept = true,
	  .help = "a folder, for the Unix socket " PAGE_SOCKET " with the same page" },
	{ "textfile-dir", KEY_PATH_OR_NOTHING, AT(textfile_dir), .kept = true,
	  .help = "of node_exporter's textfile collector, for " FILE_NAME },
	{ "cert-file", KEY_PATH_OR_NOTHING, AT(page.cert_file), .help = "listen: the certificate" },
	{ "key-file", KEY_SECRET, AT(page.key_file), .help = "and its key: it is https:// then" },
	{ "token-file", KEY_SECRET, AT(page.token_file),
	  .help = "listen: the bearer token that a request must bring" },
	{ "plain", KEY_CHOICE, AT(page.plain), .no = "no", .yes = "yes", .usual = "no",
	  .help = "yes: without TLS at an address that others reach, too" },
};

static int check(void *state, struct buf *why)
{
	struct metrics_sink *m = state;
	if (m->page.listen[0] || m->page.socket_dir[0] || m->textfile_dir[0])
		return page_keys_check(&m->page, why);
	buf_addf(why, "want listen, socket-dir or textfile-dir");
	return -EINVAL;
}

static void put_gauge(struct buf *to, const struct line_node *node, const char *name,
		      const char *help, int64_t usec)
{
	buf_addf(to, "# HELP %s %s\n# TYPE %s gauge\n%s{host=", name, help, name, name);
	exposition_put_quoted(to, node->host);
	buf_add(to, STR("} "));
	json_put_double(to, (double)usec / SECOND_US);
	buf_add_char(to, '\n');
}

static void put_time(const struct metrics_sink *m, int64_t usec, struct buf *to)
{
	put_gauge(to, &m->node, "nodometer_sample_timestamp_seconds",
		  "When the newest sample was taken", usec);
}

/* Makes the page. A sample too old to be current is not shown, but its age is. */
static void make_page(void *arg, struct buf *to)
{
	struct metrics_sink *m = arg;
	pthread_mutex_lock(&m->lock);
	int64_t now = realtime_us(), age = now - m->served.usec;
	page_put(&m->served, now, to);
	if (m->served.usec) {
		put_time(m, m->served.usec, to);
		put_gauge(to, &m->node, "nodometer_sample_age_seconds",
			  "How long ago that was", age > 0 ? age : 0);
	}
	pthread_mutex_unlock(&m->lock);
	buf_add(to, STR("# EOF\n"));
}

static int open_metrics(void *state, const struct sink_node *node, struct buf *why)
{
	struct metrics_sink *m = state;
	const struct page_maker maker = {
		"application/openmetrics-text; version=1.0.0; charset=utf-8", make_page, m,
	};
	m->sink_node = node;
	m->node = line_of(node, m->label, NULL);
	m->served.form.openmetrics = true;
	m->file.form.beside = true;
	pthread_mutex_init(&m->lock, NULL);
	return m->page.listen[0] || m->page.socket_dir[0] ?
	       page_server_open(&m->page, &maker, &m->server, why) : 0;
}

static void take(const struct metrics_sink *m, struct page *p, const struct record *r)
{
	page_take(p, &m->node, r, m->sink_node->place->live, str_of(m->sink_node->live_types));
}

static void put_file_path(const struct metrics_sink *m, struct buf *path)
{
	buf_addf(path, "%s/" FILE_NAME "%c", m->textfile_dir, '\0');
}

/* node_exporter reads it as another user, and takes no times. */
static int write_file(struct metrics_sink *m, const struct record *r, struct buf *why)
{
	struct buf text CLEANUP(buf_free) = { 0 }, path CLEANUP(buf_free) = { 0 };
	take(m, &m->file, r);
	page_put(&m->file, realtime_us(), &text);
	put_time(m, m->file.usec, &text);
	put_file_path(m, &path);
	int e = files_replace(path.p, buf_str(&text));
	if (e < 0)
		buf_addf(why, "%s: %s", path.p, strerror(-e));
	if (e < 0 && !m->failing)
		say_warning(m->sink_node->listener, "[sink metrics] " STR_FMT,
			    STR_ARG(buf_str(why)));
	if (e == 0 && m->failing)
		say_notice(m->sink_node->listener, "[sink metrics] %s is written again", path.p);
	m->failing = e < 0;
	return e;
}

static int put(void *state, const struct record *r, struct buf *why)
{
	struct metrics_sink *m = state;
	if (m->server) {
		pthread_mutex_lock(&m->lock);
		take(m, &m->served, r);
		pthread_mutex_unlock(&m->lock);
	}
	return m->textfile_dir[0] ? write_file(m, r, why) : 0;
}

/* Numbers that nobody renews are not left; those of --once are there for this. */
static void close_metrics(void *state)
{
	struct metrics_sink *m = state;
	struct buf path CLEANUP(buf_free) = { 0 };
	page_server_close(m->server);
	put_file_path(m, &path);
	if (m->textfile_dir[0] && !m->sink_node->last_chance)
		unlink(path.p);
	page_free(&m->file);
	page_free(&m->served);
	pthread_mutex_destroy(&m->lock);
}

const struct sink metrics_sink = {
	.name     = "metrics",
	.about    = "the newest samples as a page for Prometheus, by HTTP or as a file",
	.size     = sizeof(struct metrics_sink),
	.newest_only = true, .shown = true, .unfolded = true,
	.check    = check, .open = open_metrics, .put = put, .close = close_metrics,
	SINK_KEYS(keys),
};
