/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-remote.c - download URLs for another program, which sends requests on standard input */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/remote.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/map.h"
#include "base/system/confine.h"
#include "base/system/frame.h"
#include "base/system/privileges.h"
#include "base/system/stream.h"
#include "formats/listing.h"
#include "formats/s3.h"
#include "sinks/https.h"
#include "sinks/url.h"

#ifdef HAVE_CURL
#include <curl/curl.h>

/* timeout of a request, and of a complete list of files, in seconds */
#define REQUEST_S         3600
#define SECOND_NS         INT64_C(1000000000)
/* timeout for sending to the reader (the program at standard input), which may be busy */
#define SEND_NS           600000000000LL
/* largest size of a list, or of one page of a list, in bytes */
#define LIST_BYTES_MAX    (64u << 20)
#define SPARSE_PAGES_MAX  500	/* number of pages of a list that may be almost empty */
/* number of objects per page, on average, once SPARSE_PAGES_MAX pages were read */
#define PAGE_OBJECTS_MIN  10
#define ERROR_BYTES_MAX   4096	/* limit for the kept text of an error, in bytes */
#define SECRETS_BYTES_MAX 65536
#define TRIES             3
#define RETRY_MS          200

/* Login and certificates that this process uses. All empty if the data is public. */
static struct {
	const char *endpoint, *region, *ca_file;
	struct buf text;	/* text of the credentials file; .keys points into it */
	char netrc[32];		/* path of a copy of ~/.netrc, see remote_copy_netrc(); or "" */
	/* contents of .ca_file, which the process cannot read once it is confined */
	struct buf ca_text;
	struct s3_keys keys;
	struct buf why;		/* reason why a file of secrets was rejected */
} identity;

struct transfer {
	CURLSH *shared;		/* connections and TLS sessions shared by all requests */
	CURL *curl;		/* handle of the current request */
	uint64_t first;		/* first byte to request; 0: whole file */
	bool is_s3, is_https;
	bool to_reader;		/* pass the body to the reader, instead of storing it in .body */
	bool has_begun, has_range;
	int64_t last_frame_ns;	/* time of the last frame sent to the reader */
	uint64_t n;
	struct buf body;	/* the body of a list, or the text of an error */
	struct buf why;
	char error[CURL_ERROR_SIZE];
};

static const char *remote_setting(const char *first, const char *second, const char *usual)
{
	const char *value = getenv(first);
	if (!value || !*value)
		value = getenv(second);
	return value && *value ? value : usual;
}

/*
 * Read a file of secrets. As for a key of ssh(1), nobody but the owner may be able to read the
 * file.
 */
static int remote_read_secrets(const char *path, struct buf *text)
{
	struct stat st;
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_mode & (S_IRWXG | S_IRWXO)) ||
	    st.st_size > SECRETS_BYTES_MAX) {
		buf_addf(&identity.why,
			 "%s: readable by other users, or not a file of keys: chmod 0600; ", path);
		return -EACCES;
	}
	buf_reserve(text, SECRETS_BYTES_MAX);
	ssize_t n = read(fd, text->p, SECRETS_BYTES_MAX);
	text->n = n > 0 ? (size_t)n : 0;
	return n < 0 ? -errno : 0;
}

static void remote_read_home_file(const char *name, struct buf *text)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	const char *home = getenv("HOME");

	if (!home || home[0] != '/')
		return;
	buf_addf(&path, "%s/%s%c", home, name, '\0');
	if (remote_read_secrets(path.p, text) < 0)
		text->n = 0;
}

/*
 * Find the S3 keys: first in the environment, then in the credentials file, like other S3 clients.
 */
static void remote_find_keys(void)
{
	const char *file = remote_setting("AWS_SHARED_CREDENTIALS_FILE", "", NULL);
	const char *id = remote_setting("AWS_ACCESS_KEY_ID", "", NULL);
	const char *secret = remote_setting("AWS_SECRET_ACCESS_KEY", "", NULL);

	identity.endpoint = remote_setting("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", NULL);
	identity.region = remote_setting("AWS_REGION", "AWS_DEFAULT_REGION", "us-east-1");
	identity.ca_file = remote_setting("CURL_CA_BUNDLE", "SSL_CERT_FILE",
					  remote_setting("AWS_CA_BUNDLE", "", NULL));
	if (id && secret) {
		identity.keys = (struct s3_keys){ str_of(id), str_of(secret),
						  str_of(remote_setting("AWS_SESSION_TOKEN", "",
									"")) };
		return;
	}
	if (!file)
		remote_read_home_file(".aws/credentials", &identity.text);
	else if (remote_read_secrets(file, &identity.text) < 0 && !identity.why.n)
		buf_addf(&identity.why, "%s: %s; ", file, strerror(errno));
	if (!s3_take_keys(buf_str(&identity.text),
			  str_of(remote_setting("AWS_PROFILE", "", "default")),
			  &identity.keys))
		identity.keys = (struct s3_keys){ .id = { 0 } };
}

