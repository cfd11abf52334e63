/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics.c - publish the newest samples as a page for Prometheus, over HTTP or as a file */
#include "sinks/sink.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/json.h"
#include "sinks/deliveries.h"
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

	struct sample_page file;		/* page for node_exporter's textfile collector */
	pthread_mutex_t lock;		/* protects `served`, which the server's threads read */
	struct sample_page served;
};

#define AT(field) offsetof(struct metrics_sink, field)
static const struct key keys[] = {
	{ "listen", KEY_TEXT, AT(page.listen),
	  .help = "ADDRESS:PORT of the page /metrics, such as 127.0.0.1:9100" },
	{ "socket-dir", KEY_PATH_OR_NOTHING, AT(page.socket_dir), .is_storage = true,
	  .help = "folder of the Unix socket " PAGE_SOCKET " with the same page" },
	{ "textfile-dir", KEY_PATH_OR_NOTHING, AT(textfile_dir), .is_storage = true,
	  .help = "folder of node_exporter's textfile collector, for " FILE_NAME },
	{ "cert-file", KEY_PATH_OR_NOTHING, AT(page.cert_file),
	  .help = "listen: file of the certificate" },
	{ "key-file", KEY_SECRET, AT(page.key_file),
	  .help = "file of its key; both switch to https://" },
	{ "token-file", KEY_SECRET, AT(page.token_file),
	  .help = "listen: file of the bearer token that requests must have" },
	{ "plain", KEY_CHOICE, AT(page.plain), .no = "no", .yes = "yes", .usual = "no",
	  .help = "yes: allow listen without TLS at an address that is not local" },
};

static int metrics_check(void *state, struct buf *why)
{
	struct metrics_sink *m = state;
	if (m->page.listen[0] || m->page.socket_dir[0] || m->textfile_dir[0])
		return page_keys_check(&m->page, why);
	buf_addf(why, "set listen, socket-dir or textfile-dir");
	return -EINVAL;
}

static void metrics_put_gauge(struct buf *to, const struct line_node *node, const char *name,
			      const char *help, int64_t usec)
{
	exposition_put_head(to, "", name, help, GAUGE);
	buf_addf(to, "%s{host=", name);
	exposition_put_quoted(to, node->host);
	buf_add(to, STR("} "));
	json_put_double(to, (double)usec / SECOND_US);
	buf_add_char(to, '\n');
}

static void metrics_put_sample_time(const struct metrics_sink *m, int64_t usec, struct buf *to)
{
	metrics_put_gauge(to, &m->node, "nodometer_sample_timestamp_seconds",
			  "When the newest sample was taken", usec);
}

/* Append the progress of all sinks of this host, from the cursors in STATE-DIR/HOST. */
static void metrics_put_deliveries(const struct metrics_sink *m, struct buf *to)
{
	struct buf dir CLEANUP(buf_free) = { 0 };
	if (!m->sink_node->state_dir)
		return;
	buf_addf(&dir, "%s/%s%c", m->sink_node->state_dir, m->sink_node->host, '\0');
	deliveries_put(to, dir.p, m->node.host);
}

/* Make the page. Leave out samples that are no longer current, but show the newest sample's age. */
static void metrics_make_page(void *arg, struct buf *to)
{
	struct metrics_sink *m = arg;
	pthread_mutex_lock(&m->lock);
	int64_t now = realtime_us(), age = now - m->served.usec;
	page_put(&m->served, now, to);
	if (m->served.usec) {
		metrics_put_sample_time(m, m->served.usec, to);
		metrics_put_gauge(to, &m->node, "nodometer_sample_age_seconds",
				  "How long ago that was", age > 0 ? age : 0);
	}
	pthread_mutex_unlock(&m->lock);
	metrics_put_deliveries(m, to);
	buf_add(to, STR("# EOF\n"));
}

static int metrics_open(void *state, const struct sink_node *node, struct buf *why)
{
	struct metrics_sink *m = state;
	const struct page_maker maker = {
		"application/openmetrics-text; version=1.0.0; charset=utf-8", metrics_make_page, m,
	};
	m->sink_node = node;
	m->node = line_of(node, m->label, NULL);
	m->served.form.openmetrics = true;
	m->file.form.beside = true;
	pthread_mutex_init(&m->lock, NULL);
	return m->page.listen[0] || m->page.socket_dir[0] ?
	       page_server_open(&m->page, &maker, &m->server, why) : 0;
}

static void metrics_update_page(const struct metrics_sink *m, struct sample_page *p,
				const struct record *r)
{
	page_take(p, &m->node, r, m->sink_node->place->live, str_of(m->sink_node->live_types));
}

static void metrics_put_file_path(const struct metrics_sink *m, struct buf *path)
{
	buf_addf(path, "%s/" FILE_NAME "%c", m->textfile_dir, '\0');
}

/*
 * Write the page for node_exporter, which reads the file as another user and accepts no timestamps.
 */
static int metrics_write_file(struct metrics_sink *m, const struct record *r, struct buf *why)
{
	struct buf text CLEANUP(buf_free) = { 0 }, path CLEANUP(buf_free) = { 0 };
	metrics_update_page(m, &m->file, r);
	page_put(&m->file, realtime_us(), &text);
	metrics_put_sample_time(m, m->file.usec, &text);
	metrics_put_file_path(m, &path);
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

static int metrics_put(void *state, const struct record *r, struct buf *why)
{
	struct metrics_sink *m = state;
	if (m->server) {
		pthread_mutex_lock(&m->lock);
		metrics_update_page(m, &m->served, r);
		pthread_mutex_unlock(&m->lock);
	}
	return m->textfile_dir[0] ? metrics_write_file(m, r, why) : 0;
}

/*
 * Close the sink. Remove the file, because its values are no longer updated, but keep the file with
 * --once, whose purpose is to write it.
 */
static void metrics_close(void *state)
{
	struct metrics_sink *m = state;
	struct buf path CLEANUP(buf_free) = { 0 };
	page_server_close(m->server);
	metrics_put_file_path(m, &path);
	if (m->textfile_dir[0] && !m->sink_node->runs_once)
		unlink(path.p);
	page_free(&m->file);
	page_free(&m->served);
	pthread_mutex_destroy(&m->lock);
}

const struct sink metrics_sink = {
	.name     = "metrics",
	.about    = "publish the newest samples as a page or file for Prometheus",
	.size     = sizeof(struct metrics_sink),
	.newest_only = true, .shown = true, .unfolded = true,
	.check    = metrics_check, .open = metrics_open, .put = metrics_put, .close = metrics_close,
	SINK_KEYS(keys),
};
