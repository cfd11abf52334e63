/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-remote.c - reads URLs for another program, which asks by frames on standard input */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "archive/remote.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/system/confine.h"
#include "base/system/frame.h"
#include "base/system/privileges.h"
#include "formats/listing.h"
#include "formats/s3.h"
#include "sinks/https.h"

#ifdef HAVE_CURL
#include <curl/curl.h>

#define MOST_S      3600
#define SEND_NS     600000000000LL	/* the reader may have much to do before it takes more */
#define LIST_MOST   (64u << 20)		/* bytes of a list, or of a page of it */
#define ERROR_MOST  4096
#define SECRETS_MOST 65536
#define TRIES       3
#define TRY_AGAIN_MS 200

/* Whom this process asks as: nothing where anybody may read. */
static struct {
	const char *endpoint, *region, *ca_file;
	struct buf text, netrc;	/* of files; .keys borrows from the former */
	struct buf authorities;	/* of .ca_file, which nobody else may be able to reach */
	struct s3_keys keys;
	struct buf why;		/* a file of secrets that was not taken, and why */
} who;

struct transfer {
	CURLSH *kept;		/* connections and TLS sessions */
	CURL *curl;		/* of one request */
	uint64_t first;		/* of the range that is asked for; 0: all */
	bool is_s3;
	bool to_reader;		/* else to .body */
	bool begun, ranged;
	uint64_t n;
	struct buf body;	/* a list, or what goes with an error */
	struct buf why;
	char error[CURL_ERROR_SIZE];
};

static const char *setting(const char *first, const char *second, const char *usual)
{
	const char *value = getenv(first);
	if (!value || !*value)
		value = getenv(second);
	return value && *value ? value : usual;
}

/* As ssh(1) takes a key: nobody else may read it. */
static int read_secrets(const char *path, struct buf *text)
{
	struct stat st;
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_mode & (S_IRWXG | S_IRWXO)) ||
	    st.st_size > SECRETS_MOST) {
		buf_addf(&who.why, "%s: others may read it, or it is no file of keys: chmod 0600; ",
			 path);
		return -EACCES;
	}
	buf_reserve(text, SECRETS_MOST);
	ssize_t n = read(fd, text->p, SECRETS_MOST);
	text->n = n > 0 ? (size_t)n : 0;
	return n < 0 ? -errno : 0;
}

static void read_home(const char *name, struct buf *text)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	const char *home = getenv("HOME");

	if (!home || home[0] != '/')
		return;
	buf_addf(&path, "%s/%s%c", home, name, '\0');
	if (read_secrets(path.p, text) < 0)
		text->n = 0;
}

/* The environment first, then the file, as in other clients of S3. */
static void find_keys(void)
{
	const char *file = setting("AWS_SHARED_CREDENTIALS_FILE", "", NULL);
	const char *id = setting("AWS_ACCESS_KEY_ID", "", NULL);
	const char *secret = setting("AWS_SECRET_ACCESS_KEY", "", NULL);

	who.endpoint = setting("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", NULL);
	who.region = setting("AWS_REGION", "AWS_DEFAULT_REGION", "us-east-1");
	who.ca_file = setting("CURL_CA_BUNDLE", "SSL_CERT_FILE", getenv("AWS_CA_BUNDLE"));
	read_home(".netrc", &who.netrc);
	for (size_t i = 0; i < who.netrc.n; i++)
		who.netrc.p[i] = strchr("\n\t", who.netrc.p[i]) ? ' ' : who.netrc.p[i];
	if (id && secret) {
		who.keys = (struct s3_keys){ str_of(id), str_of(secret),
					     str_of(setting("AWS_SESSION_TOKEN", "", "")) };
		return;
	}
	if (!file)
		read_home(".aws/credentials", &who.text);
	else if (read_secrets(file, &who.text) < 0 && !who.why.n)
		buf_addf(&who.why, "%s: %s; ", file, strerror(errno));
	if (!s3_take_keys(buf_str(&who.text), str_of(setting("AWS_PROFILE", "", "default")),
			  &who.keys))
		who.keys = (struct s3_keys){ .id = { 0 } };
}