/*
 * Copy ~/.netrc into memory, because libcurl opens the file after this process was confined.
 */
static void remote_copy_netrc(void)
{
	struct buf text CLEANUP(buf_free) = { 0 };

	remote_read_home_file(".netrc", &text);
	if (!text.n)
		return;
	int fd = memfd_create("netrc", MFD_CLOEXEC);
	if (fd >= 0 && files_write(fd, buf_str(&text)) == 0)
		snprintf(identity.netrc, sizeof(identity.netrc), "/proc/self/fd/%d", fd);
}

static void remote_read_ca_file(void)
{
	struct str text;
	int fd CLEANUP(close_fd) = identity.ca_file ? open(identity.ca_file,
							   O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0 && files_read_fd(fd, FILE_TO_END, &identity.ca_text, &text) < 0)
		identity.ca_text.n = 0;
}

static void remote_confine(void)
{
	struct confined c;
	const struct confine_path paths[] = {
		{ "/etc", CONFINE_READ }, { "/run", CONFINE_READ }, { "/usr", CONFINE_READ },
	};
	if (geteuid() == 0 && privileges_leave_root("", 0) < 0)
		log_debug("cannot drop root privileges");
	confine(paths, ARRAY_SIZE(paths), MAY_CONNECT | MAY_NETWORK, &c);
	/* set this after the change of the user, which clears it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Exit if e is an error of sending a frame: the reader has then closed the socket. */
static void remote_exit_if_error(int e)
{
	if (e < 0)
		_exit(0);
}

static void remote_reply(struct transfer *t, char kind, struct str text)
{
	remote_exit_if_error(frame_send(STDIN_FILENO, kind, text, monotonic_ns() + SEND_NS));
	t->last_frame_ns = monotonic_ns();
}

static void remote_reply_number(struct transfer *t, char kind, uint64_t n, struct str text)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_add_u64(&b, n);
	buf_add(&b, text);
	remote_reply(t, kind, buf_str(&b));
}

/*
 * Cancel the request if the reader has got no frame for REMOTE_SILENT_S seconds, before the reader
 * times out. Exit if the reader has closed the socket. Called by libcurl about once a second.
 */
static int remote_watch(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct transfer *t = arg;

	(void)a, (void)b, (void)c, (void)d;
	if (stream_is_closed(STDIN_FILENO))
		_exit(0);
	if (monotonic_ns() - t->last_frame_ns < REMOTE_SILENT_S * SECOND_NS)
		return 0;
	t->why.n = 0;
	buf_addf(&t->why, "the server did not complete its answer within %d s", REMOTE_SILENT_S);
	return 1;
}

static size_t remote_on_header(char *p, size_t size, size_t n, void *arg)
{
	static const char name[] = "content-range:";
	struct transfer *t = arg;
	struct str line = { p, size * n };
	uint64_t first;

	if (line.n < sizeof(name) - 1 || strncasecmp(p, name, sizeof(name) - 1) != 0)
		return size * n;
	line = str_trim(str_skip(line, sizeof(name) - 1));
	t->has_range = str_take_prefix(&line, STR("bytes ")) && str_take_u64(&line, &first) &&
		       first == t->first;
	return size * n;
}

static int remote_status(const struct transfer *t)
{
	long status = 0;
	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	return (int)status;
}

/*
 * Start to send a file to the reader. Returns false and sets t->why if the server answers with a
 * range that was not requested, or without a requested range, or if the file is too large.
 */
