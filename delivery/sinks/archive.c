/* SPDX-License-Identifier: BSD-3-Clause */
/* archive.c - copy the node's files to a central archive: a folder, an HTTPS server, or S3 */
#include "sinks/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "archive/copy_to.h"
#include "archive/index.h"
#include "archive/text_at.h"
#include "base/clock.h"
#include "base/files.h"
#include "formats/s3.h"
#include "sinks/https.h"

#define DAY_US 86400000000

#ifdef HAVE_ZSTD
#define ARCHIVE_BODY_SUFFIX ".zst"
#else
#define ARCHIVE_BODY_SUFFIX ""
#endif

#define CHUNK_BYTES (64u << 10)

struct archive_packer {
	int fd;
	uint64_t n;
	/*
	 * offset in the compressed file of the frame with the last INDEX_LAST bytes of text; 0:
	 * there is only one frame
	 */
	uint64_t last;
	void *state;
};

static int archive_write_packed(struct archive_packer *p, const char *bytes, size_t n)
{
	p->n += n;
	return files_write(p->fd, (struct str){ bytes, n });
}

#ifdef HAVE_ZSTD
#include <zstd.h>

static int archive_pack_bytes(struct archive_packer *p, const char *text, size_t n, bool last)
{
	char out[CHUNK_BYTES];
	ZSTD_inBuffer in = { text, n, 0 };
	for (;;) {
		ZSTD_outBuffer to = { out, sizeof(out), 0 };
		size_t left = ZSTD_compressStream2(p->state, &to, &in,
						   last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return -EIO;
		int r = archive_write_packed(p, out, to.pos);
		if (r < 0 || (last ? left == 0 : in.pos == in.size))
			return r;
	}
}

static void *archive_compressor_new(void)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	if (!z)
		abort();
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	return z;
}

static void archive_compressor_free(struct archive_packer *p)
{
	ZSTD_freeCCtx(p->state);
}

struct archive_rereader {
	struct text_at *text;
	uint64_t at, end;
};

static ssize_t archive_reread_text(void *arg, char *to, size_t n)
{
	struct archive_rereader *f = arg;
	ssize_t got = text_at_read(f->text, to, f->end - f->at < n ? f->end - f->at : n, f->at);
	f->at += got > 0 ? (uint64_t)got : 0;
	return got;
}

/*
 * Append the index of the file's jobs. Remote readers fetch the end of a file first, and the whole
 * file only if the index has the job they look for.
 */
static int archive_append_index(struct archive_packer *p, struct text_at *text, uint64_t end)
{
	struct archive_rereader start = { text, 0, end };
	const struct byte_source bytes = { archive_reread_text, &start };
	uint64_t n = 0;
	int r = index_append(p->fd, &bytes, p->last, &n);
	p->n += n;
	return r;
}
#else
static int archive_pack_bytes(struct archive_packer *p, const char *text, size_t n, bool last)
{
	(void)last;
	return archive_write_packed(p, text, n);
}

static void *archive_compressor_new(void)
{
	return NULL;
}

static void archive_compressor_free(struct archive_packer *p)
{
	(void)p;
}

static int archive_append_index(struct archive_packer *p, struct text_at *text, uint64_t end)
{
	(void)p;
	(void)text;
	(void)end;
	return 0;
}
#endif

static int archive_pack_text(struct archive_packer *p, struct text_at *text, uint64_t end)
{
	char chunk[CHUNK_BYTES];
	uint64_t before = end > INDEX_LAST ? end - INDEX_LAST : 0;
	int r = 0;
	for (uint64_t at = 0; r == 0 && at < end; ) {
		uint64_t left = (at < before ? before : end) - at;
		size_t most = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
		ssize_t got = text_at_read(text, chunk, most, at);
		if (got <= 0)
			return got < 0 ? (int)got : -ENODATA;
		at += (uint64_t)got;
		r = archive_pack_bytes(p, chunk, (size_t)got, at == before);
		if (at == before)
			p->last = p->n;
	}
	return r < 0 ? r : archive_pack_bytes(p, NULL, 0, true);
}

