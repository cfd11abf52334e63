/* SPDX-License-Identifier: BSD-3-Clause */
/* secret.c - read a sink's password, token or key, and check its certificate and login keys */
#include "sinks/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECRET_MAX 4096

static bool secret_has_half(const char *first, const char *second, const char *keys,
			    struct buf *why)
{
	if (!first[0] == !second[0])
		return false;
	buf_addf(why, "%s: set both of them", keys);
	return true;
}

bool sink_has_half_certificate(const char *cert_file, const char *key_file, struct buf *why)
{
	return secret_has_half(cert_file, key_file, "cert-file and key-file", why);
}

bool sink_has_half_login(const char *user, const char *password_file, struct buf *why)
{
	return secret_has_half(user, password_file, "user and password-file", why);
}

int sink_secret_path(const char *value, struct buf *b, struct buf *why)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	if (strchr(value, '/')) {
		buf_addf(b, "%s%c", value, '\0');
		return 0;
	}
	if (!dir || dir[0] != '/') {
		buf_addf(why, "%s: a name without a path is a credential: the unit needs "
			 "LoadCredential=%s:FILE", value, value);
		return -EINVAL;
	}
	buf_addf(b, "%s/%s%c", dir, value, '\0');
	return 0;
}

int64_t sink_secret_time(const char *value)
{
	struct buf path CLEANUP(buf_free) = { 0 }, why CLEANUP(buf_free) = { 0 };
	struct stat st;
	if (!*value || sink_secret_path(value, &path, &why) < 0 || stat(path.p, &st) < 0)
		return 0;
	return st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
}

static int secret_open(const char *path, int *fd, struct buf *why)
{
	struct stat st;
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r = *fd < 0 || fstat(*fd, &st) < 0 ? -errno : 0;
	if (r == 0 && (!S_ISREG(st.st_mode) || (st.st_mode & S_IROTH)))
		r = -EACCES;
	if (r == -EACCES && *fd >= 0)
		buf_addf(why, "%s: readable by every user, or not a regular file: chmod 0640 and "
			 "chown root:nodometer", path);
	else if (r < 0)
		buf_addf(why, "%s: %s", path, strerror(-r));
	return r;
}

int sink_read_secret(const char *value, struct buf *secret, struct buf *why)
{
	struct buf path CLEANUP(buf_free) = { 0 };
	int fd CLEANUP(close_fd) = -1;
	char text[SECRET_MAX];
	struct str line = { 0 };
	int r = sink_secret_path(value, &path, why);
	if (r == 0)
		r = secret_open(path.p, &fd, why);
	if (r < 0)
		return r;
	ssize_t n = read(fd, text, sizeof(text));
	struct str rest = { text, n > 0 ? (size_t)n : 0 };
	str_take_line(&rest, &line);
	line = str_trim(line);
	if (n == (ssize_t)sizeof(text) || !line.n || memchr(line.p, '\0', line.n)) {
		buf_addf(why, "%s: expected a line of at most %d bytes", path.p, SECRET_MAX - 1);
		return -EINVAL;
	}
	secret->n = 0;
	buf_add(secret, line);
	buf_add_char(secret, '\0');
	secret->n--;
	return 0;
}

/*
 * Open a file as the library that reads it does. Trusted certificates may be a folder, which
 * librdkafka accepts. Returns 0, or -errno and why.
 */
static int secret_try_open(const struct key *k, const char *path, struct buf *why)
{
	struct stat st;
	int fd CLEANUP(close_fd) = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r = fd < 0 || fstat(fd, &st) < 0 ? -errno : 0;
	if (r == 0 && !S_ISREG(st.st_mode) &&
	    !(S_ISDIR(st.st_mode) && strcmp(k->name, "ca-file") == 0))
		r = -EISDIR;
	if (r == -ENOENT || r == -ENOTDIR)
		buf_addf(why, "%s: create the file, or correct the path", strerror(-r));
	else if (r == -EISDIR)
		buf_addf(why, "not a regular file: correct the path");
	else if (r < 0)
		buf_addf(why, "%s: correct its owner or mode", strerror(-r));
	return r;
}

/* Drop "PATH: " from the start of a message, because the caller has named the path. */
static struct str secret_without_path(const struct buf *text, const char *path)
{
	struct str rest = buf_str(text);
	if (str_take_prefix(&rest, str_of(path)))
		str_take_prefix(&rest, STR(": "));
	return rest;
}

int sink_try_file(const struct key *k, const char *value, struct buf *path, struct buf *why)
{
	struct buf unused CLEANUP(buf_free) = { 0 }, secret CLEANUP(buf_free) = { 0 };
	bool is_file = k->kind == KEY_SECRET || (k->kind == KEY_PATH_OR_NOTHING && !k->is_storage);
	if (!is_file || !value[0] || sink_secret_path(value, path, &unused) < 0)
		return 0;
	int r = secret_try_open(k, path->p, why);
	/* a key file is more than a line of text; libcurl and librdkafka parse it */
	if (r < 0 || k->kind != KEY_SECRET || strcmp(k->name, "key-file") == 0)
		return r;
	unused.n = 0;
	r = sink_read_secret(value, &secret, &unused);
	buf_add(why, secret_without_path(&unused, path->p));
	return r;
}