static bool remote_begin_data(struct transfer *t)
{
	curl_off_t length = -1;
	int status = remote_status(t);

	curl_easy_getinfo(t->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	if (status == 206 && !t->has_range)
		buf_addf(&t->why, "the server sent a range other than the requested one");
	else if (status == 200 && t->first && length > REMOTE_WHOLE_MOST)
		buf_addf(&t->why, "the server does not support ranges (Range of RFC 9110)");
	else if (length > REMOTE_FILE_MOST)
		buf_addf(&t->why, "the file is larger than 1 GiB");
	else
		remote_reply_number(t, REMOTE_FIRST, status == 206 ? t->first : 0, STR(""));
	t->has_begun = !t->why.n;
	return t->has_begun;
}

static size_t remote_on_body(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	struct str bytes = { p, size * n };
	bool good = remote_status(t) / 100 == 2;
	uint64_t most = !t->to_reader ? LIST_BYTES_MAX :
			t->first && !t->has_range ? REMOTE_WHOLE_MOST : REMOTE_FILE_MOST;

	if (!good) {	/* keep only the start of the text, for the error message */
		size_t room = ERROR_BYTES_MAX - t->body.n;
		buf_add(&t->body, (struct str){ p, bytes.n < room ? bytes.n : room });
		return bytes.n;
	}
	if (t->n + bytes.n > most) {
		buf_addf(&t->why, "the answer is larger than %llu bytes", (unsigned long long)most);
		return 0;
	}
	t->n += bytes.n;
	if (!t->to_reader) {
		buf_add(&t->body, bytes);
	} else if (t->has_begun || remote_begin_data(t)) {
		remote_exit_if_error(frame_send_all(STDIN_FILENO, REMOTE_DATA, bytes,
						    monotonic_ns() + SEND_NS));
		t->last_frame_ns = monotonic_ns();
	} else {
		return 0;
	}
	return size * n;
}

/* Sign the request if S3 keys were found. Returns 0, or -EOPNOTSUPP and why. */
static int remote_sign(struct transfer *t, struct curl_slist **headers)
{
	struct buf text CLEANUP(buf_free) = { 0 };

	if (!identity.keys.id.n)
		return 0;
	buf_addf(&text, "aws:amz:%s:s3%c", identity.region, '\0');
	int r = https_set_signature(t->curl, text.p, headers, &t->why);
	text.n = 0;
	buf_addf(&text, STR_FMT ":" STR_FMT "%c", STR_ARG(identity.keys.id),
		 STR_ARG(identity.keys.secret), '\0');
	curl_easy_setopt(t->curl, CURLOPT_USERPWD, text.p);
	text.n = 0;
	buf_addf(&text, "x-amz-security-token: " STR_FMT "%c", STR_ARG(identity.keys.session),
		 '\0');
	if (identity.keys.session.n)
		*headers = curl_slist_append(*headers, text.p);
	return r;
}

/*
 * Let libcurl find the login in ~/.netrc, but not for plain HTTP, where others could read the
 * password on the network.
 */
static void remote_set_login(const struct transfer *t)
{
	if (t->is_s3 || !t->is_https || !identity.netrc[0])
		return;
	curl_easy_setopt(t->curl, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	curl_easy_setopt(t->curl, CURLOPT_NETRC_FILE, identity.netrc);
}

static void remote_explain(struct transfer *t, CURLcode e)
{
	struct buf said CLEANUP(buf_free) = { 0 };
	const char *target = NULL;
	int status = remote_status(t);

	if (t->why.n && (status / 100 == 2 || e == CURLE_ABORTED_BY_CALLBACK))
		return;
	t->why.n = 0;
	if (e != CURLE_OK) {
		buf_addf(&t->why, "%s", t->error[0] ? t->error : curl_easy_strerror(e));
		return;
	}
	listing_put_error(&said, buf_str(&t->body));
	if (status == 401 || status == 403)
		buf_add(&t->why, buf_str(&identity.why));
	curl_easy_getinfo(t->curl, CURLINFO_REDIRECT_URL, &target);
	if (target)
		buf_addf(&t->why, "the server answers %d and redirects to %s, which is not "
			 "followed: use that URL if you trust it", status, target);
	else
		buf_addf(&t->why, "the server answers %d%s" STR_FMT, status, said.n ? " " : "",
			 STR_ARG(buf_str(&said)));
}

static void remote_set_ca(CURL *c)
{
	if (!identity.ca_file)
		return;
#if LIBCURL_VERSION_NUM >= 0x074d00
	struct curl_blob blob = { identity.ca_text.p, identity.ca_text.n,
				 CURL_BLOB_NOCOPY };
	curl_easy_setopt(c, CURLOPT_CAINFO_BLOB, &blob);
#else
	curl_easy_setopt(c, CURLOPT_CAINFO, identity.ca_file);
#endif
}

static void remote_set_options(struct transfer *t, const char *url)
{
	char range[40];

	https_set_limits(t->curl);
	curl_easy_setopt(t->curl, CURLOPT_TIMEOUT, (long)REQUEST_S);
	curl_easy_setopt(t->curl, CURLOPT_SHARE, t->shared);
	curl_easy_setopt(t->curl, CURLOPT_ERRORBUFFER, t->error);
	curl_easy_setopt(t->curl, CURLOPT_URL, url);
	curl_easy_setopt(t->curl, CURLOPT_USERAGENT, "nodometer/" PACKAGE_VERSION);
	curl_easy_setopt(t->curl, CURLOPT_HEADERFUNCTION, remote_on_header);
	curl_easy_setopt(t->curl, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, remote_on_body);
	curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(t->curl, CURLOPT_XFERINFOFUNCTION, remote_watch);
	curl_easy_setopt(t->curl, CURLOPT_XFERINFODATA, t);
	curl_easy_setopt(t->curl, CURLOPT_NOPROGRESS, 0L);
	remote_set_ca(t->curl);
	snprintf(range, sizeof(range), "%llu-", (unsigned long long)t->first);
	if (t->first)
		curl_easy_setopt(t->curl, CURLOPT_RANGE, range);
}

/*
 * Finish a request that succeeded. For an empty file libcurl calls no body callback, so start to
 * send the file here. Returns false and sets t->why as remote_begin_data() does.
 */
static bool remote_end_data(struct transfer *t)
{
	return !t->to_reader || t->has_begun || remote_begin_data(t);
}

/*
 * Send one request. Returns false if the request should be tried again. Each request uses a new
 * handle; https_do() in sinks/https.c says why.
 */
static bool remote_perform_once(struct transfer *t, const char *url, bool last)
{
	struct curl_slist *headers = NULL;

	t->curl = curl_easy_init();
	if (!t->curl)
		abort();
	t->has_begun = t->has_range = false;
	t->n = t->body.n = t->why.n = 0;
	t->error[0] = '\0';
	remote_set_options(t, url);
	remote_set_login(t);
	int r = t->is_s3 ? remote_sign(t, &headers) : 0;
	curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, headers);
	CURLcode e = r < 0 ? CURLE_NOT_BUILT_IN : curl_easy_perform(t->curl);
	int status = remote_status(t);
	bool good = e == CURLE_OK && status / 100 == 2 && remote_end_data(t);
	bool again = !t->has_begun && !t->why.n && e != CURLE_PEER_FAILED_VERIFICATION &&
		     (e != CURLE_OK || status == 429 || status >= 500);
	if (!good && r == 0)
		remote_explain(t, e);
	curl_easy_cleanup(t->curl);
	curl_slist_free_all(headers);
	return good || !again || last;
}

/*
 * Send a request, and retry if the server is busy or the connection is lost before the first byte.
 */
static bool remote_perform(struct transfer *t, const char *url)
{
	int r = url_check(url, &t->is_https, &t->why);

	if (r == -EACCES && !t->is_s3)
		buf_addf(&t->why, "; use ~/.netrc");
	if (r < 0)
		return false;
	for (unsigned i = 1; !remote_perform_once(t, url, i == TRIES); i++)
		usleep(i * RETRY_MS * 1000);
	return !t->why.n;
}

struct remote_list_state {
	struct transfer *t;
	struct str prefix;	/* prefix of the names that belong to the archive */
	struct buf folders;	/* names, each terminated by NUL */
	struct str host;	/* host whose folder is listed; empty: folder at the URL */
	bool has_files;
	uint64_t n, parts;	/* .n: number of files; .parts: number of pages or folders */
	int64_t end_ns;		/* deadline of the whole list, in nanoseconds of CLOCK_MONOTONIC */
	struct map tokens;	/* hashes of continuation tokens received */
};

/*
 * Append a file name, which the reader will append to the URL of the archive. Escape "%", since
 * "%41" would mean "A" in the URL.
 */
static void remote_put_name(struct buf *b, struct str name, bool is_s3)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '%' && !is_s3)
			buf_add(b, STR("%25"));
		else
			buf_add_char(b, name.p[i]);
}