static void read_authorities(void)
{
	struct str text;
	int fd CLEANUP(close_fd) = who.ca_file ? open(who.ca_file, O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0 && files_read_fd(fd, FILE_TO_END, &who.authorities, &text) < 0)
		who.authorities.n = 0;
}

static void confine_reader(void)
{
	struct confined c;
	const struct confine_path paths[] = {
		{ "/etc", CONFINE_READ }, { "/run", CONFINE_READ }, { "/usr", CONFINE_READ },
	};
	if (geteuid() == 0 && privileges_leave_root("", 0) < 0)
		log_debug("root stays root here");
	confine(paths, ARRAY_SIZE(paths), MAY_CONNECT | MAY_NETWORK, &c);
}

/* Nobody reads any more. */
static void end_if(int e)
{
	if (e < 0)
		_exit(0);
}

static void reply(char kind, struct str text)
{
	end_if(frame_send(STDIN_FILENO, kind, text, monotonic_ns() + SEND_NS));
}

static void reply_number(char kind, uint64_t n, struct str text)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	buf_add_u64(&b, n);
	buf_add(&b, text);
	reply(kind, buf_str(&b));
}

static size_t take_header(char *p, size_t size, size_t n, void *arg)
{
	static const char name[] = "content-range:";
	struct transfer *t = arg;
	struct str line = { p, size * n };
	uint64_t first;

	if (line.n < sizeof(name) - 1 || strncasecmp(p, name, sizeof(name) - 1) != 0)
		return size * n;
	line = str_trim(str_skip(line, sizeof(name) - 1));
	t->ranged = str_take_prefix(&line, STR("bytes ")) && str_take_u64(&line, &first) &&
		    first == t->first;
	return size * n;
}

static int status_of(const struct transfer *t)
{
	long status = 0;
	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
	return (int)status;
}