/*
 * Write the first `end` bytes of the text to an unnamed file in dir, compressed if this build has
 * zstd. Returns the file descriptor and fills *n with the size of the file, or returns -errno.
 */
static int archive_body_make(const char *dir, struct text_at *text, uint64_t end, uint64_t *n)
{
	struct archive_packer p CLEANUP(archive_compressor_free) = {
		.state = archive_compressor_new(),
	};
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* use memory if there is no state folder (--once), or its file system lacks O_TMPFILE */
	if (fd < 0)
		fd = memfd_create("nodometer-body", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	p.fd = fd;
	int r = archive_pack_text(&p, text, end);
	if (r == 0)
		r = archive_append_index(&p, text, end);
	*n = p.n;
	if (r < 0)
		close_fd(&fd);
	return r < 0 ? r : fd;
}

struct archive_sink {
	char dir[KEY_TEXT_MAX], url[KEY_TEXT_MAX];
	char endpoint[KEY_TEXT_MAX], region[KEY_TEXT_MAX];	/* only for an archive at s3:// */
	struct https_keys https_keys;
	int64_t open_interval;
	bool move;
	const struct sink_node *node;
	struct text_at text;
	struct https *https;
	/*
	 * .sent_epoch: epoch of the file last sent by HTTPS; .sent_ns: time of sending,
	 * CLOCK_MONOTONIC
	 */
	int64_t sent_epoch, sent_ns;
	int n_put;		/* number of records put since the last successful flush */
};

#define AT(field) offsetof(struct archive_sink, field)
static const struct key keys[] = {
	{ "dir", KEY_PATH_OR_NOTHING, AT(dir), .is_storage = true,
	  .help = "existing folder on a file system that all nodes share" },
	{ "url", KEY_TEXT, AT(url),
	  .help = "or https://SERVER/PATH or s3://BUCKET/PREFIX; PUT to HOST/EPOCH below it" },
	{ "endpoint", KEY_TEXT, AT(endpoint),
	  .help = "for s3://: URL of the store (default: Amazon's in the region)" },
	{ "region", KEY_TEXT, AT(region), .usual = "us-east-1",
	  .help = "for s3://: region for signing requests with user and password-file" },
	{ "open-interval", KEY_NUMBER, AT(open_interval), key_times, 0, DAY_US, .usual = "1h",
	  .help = "with url: time between uploads of the current file" },
	{ "move", KEY_CHOICE, AT(move), .no = "no", .yes = "yes", .usual = "no",
	  .help = "with url: PUT under a temporary name, then MOVE (WebDAV)" },
	HTTPS_KEYS(AT(https_keys)),
};

static bool archive_is_s3(const struct archive_sink *a)
{
	return str_starts(str_of(a->url), STR("s3://"));
}

static void archive_put_endpoint(const struct archive_sink *a, struct buf *b)
{
	if (a->endpoint[0])
		buf_addf(b, "%s%c", a->endpoint, '\0');
	else
		buf_addf(b, "https://s3.%s.amazonaws.com%c", a->region, '\0');
}

static int archive_check_s3(const struct archive_sink *a, struct buf *why)
{
	struct buf endpoint CLEANUP(buf_free) = { 0 }, any CLEANUP(buf_free) = { 0 };
	archive_put_endpoint(a, &endpoint);
	if (!s3_put_url(&any, endpoint.p, str_of(a->url)))
		buf_addf(why, "url = %s: expected s3://BUCKET/PREFIX", a->url);
	else if (a->move)
		buf_addf(why, "remove move: with s3://, an upload either completes or has no "
			 "effect");
	else if (!a->https_keys.user[0])
		buf_addf(why, "url = %s: set user to the access key, and password-file to a file "
			 "with the secret key", a->url);
	else
		return https_check(&a->https_keys, "endpoint", endpoint.p, why);
	return -EINVAL;
}

static int archive_check(void *state, struct buf *why)
{
	struct archive_sink *a = state;
	if (!a->dir[0] == !a->url[0]) {
		buf_addf(why, "set either dir or url");
		return -EINVAL;
	}
	if (archive_is_s3(a))
		return archive_check_s3(a, why);
	return a->url[0] ? https_check(&a->https_keys, "url", a->url, why) : 0;
}

static int archive_open(void *state, const struct sink_node *node, struct buf *why)
{
	struct archive_sink *a = state;
	(void)why;
	a->node = node;
	a->text.fd = -1;
	a->https = a->url[0] ? https_open(&a->https_keys, node->retry_after_s) : NULL;
	return 0;
}

/* Count the record: archive_flush() sends the file up to the position in sink_node.place. */
static int archive_put(void *state, const struct record *g, struct buf *why)
{
	struct archive_sink *a = state;
	(void)g;
	(void)why;
	a->n_put++;
	return 0;
}

static ssize_t archive_read_text(void *arg, char *to, size_t n, uint64_t at)
{
	return text_at_read(arg, to, n, at);
}

/*
 * Append the URL of the current archive file, with `before` and `after` around the epoch: a file
 * that is renamed after the upload is first called ".EPOCH.zst.new".
 */
static void archive_put_url(const struct archive_sink *a, const char *before, const char *after,
			    struct buf *url)
{
	struct buf path CLEANUP(buf_free) = { 0 }, endpoint CLEANUP(buf_free) = { 0 };
	buf_addf(&path, STR_FMT "/%s/%s%lld" ARCHIVE_BODY_SUFFIX "%s",
		 STR_ARG(str_without_end(str_of(a->url), '/')), a->node->host, before,
		 (long long)a->node->place->epoch, after);
	archive_put_endpoint(a, &endpoint);
	if (!archive_is_s3(a) || !s3_put_url(url, endpoint.p, buf_str(&path)))
		buf_add(url, buf_str(&path));
	buf_add_char(url, '\0');
}

/* Send a request. Returns the HTTP status, or -errno and why. */
static int archive_do(struct archive_sink *a, struct https_request *q, struct buf *why)
{
	struct buf sign CLEANUP(buf_free) = { 0 };
	buf_addf(&sign, "aws:amz:%s:s3%c", a->region, '\0');
	q->sign = archive_is_s3(a) ? sign.p : NULL;
	return https_do(a->https, q, why);
}

static int archive_request(struct archive_sink *a, struct https_request *q, struct buf *why)
{
	int status = archive_do(a, q, why);
	if (status < 0)
		return status;
	return status / 100 == 2 ? 0 : -EREMOTEIO;
}

static int archive_move_into_place(struct archive_sink *a, const char *from, struct buf *why)
{
	struct buf to CLEANUP(buf_free) = { 0 };
	buf_addf(&to, "Destination: ");
	archive_put_url(a, "", "", &to);
	const char *const headers[] = { to.p, "Overwrite: T", NULL };
	struct https_request q = { "MOVE", from, headers, -1, 0 };
	return archive_request(a, &q, why);
}

/*
 * Upload the file with PUT. An object store replaces a file completely or not at all. A web server
 * may keep part of a file, so the key "move" uploads the file under another name first.
 */
static int archive_upload(struct archive_sink *a, int fd, uint64_t n, struct buf *why)
{
	struct buf url CLEANUP(buf_free) = { 0 };
	archive_put_url(a, a->move ? "." : "", a->move ? ".new" : "", &url);
	struct https_request q = { "PUT", url.p, NULL, fd, n };
	int r = archive_request(a, &q, why);
	if (r == 0)
		*a->node->sent += n;
	return r == 0 && a->move ? archive_move_into_place(a, url.p, why) : r;
}

static int archive_send_file(struct archive_sink *a, struct buf *why)
{
	const struct sink_place *p = a->node->place;
	int64_t now = monotonic_ns();
	uint64_t n = 0;
	if (!p->closing && a->sent_epoch == p->epoch &&
	    now - a->sent_ns < a->open_interval * 1000)
		return -EINPROGRESS;
	int fd CLEANUP(close_fd) = archive_body_make(a->node->state_dir, &a->text, p->end, &n);
	if (fd < 0) {
		buf_addf(why, "%s: %s", a->text.path.p, strerror(-fd));
		return fd;
	}
	int r = archive_upload(a, fd, n, why);
	if (r == 0) {
		a->sent_epoch = p->epoch;
		a->sent_ns = now;
	}
	return r;
}

/*
 * Send the archive file up to the last record put. Returns the same values as flush() of struct
 * sink.
 */
static int archive_send(struct archive_sink *a, struct buf *why)
{
	const struct sink_node *n = a->node;
	const struct copy_source from = { archive_read_text, &a->text };
	int r = text_at_open(&a->text, n->dir, n->host, n->place->epoch);
	if (r < 0) {
		buf_addf(why, "%s/%s/%lld: %s", n->dir, n->host, (long long)n->place->epoch,
			 strerror(-r));
		/* the file was removed: skip its records, because they can never be sent */
		return r == -ENOENT ? a->n_put : r;
	}
	if (a->url[0])
		return archive_send_file(a, why);
	return copy_to(a->dir, n->host, n->place->epoch, &from, n->place->end, n->sent, why);
}

static int archive_flush(void *state, struct buf *why)
{
	struct archive_sink *a = state;
	int r = archive_send(a, why);
	if (r >= 0)
		a->n_put = 0;
	return r;
}

static void archive_close(void *state)
{
	struct archive_sink *a = state;
	text_at_close(&a->text);
	https_close(a->https);
}

static int archive_probe_folder(const struct archive_sink *a, struct buf *said)
{
	if (access(a->dir, W_OK | X_OK) < 0) {
		buf_addf(said, "%s: %s: create the folder or mount its file system, and let the "
			 "sender's user write there", a->dir, strerror(errno));
		return -EACCES;
	}
	buf_addf(said, "%s: can be written", a->dir);
	return 0;
}

/*
 * List the bucket of an S3 store, or ask an HTTPS server for its methods. Many servers answer 405
 * or 501 to this question; they count as reached, too.
 */
static int archive_probe(void *state, const struct sink_node *node, struct buf *said)
{
	struct archive_sink *a = state;
	struct buf url CLEANUP(buf_free) = { 0 }, endpoint CLEANUP(buf_free) = { 0 };
	struct buf list CLEANUP(buf_free) = { 0 };
	int r = a->url[0] ? archive_open(state, node, said) : archive_probe_folder(a, said);
	if (r < 0 || !a->url[0])
		return r;
	archive_put_endpoint(a, &endpoint);
	bool s3 = s3_put_list_url(&url, endpoint.p, str_of(a->url), STR(""));
	if (!s3)
		buf_add(&url, str_of(a->url));
	buf_add_char(&url, '\0');
	struct https_request q = { s3 ? "GET" : "OPTIONS", url.p, NULL, -1, .answer = &list };
	int status = archive_do(a, &q, said);
	if (status < 0)
		return status;
	bool reached = status / 100 == 2 || (!s3 && (status == 405 || status == 501));
	if (reached) {
		said->n = 0;
		buf_addf(said, "%s: answers %d", a->url, status);
	} else {
		https_put_advice(status, said);
	}
	return reached ? 0 : -EREMOTEIO;
}

const struct sink archive_sink = {
	.name = "archive",
	.about = "copy files to a central archive: a folder, WebDAV by HTTPS, or S3",
	.size = sizeof(struct archive_sink),
	.files = true, .all = true,
	.check = archive_check, .open = archive_open, .put = archive_put,
	.flush = archive_flush, .probe = archive_probe, .close = archive_close,
	SINK_KEYS(keys),
};