static void remote_send_name(struct remote_list_state *l, struct str name, uint64_t size)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (memchr(name.p, '\0', name.n) || memchr(name.p, '\n', name.n))
		return;
	buf_addf(&b, " ");
	remote_put_name(&b, l->host, l->t->is_s3);
	buf_addf(&b, "%s", l->host.n ? "/" : "");
	remote_put_name(&b, name, l->t->is_s3);
	l->n++;
	remote_reply_number(l->t, REMOTE_FILE, size, buf_str(&b));
}

/*
 * Return true if another part of the list may be requested; otherwise set t->why. Sends the reader
 * a frame REMOTE_MORE, because the reader would time out if several parts have no names.
 */
static bool remote_list_goes_on(struct remote_list_state *l)
{
	l->parts++;
	if (l->n > REMOTE_FILES_MOST)
		buf_addf(&l->t->why, "there are more than %u files", REMOTE_FILES_MOST);
	else if (monotonic_ns() > l->end_ns)
		buf_addf(&l->t->why, "the list of files is not complete after %d s", REQUEST_S);
	else
		remote_reply(l->t, REMOTE_MORE, STR(""));
	return !l->t->why.n;
}

static void remote_on_entry(void *arg, struct str name, uint64_t size)
{
	struct remote_list_state *l = arg;
	if (!name.n || memchr(name.p, '/', name.n) || *name.p == '.')
		return;
	if (size != LISTING_FOLDER) {
		l->has_files |= *name.p >= '0' && *name.p <= '9';
		remote_send_name(l, name, size);
	} else if (!l->host.n && !memchr(name.p, '\0', name.n)) {
		buf_add(&l->folders, name);
		buf_add_char(&l->folders, '\0');
	}
}