/* False: the rest of the answer is not wanted, since it is not what was asked for. */
static bool begin_data(struct transfer *t)
{
	curl_off_t length = -1;
	int status = status_of(t);

	curl_easy_getinfo(t->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	if (status == 206 && !t->ranged)
		buf_addf(&t->why, "the server answers another range than it was asked for");
	else if (status == 200 && t->first && length > REMOTE_WHOLE_MOST)
		buf_addf(&t->why, "the server takes no ranges (Range of RFC 9110)");
	else if (length > REMOTE_FILE_MOST)
		buf_addf(&t->why, "the file is larger than 1 GiB");
	else
		reply_number(REMOTE_FIRST, status == 206 ? t->first : 0, STR(""));
	t->begun = !t->why.n;
	return t->begun;
}

static size_t take_body(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	struct str bytes = { p, size * n };
	bool good = status_of(t) / 100 == 2;
	uint64_t most = !good ? ERROR_MOST : !t->to_reader ? LIST_MOST :
			t->first && !t->ranged ? REMOTE_WHOLE_MOST : REMOTE_FILE_MOST;

	if (t->n + bytes.n > most) {
		buf_addf(&t->why, "the answer is larger than %llu bytes", (unsigned long long)most);
		return good ? 0 : bytes.n;
	}
	t->n += bytes.n;
	if (!good || !t->to_reader) {
		buf_add(&t->body, bytes);
	} else if (t->begun || begin_data(t)) {
		end_if(frame_send_all(STDIN_FILENO, REMOTE_DATA, bytes, monotonic_ns() + SEND_NS));
	} else {
		return 0;
	}
	return size * n;
}

/* By the keys, if there are any. 0, or -EOPNOTSUPP and why. */
static int sign(struct transfer *t, struct curl_slist **headers)
{
	struct buf text CLEANUP(buf_free) = { 0 };

	if (!who.keys.id.n)
		return 0;
	buf_addf(&text, "aws:amz:%s:s3%c", who.region, '\0');
	int r = https_set_signature(t->curl, text.p, headers, &t->why);
	text.n = 0;
	buf_addf(&text, STR_FMT ":" STR_FMT "%c", STR_ARG(who.keys.id),
		 STR_ARG(who.keys.secret), '\0');
	curl_easy_setopt(t->curl, CURLOPT_USERPWD, text.p);
	text.n = 0;
	buf_addf(&text, "x-amz-security-token: " STR_FMT "%c", STR_ARG(who.keys.session), '\0');
	if (who.keys.session.n)
		*headers = curl_slist_append(*headers, text.p);
	return r;
}

/* "machine HOST login USER password SECRET" of ~/.netrc, as "USER:SECRET". */
static void find_login(struct str words, struct str host, struct buf *login)
{
	struct str word, value;
	bool ours = false;

	while (str_take_word(&words, &word) && str_take_word(&words, &value)) {
		if (str_eq(word, STR("machine")))
			ours = str_eq(value, host);
		else if (ours && str_eq(word, STR("login")))
			buf_addf(login, STR_FMT ":", STR_ARG(value));
		else if (ours && str_eq(word, STR("password")))
			buf_add(login, value);
	}
	buf_add_char(login, '\0');
}

/* To servers by HTTPS alone. */
static void set_login(CURL *c, struct str url)
{
	struct buf login CLEANUP(buf_free) = { 0 };
	struct str host, name;

	if (!str_take_prefix(&url, STR("https://")) || !str_take_until(&url, '/', &host))
		return;
	if (str_take_until(&host, ':', &name))
		host = name;
	find_login(buf_str(&who.netrc), host, &login);
	if (login.n > 1)
		curl_easy_setopt(c, CURLOPT_USERPWD, login.p);
}

static void explain(struct transfer *t, CURLcode e, const char *url)
{
	struct buf said CLEANUP(buf_free) = { 0 };
	int status = status_of(t);

	if (t->why.n && status / 100 == 2)
		return;
	t->why.n = 0;
	if (e != CURLE_OK) {
		buf_addf(&t->why, "%s", t->error[0] ? t->error : curl_easy_strerror(e));
		return;
	}
	listing_put_error(&said, buf_str(&t->body));
	if (status == 401 || status == 403)
		buf_add(&t->why, buf_str(&who.why));
	buf_addf(&t->why, "the server answers %d%s" STR_FMT, status, said.n ? " " : "",
		 STR_ARG(buf_str(&said)));
	if (status / 100 == 3)
		buf_addf(&t->why, ": another address than %s", url);
}

static void set_authorities(CURL *c)
{
	if (!who.ca_file)
		return;
#if LIBCURL_VERSION_NUM >= 0x074d00
	struct curl_blob blob = { who.authorities.p, who.authorities.n, CURL_BLOB_NOCOPY };
	curl_easy_setopt(c, CURLOPT_CAINFO_BLOB, &blob);
#else
	curl_easy_setopt(c, CURLOPT_CAINFO, who.ca_file);
#endif
}

static void set_request(struct transfer *t, const char *url)
{
	char range[40];

	https_set_limits(t->curl);
	curl_easy_setopt(t->curl, CURLOPT_TIMEOUT, (long)MOST_S);
	curl_easy_setopt(t->curl, CURLOPT_SHARE, t->kept);
	curl_easy_setopt(t->curl, CURLOPT_ERRORBUFFER, t->error);
	curl_easy_setopt(t->curl, CURLOPT_URL, url);
	curl_easy_setopt(t->curl, CURLOPT_USERAGENT, "nodometer/" PACKAGE_VERSION);
	curl_easy_setopt(t->curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(t->curl, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
	set_authorities(t->curl);
	snprintf(range, sizeof(range), "%llu-", (unsigned long long)t->first);
	if (t->first)
		curl_easy_setopt(t->curl, CURLOPT_RANGE, range);
}

/* A handle of its own for each request, as in sinks/https.c. */
static bool perform_once(struct transfer *t, const char *url, bool last)
{
	struct curl_slist *headers = NULL;

	t->curl = curl_easy_init();
	if (!t->curl)
		abort();
	t->begun = t->ranged = false;
	t->n = t->body.n = t->why.n = 0;
	t->error[0] = '\0';
	set_request(t, url);
	if (!t->is_s3)
		set_login(t->curl, str_of(url));
	int r = t->is_s3 ? sign(t, &headers) : 0;
	curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, headers);
	CURLcode e = r < 0 ? CURLE_NOT_BUILT_IN : curl_easy_perform(t->curl);
	int status = status_of(t);
	bool good = e == CURLE_OK && status / 100 == 2;
	bool again = !t->begun && !t->why.n && e != CURLE_PEER_FAILED_VERIFICATION &&
		     (e != CURLE_OK || status == 429 || status >= 500);
	if (!good && r == 0)
		explain(t, e, url);
	curl_easy_cleanup(t->curl);
	curl_slist_free_all(headers);
	return good || !again || last;
}

/* A store that is busy, or a connection that is lost before the first byte, is asked again. */
static bool perform(struct transfer *t, const char *url)
{
	for (unsigned i = 1; !perform_once(t, url, i == TRIES); i++)
		usleep(i * TRY_AGAIN_MS * 1000);
	return !t->why.n;
}

struct listing {
	struct transfer *t;
	struct str prefix;	/* of each name that is ours */
	struct buf folders;	/* names, each with a NUL */
	struct str host;	/* of the folder that is listed, or nothing */
	bool has_files;
};

static void send_name(struct listing *l, struct str name, uint64_t size)
{
	struct buf b CLEANUP(buf_free) = { 0 };
	if (memchr(name.p, '\0', name.n) || memchr(name.p, '\n', name.n))
		return;
	buf_addf(&b, " " STR_FMT "%s" STR_FMT, STR_ARG(l->host), l->host.n ? "/" : "",
		 STR_ARG(name));
	reply_number(REMOTE_FILE, size, buf_str(&b));
}

static void take_entry(void *arg, struct str name, uint64_t size)
{
	struct listing *l = arg;
	if (!name.n || memchr(name.p, '/', name.n) || *name.p == '.')
		return;
	if (size != LISTING_FOLDER) {
		l->has_files |= *name.p >= '0' && *name.p <= '9';
		send_name(l, name, size);
	} else if (!l->host.n && !memchr(name.p, '\0', name.n)) {
		buf_add(&l->folders, name);
		buf_add_char(&l->folders, '\0');
	}
}

static bool list_folder(struct listing *l, struct str url)
{
	struct buf at CLEANUP(buf_free) = { 0 };
	const struct listing_to to = { take_entry, l };

	buf_addf(&at, STR_FMT "/" STR_FMT "%s%c", STR_ARG(url), STR_ARG(l->host),
		 l->host.n ? "/" : "", '\0');
	if (!perform(l->t, at.p))
		return false;
	if (listing_take_folder(buf_str(&l->t->body), &to) == 0)
		return true;
	buf_addf(&l->t->why, "%s is no list of files: nginx wants \"autoindex on\" and "
		 "\"autoindex_format json\" there", at.p);
	return false;
}

/* The folder of one host, or of many. */
static bool list_folders(struct listing *l, struct str url)
{
	url = str_without_end(url, '/');
	bool r = list_folder(l, url), one_host = l->has_files;
	for (size_t i = 0; r && !one_host && i < l->folders.n; i += l->host.n + 1) {
		l->host = str_of(l->folders.p + i);
		r = list_folder(l, url);
	}
	return r;
}

static void take_object(void *arg, struct str name, uint64_t size)
{
	struct listing *l = arg;
	if (str_take_prefix(&name, l->prefix) && name.n)
		send_name(l, name, size);
}

/* Page after page: a server that sends the same token again would do so for ever. */
static bool list_objects(struct listing *l, struct str url)
{
	struct buf at CLEANUP(buf_free) = { 0 }, prefix CLEANUP(buf_free) = { 0 };
	struct buf next CLEANUP(buf_free) = { 0 }, token CLEANUP(buf_free) = { 0 };
	const struct listing_to to = { take_object, l };
	int r = 0;

	s3_put_prefix(&prefix, url);
	l->prefix = buf_str(&prefix);
	do {
		token.n = at.n = 0;
		buf_add(&token, buf_str(&next));
		if (!s3_put_list_url(&at, who.endpoint, url, buf_str(&token))) {
			buf_addf(&l->t->why, "want s3://BUCKET/PREFIX");
			return false;
		}
		buf_add_char(&at, '\0');
		if (!perform(l->t, at.p))
			return false;
		r = listing_take_page(buf_str(&l->t->body), &to, &next);
	} while (r == 0 && next.n && !str_eq(buf_str(&next), buf_str(&token)));
	if (r < 0)
		buf_addf(&l->t->why, "%s", r == -EOPNOTSUPP ?
			 "this build has no expat, to read lists of S3" :
			 "the answer is no list of objects of S3");
	return r == 0;
}

static bool list(struct transfer *t, struct str url)
{
	struct listing l = { .t = t };
	t->to_reader = false;
	t->first = 0;
	bool r = t->is_s3 ? list_objects(&l, url) : list_folders(&l, url);
	buf_free(&l.folders);
	return r;
}

/* Names of hosts and files as they are become the path of a URL; what is encoded stays. */
static void put_url(struct buf *b, struct str url)
{
	for (size_t i = 0; i < url.n; i++) {
		unsigned char c = (unsigned char)url.p[i];
		if (c <= ' ' || c >= 0x7f || strchr("\"<>\\^`{|}#?", c))
			buf_addf(b, "%%%02X", c);
		else
			buf_add_char(b, (char)c);
	}
}

static bool read_file(struct transfer *t, struct str text)
{
	struct buf at CLEANUP(buf_free) = { 0 };

	t->to_reader = true;
	if (!str_take_u64(&text, &t->first) || !str_take_prefix(&text, STR(" "))) {
		buf_addf(&t->why, "a wrong request");
		return false;
	}
	if (!t->is_s3)
		put_url(&at, text);
	else if (!s3_put_url(&at, who.endpoint, text))
		return false;
	buf_add_char(&at, '\0');
	return perform(t, at.p) && (t->begun || begin_data(t));
}

/* An object store is asked where the user says it is, or at Amazon's. */
static void find_endpoint(struct buf *b)
{
	if (who.endpoint)
		return;
	buf_addf(b, "https://s3.%s.amazonaws.com%c", who.region, '\0');
	who.endpoint = b->p;
}

static bool answer(struct transfer *t, char kind, struct str text)
{
	t->why.n = 0;
	t->is_s3 = memmem(text.p, text.n, "s3://", 5);
	return kind == REMOTE_LIST ? list(t, text) : kind == REMOTE_READ && read_file(t, text);
}

int main(void)
{
	struct buf text CLEANUP(buf_free) = { 0 }, endpoint CLEANUP(buf_free) = { 0 };
	struct transfer t = { .first = 0 };
	struct stat st;
	char kind;

	log_open("nodometer-remote", LOG_LEVEL_INFO);
	if (fstat(STDIN_FILENO, &st) < 0 || !S_ISSOCK(st.st_mode)) {
		log_error("programs that are given a URL start this one; it takes no command line");
		return 2;
	}
	find_keys();
	find_endpoint(&endpoint);
	read_authorities();
	confine_reader();
	t.kept = curl_share_init();
	if (!t.kept)
		abort();
	curl_share_setopt(t.kept, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT);
	curl_share_setopt(t.kept, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
	while (frame_receive(STDIN_FILENO, &kind, &text, REMOTE_REQUEST_MAX, INT64_MAX) == 0) {
		bool good = answer(&t, kind, buf_str(&text));
		reply(good ? REMOTE_END : REMOTE_ERROR, good ? STR("") : buf_str(&t.why));
	}
	curl_share_cleanup(t.kept);
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