/*
 * Append a path as part of a URL, encoding characters that a URL cannot have. A URL given by the
 * user may be encoded already, so its "%" is kept; "%" in the name of a folder is encoded.
 */
static void remote_put_encoded(struct buf *b, struct str path, bool is_url)
{
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];
		if (c <= ' ' || c >= 0x7f || strchr("\"<>\\^`{|}#?", c) || (c == '%' && !is_url))
			buf_addf(b, "%%%02X", c);
		else
			buf_add_char(b, (char)c);
	}
}

static bool remote_list_folder(struct remote_list_state *l, struct str url)
{
	struct buf at CLEANUP(buf_free) = { 0 };
	const struct listing_to to = { remote_on_entry, l };

	remote_put_encoded(&at, url, true);
	buf_add_char(&at, '/');
	remote_put_encoded(&at, l->host, false);
	buf_addf(&at, "%s%c", l->host.n ? "/" : "", '\0');
	if (!remote_perform(l->t, at.p))
		return false;
	if (listing_take_folder(buf_str(&l->t->body), &to) == 0)
		return true;
	buf_addf(&l->t->why, "%s is not a list of files: set \"autoindex on\" and "
		 "\"autoindex_format json\" in nginx", at.p);
	return false;
}

/* List the folder at the URL. If that folder has no archive files, also list its hosts' folders. */
static bool remote_list_folders(struct remote_list_state *l, struct str url)
{
	url = str_without_end(url, '/');
	bool r = remote_list_folder(l, url), one_host = l->has_files;
	for (size_t i = 0; r && !one_host && i < l->folders.n; i += l->host.n + 1) {
		l->host = str_of(l->folders.p + i);
		r = remote_list_goes_on(l) && remote_list_folder(l, url);
	}
	return r;
}

static void remote_on_object(void *arg, struct str name, uint64_t size)
{
	struct remote_list_state *l = arg;
	if (str_take_prefix(&name, l->prefix) && name.n)
		remote_send_name(l, name, size);
}

/*
 * Return true if the next page may be requested; otherwise set t->why. Rejects a store whose pages
 * would never end.
 */
static bool remote_page_is_new(struct remote_list_state *l, struct str token)
{
	uint64_t hash = map_hash(token);

	if (!remote_list_goes_on(l))
		return false;
	if (map_next(&l->tokens, hash, NULL))
		buf_addf(&l->t->why, "the store sent the same continuation token again");
	else if (l->parts >= SPARSE_PAGES_MAX && l->n < l->parts * PAGE_OBJECTS_MIN)
		buf_addf(&l->t->why, "the store sent %llu pages with only %llu objects, and more "
			 "follow", (unsigned long long)l->parts, (unsigned long long)l->n);
	map_add(&l->tokens, hash, (union map_value){ .n = 0 });
	return !l->t->why.n;
}

static bool remote_list_objects(struct remote_list_state *l, struct str url)
{
	struct buf at CLEANUP(buf_free) = { 0 }, prefix CLEANUP(buf_free) = { 0 };
	struct buf next CLEANUP(buf_free) = { 0 }, token CLEANUP(buf_free) = { 0 };
	const struct listing_to to = { remote_on_object, l };
	int r = 0;

	s3_put_prefix(&prefix, url);
	l->prefix = buf_str(&prefix);
	do {
		token.n = at.n = 0;
		buf_add(&token, buf_str(&next));
		if (!s3_put_list_url(&at, identity.endpoint, url, buf_str(&token))) {
			buf_addf(&l->t->why, "expected s3://BUCKET/PREFIX");
			return false;
		}
		buf_add_char(&at, '\0');
		if (!remote_perform(l->t, at.p))
			return false;
		r = listing_take_page(buf_str(&l->t->body), &to, &next);
	} while (r == 0 && next.n && remote_page_is_new(l, buf_str(&next)));
	if (r < 0)
		buf_addf(&l->t->why, "%s", r == -EOPNOTSUPP ?
			 "this build cannot list S3 objects: it lacks expat" :
			 "the answer is not an S3 object list");
	return r == 0 && !l->t->why.n;
}

static bool remote_send_list(struct transfer *t, struct str url)
{
	struct remote_list_state l = { .t = t, .end_ns = monotonic_ns() + REQUEST_S * SECOND_NS };
	t->to_reader = false;
	bool r = t->is_s3 ? remote_list_objects(&l, url) : remote_list_folders(&l, url);
	buf_free(&l.folders);
	map_free(&l.tokens);
	return r;
}

static bool remote_read_file(struct transfer *t, struct str url)
{
	struct buf at CLEANUP(buf_free) = { 0 };

	t->to_reader = true;
	if (!t->is_s3)
		remote_put_encoded(&at, url, true);
	else if (!s3_put_url(&at, identity.endpoint, url))
		return false;
	buf_add_char(&at, '\0');
	return remote_perform(t, at.p);
}

/* Use Amazon's endpoint if the user has not set one. */
static void remote_find_endpoint(struct buf *b)
{
	if (identity.endpoint)
		return;
	buf_addf(b, "https://s3.%s.amazonaws.com%c", identity.region, '\0');
	identity.endpoint = b->p;
}

static bool remote_answer(struct transfer *t, char kind, struct str text)
{
	t->why.n = 0;
	t->first = 0;
	t->last_frame_ns = monotonic_ns();
	if (kind == REMOTE_READ &&
	    (!str_take_u64(&text, &t->first) || !str_take_prefix(&text, STR(" ")))) {
		buf_addf(&t->why, "invalid request");
		return false;
	}
	t->is_s3 = str_starts(text, STR("s3://"));
	return kind == REMOTE_LIST ? remote_send_list(t, text) :
	       kind == REMOTE_READ && remote_read_file(t, text);
}

int main(void)
{
	struct buf text CLEANUP(buf_free) = { 0 }, endpoint CLEANUP(buf_free) = { 0 };
	struct transfer t = { .first = 0 };
	struct stat st;
	char kind;

	log_open("nodometer-remote", LOG_LEVEL_INFO);
	if (fstat(STDIN_FILENO, &st) < 0 || !S_ISSOCK(st.st_mode)) {
		log_error("only programs that read a URL can start this program");
		return 2;
	}
	remote_find_keys();
	remote_find_endpoint(&endpoint);
	remote_copy_netrc();
	remote_read_ca_file();
	remote_confine();
	t.shared = curl_share_init();
	if (!t.shared)
		abort();
	curl_share_setopt(t.shared, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
	curl_share_setopt(t.shared, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	while (frame_receive(STDIN_FILENO, &kind, &text, REMOTE_REQUEST_MAX, INT64_MAX) == 0) {
		bool good = remote_answer(&t, kind, buf_str(&text));
		remote_reply(&t, good ? REMOTE_END : REMOTE_ERROR,
			     good ? STR("") : buf_str(&t.why));
	}
	curl_share_cleanup(t.shared);
	curl_global_cleanup();
	buf_free(&t.body);
	buf_free(&t.why);
	return 0;
}
#else
int main(void)
{
	struct buf text CLEANUP(buf_free) = { 0 };
	char kind;

	while (frame_receive(STDIN_FILENO, &kind, &text, REMOTE_REQUEST_MAX, INT64_MAX) == 0)
		if (frame_send(STDIN_FILENO, REMOTE_ERROR, STR("this build has no libcurl"),
			       INT64_MAX) < 0)
			break;
	return 0;
}
#endif
